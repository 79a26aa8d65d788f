//! Accounts of a team server, as its routes under `/api/team/` speak of them.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Time;
use crate::team::Role;

/// `GET /api/team/me`: whose token it is that was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The organisation.
    pub organisation: String,
    /// The member.
    pub member: String,
    /// What the token may do.
    pub role: Role,
    /// The only project that it reaches; none: all of them.
    pub project: Option<String>,
    /// When it stops counting.
    pub expires_at: Option<Time>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name, unique in the organisation.
    pub name: String,
    /// What they may do at most; a token of theirs may be allowed less.
    pub role: Role,
    /// When they came.
    pub created_at: Time,
}

/// `GET /api/team/members`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Members {
    /// By name.
    pub members: Vec<Member>,
}

/// `POST /api/team/members`: somebody new, or another role of somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRequest {
    /// The name.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

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

/// `GET /api/team/audit`: what was done, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// A page of entries.
    pub entries: Vec<AuditEntry>,
    /// Ask for what came before this one with `?before=`; none where this page is the last.
    pub next: Option<i64>,
}

/// Who did what when from where. No text of a memory is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its number, growing in an organisation.
    pub id: i64,
    /// When.
    pub at: Time,
    /// Who: the member's name, or `operator` for whoever has the database itself.
    pub member: String,
    /// With which token.
    pub token: Option<Uuid>,
    /// What: a word such as `token.create`, or a route.
    pub action: String,
    /// What it was done to: an id or a name.
    pub subject: String,
    /// The HTTP status it was answered with; 0 for what was not asked over HTTP.
    pub status: u16,
    /// From where: the address of the caller.
    pub address: String,
    /// The id of the request.
    pub request_id: String,
}
