//! Files that a command line writes: evidence of a change when no editing tool was used.

use crate::distill::command::{segments, words_of};

/// Bytes of a command line that are read.
const MAX_READ: usize = 4_000;

/// The files a command line plainly writes: by redirection of text, by `tee`, by `sed -i`.
///
/// Only what is certain is named: no patterns, no variables, no devices or scratch files.
pub(super) fn written_files(line: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for segment in segments(afterword_domain::text::prefix(line, MAX_READ)) {
        let first_line = segment.lines().next().unwrap_or_default();
        let words = words_of(first_line);
        let Some(program) = words.first().copied() else { continue };
        let mut found: Vec<&str> = Vec::new();
        match program {
            "cat" | "echo" | "printf" => found.extend(redirected(&words)),
            "tee" => found.extend(
                words[1..]
                    .iter()
                    .take_while(|w| !w.starts_with("<<"))
                    .filter(|w| !w.starts_with('-')),
            ),
            "sed" if words.iter().any(|w| w.starts_with("-i")) => found.extend(words.last()),
            _ => {}
        }
        let plain = found.into_iter().map(|w| w.trim_matches(['"', '\''])).filter(|w| is_plain(w));
        out.extend(plain.map(str::to_owned));
    }
    out
}

/// The word after `>` or `>>`.
fn redirected<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|w| w.starts_with('>'))?;
    let before = words[..at].iter().flat_map(|w| w.bytes());
    let quoted = before.filter(|b| matches!(b, b'"' | b'\'')).count() % 2 == 1;
    let rest = words[at].trim_start_matches('>');
    if quoted {
        return None;
    }
    if rest.is_empty() { words.get(at + 1).copied() } else { Some(rest) }
}

fn is_plain(word: &str) -> bool {
    let named =
        word.chars().any(char::is_alphanumeric) && (word.contains('.') || word.contains('/'));
    let odd = word.contains([
        '$', '*', '&', '`', '(', ')', '{', '"', '\'', ';', '<', '>', '|', '?', '=', '\\',
    ]);
    let scratch = ["/dev/", "/tmp/", "/proc/"].iter().any(|place| word.starts_with(place));
    named && !odd && !scratch
}
