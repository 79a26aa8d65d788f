//! What the daemon publishes about itself.

use serde::{Deserialize, Serialize};

/// `daemon.json` in the data folder: where the running daemon answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// Process id, for people; never proof that the daemon lives.
    pub pid: u32,
    /// When it started, milliseconds since the epoch.
    pub started_at_ms: i64,
    /// [`super::PROTOCOL`] of that daemon.
    pub protocol: u32,
    /// Its release.
    pub version: String,
}

/// The answer of `GET /api/ping`, which needs the token: liveness means that this answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ping {
    /// Release of the daemon.
    pub version: String,
    /// Its protocol version.
    pub protocol: u32,
    /// Its process id.
    pub pid: u32,
    /// Seconds since it started.
    pub uptime_s: u64,
}

/// The error body of every door: what happened, a stable code, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// A sentence for people.
    pub error: String,
    /// A stable word for programs.
    pub code: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
