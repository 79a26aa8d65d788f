//! Where an event belongs: its session, and what the event does to it.

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, StartSource};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::projects;
use super::super::sessions::IDLE;
use super::super::values::{new_uid, optional};

/// What recording needs of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) session_id: i64,
    pub(super) project_id: i64,
    /// The newest prompt's number.
    pub(super) prompt_counter: i64,
    /// The newest prompt was private.
    pub(super) private_open: bool,
    pub(super) new_session: bool,
}

/// The event's session, made when it is new.
pub(super) fn find_or_make(db: &Connection, event: &Event) -> Sql<Place> {
    if let Some(place) = known(db, &event.agent, &event.agent_session_id)? {
        return Ok(place);
    }
    let project = projects::resolve(db, &event.project, event.at)?;
    let predecessor = match event.body {
        EventBody::SessionStart {
            source: StartSource::Clear | StartSource::Fork | StartSource::Resume,
        } => newest_conversation(db, &event.agent, project.id)?,
        _ => None,
    };
    let session_id = make_session(db, &event.agent, &event.agent_session_id, project.id, event.at)?;
    db.prepare_cached(
        "UPDATE sdk_sessions SET conversation_id = coalesce(?2, id), worktree = ?3, branch = ?4
         WHERE id = ?1",
    )?
    .execute(params![
        session_id,
        predecessor,
        event.project.worktree,
        event.project.branch
    ])?;
    Ok(Place {
        session_id,
        project_id: project.id,
        prompt_counter: 0,
        private_open: false,
        new_session: true,
    })
}

/// A new active session that continues no other.
pub(in super::super) fn make_session(
    db: &Connection,
    agent: &str,
    agent_session_id: &str,
    project_id: i64,
    at: Time,
) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO sdk_sessions (uid, agent, agent_session_id, project_id, started_at,
         active_since, last_event_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5)",
    )?
    .execute(params![
        new_uid(at).to_string(),
        agent,
        agent_session_id,
        project_id,
        at.millis()
    ])?;
    let id = db.last_insert_rowid();
    db.prepare_cached("UPDATE sdk_sessions SET conversation_id = id WHERE id = ?1")?
        .execute([id])?;
    Ok(id)
}

fn known(db: &Connection, agent: &str, agent_session_id: &str) -> Sql<Option<Place>> {
    let mut one = db.prepare_cached(
        "SELECT id, project_id, prompt_counter, private_open FROM sdk_sessions
         WHERE agent = ?1 AND agent_session_id = ?2",
    )?;
    optional(one.query_row([agent, agent_session_id], |row| {
        Ok(Place {
            session_id: row.get(0)?,
            project_id: row.get(1)?,
            prompt_counter: row.get(2)?,
            private_open: row.get(3)?,
            new_session: false,
        })
    }))
}

fn newest_conversation(db: &Connection, agent: &str, project_id: i64) -> Sql<Option<i64>> {
    let mut one = db.prepare_cached(
        "SELECT conversation_id FROM sdk_sessions WHERE project_id = ?2 AND agent = ?1
         ORDER BY last_event_at DESC, id DESC LIMIT 1",
    )?;
    optional(one.query_row(params![agent, project_id], |row| row.get(0)))
}

/// What the event does to its session's status. Events may come late: an end that is older than
/// the newest start ends nothing, and a start that is older than the end starts nothing.
pub(super) fn move_status(db: &Connection, place: &Place, event: &Event) -> Sql<()> {
    let at = event.at.millis();
    match &event.body {
        EventBody::SessionEnd { reason } => {
            db.prepare_cached(
                "UPDATE sdk_sessions SET status = 'completed', completed_at = ?2, end_reason = ?3
                 WHERE id = ?1 AND active_since <= ?2",
            )?
            .execute(params![place.session_id, at, reason])?;
        }
        EventBody::SessionStart { .. } | EventBody::Prompt { .. } => {
            db.prepare_cached(
                "UPDATE sdk_sessions SET status = 'active', completed_at = NULL, end_reason = NULL,
                 active_since = max(active_since, ?2)
                 WHERE id = ?1 AND coalesce(completed_at, ?2) <= ?2",
            )?
            .execute(params![place.session_id, at])?;
        }
        _ => {
            db.prepare_cached(
                "UPDATE sdk_sessions SET status = 'active', completed_at = NULL, end_reason = NULL
                 WHERE id = ?1 AND status = 'completed' AND end_reason = ?2",
            )?
            .execute(params![place.session_id, IDLE])?;
        }
    }
    Ok(())
}

/// Notes that something happened in the session, and in its project.
pub(super) fn touch(db: &Connection, place: &Place, at: Time) -> Sql<()> {
    db.prepare_cached(
        "UPDATE sdk_sessions SET last_event_at = max(last_event_at, ?2),
         started_at = min(started_at, ?2) WHERE id = ?1",
    )?
    .execute(params![place.session_id, at.millis()])?;
    projects::touch(db, place.project_id, at)
}
