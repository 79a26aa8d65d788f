//! Bytes to text: byte order marks, UTF-16, invalid UTF-8.

use std::borrow::Cow;

/// How the bytes of a JSON text are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One byte a unit.
    Utf8,
    /// Two bytes a unit, low byte first.
    Utf16Little,
    /// Two bytes a unit, high byte first.
    Utf16Big,
}

/// The encoding told by the first two bytes: a mark, or an ASCII character beside a zero byte.
pub(super) fn encoding(first: u8, second: u8) -> Encoding {
    match (first, second) {
        (0xff, 0xfe) | (0x01..=0x7f, 0) => Encoding::Utf16Little,
        (0xfe, 0xff) | (0, 0x01..=0x7f) => Encoding::Utf16Big,
        _ => Encoding::Utf8,
    }
}

/// The bytes as text, without a byte order mark; what cannot be read becomes U+FFFD.
///
/// A character cut in half by the end of the input is dropped.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = match bytes {
        [first, second, ..] => encoding(*first, *second),
        _ => Encoding::Utf8,
    };
    let mut text = match encoding {
        Encoding::Utf8 => utf8(bytes),
        Encoding::Utf16Little => Cow::Owned(utf16(bytes, u16::from_le_bytes)),
        Encoding::Utf16Big => Cow::Owned(utf16(bytes, u16::from_be_bytes)),
    };
    while text.starts_with('\u{feff}') {
        text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(&text['\u{feff}'.len_utf8()..]),
            Cow::Owned(text) => Cow::Owned(text.trim_start_matches('\u{feff}').to_owned()),
        };
    }
    text
}

fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    let whole = bytes.len() - cut_character(bytes);
    String::from_utf8_lossy(&bytes[..whole])
}

/// Bytes at the end that begin a character and do not finish it.
fn cut_character(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    for (start, byte) in tail.iter().enumerate() {
        if *byte >= 0xc2 {
            return match std::str::from_utf8(&tail[start..]) {
                Err(error) if error.error_len().is_none() && error.valid_up_to() == 0 => {
                    tail.len() - start
                }
                _ => continue,
            };
        }
    }
    0
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
