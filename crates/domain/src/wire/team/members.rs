//! Members, and who one is.

use serde::{Deserialize, Serialize};

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
