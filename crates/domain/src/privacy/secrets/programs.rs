//! Programs that take a secret by an option of one letter: `mysql -pVALUE`, `curl -u user:password`.

use std::ops::Range;

use super::flags::quoted_or_bare;
use super::run;
use crate::privacy::keys::is_placeholder;

/// A program on whose command line a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// `-u user:password`.
    Curl,
    /// `-a user:password`.
    Httpie,
    /// `-pVALUE`; the value is never a word of its own.
    Glued,
    /// A program that keeps images; its login takes a password.
    Registry,
    /// `-p VALUE`.
    SmallP,
    /// `-P VALUE`.
    BigP,
    /// `-a VALUE`.
    SmallA,
    /// `-w VALUE`.
    SmallW,
}

impl Program {
    /// The program whose command line goes on behind `word`, which stood on that of `before`.
    pub(super) fn after(before: Option<Self>, word: &str) -> Option<Self> {
        if before == Some(Self::Registry) && word == "login" {
            return Some(Self::SmallP);
        }
        if matches!(word, "|" | "||" | "&&" | "&" | ";") {
            return None;
        }
        Self::named(word).or(before)
    }

    fn named(word: &str) -> Option<Self> {
        const OPENING: [char; 7] = ['"', '\'', '`', '(', '$', '{', '['];
        let word = word.trim_start_matches(OPENING);
        let name = word.rfind(['/', '\\']).map_or(word, |slash| &word[slash + 1..]);
        let name = name.trim_end_matches(['"', '\'', ',']);
        Some(match name.strip_suffix(".exe").unwrap_or(name) {
            "curl" => Self::Curl,
            "http" | "https" | "xh" => Self::Httpie,
            "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mysqlcheck" | "mysqlsh"
            | "mariadb" | "mariadb-dump" | "mariadb-admin" | "7z" | "7za" | "rar" | "unrar" => {
                Self::Glued
            }
            "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "oras" | "crane" | "helm"
            | "az" | "oc" => Self::Registry,
            "sshpass" | "mongo" | "mongosh" | "mongodump" | "mongorestore" | "mongoexport"
            | "mongoimport" => Self::SmallP,
            "zip" | "unzip" | "sqlcmd" | "bcp" => Self::BigP,
            "redis-cli" => Self::SmallA,
            "ldapsearch" | "ldapadd" | "ldapmodify" | "ldapdelete" | "ldapwhoami" => Self::SmallW,
            _ => return None,
        })
    }

    /// The secret that the option in `at..end` gives this program.
    pub(super) fn value(self, text: &str, at: usize, end: usize) -> Option<Range<usize>> {
        let options: &[&str] = match self {
            Self::Curl => &["-u", "--user", "-U", "--proxy-user"],
            Self::Httpie => &["-a", "--auth"],
            Self::Glued | Self::SmallP => &["-p"],
            Self::BigP => &["-P"],
            Self::SmallA => &["-a"],
            Self::SmallW => &["-w"],
            Self::Registry => return None,
        };
        let start = start_of_value(text, at, end, options)?;
        if start > end && self == Self::Glued {
            return None;
        }
        let value = quoted_or_bare(text, start);
        let value = match self {
            Self::Curl | Self::Httpie => {
                let colon = text[value.clone()].find(':')?;
                value.start + colon + 1..value.end
            }
            _ => value,
        };
        let word = &text[value.clone()];
        // Numbers behind a colon are ids: `docker run -u 1000:1000` on the same line.
        let pair_of_ids =
            matches!(self, Self::Curl | Self::Httpie) && word.bytes().all(|b| b.is_ascii_digit());
        let option = start > end && word.starts_with('-');
        (!word.is_empty() && !option && !pair_of_ids && !is_placeholder(word)).then_some(value)
    }
}

/// Where the value of one of these options starts: glued to it, behind its `=`, or the next word
/// (then behind `end`).
fn start_of_value(text: &str, at: usize, end: usize, options: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let word = &text[at..end];
    for option in options {
        let Some(rest) = word.strip_prefix(option) else { continue };
        let long = option.starts_with("--");
        match rest.as_bytes().first() {
            None => {
                let next = run(bytes, end, |b| matches!(b, b' ' | b'\t'));
                return (next > end && next < bytes.len()).then_some(next);
            }
            Some(b'=') => return Some(at + option.len() + 1),
            Some(_) if !long => return Some(at + option.len()),
            Some(_) => {}
        }
    }
    None
}
