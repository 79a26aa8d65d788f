//! Matching paths against patterns with `*`, `**` and `?`.

/// Longest pattern and path that are compared, in bytes; longer ones do not match.
const MAX_LENGTH: usize = 4096;

/// Whether a whole path matches a pattern. `*` and `?` stay within a folder, `**` crosses folders.
///
/// Cost is at most the product of both lengths.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    if pattern.len() > MAX_LENGTH || path.len() > MAX_LENGTH {
        return false;
    }
    let path = path.as_bytes();
    // reachable[n]: the pattern so far can match the first n bytes of the path.
    let mut reachable = vec![false; path.len() + 1];
    reachable[0] = true;
    let mut rest = pattern.as_bytes();
    while let Some(first) = rest.first() {
        if rest.starts_with(b"**/") {
            // No folder at all, or any number of whole ones.
            let mut open = false;
            for n in 0..=path.len() {
                open |= reachable[n];
                reachable[n] = reachable[n] || (open && n > 0 && path[n - 1] == b'/');
            }
            rest = &rest[3..];
        } else if *first == b'*' {
            let across = rest.starts_with(b"**");
            for n in 1..=path.len() {
                reachable[n] |= reachable[n - 1] && (across || path[n - 1] != b'/');
            }
            rest = &rest[if across { 2 } else { 1 }..];
        } else {
            for n in (1..=path.len()).rev() {
                let same = path[n - 1] == *first || (*first == b'?' && path[n - 1] != b'/');
                reachable[n] = reachable[n - 1] && same;
            }
            reachable[0] = false;
            rest = &rest[1..];
        }
    }
    reachable[path.len()]
}
