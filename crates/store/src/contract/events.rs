//! The durable inbox: every accepted event, once.

use afterword_domain::Time;
use afterword_domain::event::{Event, ToolClass};
use afterword_domain::wire::events::SkipReason;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::IndexDoc;
use crate::Result;

/// Events and what is derived from them at intake.
#[async_trait]
pub trait EventStore {
    /// Stores events in order, all in one transaction, and says of each what became of it.
    ///
    /// For each event: a known dedupe key makes it a duplicate. Otherwise its session is found by
    /// (agent, agent session id) or made, pinned to the project of the first event that named it;
    /// a session that starts by `clear`, `fork` or `resume` under a new id joins the conversation
    /// of the newest earlier session of the same agent and project. A prompt gets the next number
    /// of its session and a row; a private prompt stores nothing and marks its turn, so that tool
    /// uses, stops and sub-agent stops of that turn are skipped until the next prompt. Any other
    /// event belongs to the prompt with its turn id, else to the newest prompt of the session.
    /// Session start makes a session active, session end completes it, and neither touches work
    /// that waits; a start or an end that comes late, after a newer one of the other kind, changes
    /// no status. A prompt, and any event of a session that was completed for being idle, make it
    /// active again. A stored event makes the distil job of its turn wait, and is counted: the job
    /// of a new turn is due 250 ms after its first event, and at once when the turn is closed by a
    /// stop, the next prompt or the session's end. Times are those of the events.
    async fn record(&self, events: Vec<NewEvent>) -> Result<Vec<Recorded>>;

    /// Counts events that were skipped before they reached the store.
    async fn count_skipped(&self, reason: SkipReason, n: u64) -> Result<()>;

    /// The digests of a turn in order of arrival: the first `head` and the last `tail` of them.
    async fn turn_digests(
        &self,
        turn: TurnKey,
        head: usize,
        tail: usize,
    ) -> Result<Vec<StoredDigest>>;

    /// The digests of a session that came after the event `after` (0: from the beginning), at most
    /// the last `limit`, in order of arrival.
    async fn session_digests(
        &self,
        session_id: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<StoredDigest>>;

    /// The whole events behind an observation, in order of arrival.
    async fn evidence(&self, observation_id: i64) -> Result<Vec<(i64, Event)>>;
}

/// An event on its way into the store.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The event, cleaned and cut to size.
    pub event: Event,
    /// Equal for the same happening, whoever reports it and however often.
    pub dedupe_key: String,
    /// Other keys under which the same happening may be known (a neighbouring time bucket).
    pub dedupe_near: Vec<String>,
    /// What distilling needs of it.
    pub digest: Digest,
    /// The tokens of a prompt; ignored for other events.
    pub index: Option<IndexDoc>,
}

/// What distilling needs of an event: small, so that a turn of any length can be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    /// The tool's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The tool's class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ToolClass>,
    /// Files, relative to the project where they are inside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The command line, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The change, the pattern, the question or the answer: the words worth keeping, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The outcome or the error, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// A digest with what the store knows of its event.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDigest {
    /// Key of the event.
    pub event_id: i64,
    /// The event's kind, as [`afterword_domain::event::EventBody::kind`] writes it.
    pub kind: String,
    /// The prompt it belongs to.
    pub prompt_number: i64,
    /// The sub-agent it came from.
    pub subagent: Option<String>,
    /// When it happened.
    pub at: Time,
    /// What distilling needs of it.
    pub digest: Digest,
}

/// A turn: one prompt of one session. Number 0 holds what came before the first prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnKey {
    /// The session.
    pub session_id: i64,
    /// The prompt's number.
    pub prompt_number: i64,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A new row.
    Stored {
        /// Key of the event.
        event_id: i64,
        /// The turn it was counted to.
        turn: TurnKey,
        /// The project of its session.
        project_id: i64,
        /// Whether this event made the session.
        new_session: bool,
    },
    /// Known already.
    Duplicate {
        /// The session's newest turn.
        turn: TurnKey,
        /// The project of its session.
        project_id: i64,
    },
    /// Not stored, and counted under the reason.
    Skipped(SkipReason),
}
