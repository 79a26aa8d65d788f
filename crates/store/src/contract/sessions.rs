//! Sessions. They come into being through events.

use afterword_domain::session::Session;
use afterword_domain::{PublicId, Time, scope::Scope};
use async_trait::async_trait;

use crate::Result;

/// Sessions as stored.
#[async_trait]
pub trait SessionStore {
    /// The session of an agent by the agent's own id.
    async fn find_session(&self, agent: &str, agent_session_id: &str) -> Result<Option<Session>>;

    /// The session by its key; [`crate::Error::NotFound`] when there is none.
    async fn get_session(&self, id: i64) -> Result<Session>;

    /// Newest first by last event.
    async fn list_sessions(&self, scope: Scope, limit: usize) -> Result<Vec<Session>>;

    /// The agents of which there are sessions, by name.
    async fn agents(&self) -> Result<Vec<String>>;

    /// Marks active sessions whose last event is older than `before` as completed, with the reason
    /// `idle`, and returns their keys. Work that waits for them stays.
    async fn complete_idle_sessions(&self, before: Time) -> Result<Vec<i64>>;

    /// Rows that a session was given, as far as they are remembered; in the order in which they were.
    async fn given(&self, session: &SessionName) -> Result<Vec<PublicId>>;

    /// Notes rows as given to a session: in place of all before them, files too, when
    /// `whole_block`. The last 20,000 of all sessions are remembered; they go with their session.
    async fn note_given(
        &self,
        session: &SessionName,
        rows: &[PublicId],
        whole_block: bool,
    ) -> Result<()>;

    /// Whether a session was told what is known of a file, as far as that is remembered.
    async fn file_given(&self, session: &SessionName, file: &str) -> Result<bool>;

    /// Notes that a session is told of a file by these rows; false, and nothing is noted, when it was
    /// told of that file before. Of calls at one time one is answered with true.
    async fn note_file_given(
        &self,
        session: &SessionName,
        file: &str,
        rows: &[PublicId],
    ) -> Result<bool>;

    /// Whether the session was compacted since it was last asked; true once.
    async fn take_compaction(&self, session_id: i64) -> Result<bool>;
}

/// A session by the agent's own id of it, whether anything of it is stored or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionName {
    /// The agent.
    pub agent: String,
    /// The agent's id of the session.
    pub agent_session_id: String,
}
