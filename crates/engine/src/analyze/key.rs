//! When two texts say the same.

use afterword_domain::text::hex;
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization;

/// Texts up to this length are their own key, which keeps keys readable.
const MAX_PLAIN: usize = 120;

/// Equal for texts that say the same in the same words: white space, case and Unicode forms made
/// even.
///
/// Any other difference gives another key, punctuation too. Keys are at most 120 bytes long:
/// longer texts are hashed.
pub fn text_key(text: &str) -> String {
    let even = even(text);
    if even.len() <= MAX_PLAIN {
        return even;
    }
    format!("sha256:{}", hex(&Sha256::digest(even.as_bytes())))
}

fn even(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if text.is_ascii() {
        push_even(text.chars(), &mut out);
    } else {
        // Lower-casing may compose anew, hence the second pass over composed text.
        let lower: String = text.nfc().flat_map(char::to_lowercase).collect();
        push_even(lower.nfc(), &mut out);
    }
    out
}

fn push_even(chars: impl Iterator<Item = char>, out: &mut String) {
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        // A capital sigma has one small form here, wherever it stands.
        out.push(if c == 'ς' { 'σ' } else { c.to_ascii_lowercase() });
    }
}
