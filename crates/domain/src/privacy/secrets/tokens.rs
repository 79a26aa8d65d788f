//! Tokens that carry their maker's mark: `ghp_…`, `AKIA…`, `sk-ant-…`, JSON web tokens.

use super::{Spans, run};

/// What must follow a prefix.
#[derive(Clone, Copy)]
enum Tail {
    /// Exactly so many upper-case letters and digits, then no further letter or digit.
    Exactly(usize),
    /// At least so many letters and digits in a row.
    Solid(usize),
    /// At least so many letters, digits, `-` and `_`.
    Loose(usize),
    /// As `Loose`, with a digit among them: the prefix alone is an ordinary word.
    Mixed(usize),
}

const PREFIXES: [(&str, Tail); 45] = [
    ("AKIA", Tail::Exactly(16)),
    ("ASIA", Tail::Exactly(16)),
    ("ghp_", Tail::Solid(16)),
    ("gho_", Tail::Solid(16)),
    ("ghu_", Tail::Solid(16)),
    ("ghs_", Tail::Solid(16)),
    ("ghr_", Tail::Solid(16)),
    ("github_pat_", Tail::Loose(16)),
    ("glpat-", Tail::Loose(16)),
    ("xoxb-", Tail::Loose(10)),
    ("xoxa-", Tail::Loose(10)),
    ("xoxp-", Tail::Loose(10)),
    ("xoxr-", Tail::Loose(10)),
    ("xoxs-", Tail::Loose(10)),
    ("xapp-", Tail::Loose(10)),
    ("sk-ant-", Tail::Loose(12)),
    ("sk-proj-", Tail::Loose(12)),
    ("sk-svcacct-", Tail::Loose(12)),
    ("sk-or-", Tail::Mixed(16)),
    ("sk-", Tail::Mixed(16)),
    ("sk_live_", Tail::Solid(12)),
    ("sk_test_", Tail::Solid(12)),
    ("rk_live_", Tail::Solid(12)),
    ("whsec_", Tail::Solid(16)),
    ("AIza", Tail::Loose(30)),
    ("npm_", Tail::Solid(30)),
    ("pypi-", Tail::Mixed(16)),
    ("hf_", Tail::Solid(20)),
    ("dop_v1_", Tail::Solid(32)),
    ("shpat_", Tail::Solid(24)),
    ("shpss_", Tail::Solid(24)),
    ("lin_api_", Tail::Solid(24)),
    ("sntrys_", Tail::Loose(24)),
    ("glsa_", Tail::Loose(24)),
    ("tfp_", Tail::Loose(32)),
    ("AGE-SECRET-KEY-1", Tail::Loose(32)),
    ("GOCSPX-", Tail::Loose(20)),
    ("LTAI", Tail::Mixed(16)),
    ("AKID", Tail::Mixed(28)),
    ("dckr_pat_", Tail::Loose(20)),
    ("figd_", Tail::Loose(30)),
    ("gsk_", Tail::Solid(32)),
    ("xai-", Tail::Mixed(32)),
    ("ATATT3x", Tail::Loose(32)),
    // Our own, of a team server.
    ("awt_", Tail::Solid(32)),
];

/// Marks of tokens whose parts are joined by dots.
const DOTTED: [&str; 3] = ["SG", "ya29", "hvs"];

/// Shortest token behind such a mark.
const DOTTED_TAIL: usize = 16;

/// Shortest word that can be a token, or the first part of one.
const SHORTEST: usize = 10;

/// Reports tokens, each to the end of the word it stands in.
pub(super) fn find(text: &str, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = run(bytes, at, is_word);
        let mut reached = end;
        if let Some(token_end) = dotted(bytes, at, end) {
            spans.push(at..token_end);
            at = token_end;
            continue;
        }
        if end - at < SHORTEST {
            at = end;
            continue;
        }
        for start in starts(bytes, at, end) {
            if let Some(token_end) = token(bytes, start, end) {
                spans.push(start..token_end);
                reached = token_end;
                break;
            }
        }
        at = reached;
    }
}

/// Where a token may begin in a word: at its start, and behind an escape that is glued to it.
fn starts(bytes: &[u8], at: usize, end: usize) -> impl Iterator<Item = usize> {
    let word = &bytes[at..end];
    let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
    let hex = |from: usize, to: usize| {
        word.len() > to && word[from..to].iter().all(u8::is_ascii_hexdigit)
    };
    let skip = match before {
        b'\\' if word[0] == b'u' && hex(1, 5) => 5,
        b'\\' if word[0] == b'x' && hex(1, 3) => 3,
        b'\\' if matches!(word[0], b'n' | b'r' | b't' | b'b' | b'f') => 1,
        b'%' if hex(0, 2) => 2,
        // The end of a colour sequence of a terminal.
        b'[' | b';' => {
            let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits < word.len() && word[digits] == b'm' { digits + 1 } else { 0 }
        }
        // Dashes and underscores set a word off and belong to none.
        _ => word.iter().take_while(|b| matches!(b, b'-' | b'_')).count(),
    };
    std::iter::once(at).chain((skip > 0 && skip < word.len()).then_some(at + skip))
}

/// The end of the token that begins at `start`, if one does.
fn token(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let word = &bytes[start..end];
    if word.starts_with(b"eyJ") {
        return web_token(bytes, start, end);
    }
    let fits = |(prefix, tail): &(&str, Tail)| {
        word.strip_prefix(prefix.as_bytes()).is_some_and(|rest| has_tail(rest, *tail))
    };
    PREFIXES.iter().any(fits).then_some(end)
}

/// The end of a token of several parts joined by dots: behind one of [`DOTTED`], or three parts as
/// long as those of a bot's token.
fn dotted(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    if bytes.get(end) != Some(&b'.') {
        return None;
    }
    let second = run(bytes, end + 1, is_word);
    if DOTTED.iter().any(|mark| mark.as_bytes() == &bytes[start..end]) {
        let all = run(bytes, end + 1, |b| is_word(b) || b == b'.');
        let digit = bytes[end + 1..all].iter().any(u8::is_ascii_digit);
        return (digit && all - end > DOTTED_TAIL).then_some(all);
    }
    let bot = (23..=28).contains(&(end - start)) && matches!(bytes[start], b'M' | b'N' | b'O');
    if !bot || second - end != 7 || bytes.get(second) != Some(&b'.') {
        return None;
    }
    let third = run(bytes, second + 1, is_word);
    (third - second > 27).then_some(third)
}

fn has_tail(rest: &[u8], tail: Tail) -> bool {
    let solid = || rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    match tail {
        Tail::Exactly(n) => {
            solid() == n && rest[..n].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        }
        Tail::Solid(n) => solid() >= n,
        Tail::Loose(n) => rest.len() >= n,
        Tail::Mixed(n) => {
            rest.len() >= n
                && rest.iter().any(u8::is_ascii_digit)
                && rest.iter().any(u8::is_ascii_alphabetic)
        }
    }
}

/// A JSON web token: header, payload and signature, or the five parts of an encrypted one.
fn web_token(bytes: &[u8], start: usize, header_end: usize) -> Option<usize> {
    if header_end - start < 10 || bytes.get(header_end) != Some(&b'.') {
        return None;
    }
    let payload_end = run(bytes, header_end + 1, is_word);
    if payload_end - header_end < 5 || bytes.get(payload_end) != Some(&b'.') {
        return None;
    }
    let mut end = run(bytes, payload_end + 1, is_word);
    for _ in 0..2 {
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(|b| is_word(*b)) {
            end = run(bytes, end + 1, is_word);
        }
    }
    Some(end)
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
}
