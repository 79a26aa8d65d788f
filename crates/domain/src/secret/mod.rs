//! A text that must not be seen, and how to prove that one knows it.

pub mod proof;

use std::fmt;

use serde::Deserialize;

/// A key or a token. Prints as dots, compares as text, and leaves only through [`Secret::expose`].
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes the text without the white space around it, which copying brings along.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The text, for the one place that sends it.
    pub fn expose(&self) -> &str {
        self.0.trim()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }

    /// A foreign text without this secret in it, whole or escaped as in JSON or an address.
    pub fn hide_in(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let whole = text.replace(self.expose(), HIDDEN);
        let escaped: String = self
            .expose()
            .bytes()
            .map(|b| {
                let plain = b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
                if plain { char::from(b).to_string() } else { format!("%{b:02X}") }
            })
            .collect();
        whole.replace(&escaped, HIDDEN)
    }
}

/// What stands in a secret's place.
const HIDDEN: &str = "[secret]";

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret(none)" } else { "Secret(...)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed_and_is_taken_out_of_foreign_text() {
        let secret = Secret::new(" sk+a/b \n");
        assert_eq!(secret.expose(), "sk+a/b");
        assert!(!format!("{secret:?}").contains("sk"));
        assert_eq!(secret.hide_in("bad key sk+a/b (sk%2Ba%2Fb)"), "bad key [secret] ([secret])");
        assert_eq!(Secret::default().hide_in("nothing"), "nothing");
    }
}
