//! Sessions as stored.

use afterword_domain::scope::Scope;
use afterword_domain::session::{Session, SessionStatus};
use afterword_domain::{PublicId, Time};
use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresStore;
use super::connect::{Sql, Tx};
use super::given;
use super::log::Change;
use super::values::{Text, get, limit as sql_limit, short, time, time_if_any};
use crate::Result;
use crate::contract::{SessionChange, SessionName, SessionStore};
use crate::rules::IDLE;
use crate::rules::hash::file_key;

#[async_trait]
impl SessionStore for PostgresStore {
    async fn find_session(&self, agent: &str, agent_session_id: &str) -> Result<Option<Session>> {
        let short = &short(agent_session_id);
        self.read(|tx| async move {
            let sql = "SELECT * FROM sdk_sessions WHERE tenant = $1 AND agent = $2 AND short = $3";
            tx.first(sql, &[&Text(agent), short]).await?.as_ref().map(from_row).transpose()
        })
        .await
    }

    async fn get_session(&self, id: i64) -> Result<Session> {
        self.read(|tx| async move {
            let sql = "SELECT * FROM sdk_sessions WHERE tenant = $1 AND id = $2";
            let found = tx.first(sql, &[&id]).await?;
            from_row(&super::connect::required(found, "session")?)
        })
        .await
    }

    async fn list_sessions(&self, scope: Scope, limit: usize) -> Result<Vec<Session>> {
        let project = self.reachable(scope).project();
        self.read(|tx| async move {
            let of = if project.is_some() { "project_id = $2" } else { "$2::bigint IS NULL" };
            let sql = format!(
                "SELECT * FROM sdk_sessions WHERE tenant = $1 AND {of}
                 ORDER BY last_event_at DESC, id DESC LIMIT $3"
            );
            let rows = tx.rows(&sql, &[&project, &sql_limit(limit)]).await?;
            rows.iter().map(from_row).collect()
        })
        .await
    }

    async fn agents(&self) -> Result<Vec<String>> {
        self.read(|tx| async move {
            // From one agent to the next in the index, however many sessions each has.
            let sql = "WITH RECURSIVE step AS (
                           (SELECT agent FROM sdk_sessions WHERE tenant = $1
                            ORDER BY agent LIMIT 1)
                           UNION ALL
                           SELECT (SELECT s.agent FROM sdk_sessions s
                                   WHERE s.tenant = $1 AND s.agent > step.agent
                                   ORDER BY s.agent LIMIT 1)
                           FROM step WHERE step.agent IS NOT NULL)
                       SELECT agent FROM step WHERE agent IS NOT NULL ORDER BY agent";
            tx.rows(sql, &[]).await?.iter().map(|row| get(row, "agent")).collect()
        })
        .await
    }

    async fn complete_idle_sessions(&self, before: Time) -> Result<Vec<i64>> {
        let before = before.millis();
        self.write(|tx| async move {
            let sql = "UPDATE sdk_sessions
                       SET status = 'completed', completed_at = last_event_at, end_reason = $3
                       WHERE tenant = $1 AND status = 'active' AND last_event_at < $2
                       RETURNING id, project_id";
            let mut ids: Vec<i64> = Vec::new();
            for row in tx.rows(sql, &[&before, &IDLE]).await? {
                let id = get(&row, "id")?;
                let project = get(&row, "project_id")?;
                tx.tell(Change::of_session(id, project, SessionChange::Completed));
                ids.push(id);
            }
            ids.sort_unstable();
            Ok(ids)
        })
        .await
    }

    async fn given(&self, session: &SessionName) -> Result<Vec<PublicId>> {
        self.read(|tx| async move { given::rows(&tx, session).await }).await
    }

    async fn note_given(
        &self,
        session: &SessionName,
        rows: &[PublicId],
        whole_block: bool,
    ) -> Result<()> {
        self.write(|tx| async move { given::note(&tx, session, rows, whole_block).await }).await
    }

    async fn file_given(&self, session: &SessionName, file: &str) -> Result<bool> {
        let file = file_key(file);
        self.read(|tx| async move { given::has_file(&tx, session, file).await }).await
    }

    async fn note_file_given(
        &self,
        session: &SessionName,
        file: &str,
        rows: &[PublicId],
    ) -> Result<bool> {
        let file = file_key(file);
        self.write(|tx| async move { given::note_file(&tx, session, file, rows).await }).await
    }

    async fn take_compaction(&self, session_id: i64) -> Result<bool> {
        self.write(|tx| async move {
            let sql = "UPDATE sdk_sessions SET compacted = false
                       WHERE tenant = $1 AND id = $2 AND compacted";
            Ok(tx.run(sql, &[&session_id]).await? > 0)
        })
        .await
    }
}

/// Waits until nobody else changes what belongs to a session; false where there is no such session.
pub(super) async fn lock(tx: &Tx, session_id: i64) -> Sql<bool> {
    let sql = "SELECT 1 FROM sdk_sessions WHERE tenant = $1 AND id = $2 FOR NO KEY UPDATE";
    tx.exists(sql, &[&session_id]).await
}

/// As [`lock`], for several sessions, in one order by everybody.
pub(super) async fn lock_all(tx: &Tx, session_ids: &[i64]) -> Sql<()> {
    let sql = "SELECT 1 FROM sdk_sessions WHERE tenant = $1 AND id = ANY ($2)
               ORDER BY id FOR NO KEY UPDATE";
    tx.run(sql, &[&session_ids]).await?;
    Ok(())
}

fn from_row(row: &Row) -> Sql<Session> {
    let status: &str = get(row, "status")?;
    let active = status == SessionStatus::Active.word();
    Ok(Session {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        agent: get(row, "agent")?,
        agent_session_id: get(row, "agent_session_id")?,
        project_id: get(row, "project_id")?,
        conversation_id: get(row, "conversation_id")?,
        status: if active { SessionStatus::Active } else { SessionStatus::Completed },
        prompt_counter: get(row, "prompt_counter")?,
        worktree: get(row, "worktree")?,
        branch: get(row, "branch")?,
        first_prompt: get(row, "first_prompt")?,
        started_at: time(row, "started_at")?,
        last_event_at: time(row, "last_event_at")?,
        completed_at: time_if_any(row, "completed_at")?,
        end_reason: get(row, "end_reason")?,
    })
}
