//! What a member may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What somebody may do in an organisation; each role may do what those before it may.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads and searches; changes nothing.
    #[default]
    Reader,
    /// Also captures, remembers and forgets single rows.
    Member,
    /// Also deletes in bulk, imports and exports, and keeps the accounts.
    Admin,
}

impl Role {
    /// Every role, the one that may least first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Member, Self::Admin];

    /// The word in JSON, on the command line and in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no role: it is admin, member or reader")]
pub struct BadRole(pub String);

impl FromStr for Role {
    type Err = BadRole;

    fn from_str(word: &str) -> Result<Self, BadRole> {
        let found = Self::ALL.into_iter().find(|role| role.word() == word.trim());
        found.ok_or_else(|| BadRole(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_by_what_they_may_do_and_read_back() {
        assert!(Role::Reader < Role::Member && Role::Member < Role::Admin);
        for role in Role::ALL {
            assert_eq!(role.word().parse(), Ok(role));
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
        assert!("owner".parse::<Role>().unwrap_err().to_string().contains("admin, member"));
    }
}
