//! Unicode forms made even, case kept: the splitting of identifiers still needs it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// NFKC, and Latin letters without their diacritics. ASCII comes back as it is.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut after_latin = false;
    for c in text.nfkc() {
        if c.is_ascii() {
            out.push(c);
            after_latin = c.is_ascii_alphabetic();
        } else if is_latin_beyond_ascii(c) {
            push_base(c, &mut out);
            after_latin = true;
        } else if !(after_latin && is_diacritic(c)) {
            out.push(c);
            after_latin = false;
        }
    }
    Cow::Owned(out)
}

fn is_latin_beyond_ascii(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && c != '×' && c != '÷'
}

fn is_diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn push_base(c: char, out: &mut String) {
    let plain = match c {
        'ß' | 'ẞ' => "ss",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ħ' => "h",
        'Ħ' => "H",
        'ı' => "i",
        _ => "",
    };
    if !plain.is_empty() {
        out.push_str(plain);
        return;
    }
    let mut first = true;
    decompose_canonical(c, |part| {
        if first {
            out.push(part);
            first = false;
        }
    });
}
