//! What happens, as it happens, for whoever watches.

use afterword_domain::PublicId;
use serde::Serialize;

/// One thing that happened. Watchers that are too slow miss events; nothing waits for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LiveEvent {
    /// The project it happened in.
    pub project_id: i64,
    /// What happened.
    #[serde(flatten)]
    pub body: LiveBody,
}

/// What happened; the words are those of the observer's event stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum LiveBody {
    /// A session was seen for the first time.
    SessionStarted {
        /// Key of the session.
        session_db_id: i64,
    },
    /// A prompt was stored.
    NewPrompt {
        /// Key of the session.
        session_db_id: i64,
        /// Its number in the session.
        prompt_number: i64,
    },
    /// A tool use waits to be distilled.
    ObservationQueued {
        /// Key of the session.
        session_db_id: i64,
    },
    /// An observation was made.
    NewObservation {
        /// Its public id.
        id: PublicId,
    },
    /// A summary was made or brought up to date.
    NewSummary {
        /// Its public id.
        id: PublicId,
    },
    /// A memory was told.
    NewMemory {
        /// Its public id.
        id: PublicId,
    },
    /// Rows were forgotten.
    Forgotten {
        /// Their public ids.
        ids: Vec<PublicId>,
    },
    /// A session was completed.
    SessionCompleted {
        /// Key of the session.
        session_db_id: i64,
    },
    /// Distilling began or ended.
    ProcessingStatus {
        /// Whether a turn is being distilled.
        is_processing: bool,
    },
}
