//! Passwords in addresses: `postgres://user:password@host`.

use super::{Spans, run};
use crate::privacy::keys::{is_placeholder, looks_random};

/// Shortest name without a password that is taken for a token.
const MIN_TOKEN: usize = 20;

/// Reports the password of every address that has one, and a long random name without one.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = text[at..].find("://") {
        let start = at + offset + "://".len();
        let end = run(bytes, start, is_authority);
        at = end;
        let Some(sign) = text[start..end].rfind('@') else { continue };
        let user = &text[start..start + sign];
        let secret = match user.find(':') {
            Some(colon) => start + colon + 1..start + sign,
            None if user.len() >= MIN_TOKEN && looks_random(user) => start..start + sign,
            None => continue,
        };
        if !is_placeholder(&text[secret.clone()]) || text[secret.clone()].len() == 1 {
            spans.push(secret);
        }
    }
}

fn is_authority(b: u8) -> bool {
    !b.is_ascii_whitespace()
        && !b.is_ascii_control()
        && !matches!(
            b,
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'(' | b')'
        )
}
