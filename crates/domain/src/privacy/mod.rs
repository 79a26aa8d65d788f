//! What never leaves the hook: private text, context that hosts or we ourselves added, secrets.
//!
//! One scanner for every path. It fails closed: an unclosed private mark drops the rest of the field.
//! `tags` removes marked text, `secrets` masks what looks like a credential, `paths` knows the
//! files whose whole content is one. Everything here is linear in its input and never panics, and
//! cleaning what is clean changes nothing.
//!
//! Known limits, by choice: marks written as entities (`&lt;private&gt;`), as escapes inside a string
//! (`\u003c`) or with letters of another alphabet are ordinary text; so is a secret in base64.

mod fields;
mod keys;
mod marks;
mod paths;
mod secrets;
mod tags;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use fields::clean_value;
pub use paths::{is_secret_path, names_secret_path};
pub(crate) use paths::{matches_secret_path, may_name_secret_path, secret_paths};

/// What takes the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Rounds after which text that still changes is cut at its first mark instead.
const ROUNDS: usize = 4;

/// A prompt after cleaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleaned {
    /// The text without private parts, host context and secrets.
    pub text: String,
    /// Something private was removed and nothing but white space is left.
    pub private: bool,
}

/// Text without private parts, host context and secrets.
///
/// Idempotent and linear. Marked text is removed together with its marks, secrets become
/// [`REDACTED`], everything else stays byte for byte.
pub fn clean(text: &str) -> String {
    scrub(text).0.into_owned()
}

/// Cleans a prompt and says whether it was a private one.
pub fn clean_prompt(text: &str) -> Cleaned {
    let (text, private_removed) = scrub(text);
    let private = private_removed && text.chars().all(|c| c.is_whitespace() || marks::ignorable(c));
    Cleaned { text: text.into_owned(), private }
}

/// The cleaned text, and whether text of a private kind was removed from it.
///
/// A removal can join two halves into a new mark or a new secret, so the work is repeated until
/// nothing changes. Nested halves could ask for many rounds; after a few the text is cut instead.
fn scrub(text: &str) -> (Cow<'_, str>, bool) {
    let mut clean = Cow::Borrowed(text);
    let mut private = false;
    for _ in 0..ROUNDS {
        let stripped = tags::strip(&clean);
        let stripped_something = stripped.is_some();
        if let Some(stripped) = stripped {
            private |= stripped.private;
            clean = Cow::Owned(stripped.text);
        }
        match secrets::redact(&clean) {
            Some(redacted) => clean = Cow::Owned(redacted),
            None if !stripped_something => return (clean, private),
            None => {}
        }
    }
    if let Some(start) = marks::first(&clean) {
        let kept = clean[..start].to_owned();
        private = true;
        clean = Cow::Owned(secrets::redact(&kept).unwrap_or(kept));
    }
    (clean, private)
}
