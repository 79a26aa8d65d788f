//! Sessions as stored.

use afterword_domain::scope::Scope;
use afterword_domain::session::{Session, SessionStatus};
use afterword_domain::{PublicId, Time};
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use super::SqliteStore;
use super::connect::Sql;
use super::given;
use super::values::{limit as sql_limit, optional, required, time, uid};
use crate::Result;
use crate::contract::{SessionName, SessionStore};
use crate::rules::IDLE;
use crate::rules::hash::file_key;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn find_session(&self, agent: &str, agent_session_id: &str) -> Result<Option<Session>> {
        let (agent, id) = (agent.to_owned(), agent_session_id.to_owned());
        self.read(move |db| find(db, &agent, &id)).await
    }

    async fn get_session(&self, id: i64) -> Result<Session> {
        self.read(move |db| get(db, id)).await
    }

    async fn list_sessions(&self, scope: Scope, limit: usize) -> Result<Vec<Session>> {
        self.read(move |db| {
            let sql = match scope {
                Scope::All => {
                    "SELECT * FROM sdk_sessions WHERE ?1 IS NULL
                     ORDER BY last_event_at DESC, id DESC LIMIT ?2"
                }
                Scope::Project(_) => {
                    "SELECT * FROM sdk_sessions WHERE project_id = ?1
                     ORDER BY last_event_at DESC, id DESC LIMIT ?2"
                }
            };
            let mut list = db.prepare_cached(sql)?;
            let rows = list.query_map(params![scope.project(), sql_limit(limit)], from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn agents(&self) -> Result<Vec<String>> {
        self.read(|db| {
            // From one agent to the next in the index, however many sessions each has.
            let mut next = db.prepare_cached(
                "SELECT agent FROM sdk_sessions WHERE agent > ?1 ORDER BY agent LIMIT 1",
            )?;
            let mut agents: Vec<String> = Vec::new();
            loop {
                let after = agents.last().map_or("", String::as_str);
                match optional(next.query_row([after], |row| row.get(0)))? {
                    Some(agent) => agents.push(agent),
                    None => return Ok(agents),
                }
            }
        })
        .await
    }

    async fn complete_idle_sessions(&self, before: Time) -> Result<Vec<i64>> {
        self.write(move |db| {
            let mut update = db.prepare_cached(
                "UPDATE sdk_sessions
                 SET status = 'completed', completed_at = last_event_at, end_reason = ?2
                 WHERE status = 'active' AND last_event_at < ?1 RETURNING id",
            )?;
            let rows = update.query_map(params![before.millis(), IDLE], |row| row.get(0))?;
            let mut ids = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
            ids.sort_unstable();
            Ok(ids)
        })
        .await
    }

    async fn given(&self, session: &SessionName) -> Result<Vec<PublicId>> {
        let session = session.clone();
        self.read(move |db| given::rows(db, &session)).await
    }

    async fn note_given(
        &self,
        session: &SessionName,
        rows: &[PublicId],
        whole_block: bool,
    ) -> Result<()> {
        let (session, rows) = (session.clone(), rows.to_vec());
        self.write(move |db| given::note(db, &session, &rows, whole_block)).await
    }

    async fn file_given(&self, session: &SessionName, file: &str) -> Result<bool> {
        let (session, file) = (session.clone(), file_key(file));
        self.read(move |db| given::has_file(db, &session, file)).await
    }

    async fn note_file_given(
        &self,
        session: &SessionName,
        file: &str,
        rows: &[PublicId],
    ) -> Result<bool> {
        let (session, file, rows) = (session.clone(), file_key(file), rows.to_vec());
        self.write(move |db| given::note_file(db, &session, file, &rows)).await
    }

    async fn take_compaction(&self, session_id: i64) -> Result<bool> {
        let is_set = "SELECT 1 FROM sdk_sessions WHERE id = ?1 AND compacted = 1";
        // Nearly always there is nothing to take, and so nothing to wait for a disk for.
        if !self.read(move |db| Ok(db.prepare_cached(is_set)?.exists([session_id])?)).await? {
            return Ok(false);
        }
        self.write(move |db| {
            let taken = db
                .prepare_cached(
                    "UPDATE sdk_sessions SET compacted = 0 WHERE id = ?1 AND compacted = 1",
                )?
                .execute([session_id])?;
            Ok(taken > 0)
        })
        .await
    }
}

pub(super) fn find(db: &Connection, agent: &str, agent_session_id: &str) -> Sql<Option<Session>> {
    let mut one =
        db.prepare_cached("SELECT * FROM sdk_sessions WHERE agent = ?1 AND agent_session_id = ?2")?;
    optional(one.query_row([agent, agent_session_id], from_row))
}

pub(super) fn get(db: &Connection, id: i64) -> Sql<Session> {
    let mut one = db.prepare_cached("SELECT * FROM sdk_sessions WHERE id = ?1")?;
    required(one.query_row([id], from_row), "session")
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    let status: String = row.get("status")?;
    let active = status == SessionStatus::Active.word();
    Ok(Session {
        id: row.get("id")?,
        uid: uid(row)?,
        agent: row.get("agent")?,
        agent_session_id: row.get("agent_session_id")?,
        project_id: row.get("project_id")?,
        conversation_id: row.get("conversation_id")?,
        status: if active { SessionStatus::Active } else { SessionStatus::Completed },
        prompt_counter: row.get("prompt_counter")?,
        worktree: row.get("worktree")?,
        branch: row.get("branch")?,
        first_prompt: row.get("first_prompt")?,
        started_at: time(row, "started_at")?,
        last_event_at: time(row, "last_event_at")?,
        completed_at: row.get::<_, Option<i64>>("completed_at")?.map(Time::from_millis),
        end_reason: row.get("end_reason")?,
    })
}
