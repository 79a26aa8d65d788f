//! Cutting and measuring text without ever breaking a character.

use std::fmt::Write as _;

/// The longest prefix of at most `max_bytes` bytes that ends on a character boundary.
pub fn prefix(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let mut end = max_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest suffix of at most `max_bytes` bytes that starts on a character boundary.
pub fn suffix(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let mut start = text.len() - max_bytes;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// At most `max_chars` characters; an ellipsis takes the place of the last when something is cut.
pub fn cut_chars(text: &str, max_chars: usize) -> String {
    let mut indices = text.char_indices();
    match indices.nth(max_chars) {
        None => text.to_owned(),
        Some(_) if max_chars == 0 => String::new(),
        Some(_) => {
            let end = text.char_indices().nth(max_chars - 1).map_or(0, |(i, _)| i);
            format!("{}…", text[..end].trim_end())
        }
    }
}

/// The head and the tail of a long text, with a mark that says how many bytes were left out.
///
/// Two thirds of `max_bytes` go to the head. Shorter texts come back unchanged.
pub fn head_and_tail(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let head = prefix(text, max_bytes * 2 / 3);
    let tail = suffix(text, max_bytes / 3);
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
}

/// The text on one line: every run of white space becomes one blank, ends trimmed.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(512));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Length in UTF-16 code units, which is what agents in JavaScript count; never less than the
/// number of characters.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Bytes as lower-case hexadecimal digits, two for each.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d1_cuts_never_break_a_character() {
        let emoji = "🦀".repeat(50);
        for n in 0..60 {
            assert!(prefix(&emoji, n).len() <= n);
            assert!(suffix(&emoji, n).len() <= n);
            assert!(cut_chars(&emoji, n).chars().count() <= n);
            assert!(!head_and_tail(&emoji, n).contains('\u{fffd}'));
        }
    }

    #[test]
    fn short_texts_stay_whole() {
        assert_eq!(cut_chars("abc", 3), "abc");
        assert_eq!(cut_chars("abcd", 3), "ab…");
        assert_eq!(head_and_tail("abc", 3), "abc");
        assert_eq!(one_line("  a\n b\t c "), "a b c");
        assert_eq!(utf16_len("a🦀"), 3);
    }
}
