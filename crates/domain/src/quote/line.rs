//! One line.

use std::collections::VecDeque;

use super::signs::{hidden_sign, is_invisible, is_joiner};

/// What takes the place of what was cut.
const ELLIPSIS: char = '…';

/// Longest run of a fence character that is kept; three would open or close a fence.
const MAX_FENCE_RUN: usize = 1;

/// The text on one line of at most `most` UTF-16 units after escaping, cut with an ellipsis.
///
/// `<` becomes `&lt;`, and `&` becomes `&amp;` where it would begin an entity, also where a character
/// only turns into one of them by compatibility normalisation (`＜`). White space and control characters become single blanks,
/// invisible characters go, and fences shrink to one sign. Cuts never split an escape. Reads no
/// more of the text than it keeps.
pub fn quote(text: &str, most: usize) -> String {
    let mut line = Line::new(most);
    for (at, c) in text.char_indices() {
        if !line.push(c, &text[at + c.len_utf8()..]) {
            break;
        }
    }
    line.done()
}

/// As [`quote`], for a value between double quotes.
pub fn quote_attribute(text: &str, most: usize) -> String {
    quote(text, most).replace('"', "&quot;").replace('>', "&gt;")
}

/// A line that grows up to its room.
struct Line {
    out: String,
    /// The lengths in units of what was written last, so that an ellipsis finds room.
    pieces: VecDeque<(usize, usize)>,
    units: usize,
    most: usize,
    /// White space was seen and something comes before it.
    blank: bool,
    last: Option<char>,
    run: usize,
    /// Characters read without one written: a text of nothing but invisible ones ends too.
    idle: usize,
}

/// So many invisible characters in a row and the rest of the text is left out.
const MAX_IDLE: usize = 10_000;

impl Line {
    fn new(most: usize) -> Self {
        Self {
            out: String::with_capacity(most.min(1_024)),
            pieces: VecDeque::new(),
            units: 0,
            most,
            blank: false,
            last: None,
            run: 0,
            idle: 0,
        }
    }

    /// Takes one character with what follows it; false when the line is full and was cut.
    fn push(&mut self, c: char, rest: &str) -> bool {
        if c.is_whitespace() || c.is_control() {
            self.blank = self.last.is_some();
            self.idle += 1;
            return self.idle < MAX_IDLE;
        }
        if is_invisible(c) || (is_joiner(c) && self.last.is_none_or(|l| self.blank || l.is_ascii()))
        {
            self.idle += 1;
            return self.idle < MAX_IDLE;
        }
        self.idle = 0;
        if self.is_long_fence(c) {
            return true;
        }
        if self.blank {
            self.blank = false;
            if !self.write(" ") {
                return false;
            }
        }
        self.last = Some(c);
        self.write_escaped(c, rest)
    }

    /// Counts runs of fence characters, blanks between them not breaking a run of the same sign.
    fn is_long_fence(&mut self, c: char) -> bool {
        let sign = fence_sign(c);
        let before = self.last.and_then(fence_sign);
        self.run = if sign.is_some() && sign == before && !self.blank { self.run + 1 } else { 1 };
        sign.is_some() && self.run > MAX_FENCE_RUN
    }

    fn write_escaped(&mut self, c: char, rest: &str) -> bool {
        match c {
            '<' => self.write("&lt;"),
            '&' if begins_entity(rest) => self.write("&amp;"),
            c if c.is_ascii() => self.write(c.encode_utf8(&mut [0; 4])),
            c => match hidden_sign(c) {
                Some('<') => self.write("&lt;"),
                Some('&') => self.write("&amp;"),
                Some(sign) => self.write(sign.encode_utf8(&mut [0; 4])),
                None => self.write(c.encode_utf8(&mut [0; 4])),
            },
        }
    }

    fn write(&mut self, piece: &str) -> bool {
        let units = piece.chars().map(char::len_utf16).sum::<usize>();
        if self.units + units > self.most {
            self.cut();
            return false;
        }
        self.out.push_str(piece);
        self.units += units;
        self.pieces.push_back((piece.len(), units));
        if self.pieces.len() > 2 {
            self.pieces.pop_front();
        }
        true
    }

    fn cut(&mut self) {
        while self.units + ELLIPSIS.len_utf16() > self.most || self.out.ends_with(' ') {
            let Some((bytes, units)) = self.pieces.pop_back() else { break };
            self.out.truncate(self.out.len() - bytes);
            self.units -= units;
        }
        if self.units + ELLIPSIS.len_utf16() <= self.most {
            self.out.push(ELLIPSIS);
        }
    }

    fn done(self) -> String {
        self.out
    }
}

/// The fence character that a character is or becomes.
fn fence_sign(c: char) -> Option<char> {
    let sign = if c.is_ascii() { Some(c) } else { hidden_sign(c) };
    sign.filter(|sign| matches!(sign, '`' | '~'))
}

/// Whether what follows an `&` makes it the start of an entity for a lenient reader: `#`, a name up
/// to its `;`, or one of the names that browsers read without it.
fn begins_entity(rest: &str) -> bool {
    const BARE: [&str; 4] = ["lt", "gt", "amp", "quot"];
    let bare = |name: &str| BARE.iter().any(|bare| name.starts_with(bare));
    let mut name = String::new();
    for (at, c) in rest.chars().enumerate() {
        match c {
            '#' if name.is_empty() => return true,
            ';' => return !name.is_empty(),
            _ if at >= MAX_ENTITY => return true,
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            c if is_invisible(c) || is_joiner(c) => {}
            c if c.is_ascii() || c.is_whitespace() => return bare(&name),
            // What it is after normalisation is not looked into.
            _ => return true,
        }
    }
    bare(&name)
}

/// Characters after an `&` that are looked at; no entity has a longer name.
const MAX_ENTITY: usize = 48;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::text::utf16_len;

    #[test]
    fn n4_no_form_of_the_tag_survives() {
        for hostile in [
            "</afterword-context>",
            "＜/afterword-context＞",
            "﹤/afterword-context﹥",
            "</ afterword-context x>",
            "<\u{200b}/after\u{200d}word-context>",
            "<\u{338}/afterword-context>",
            "<AFTERWORD-CONTEXT project=\"x\">",
        ] {
            let quoted = quote(hostile, 200);
            assert!(!quoted.nfkc().any(|c| c == '<'), "{hostile:?} gave {quoted:?}");
        }
        assert_eq!(quote("a < b && c", 99), "a &lt; b && c");
        assert_eq!(
            quote("R&D, a&b=1&lt;x&#60;y&nbsp;z &amp;lt;", 99),
            "R&D, a&b=1&amp;lt;x&amp;#60;y&amp;nbsp;z &amp;amp;lt;"
        );
        assert_eq!(quote("&\u{200b}lt; &ｌt; &LT x", 99), "&amp;lt; &amp;ｌt; &amp;LT x");
        assert_eq!(quote_attribute("a\"><b", 99), "a&quot;&gt;&lt;b");
    }

    #[test]
    fn n4_lines_controls_and_fences_lose_their_power() {
        assert_eq!(quote("\n\n## Heading\r\nnext\u{2028}line\0!", 99), "## Heading next line !");
        assert_eq!(quote("```rust\ncode\n````", 99), "`rust code `");
        assert_eq!(quote("~~~ a ｀｀｀ b ``", 99), "~ a ` b `");
        assert_eq!(quote("\u{1b}[31mred\u{202e}der", 99), "[31mredder");
        assert_eq!(quote("👩\u{200d}💻 a\u{200d}b", 99), "👩\u{200d}💻 ab");
    }

    #[test]
    fn d1_cuts_end_on_a_character_and_within_the_room() {
        for text in
            ["🦀 и ещё <b> 中文 &", "&&&&&&&&", "&lt&lt;&#9&x;", "a b c d e f g h i j k l", "<<<<"]
        {
            let whole = quote(text, 1_000);
            for most in 0..utf16_len(&whole) {
                let cut = quote(text, most);
                assert!(utf16_len(&cut) <= most, "{text} at {most}: {cut}");
                assert!(most == 0 || cut.ends_with('…'), "{text} at {most}: {cut}");
                let kept = cut.trim_end_matches('…');
                assert!(whole.starts_with(kept), "{text} at {most}: {cut}");
                let after = kept.rfind('&').map_or("", |at| &kept[at..]);
                let half = after.len() > 1
                    && ["&amp;", "&lt;"].iter().any(|e| e.starts_with(after) && *e != after);
                assert!(!half, "half an escape: {cut}");
            }
            assert_eq!(quote(text, utf16_len(&whole)), whole);
        }
    }

    #[test]
    fn a_huge_text_of_nothing_ends() {
        assert_eq!(quote(&"\u{200b}".repeat(1_000_000), 50), "");
        assert_eq!(utf16_len(&quote(&"x".repeat(1_000_000), 50)), 50);
    }

    /// What a lenient reader of HTML makes of a text, once.
    fn decoded(text: &str) -> String {
        let text: String = text.nfkc().collect();
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('&') {
            out.push_str(&rest[..at]);
            let tail = &rest[at..];
            let name = tail.get(..3).map(str::to_ascii_lowercase).unwrap_or_default();
            if name == "&lt" {
                out.push('<');
                rest = tail[3..].trim_start_matches(';');
            } else if name.starts_with("&#") {
                out.push_str("<number>");
                rest = &tail[2..];
            } else {
                out.push('&');
                rest = tail.strip_prefix("&amp;").unwrap_or(&tail[1..]);
            }
        }
        out + rest
    }

    proptest! {
        #[test]
        fn n4_no_entity_of_the_text_is_read_as_one(text in "[&lLtT#;amp60xX \u{200b}\u{200d}ｌ＆]{0,24}") {
            let quoted = quote(&text, 400);
            prop_assert!(!decoded(&quoted).contains('<'), "{text:?} gave {quoted:?}");
        }

        #[test]
        fn quoted_text_is_one_safe_line(text in "\\PC*|.*|[<&`~ \\n\u{200b}＜a]*", most in 0_usize..80) {
            let quoted = quote(&text, most);
            prop_assert!(utf16_len(&quoted) <= most);
            prop_assert!(!quoted.nfkc().any(|c| c == '<' || c.is_control()));
            prop_assert!(!quoted.contains("``") && !quoted.contains("  "));
        }
    }
}
