//! Command lines of hooks: quoting a path for the shell, and telling whose command it is.

use std::path::Path;

/// The word as `/bin/sh` reads it back: unchanged when it is plain, in single quotes otherwise.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a simple shell command, quotes resolved.
///
/// `None` for anything longer than one command (`a && b`, pipes, substitutions, an open quote):
/// such a line is somebody's own work. Redirections stay as words; variables are not expanded.
pub fn words(line: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => found.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '&' if word.as_deref().is_some_and(|w| w.ends_with('>')) => {
                word.get_or_insert_default().push('&');
            }
            ';' | '|' | '&' | '\n' | '\r' | '`' | '(' | ')' => return None,
            '$' if chars.peek() == Some(&'(') => return None,
            plain => word.get_or_insert_default().push(plain),
        }
    }
    found.extend(word);
    Some(found)
}

fn double_quoted(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    word: &mut String,
) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '`' => return None,
            '$' if chars.peek() == Some(&'(') => return None,
            '\\' => match chars.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                other => word.extend(['\\', other]),
            },
            inner => word.push(inner),
        }
    }
}

/// Whether the words run this program's hook for `agent`.
///
/// That is a binary named `afterword` with `hook <agent>`, or the binary at `stable` whatever
/// follows. Assignments and `env`, `exec` or
/// `command` in front do not matter.
pub fn runs_our_hook(words: &[String], agent: &str, stable: &Path) -> bool {
    let prefix =
        |word: &&String| matches!(word.as_str(), "env" | "exec" | "command") || is_assignment(word);
    let skipped = words.iter().take_while(prefix).count();
    let Some((program, rest)) = words[skipped..].split_first() else { return false };
    if Path::new(program) == stable {
        return true;
    }
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "afterword" | "afterword.exe")
        && rest.first().is_some_and(|w| w == "hook")
        && rest.get(1).is_some_and(|w| w == agent)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ours(line: &str) -> bool {
        words(line).is_some_and(|w| {
            runs_our_hook(&w, "claude-code", Path::new("/h/.afterword/bin/afterword"))
        })
    }

    #[test]
    fn our_commands_are_told_from_others() {
        for line in [
            "afterword hook claude-code stop",
            "/usr/local/bin/afterword hook claude-code stop --capture-only",
            "'/home/a b/bin/afterword' hook claude-code stop",
            "\"/home/a b/bin/afterword\" hook claude-code stop",
            "AFTERWORD_HOME=/x env exec afterword hook claude-code",
            "'C:\\Users\\a\\.afterword\\bin\\afterword.exe' hook claude-code stop",
            "/h/.afterword/bin/afterword anything",
            "afterword hook claude-code stop 2>/dev/null",
            "afterword hook claude-code stop >/dev/null 2>&1",
        ] {
            assert!(ours(line), "{line}");
        }
        for line in [
            "",
            "echo afterword hook claude-code",
            "my-afterword hook claude-code",
            "afterword hook codex stop",
            "afterword status",
            "/opt/afterword/run hook claude-code",
            "afterword hook claude-code stop && notify-send done",
            "afterword hook claude-code stop | tee log",
            "sh -c 'afterword hook claude-code stop'",
            "afterword hook 'claude-code",
        ] {
            assert!(!ours(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_quoted_word_is_read_back(word in "\\PC*") {
            prop_assert_eq!(words(&quote(&word)), Some(vec![word]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn n9_the_shell_reads_the_quoted_path_and_runs_nothing_else() {
        for word in ["/a b/c", "/a'b\"c", "/$(touch x)/`id`", "/😀/后记", "/a\\b;c&d|e", "/x\ny"]
        {
            let script = format!("printf %s {}", quote(word));
            let out = std::process::Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), word);
        }
    }
}
