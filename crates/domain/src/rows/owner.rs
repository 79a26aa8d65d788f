//! Whose a memory is.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whose a memory is: any of four names. Nobody where none is set, as for what a person keeps on a
/// machine of their own.
///
/// Two memories with the same names are of the same owner; `user: ada` and `user: ada, run: 7` are
/// two owners. Names are set by [`set`](Self::set), which makes them even, and read from JSON under
/// the same rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Names")]
pub struct Owner {
    /// A person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// An agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// An application, or a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// A run, a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// Most characters of an owner's name.
pub const NAME_CHARS: usize = 256;

impl Owner {
    /// The name of a kind.
    pub fn get(&self, kind: OwnerKind) -> Option<&str> {
        match kind {
            OwnerKind::User => self.user.as_deref(),
            OwnerKind::Agent => self.agent.as_deref(),
            OwnerKind::App => self.app.as_deref(),
            OwnerKind::Run => self.run.as_deref(),
        }
    }

    /// The names that are set, in the order of [`OwnerKind::ALL`].
    pub fn names(&self) -> impl Iterator<Item = (OwnerKind, &str)> {
        OwnerKind::ALL.into_iter().filter_map(|kind| Some((kind, self.get(kind)?)))
    }

    /// Whether no name is set.
    pub fn is_nobody(&self) -> bool {
        self.names().next().is_none()
    }

    /// Sets a name as [`name`](Self::name) makes it even; the error is a sentence for people, and
    /// nothing is set.
    pub fn set(&mut self, kind: OwnerKind, name: &str) -> Result<(), String> {
        let name = Self::name(name).map_err(|why| format!("{} {why}", kind.field()))?;
        let place = match kind {
            OwnerKind::User => &mut self.user,
            OwnerKind::Agent => &mut self.agent,
            OwnerKind::App => &mut self.app,
            OwnerKind::Run => &mut self.run,
        };
        *place = Some(name);
        Ok(())
    }

    /// A name as it is kept: trimmed. Refused are the empty one, one with white space or control
    /// characters inside, `*`, which stands for every name in questions, and one with more than
    /// [`NAME_CHARS`] characters. The error goes on with a sentence that begins with what is named.
    pub fn name(name: &str) -> Result<String, String> {
        let name = name.trim();
        if name.is_empty() {
            return Err("is empty".to_owned());
        }
        if name == "*" {
            return Err("is '*', which names nobody".to_owned());
        }
        if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("holds white space or a control character: write it as one word".to_owned());
        }
        let chars = name.chars().count();
        if chars > NAME_CHARS {
            return Err(format!("has {chars} characters, a name has at most {NAME_CHARS}"));
        }
        Ok(name.to_owned())
    }

    /// The names in the fields [`OwnerKind::field`] of a JSON object; a number is its digits. An
    /// error names the first field that is no name; null and a field that is not there name nobody.
    pub fn in_fields(fields: &Value) -> Result<Self, String> {
        let mut owner = Self::default();
        for kind in OwnerKind::ALL {
            match fields.get(kind.field()) {
                None | Some(Value::Null) => {}
                Some(value) => {
                    let name = written(value)
                        .ok_or_else(|| format!("{} is a text or a number", kind.field()))?;
                    owner.set(kind, &name)?;
                }
            }
        }
        Ok(owner)
    }
}

/// A name as a JSON value writes it: a text, trimmed, or a number's digits.
pub(super) fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.trim().to_owned()),
        Value::Number(name) => Some(name.to_string()),
        _ => None,
    }
}

impl fmt::Display for Owner {
    /// `user ada, run 7`; `nobody`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nobody() {
            return f.write_str("nobody");
        }
        for (at, (kind, name)) in self.names().enumerate() {
            let gap = if at > 0 { ", " } else { "" };
            write!(f, "{gap}{} {name}", kind.word())?;
        }
        Ok(())
    }
}

/// Names as they come, before they are looked at.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Names {
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    app: Option<String>,
    #[serde(default)]
    run: Option<String>,
}

impl TryFrom<Names> for Owner {
    type Error = String;

    fn try_from(names: Names) -> Result<Self, String> {
        let Names { user, agent, app, run } = names;
        let mut owner = Self::default();
        for (kind, name) in OwnerKind::ALL.into_iter().zip([user, agent, app, run]) {
            if let Some(name) = name {
                owner.set(kind, &name)?;
            }
        }
        Ok(owner)
    }
}

/// Which of the four names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OwnerKind {
    /// A person.
    User,
    /// An agent.
    Agent,
    /// An application, or a project.
    App,
    /// A run, a session.
    Run,
}

impl OwnerKind {
    /// Every kind, in the order they are told.
    pub const ALL: [Self; 4] = [Self::User, Self::Agent, Self::App, Self::Run];

    /// The word of it: `user`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::App => "app",
            Self::Run => "run",
        }
    }

    /// The field that holds such a name: `user_id`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Agent => "agent_id",
            Self::App => "app_id",
            Self::Run => "run_id",
        }
    }

    /// Reads [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_made_even_and_bad_ones_are_refused() {
        let mut owner = Owner::default();
        assert!(owner.is_nobody());
        owner.set(OwnerKind::User, "  ada\n").unwrap();
        owner.set(OwnerKind::Run, &"长".repeat(NAME_CHARS)).unwrap();
        assert_eq!(owner.get(OwnerKind::User), Some("ada"));
        assert!(!owner.is_nobody());
        let before = owner.clone();
        for bad in ["", "  ", "*", "a b", "a\u{a0}b", "a\0b", "a\u{7f}", &"x".repeat(257)] {
            let why = owner.set(OwnerKind::User, bad).unwrap_err();
            assert!(why.starts_with("user_id "), "{why}");
        }
        assert_eq!(owner, before);
    }

    #[test]
    fn fields_of_json_are_read_and_json_goes_both_ways() {
        let owner =
            Owner::in_fields(&json!({"user_id": " ada ", "run_id": 7, "app_id": null})).unwrap();
        assert_eq!(owner.to_string(), "user ada, run 7");
        assert_eq!(
            Owner::in_fields(&json!({"agent_id": ["x"]})).unwrap_err(),
            "agent_id is a text or a number"
        );
        assert!(Owner::in_fields(&json!({"agent_id": "a b"})).is_err());
        assert_eq!(Owner::in_fields(&json!(null)).unwrap(), Owner::default());
        let text = serde_json::to_string(&owner).unwrap();
        assert_eq!(text, r#"{"user":"ada","run":"7"}"#);
        assert_eq!(serde_json::from_str::<Owner>(&text).unwrap(), owner);
        assert!(serde_json::from_str::<Owner>(r#"{"user":"a b"}"#).is_err());
    }
}
