//! Who did what when from where.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Time;

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
