//! Text in columns of a terminal, where a Chinese character is two wide and an accent none.

use std::borrow::Cow;

use console::measure_text_width;

/// The text within so many columns, with an ellipsis where something was cut.
pub(super) fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if measure_text_width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut cut = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = measure_text_width(c.encode_utf8(&mut [0; 4]));
        if used + wide >= columns {
            break;
        }
        used += wide;
        cut.push(c);
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    Cow::Owned(cut)
}

/// The text filled up with blanks to so many columns.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(measure_text_width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The lines of a text, broken between words to at most so many columns; a word that is wider, and
/// text without blanks, is broken where it must be.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        if measure_text_width(line) <= columns {
            lines.push(line.to_owned());
            continue;
        }
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let mut current = String::new();
        for word in line.split_inclusive(' ') {
            if !current.trim().is_empty()
                && measure_text_width(&current) + measure_text_width(word.trim_end()) > columns
            {
                lines.push(current.trim_end().to_owned());
                current.clone_from(&indent);
            }
            for c in word.chars() {
                let wide = measure_text_width(c.encode_utf8(&mut [0; 4]));
                if measure_text_width(&current) + wide > columns && c != ' ' {
                    lines.push(std::mem::take(&mut current));
                }
                current.push(c);
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_character_takes_two_columns() {
        assert_eq!(fit("retry queue", 11), "retry queue");
        assert_eq!(fit("retry queue", 7), "retry…");
        assert_eq!(fit("重试队列", 8), "重试队列");
        assert_eq!(fit("重试队列", 7), "重试队…");
        assert_eq!(fit("重试队列", 6), "重试…");
        assert_eq!(fit("x", 0), "…");
        assert_eq!(pad("重试", 6), "重试  ");
        assert_eq!(pad("retry", 3), "retry");
    }

    #[test]
    fn lines_break_between_words_and_lose_nothing() {
        assert_eq!(wrap("the retry queue drops jobs", 12), ["the retry", "queue drops", "jobs"]);
        assert_eq!(wrap("  indented words go on", 13), ["  indented", "  words go on"]);
        assert_eq!(wrap("重试队列在重启之后丢失任务", 10), ["重试队列在", "重启之后丢", "失任务"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }
}
