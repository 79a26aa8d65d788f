//! Paths in program text of other languages.

/// Words of program text that write, move or remove files.
const WRITES: [&str; 24] = [
    "write", "append", "unlink", "remove", "rename", "rmtree", "copy", "move", "mkdir", "truncate",
    "touch", "delete", "dump(", "savetxt", "'w", "\"w", "'a'", "\"a\"", "'x'", "\"x\"", "'r+",
    "\"r+", "'>", "\">",
];

/// Whether program text seems to write files.
pub(super) fn writes(code: &str) -> bool {
    // Writing to the terminal is no writing of files.
    let code = code.to_lowercase().replace("stdout.write", "").replace("stderr.write", "");
    WRITES.iter().any(|word| code.contains(word))
}

/// Whether an `awk` program redirects its output to a named file or command.
pub(super) fn awk_writes(code: &str) -> bool {
    code.contains('>') && code.contains('"')
}

/// For program text already known to write.
pub(super) fn always(_code: &str) -> bool {
    true
}

/// Whether a PowerShell script calls the file functions of .NET.
pub(super) fn calls_file_api(script: &str) -> bool {
    ["]::Write", "]::Append", "]::Create", "]::Copy", "]::Move", "]::Delete", "]::Open"]
        .iter()
        .any(|call| script.contains(call))
}

/// Pieces of program text that could be paths: names with a dot or a separator.
pub(super) fn paths(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| {
        !(c.is_alphanumeric()
            || matches!(
                c,
                '_' | '-' | '.' | '/' | '\\' | '~' | ':' | '$' | '{' | '}' | '@' | '+' | '%'
            ))
    })
    .filter(|piece| piece.len() > 2 && piece.contains(['.', '/', '\\']))
}
