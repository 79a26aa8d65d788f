//! The output of a command: the lines that say what came of it.

use afterword_domain::text::{cut_chars, one_line, prefix, suffix};

/// Bytes of an output that are looked at: head and tail.
const MAX_SEEN: usize = 32_000;

/// Characters of one line.
const MAX_LINE: usize = 200;

/// Lines that are kept of a long output.
const MAX_LINES: usize = 12;

const ERROR_MARKS: [&str; 30] = [
    "error:",
    "error[",
    "error ",
    "errors",
    "exception",
    "traceback",
    "panicked",
    "panic:",
    "fatal",
    "failed",
    "failure",
    "fail ",
    "fail:",
    "--- fail",
    "denied",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "undefined",
    "unresolved",
    "assert",
    "refused",
    "timed out",
    "npm err",
    "错误",
    "失败",
    "异常",
];

const RESULT_MARKS: [&str; 17] = [
    "test result",
    "passed",
    "tests:",
    "tests passed",
    "0 failed",
    "success",
    "build ",
    "built",
    "deployed",
    "published",
    "ok\t",
    "up to date",
    "created",
    "->",
    "file changed",
    "files changed",
    "通过",
];

/// What an output says, in at most `max_bytes`: short outputs whole, of long ones the first line,
/// the lines with an error or a result, and the last lines.
pub(super) fn gist(text: &str, max_bytes: usize) -> String {
    let clean;
    let seen = if text.len() > MAX_SEEN {
        clean = without_escapes(&format!(
            "{}\n{}",
            prefix(text, MAX_SEEN / 2),
            suffix(text, MAX_SEEN / 2)
        ));
        clean.as_str()
    } else {
        clean = without_escapes(text);
        clean.as_str()
    };
    // Text that was quoted on its way here.
    let unquoted = seen.contains("\\n\\n").then(|| seen.replace("\\n", "\n"));
    let seen = unquoted.as_deref().unwrap_or(seen);
    let lines: Vec<&str> = seen.lines().map(str::trim).filter(|l| says_something(l)).collect();
    let picked = pick(&lines);
    let mut out = String::new();
    for line in picked {
        let line = cut_chars(&one_line(line), MAX_LINE);
        if out.len() + line.len() + 1 > max_bytes {
            break;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line);
    }
    if out.is_empty() { prefix(&one_line(seen), max_bytes).to_owned() } else { out }
}

fn pick<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    if lines.len() <= 6 {
        return lines.to_vec();
    }
    let last = lines.len() - 2;
    let telling =
        |i: usize, l: &str| i == 0 || i >= last || is_error(l) || is_result(l) || is_placed(l);
    let mut all: Vec<&str> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if telling(i, line) && !all.contains(line) && all.len() < 4 * MAX_LINES {
            all.push(line);
        }
    }
    for line in &lines[last..] {
        if !all.contains(line) {
            all.push(line);
        }
    }
    if all.len() > MAX_LINES {
        let tail = all.split_off(all.len() - MAX_LINES / 3);
        all.truncate(MAX_LINES - tail.len());
        all.extend(tail);
    }
    all
}

/// The line of a gist that names the error, cut for a title; empty when nothing was said.
pub(in crate::distill) fn error_line(outcome: &str, max_chars: usize) -> String {
    let mut best: Option<(u8, &str)> = None;
    for line in outcome.lines().map(bare) {
        let rank = if error_rank(shortened(line)) == 0 { 0 } else { error_rank(line) };
        if rank > 0 && best.is_none_or(|(r, _)| rank > r) {
            best = Some((rank, line));
        }
    }
    best.map_or_else(String::new, |(_, line)| cut_chars(&one_line(shortened(line)), max_chars))
}

/// The line without the file and the place in it in front.
pub(in crate::distill) fn without_place(line: &str) -> &str {
    if is_placed(line) { line.split_once(": ").map_or(line, |(_, rest)| rest) } else { line }
}

/// Whether a gist names an error beside its exit code.
pub(in crate::distill) fn names_error(outcome: &str) -> bool {
    outcome.lines().map(bare).any(|line| {
        let code = line.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("exit code"));
        !line.is_empty() && !code
    })
}

/// The line without the margin that test runners put in front of an error.
fn bare(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("E ").map_or(line, str::trim_start)
}

/// The line without the tag of a task runner and without the folders of what it names.
fn shortened(line: &str) -> &str {
    let mut line = line;
    if line.starts_with('[')
        && let Some((tag, rest)) = line.split_once("] ")
        && !tag.contains(' ')
    {
        line = rest;
    }
    if let Some((name, message)) = line.split_once(" - ")
        && line.starts_with("FAILED ")
        && let Some((_, test)) = name.rsplit_once("::")
    {
        return &line[line.len() - message.len() - " - ".len() - test.len()..];
    }
    let place = line.split([':', '(', ' ']).next().unwrap_or_default();
    match place.rfind('/') {
        Some(at) if place.contains('.') && is_placed(line) => &line[at + 1..],
        _ => line,
    }
}

/// How well a line names an error; 0 for one that does not say anything.
fn error_rank(line: &str) -> u8 {
    let lower = line.to_lowercase();
    // Exit codes and echoes of commands say nothing.
    if line.is_empty() || lower.starts_with("exit code") || line.starts_with(['>', '$', '#']) {
        return 0;
    }
    if lower.contains("task failed")
        || lower.starts_with("make: ***")
        || lower.contains("command failed")
        || lower.contains("could not compile")
    {
        return 1;
    }
    let first = lower.split_whitespace().next().unwrap_or_default();
    let named =
        first.ends_with("error:") || first.ends_with("exception:") || first.starts_with("error[");
    if (named && !lower.contains("aborting due"))
        || lower.contains("panicked at")
        || is_placed(&lower)
        || lower.starts_with("fatal:")
        || lower.starts_with("assertion")
    {
        5
    } else if lower.starts_with("--- fail")
        || lower.starts_with("failed ")
        || lower.starts_with("fail ")
    {
        4
    } else if is_failed_result(&lower) || lower.starts_with("error") {
        3
    } else if is_error(line) {
        2
    } else {
        1
    }
}

/// `src/a.go:149:28: undefined: regexp`, as compilers and linters write it.
fn is_placed(line: &str) -> bool {
    let Some((place, rest)) = line.split_once(": ") else { return false };
    let place = place.strip_suffix(" - error").unwrap_or(place);
    let (Some((_, last)), false) = (place.rsplit_once(':'), rest.trim().is_empty()) else {
        return false;
    };
    !place.contains(' ')
        && place.contains('.')
        && last.bytes().all(|b| b.is_ascii_digit())
        && !last.is_empty()
}

/// The line of a gist that tells how it went, cut; empty when none does.
pub(in crate::distill) fn result_line(outcome: &str, max_chars: usize) -> String {
    let lines: Vec<&str> = outcome.lines().map(str::trim).collect();
    let last = |wanted: fn(&str) -> bool| lines.iter().rev().find(|line| wanted(line));
    let line = last(is_summary_of_tests).or_else(|| last(is_commit)).or_else(|| last(is_result));
    line.map_or_else(String::new, |line| cut_chars(&one_line(line), max_chars))
}

/// Whether the output of a test or a build tells of a failure that the exit code hid (`… | tail`).
pub(super) fn tells_failure(gist: &str) -> bool {
    gist.lines().any(|line| {
        let lower = line.trim().to_lowercase();
        lower.starts_with("error[")
            || lower.starts_with("error: could not compile")
            || lower.starts_with("error: test failed")
            || lower.starts_with("npm err!")
            || lower.starts_with("--- fail")
            || lower.starts_with("traceback (most recent")
            || lower == "fail"
            || lower.starts_with("fail\t")
            || line.trim().starts_with("FAIL ")
            || lower.ends_with("error task failed")
            || lower.contains("test result: failed")
            || is_failed_result(&lower)
    })
}

/// `3 failed`, `Tests: 1 failed`, `FAILED (failures=2)`, but not `0 failed`.
fn is_failed_result(lower: &str) -> bool {
    if lower.starts_with("failed (") {
        return true;
    }
    lower.match_indices(" failed").any(|(at, _)| {
        let before = &lower[..at];
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        !before[before.len() - digits..].trim_start_matches('0').is_empty()
    })
}

fn is_summary_of_tests(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains("test result")
        || lower.contains(" passed")
        || lower.starts_with("tests:")
        || lower.starts_with("ok\t")
        || lower.contains("通过")
}

fn is_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    ERROR_MARKS.iter().any(|mark| lower.contains(mark))
        || lower.ends_with("error")
        || lower.ends_with("fail")
}

fn is_result(line: &str) -> bool {
    let lower = line.to_lowercase();
    RESULT_MARKS.iter().any(|mark| lower.contains(mark)) || is_commit(line)
}

/// `[main 1a2b3c4] subject`
fn is_commit(line: &str) -> bool {
    line.starts_with('[') && line.split_once("] ").is_some_and(|(head, _)| head.contains(' '))
}

fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// The text without terminal escape sequences and other control characters.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            if chars.next_if_eq(&'[').is_some() {
                while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
        } else if c == '\r' {
            // Progress lines overwrite each other: what counts is the last, on a line of its own.
            if chars.peek() != Some(&'\n') {
                out.push('\n');
            }
        } else if c == '\n' || c == '\t' || !c.is_control() {
            out.push(c);
        }
    }
    out
}
