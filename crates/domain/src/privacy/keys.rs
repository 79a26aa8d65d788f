//! Names that say their value is a secret, and values that only stand for one.

/// Endings of secret names, written small and without separators.
const SECRET: [&str; 22] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
    "sharedkey",
    "sharedaccesskey",
    "subscriptionkey",
    "masterkey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authorization",
    "credential",
    "credentials",
    "connectionstring",
    "secretkeybase",
];
/// Names that end like a secret and are none: cursors, counters, program objects.
const HARMLESS: [&str; 9] = [
    "nexttoken",
    "pagetoken",
    "continuationtoken",
    "cancellationtoken",
    "canceltoken",
    "synctoken",
    "eostoken",
    "bostoken",
    "padtoken",
];
/// Longest name looked at, in bytes.
pub(super) const MAX_KEY: usize = 80;

/// Whether a name such as `apiKey`, `API_KEY` or `db-password` announces a secret.
pub(super) fn names_secret(key: &str) -> bool {
    if key.len() > MAX_KEY {
        return false;
    }
    let folded: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    SECRET.iter().any(|ending| folded.ends_with(ending))
        && !HARMLESS.iter().any(|ending| folded.ends_with(ending))
}

/// Whether an upper-case variable such as `DB_PASSWORD_PROD` announces a secret.
pub(super) fn variable_names_secret(name: &str) -> bool {
    const ANYWHERE: [&str; 11] = [
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "SECRET",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "SIGNING_KEY",
        "ENCRYPTION_KEY",
        "CREDENTIAL",
    ];
    const AT_END: [&str; 4] = ["TOKEN", "_PASS", "_PWD", "_PAT"];
    const WORDS: [&str; 4] = ["BYPASS", "COMPASS", "SURPASS", "TRESPASS"];
    const DESCRIBES: [&str; 13] = [
        "_FILE", "_PATH", "_DIR", "_URL", "_NAME", "_LENGTH", "_LEN", "_SIZE", "_MIN", "_MAX",
        "_TTL", "_ID", "_TYPE",
    ];
    let upper = name.bytes().any(|b| b.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    upper
        && (ANYWHERE.iter().any(|word| name.contains(word))
            || AT_END.iter().any(|word| name.ends_with(word))
            || (name.ends_with("PASS") && !WORDS.iter().any(|word| name.ends_with(word))))
        && !DESCRIBES.iter().any(|word| name.ends_with(word))
}

/// Whether the name of a member says that its text is a secret, and how short that may be.
pub(super) fn shortest_secret(key: &str) -> Option<usize> {
    const PASSWORDS: [&str; 3] = ["password", "passwd", "passphrase"];
    if variable_names_secret(key) {
        return Some(6);
    }
    if !names_secret(key) {
        return None;
    }
    let lower = key.to_ascii_lowercase();
    Some(if PASSWORDS.iter().any(|word| lower.ends_with(word)) { 4 } else { 8 })
}

/// Whether a value only stands for a secret: a variable, a blank to fill in, a mask.
pub(super) fn is_placeholder(value: &str) -> bool {
    const STARTS: [&str; 12] = [
        "$",
        "<",
        "{{",
        "{%",
        "%(",
        "%{",
        "@",
        "[redacted",
        "[REDACTED",
        "your-",
        "your_",
        "YOUR_",
    ];
    const WORDS: [&str; 14] = [
        "null",
        "none",
        "nil",
        "undefined",
        "true",
        "false",
        "string",
        "required",
        "optional",
        "changeme",
        "change-me",
        "placeholder",
        "redacted",
        "example",
    ];
    let value = value.trim();
    let mut chars = value.chars();
    let uniform = chars.next().is_none_or(|first| chars.all(|c| c == first));
    uniform
        || STARTS.iter().any(|start| value.starts_with(start))
        || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a bare value looks drawn at random: letters and digits, eight characters at least.
pub(super) fn looks_random(value: &str) -> bool {
    value.len() >= 8
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether a bare value is a name of program code such as `config.token`.
pub(super) fn is_dotted_name(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            part.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                && part.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
        })
}
