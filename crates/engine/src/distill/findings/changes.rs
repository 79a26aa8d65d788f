//! What changed in each file, in its most telling lines.

use afterword_domain::text::cut_chars;
use afterword_store::contract::Digest;

use crate::distill::code::{is_aside, is_definition};
use crate::distill::prose::joined;
use crate::distill::words::quoted;

/// Files that are told of.
const MAX_FILES: usize = 10;

/// Lines of a file that are told of.
const MAX_LINES: usize = 3;

/// One line a file: its path and what was put in or taken out.
pub(super) fn file_changes<'d>(changes: impl Iterator<Item = &'d Digest>) -> Vec<String> {
    let mut files: Vec<(&str, Vec<&str>, &str)> = Vec::new();
    for digest in changes {
        for path in &digest.paths {
            let at = files.iter().position(|(known, ..)| known == path).or_else(|| {
                (files.len() < MAX_FILES).then(|| {
                    files.push((path, Vec::new(), &digest.outcome));
                    files.len() - 1
                })
            });
            let Some(at) = at else { continue };
            let room = 60usize.saturating_sub(files[at].1.len());
            files[at].1.extend(digest.detail.lines().take(room));
        }
    }
    files.iter().map(|(path, lines, outcome)| told(path, lines, outcome)).collect()
}

fn told(path: &str, lines: &[&str], outcome: &str) -> String {
    let mut ranked: Vec<(u8, usize, &str)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let rank = rank(line);
        if rank > 0 && !ranked.iter().any(|(.., known)| known == line) {
            ranked.push((rank, at, line));
        }
    }
    ranked.sort_by_key(|(rank, at, _)| (std::cmp::Reverse(*rank), *at));
    ranked.truncate(MAX_LINES);
    // Imports and comments are told only where nothing else changed.
    let best = ranked.first().map_or(0, |(rank, ..)| *rank);
    ranked.retain(|(rank, ..)| *rank > 2 || best <= 2);
    ranked.sort_by_key(|(_, at, _)| *at);
    let shown: Vec<String> = ranked.iter().map(|(.., line)| cut_chars(line, 90)).collect();
    let shown = joined(&shown, " · ", 260);
    match (shown.is_empty(), outcome.starts_with("created")) {
        (true, true) => format!("{path} ({outcome})"),
        (true, false) => path.to_owned(),
        (false, true) => format!("{path} ({outcome}): {}", quoted(&shown)),
        (false, false) => format!("{path}: {}", quoted(&shown)),
    }
}

/// How much a changed line tells; 0 for nothing.
fn rank(line: &str) -> u8 {
    let (sign, body) = match line.split_at_checked(2) {
        Some((sign @ ("+ " | "- "), body)) => (sign, body.trim()),
        _ => ("", line.trim()),
    };
    if body.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return 0;
    }
    let base = match (is_definition(body), is_aside(body)) {
        (true, _) => 5,
        (_, true) => 2,
        _ => 3,
    };
    // What is there now tells more than what is gone.
    if sign == "- " { (base - 2).max(1) } else { base }
}
