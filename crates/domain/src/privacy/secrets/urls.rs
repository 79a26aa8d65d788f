//! Secrets in addresses: `postgres://user:password@host`, web hooks that are their own password, and
//! signatures behind a question mark.

use super::{Spans, run};
use crate::privacy::keys::{is_placeholder, looks_random};

/// Shortest name without a password that is taken for a token.
const MIN_TOKEN: usize = 20;

/// Reports the password of every address that has one, a long random name without one, and what else
/// of an address lets in whoever knows it.
pub(super) fn find(text: &str, spans: &mut Spans) {
    signatures(text, spans);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = text[at..].find("://") {
        let start = at + offset + "://".len();
        let end = run(bytes, start, is_authority);
        at = end;
        if let Some(secret) = hook(text, start, end) {
            at = secret.end;
            spans.push(secret);
            continue;
        }
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

/// Addresses that let in whoever knows them, and where the secret part begins.
const HOOKS: [(&str, &str); 4] = [
    ("hooks.slack.com", "/services/"),
    ("discord.com", "/api/webhooks/"),
    ("discordapp.com", "/api/webhooks/"),
    ("webhook.office.com", "/webhookb2/"),
];

/// Names of a query whose value signs the address.
const SIGNATURES: [&str; 4] = ["sig", "signature", "x-amz-signature", "x-goog-signature"];

/// Shortest signature.
const MIN_SIGNATURE: usize = 16;

/// Where the secret path of an address ends that lets in whoever knows it, and where it begins.
fn hook(text: &str, start: usize, from: usize) -> Option<std::ops::Range<usize>> {
    let host = &text[start..from];
    let (_, way) = HOOKS.iter().find(|(name, _)| host.ends_with(name))?;
    let rest = text[from..].strip_prefix(way)?;
    let length = run(rest.as_bytes(), 0, |b| is_authority(b) || b == b'/');
    let begin = from + way.len();
    (length > 0).then_some(begin..begin + length)
}

/// Reports the signatures in the queries of addresses.
fn signatures(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = text[at..].find(['?', '&']) {
        let name_at = at + offset + 1;
        let name_end = run(bytes, name_at, |b| b.is_ascii_alphanumeric() || b == b'-');
        at = name_end;
        let name = &text[name_at..name_end];
        if bytes.get(name_end) != Some(&b'=')
            || !SIGNATURES.iter().any(|known| name.eq_ignore_ascii_case(known))
        {
            continue;
        }
        let end = run(bytes, name_end + 1, |b| is_authority(b) && b != b'&');
        at = end;
        if end - name_end > MIN_SIGNATURE {
            spans.push(name_end + 1..end);
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
