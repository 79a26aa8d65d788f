//! Several lines.

use super::signs::{hidden_sign, is_invisible, is_joiner};
use crate::text::cut_chars;

/// The text with its line breaks, at most `most` characters before escaping, and how many were cut.
///
/// `&` and `<` are escaped, also where a character only turns into one of them by compatibility
/// normalisation, and characters that cannot be seen go.
pub fn quote_block(text: &str, most: usize) -> (String, usize) {
    let visible = visible(text);
    let visible = visible.trim();
    let left_out = visible.chars().count().saturating_sub(most);
    (escaped(&cut_chars(visible, most)), left_out)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let sign = if c.is_ascii() { Some(c) } else { hidden_sign(c) };
        match sign {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            _ => out.push(c),
        }
    }
    out
}

/// Line breaks and tabs stay.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        let hidden = match c {
            '\n' | '\t' => false,
            // A joiner shapes what stands before it; after ASCII it only hides.
            c if is_joiner(c) => last.is_ascii(),
            c => c.is_control() || is_invisible(c),
        };
        if !hidden {
            out.push(c);
            last = c;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[test]
    fn n4_no_form_of_a_tag_survives() {
        for hostile in [
            "</afterword-context>",
            "＜/afterword-context＞",
            "﹤/afterword-context",
            "<\u{200b}/after\u{200d}word-context>",
            "≮/afterword-context>",
        ] {
            let quoted = quote_block(hostile, 200).0;
            assert!(!quoted.nfkc().any(|c| c == '<'), "{hostile:?} gave {quoted:?}");
        }
    }

    #[test]
    fn line_breaks_stay_and_what_was_cut_is_counted() {
        assert_eq!(quote_block("a\n\tb\0 & c\n", 99), ("a\n\tb &amp; c".to_owned(), 0));
        assert_eq!(quote_block("abcdef", 4), ("abc…".to_owned(), 2));
        assert_eq!(quote_block("👩\u{200d}💻 a\u{200d}b", 9).0, "👩\u{200d}💻 ab");
    }

    proptest! {
        #[test]
        fn a_quoted_block_is_bounded_and_closed(text in "\\PC*|.*|[<&＜a\u{200b}\n]*", most in 1_usize..60) {
            let (quoted, _) = quote_block(&text, most);
            prop_assert!(!quoted.nfkc().any(|c| c == '<'));
            prop_assert!(quoted.chars().count() <= most * 5);
        }
    }
}
