//! Tokens.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Time;
use crate::team::Role;

/// A token, without its secret, which nobody knows but its holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its id, by which it is revoked.
    pub id: Uuid,
    /// Whose it is.
    pub member: String,
    /// What it may do: no more than its member may.
    pub role: Role,
    /// The only project that it reaches; none: all of them.
    pub project: Option<String>,
    /// How the secret begins.
    pub mark: String,
    /// When it was made.
    pub created_at: Time,
    /// When it stops counting by itself.
    pub expires_at: Option<Time>,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Time>,
}

/// `GET /api/team/tokens`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The newest first.
    pub tokens: Vec<Token>,
}

/// `POST /api/team/tokens`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRequest {
    /// Whose it is to be: somebody who is a member already.
    pub member: String,
    /// What it may do; what the member may, unless said.
    #[serde(default)]
    pub role: Option<Role>,
    /// The name of the only project that it reaches; unless said all of them. A project that is not
    /// known is made.
    #[serde(default)]
    pub project: Option<String>,
    /// Days after which it stops counting, 1 to 3650; never unless said.
    #[serde(default)]
    pub expires_days: Option<u32>,
}

/// A new token, with the secret that is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    /// Its id.
    pub id: Uuid,
    /// The secret.
    pub token: String,
}
