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

/// Whether a command line names such a file, as `cat .env` does.
///
/// Words are split at white space, quotes and the shell's own characters; no shell is interpreted.
pub fn names_secret_path(command: &str) -> bool {
    command
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '=' | ','
                )
        })
        .any(|word| word.len() <= 4096 && is_secret_path(word))
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
