//! Files whose whole content is a secret.

/// Endings of key files and key stores.
const ENDINGS: [&str; 10] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".tfvars", ".env"];
/// Beginnings of private key files; copies and backups bear them too.
const KEY_FILES: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
/// Whole names.
const NAMES: [&str; 14] = [
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".dockercfg",
    ".git-credentials",
    ".vault-token",
    ".my.cnf",
    "secring.gpg",
    "master.key",
];
/// Stems of files that hold secrets when they are settings and not program text.
const STEMS: [&str; 6] =
    ["credentials", ".credentials", "secrets", ".secrets", "service-account", "service_account"];
/// Endings of settings files.
const SETTINGS: [&str; 9] = ["json", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "csv"];
/// Ends of whole paths.
const PATHS: [&str; 4] =
    ["/.docker/config.json", "/.kube/config", "/.cargo/credentials", "/.config/gh/hosts.yml"];
/// Parts of a name that mark an example meant to be read.
const EXAMPLES: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];

/// Names that stand for many when a pattern is judged.
const TYPICAL: [&str; 22] = [
    ".env",
    ".env.local",
    ".env.production",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".my.cnf",
    ".git-credentials",
    "id_rsa",
    "id_ed25519",
    "server.pem",
    "server.key",
    "prod.env",
    "keys.p12",
    "credentials",
    "credentials.json",
    "secrets.yaml",
    "service-account.json",
    "terraform.tfvars",
];

/// Whether a path names a file whose content must not be kept: `.env`, private keys, credentials.
///
/// Judged by name alone, in any case, with `/` or `\` between folders. `.env.example` and its like
/// are meant to be read and pass.
pub fn is_secret_path(path: &str) -> bool {
    let path = path.trim().trim_end_matches(['/', '\\']).replace('\\', "/").to_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    if name.is_empty() || name.split('.').any(|part| EXAMPLES.contains(&part)) {
        return false;
    }
    // Program code reads variables under these names.
    if matches!(name, "process.env" | "meta.env" | "import.meta.env" | "deno.env") {
        return false;
    }
    NAMES.contains(&name)
        || name.starts_with(".env.")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || KEY_FILES.iter().any(|start| name.starts_with(start))
        || is_settings_of_secrets(name)
        || PATHS.iter().any(|end| path.ends_with(end) || path == end[1..])
        || in_key_folder(folder, name)
}

/// Whether a command line names such a file, as `cat .env` does, or a pattern that matches one.
///
/// Words are split at white space, quotes and the shell's own characters; no shell is interpreted.
pub fn names_secret_path(command: &str) -> bool {
    secret_paths(command).next().is_some()
}

/// The words of a command line that name such a file, in their order.
pub(crate) fn secret_paths(command: &str) -> impl Iterator<Item = &str> {
    command
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\''
                        | '`'
                        | ';'
                        | '|'
                        | '&'
                        | '<'
                        | '>'
                        | '('
                        | ')'
                        | '='
                        | ','
                        | '{'
                        | '}'
                        | '@'
                        | ':'
                )
        })
        .filter(|word| word.len() <= 4096 && matches_secret_path(word))
}

/// Whether a path, or a pattern with `*`, `?` and `[…]`, names such a file.
///
/// A pattern is judged by the names it can match. One that says nothing of its own, such as `*` or
/// `*.*`, is no sign of a key file; a shell does not let it match names with a dot in front either.
pub(crate) fn matches_secret_path(path: &str) -> bool {
    if is_secret_path(path) {
        return true;
    }
    let (folder, pattern) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
    if !pattern.contains(['*', '?', '[']) {
        return false;
    }
    let says = pattern.starts_with('.') || pattern.bytes().any(|b| b.is_ascii_alphanumeric());
    if !says || pattern.len() > 256 {
        return false;
    }
    let pattern = pattern.to_ascii_lowercase();
    // Public keys lie there too; what a pattern takes besides them is not known.
    let key_folder = folder.split(['/', '\\']).any(|part| matches!(part, ".ssh" | ".gnupg"));
    key_folder || TYPICAL.iter().any(|name| glob(pattern.as_bytes(), name.as_bytes()))
}

/// Whether `pattern` matches `name`; a set of characters counts as any one.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    // A shell matches a leading dot by a dot alone.
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(p + 1),
            Some(b'[') => {
                Some(pattern[p..].iter().position(|b| *b == b']').map_or(p, |e| p + e) + 1)
            }
            Some(byte) if *byte == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, back) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((star, from))) => {
                back = Some((star, from + 1));
                (p, n) = (star + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|b| *b == b'*')
}

/// Whether a text can name such a file at all: a quick look that spares the long one.
pub(crate) fn may_name_secret_path(text: &str) -> bool {
    // A part of every name, ending and folder that is known here.
    const PARTS: [&str; 30] = [
        ".env",
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        "keystore",
        ".ppk",
        ".kdbx",
        "tfvars",
        "id_",
        "netrc",
        "npmrc",
        "yarnrc",
        "pypirc",
        "pgpass",
        "htpasswd",
        "dockercfg",
        "git-cred",
        "vault-token",
        "my.cnf",
        "secring",
        "credential",
        "secret",
        "service",
        "docker",
        "kube",
        "hosts.yml",
        ".ssh",
        ".gnupg",
    ];
    let lower = text.to_ascii_lowercase();
    PARTS.iter().any(|part| lower.contains(part))
}

/// `credentials`, `credentials.json`, `aws-credentials.json`, `secrets.yaml`; not `credentials.rs`.
fn is_settings_of_secrets(name: &str) -> bool {
    if STEMS.contains(&name) || name == "application_default_credentials.json" {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return name.starts_with("credentials");
    };
    let known = STEMS.iter().any(|known| stem.starts_with(known)) || stem.ends_with("credentials");
    known && (SETTINGS.contains(&ending) || matches!(ending, "bak" | "old" | "enc" | "csv"))
}

/// Files of `.ssh` and `.gnupg` other than the public ones.
fn in_key_folder(folder: &str, name: &str) -> bool {
    let within = |known: &str| folder.split('/').any(|part| part == known);
    let public = name.rsplit_once('.').is_some_and(|(_, ending)| ending == "pub")
        || matches!(name, "config" | "known_hosts" | "known_hosts.old" | "authorized_keys");
    (within(".ssh") && !public) || within(".gnupg")
}
