//! Where an event belongs: its session, and what the event does to it.

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, StartSource};
use rusqlite::{Connection, Row, params};

use super::super::connect::Sql;
use super::super::projects;
use super::super::values::optional;
use crate::contract::{CLEARED_MS, RECENT_MS};
use crate::rules::{IDLE, new_uid};

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
        EventBody::SessionStart { source: StartSource::Clear, .. } => {
            cleared(db, event, project.id)?
        }
        EventBody::SessionStart { source: StartSource::Fork | StartSource::Resume, .. } => {
            only_recent(db, event, project.id)?
        }
        _ => None,
    };
    let session_id = make_session(db, &event.agent, &event.agent_session_id, project.id, event.at)?;
    db.prepare_cached(
        "UPDATE sdk_sessions SET continues = ?2, conversation_id = coalesce(?3, id), worktree = ?4,
         branch = ?5 WHERE id = ?1",
    )?
    .execute(params![
        session_id,
        predecessor.map(|session| session.id),
        predecessor.map(|session| session.conversation_id),
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

/// A session that a new one goes on with.
#[derive(Clone, Copy, Debug)]
struct Predecessor {
    id: i64,
    conversation_id: i64,
}

impl Predecessor {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { id: row.get(0)?, conversation_id: row.get(1)? })
    }
}

/// The session that was just cleared and that none goes on with yet.
fn cleared(db: &Connection, event: &Event, project_id: i64) -> Sql<Option<Predecessor>> {
    let mut one = db.prepare_cached(
        "SELECT s.id, s.conversation_id FROM sdk_sessions s
         WHERE s.project_id = ?2 AND s.agent = ?1 AND s.status = 'completed'
         AND s.end_reason = 'clear' AND s.completed_at BETWEEN ?3 - ?5 AND ?3
         AND NOT EXISTS (SELECT 1 FROM sdk_sessions n WHERE n.continues = s.id)
         ORDER BY s.worktree IS ?4 DESC, s.completed_at DESC, s.id DESC LIMIT 1",
    )?;
    optional(one.query_row(
        params![event.agent, project_id, event.at.millis(), event.project.worktree, CLEARED_MS],
        Predecessor::from_row,
    ))
}

/// The newest session of the only conversation that went on lately; none where there are several:
/// a wrong link mixes two conversations up, a missing one costs little.
fn only_recent(db: &Connection, event: &Event, project_id: i64) -> Sql<Option<Predecessor>> {
    let mut list = db.prepare_cached(
        "SELECT max(id), conversation_id FROM sdk_sessions
         WHERE project_id = ?2 AND agent = ?1 AND last_event_at >= ?3 - ?4
         GROUP BY conversation_id LIMIT 2",
    )?;
    let rows = list.query_map(
        params![event.agent, project_id, event.at.millis(), RECENT_MS],
        Predecessor::from_row,
    )?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(if let [only] = found[..] { Some(only) } else { None })
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
