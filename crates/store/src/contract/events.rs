//! The durable inbox: every accepted event, once.

use afterword_domain::Time;
use afterword_domain::event::{Event, ToolClass};
use afterword_domain::scope::Scope;
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
    /// For each event: a known dedupe key makes it a duplicate, and so does a near key that the
    /// session has at most [`NEAR_MS`] away with no other event between the two (of the same
    /// sub-agent, or of the session itself; by time, then by arrival). Otherwise its session is
    /// found by (agent, agent session id) or made, pinned to the project of the first event that
    /// named it. A session that starts under a new id joins a conversation of the same agent and
    /// project: by `clear` that of the session which last ended for that reason at most
    /// [`CLEARED_MS`] ago and is not gone on with yet, one of the same worktree first; by `fork`
    /// or `resume` that of the only one with an event in the last [`RECENT_MS`], and none where
    /// there are several. A prompt gets the next number
    /// of its session and a row; a private prompt stores nothing and marks its turn, so that tool
    /// uses, stops and sub-agent stops of that turn are skipped until the next prompt. Any other
    /// event belongs to the prompt with its turn id, else to the newest prompt of the session.
    /// Session start makes a session active, session end completes it, and neither touches work
    /// that waits; a start or an end that comes late, after a newer one of the other kind, changes
    /// no status. A prompt, and any event of a session that was completed for being idle, make it
    /// active again. A stored event makes the distil job of its turn wait, and is counted: the job
    /// of a new turn is due 250 ms after its first event, and at once when the turn is closed by a
    /// stop, the next prompt or the session's end. Times are those of the events. A compaction's
    /// beginning marks its session as compacted, and compaction events are owed a follow-up.
    async fn record(&self, events: Vec<NewEvent>) -> Result<Vec<Recorded>>;

    /// Notes that a hook called which was not a session's start, although nothing of it is stored:
    /// see [`Silence`](afterword_domain::wire::status::Silence). `record` does so by itself.
    async fn note_sign_of_life(&self) -> Result<()>;

    /// Counts events that were skipped before they reached the store.
    async fn count_skipped(&self, reason: SkipReason, n: u64) -> Result<()>;

    /// The digests of a turn in order of arrival: the first `head` and the last `tail` of them.
    async fn turn_digests(
        &self,
        turn: TurnKey,
        head: usize,
        tail: usize,
    ) -> Result<Vec<StoredDigest>>;

    /// The digests of a session that came after the event `after` (0: from the beginning) up to
    /// the event `up_to`, at most the last `limit`, in order of arrival.
    async fn session_digests(
        &self,
        session_id: i64,
        after: i64,
        up_to: i64,
        limit: usize,
    ) -> Result<Vec<StoredDigest>>;

    /// The whole events behind an observation, in order of arrival; without those whose payload
    /// was trimmed or forgotten.
    async fn evidence(&self, observation_id: i64) -> Result<Vec<(i64, Event)>>;

    /// Tool uses whose payload is kept, with where they belong.
    async fn tool_uses(&self, query: ToolUseQuery) -> Result<Vec<StoredToolUse>>;

    /// Events that are owed a follow-up, in order of arrival.
    async fn due_follow_ups(&self, limit: usize) -> Result<Vec<FollowUp>>;

    /// Notes that an event's follow-up is done.
    async fn settle_follow_up(&self, event_id: i64) -> Result<()>;

    /// Deletes raw payloads, oldest event first: of events older than `before`, and as long as all
    /// payloads together have more bytes than `bytes`. Looks at no more than `most` of them.
    ///
    /// Only of distilled events that are owed nothing. The events stay with their digests, so
    /// every count holds and a turn can be distilled again.
    async fn trim_payloads(&self, limits: PayloadLimits) -> Result<Trimmed>;
}

/// How far apart reports of one happening without an id of its own may come, in milliseconds.
pub const NEAR_MS: i64 = 10_000;

/// How long after a session was cleared the next one counts as its continuation, in milliseconds.
pub const CLEARED_MS: i64 = 5 * 60_000;

/// How recent an event makes a session one that a fork or a resume may come from, in milliseconds.
pub const RECENT_MS: i64 = 30 * 60_000;

/// What may stay of raw payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PayloadLimits {
    /// Payloads of events before this time go.
    pub before: Option<Time>,
    /// Most bytes of all payloads.
    pub bytes: Option<u64>,
    /// Payloads of later events stay while a model is still to read their turn, or could not.
    pub held_since: Option<Time>,
    /// Most payloads that one call looks at.
    pub most: usize,
}

/// What trimming did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    /// Payloads that went.
    pub events: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes of all payloads that are left.
    pub left: u64,
}

/// Which tool uses are wanted: those that every part which is given allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUseQuery {
    /// Where to look.
    pub scope: Scope,
    /// The agent's id of the session.
    pub session: Option<String>,
    /// Names of tools; every tool where there are none.
    pub tools: Vec<String>,
    /// The agent's id of the sub-agent.
    pub subagent: Option<String>,
    /// Only at or after this time.
    pub since: Option<Time>,
    /// Only before this time.
    pub until: Option<Time>,
    /// Only these: keys of events, and agents' ids of calls. An agent's id is looked for in every
    /// payload.
    pub named: Option<(Vec<i64>, Vec<String>)>,
    /// Whether they come in order of arrival; the newest first otherwise.
    pub oldest_first: bool,
    /// How many are left out at the beginning.
    pub offset: usize,
    /// Most of them.
    pub limit: usize,
}

/// A tool use with what the store knows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredToolUse {
    /// Key of the event.
    pub event_id: i64,
    /// Its session.
    pub session_id: i64,
    /// The prompt it belongs to.
    pub prompt_number: i64,
    /// The name of its session's project.
    pub project: String,
    /// The first observation that rests on it.
    pub observation_id: Option<i64>,
    /// The event.
    pub event: Event,
}

/// An event from which more than distilling follows.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowUp {
    /// Key of the event.
    pub event_id: i64,
    /// Its session.
    pub session_id: i64,
    /// The event.
    pub event: Event,
}

/// An event on its way into the store.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The event, cleaned and cut to size.
    pub event: Event,
    /// Equal for the same happening, whoever reports it and however often; for a happening
    /// without an id of its own, equal for the same report.
    pub dedupe_key: String,
    /// Equal for what may be one happening without an id of its own: see [`EventStore::record`].
    pub near_key: Option<String>,
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
        /// The very report that is stored came again, and not a second one of the same happening.
        same_report: bool,
    },
    /// Not stored, and counted under the reason.
    Skipped(SkipReason),
}
