//! The secret of a token: 256 random bits behind a mark that says what it is, with a checksum that
//! tells a slip from a secret without asking the database.

use std::fmt;

use afterword_domain::text::hex;
use anyhow::anyhow;
use sha2::{Digest as _, Sha256};

/// How every secret begins, so that people and scanners know one when they see it.
const PREFIX: &str = "awt_";

/// Digits of the random part, five bits each.
const DIGITS: usize = 52;

/// Digits of the checksum.
const CHECK: usize = 6;

/// Characters that are kept, so that a person knows a token again: four digits tell a few hundred
/// tokens apart and leave a guesser with the other 236 bits.
const MARK: usize = PREFIX.len() + 4;

/// The digits of RFC 4648, in lower case.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A secret, shown once and kept nowhere.
pub(super) struct Secret(String);

impl Secret {
    /// A new one, of the system's randomness.
    pub(super) fn make() -> anyhow::Result<Self> {
        let mut bytes = [0; 32];
        let source = rustls::crypto::ring::default_provider().secure_random;
        source.fill(&mut bytes).map_err(|_| anyhow!("the system gives no random numbers"))?;
        let body = format!("{PREFIX}{}", digits(&bytes, DIGITS));
        let check = checksum(&body);
        Ok(Self(body + &check))
    }

    /// All of it, for its holder.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// How it begins.
    pub(super) fn mark(&self) -> &str {
        &self.0[..MARK]
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> String {
        hash(&self.0)
    }
}

/// No log shows it.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({}…)", self.mark())
    }
}

/// The hash of what somebody has shown; none where it cannot be one of our secrets.
pub(super) fn hash_of(shown: &str) -> Option<String> {
    let whole = shown.len() == PREFIX.len() + DIGITS + CHECK && shown.is_ascii();
    let (body, check) = whole.then(|| shown.split_at(PREFIX.len() + DIGITS))?;
    (body.starts_with(PREFIX) && check == checksum(body)).then(|| hash(shown))
}

fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn checksum(body: &str) -> String {
    digits(&Sha256::digest(body.as_bytes())[..4], CHECK)
}

/// The first digits of bytes, five bits each; what is missing at the end is nought.
fn digits(bytes: &[u8], count: usize) -> String {
    let bit = |n: usize| bytes.get(n / 8).map_or(0, |byte| usize::from(byte >> (7 - n % 8) & 1));
    let digit = |n: usize| (0..5).fold(0, |value, at| value << 1 | bit(n * 5 + at));
    (0..count).map(|n| char::from(ALPHABET[digit(n)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_known_again() {
        let (one, two) = (Secret::make().unwrap(), Secret::make().unwrap());
        assert_ne!(one.text(), two.text());
        assert_eq!(one.text().len(), 62);
        assert_eq!(hash_of(one.text()), Some(one.hash()));
        assert_eq!(one.hash().len(), 64);
        assert!(one.text().starts_with(one.mark()) && one.mark().starts_with("awt_"));
        assert!(!format!("{one:?}").contains(&one.text()[20..]));
    }

    #[test]
    fn a_slip_is_no_secret() {
        let secret = Secret::make().unwrap();
        let text = secret.text();
        let other = if text.ends_with('a') { 'b' } else { 'a' };
        let wrong_end = format!("{}{other}", &text[..61]);
        for slip in ["", "awt_", &text[..61], &text[1..], &wrong_end, &text.to_uppercase()] {
            assert_eq!(hash_of(slip), None, "{slip}");
        }
        let middle = if &text[30..31] == "c" { "d" } else { "c" };
        assert_eq!(hash_of(&format!("{}{middle}{}", &text[..30], &text[31..])), None);
        assert_eq!(hash_of(&"é".repeat(31)), None);
    }

    #[test]
    fn digits_are_those_of_the_standard() {
        assert_eq!(digits(b"foobar", 10), "mzxw6ytboi");
        assert_eq!(digits(b"f", 2), "my");
    }
}
