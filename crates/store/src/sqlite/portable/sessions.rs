//! The sessions that imported rows name.

use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::events::make_session;
use super::super::values::optional;
use super::import::Incoming;
use crate::rules::transfer::import::UNKNOWN_AGENT;

impl Incoming<'_> {
    /// The session the row names, made when it is missing; none when it names none.
    pub(super) fn session(&self, db: &Connection) -> Sql<Option<i64>> {
        let Some(name) = self.new.row.session.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        self.session_named(db, name).map(Some)
    }

    /// For kinds that cannot be without a session: that of the project's imports.
    pub(super) fn session_or_own(&self, db: &Connection) -> Sql<i64> {
        match self.session(db)? {
            Some(id) => Ok(id),
            None => self.session_named(db, &format!("import-{}", self.new.project_id)),
        }
    }

    fn session_named(&self, db: &Connection, name: &str) -> Sql<i64> {
        let agent = self.new.row.agent.as_deref().unwrap_or(UNKNOWN_AGENT);
        let mut one = db.prepare_cached(
            "SELECT id FROM sdk_sessions WHERE agent = ?1 AND agent_session_id = ?2",
        )?;
        let at = self.created_at;
        if let Some(id) = optional(one.query_row([agent, name], |row| row.get(0)))? {
            db.prepare_cached(
                "UPDATE sdk_sessions SET started_at = min(started_at, ?2),
                 last_event_at = max(last_event_at, ?2),
                 completed_at = CASE WHEN end_reason = 'import' THEN max(completed_at, ?2)
                                ELSE completed_at END
                 WHERE id = ?1",
            )?
            .execute(params![id, at.millis()])?;
            return Ok(id);
        }
        let id = make_session(db, agent, name, self.new.project_id, at)?;
        db.prepare_cached(
            "UPDATE sdk_sessions SET status = 'completed', completed_at = ?2,
             end_reason = 'import' WHERE id = ?1",
        )?
        .execute(params![id, at.millis()])?;
        Ok(id)
    }
}
