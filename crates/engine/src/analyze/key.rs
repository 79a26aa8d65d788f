//! When two texts say the same.

use std::fmt::Write as _;

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
    let mut key = String::from("sha256:");
    for byte in Sha256::digest(even.as_bytes()) {
        write!(key, "{byte:02x}").expect("a string takes what is written");
    }
    key
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
