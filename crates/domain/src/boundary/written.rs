//! Command lines that write into key files: that it was done is kept, what was written is not.
//!
//! No shell is interpreted. Only a chain of plain commands is taken apart; what is not understood is
//! reduced as a whole.

use super::key_files::KEY_FILE;
use crate::privacy::{is_secret_path, names_secret_path, secret_paths};

/// Programs that write what stands on their command line, or on their input.
const WRITERS: [&str; 19] = [
    "echo",
    "printf",
    "tee",
    "sed",
    "perl",
    "awk",
    "dd",
    "ed",
    "ex",
    "python",
    "python3",
    "node",
    "ruby",
    "php",
    "cat",
    "crudini",
    "dotenv",
    "Add-Content",
    "Set-Content",
];

/// Words by which a shell groups commands: what belongs together is not known.
const GROUPS: [&str; 12] =
    ["for", "while", "until", "if", "then", "else", "do", "done", "fi", "case", "exec", "function"];

/// The command line without what it writes into key files; none where it writes into none.
pub(super) fn without_values(command: &str) -> Option<String> {
    if !names_secret_path(command) {
        return None;
    }
    let Some(parts) = parts(command) else { return Some(reduced(command)) };
    if !parts.iter().any(|part| writes(part)) {
        return None;
    }
    // A value may wait in a variable, or come from a group that is written as a whole.
    let tied = parts.iter().any(|part| {
        let first = part.split_whitespace().next().unwrap_or_default();
        first.contains('=') || GROUPS.contains(&first)
    });
    if tied {
        return Some(reduced(command));
    }
    let shown: Vec<String> = parts
        .iter()
        .map(|part| if writes(part) { reduced(part) } else { part.trim().to_owned() })
        .collect();
    Some(shown.join("; "))
}

/// Whether a pipeline writes into a key file.
fn writes(part: &str) -> bool {
    if !names_secret_path(part) {
        return false;
    }
    let redirected = part
        .split('>')
        .skip(1)
        .any(|behind| behind.trim_start().split(char::is_whitespace).next().is_some_and(is_key));
    // `cat FILE` alone only reads.
    let reads = part.split('|').all(|command| program(command) == Some("cat"));
    let by_program =
        part.split('|').filter_map(program).any(|name| WRITERS.contains(&name)) && !reads;
    redirected || by_program || part.contains("<<")
}

fn is_key(word: &str) -> bool {
    is_secret_path(word.trim_matches(['"', '\'']))
}

/// The name of the program that a command begins with.
fn program(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace().skip_while(|word| {
        matches!(*word, "sudo" | "env" | "time" | "nohup" | "command") || word.contains('=')
    });
    let word = words.next()?.trim_matches(['"', '\'']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.len() <= 64 && name.chars().all(plain)).then_some(name)
}

/// The program and the key files it names.
fn reduced(command: &str) -> String {
    let mut words = vec![program(command).unwrap_or("…"), KEY_FILE];
    for path in secret_paths(command) {
        if !words.contains(&path) {
            words.push(path);
        }
    }
    words.join(" ")
}

/// The pipelines of a chain; none where grouping, a here-document or a quote is in the way.
fn parts(command: &str) -> Option<Vec<&str>> {
    let bytes = command.as_bytes();
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    let mut quote = None;
    while at < bytes.len() {
        let byte = bytes[at];
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'(' | b'{' | b'`') => return None,
            (None, b'<') if bytes.get(at + 1) == Some(&b'<') => return None,
            (None, b';' | b'\n') => {
                parts.push(&command[start..at]);
                start = at + 1;
            }
            // Not `2>&1`, `&>file` and the like.
            (None, b'&') if at > 0 && bytes[at - 1] != b'>' && bytes.get(at + 1) != Some(&b'>') => {
                parts.push(&command[start..at]);
                start = at + 1;
            }
            (None, b'|') if bytes.get(at + 1) == Some(&b'|') => {
                parts.push(&command[start..at]);
                at += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if quote.is_some() {
        return None;
    }
    parts.push(&command[start..]);
    parts.retain(|part| !part.trim().is_empty());
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f5_what_is_written_into_a_key_file_is_dropped() {
        for command in [
            "echo DBPASS=canary >> .env",
            "echo \"HOST=canary\">.env",
            "echo 'a; HOST=canary' >> ./.env",
            "printf 'HOST=%s' canary | tee -a .env.local",
            "sed -i 's/HOST=.*/HOST=canary/' .env",
            "V=canary; echo HOST=$V >> .env",
            "(echo A; echo canary) > .env",
            "{ echo canary; } > .env",
            "for x in canary; do echo $x; done > .env",
            "cat > .env <<EOF\nHOST=canary\nEOF",
            "cat <<< canary > .env",
            "python3 -c \"open('.env','w').write('canary')\"",
            "echo canary\\\n >> .env",
            "echo \"canary >> .env",
            "sudo tee .env <<< canary",
        ] {
            let shown = without_values(command).unwrap_or_else(|| panic!("{command}"));
            assert!(!shown.contains("canary") && shown.contains(KEY_FILE), "{command}: {shown}");
            assert!(shown.contains(".env"), "{command}: {shown}");
        }
        assert_eq!(
            without_values("cd web && echo A=canary >> .env && npm test 2>&1 | tail").unwrap(),
            format!("cd web; echo {KEY_FILE} .env; npm test 2>&1 | tail")
        );
    }

    #[test]
    fn commands_that_read_or_name_no_key_file_stay() {
        for command in [
            "cat .env",
            "cat .env | cat",
            "source .env && npm start",
            "cp .env.example .env",
            "echo hello > notes.txt",
            "git add .env 2>/dev/null",
            "chmod 600 ~/.ssh/id_rsa",
        ] {
            assert_eq!(without_values(command), None, "{command}");
        }
    }
}
