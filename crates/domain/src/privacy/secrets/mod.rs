//! Credentials in running text: found by shape or by the name they are assigned to.
//!
//! Each scanner walks the text once and reports spans; overlapping spans melt into one mask.

mod assignments;
mod flags;
mod headers;
mod pem;
mod programs;
mod tokens;
mod urls;

use std::ops::Range;

pub(super) use flags::is_secret_option;
pub(super) use headers::{is_secret_header, secret_value};

use super::REDACTED;

/// Byte ranges of secrets, in no order.
type Spans = Vec<Range<usize>>;

/// The text with its secrets masked; none when there is nothing to mask.
pub(super) fn redact(text: &str) -> Option<String> {
    let mut spans = Spans::new();
    tokens::find(text, &mut spans);
    pem::find(text, &mut spans);
    urls::find(text, &mut spans);
    headers::find(text, &mut spans);
    flags::find(text, &mut spans);
    assignments::find(text, &mut spans);
    spans.retain(|span| !span.is_empty() && &text[span.clone()] != REDACTED);
    if spans.is_empty() {
        return None;
    }
    spans.sort_unstable_by_key(|span| span.start);
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        if span.end <= from {
            continue;
        }
        if span.start >= from {
            masked.push_str(&text[from..span.start]);
            masked.push_str(REDACTED);
        }
        from = span.end;
    }
    masked.push_str(&text[from..]);
    Some(masked)
}

/// The end of the longest run of bytes from `at` on that satisfy `keep`.
///
/// `keep` must refuse bytes above ASCII or accept all of them, so that the end is a boundary.
fn run(bytes: &[u8], at: usize, keep: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|b| !keep(*b)).map_or(bytes.len(), |n| at + n)
}
