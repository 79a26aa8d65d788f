//! Where an event belongs: its session, and what the event does to it.

use std::collections::HashMap;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, StartSource};
use tokio_postgres::Row;

use crate::contract::{CLEARED_MS, NewEvent, RECENT_MS, SessionChange};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::log::Change;
use crate::postgres::projects;
use crate::postgres::values::{Text, get, short, text};
use crate::rules::{IDLE, new_uid};

/// What recording needs of a session.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of its own")]
pub(super) struct Place {
    pub(super) session_id: i64,
    pub(super) project_id: i64,
    /// The newest prompt's number.
    pub(super) prompt_counter: i64,
    /// The newest prompt was private.
    pub(super) private_open: bool,
    /// Some prompt was private.
    pub(super) has_private: bool,
    pub(super) new_session: bool,
    /// Whether it is active.
    pub(super) active: bool,
}

/// A session by agent and by what stands for the agent's id of it.
pub(super) type Name = (String, String);

pub(super) fn name(event: &Event) -> Name {
    (event.agent.replace('\0', ""), short(&event.agent_session_id))
}

/// The sessions of events, as far as they are known. Nobody else changes what belongs to them until
/// the transaction ends, so that events of a session are numbered as they come to be seen.
pub(super) async fn known(tx: &Tx, events: &[NewEvent]) -> Sql<HashMap<Name, Place>> {
    let (agents, shorts): (Vec<String>, Vec<String>) =
        events.iter().map(|new| name(&new.event)).unzip();
    let sql = "SELECT s.agent, s.short, s.id, s.project_id, s.prompt_counter, s.private_open,
                   s.status = 'active' AS active,
                   EXISTS (SELECT 1 FROM private_turns p
                       WHERE p.tenant = $1 AND p.session_id = s.id) AS has_private
               FROM sdk_sessions s WHERE s.tenant = $1
               AND (s.agent, s.short) IN (SELECT * FROM unnest($2::text[], $3::text[]))
               ORDER BY s.id FOR NO KEY UPDATE OF s";
    let rows = tx.rows(sql, &[&agents, &shorts]).await?;
    let places = rows.iter().map(|row| {
        let place = Place {
            session_id: get(row, "id")?,
            project_id: get(row, "project_id")?,
            prompt_counter: get(row, "prompt_counter")?,
            private_open: get(row, "private_open")?,
            has_private: get(row, "has_private")?,
            new_session: false,
            active: get(row, "active")?,
        };
        Ok(((get(row, "agent")?, get(row, "short")?), place))
    });
    places.collect()
}

/// The session of an event that has none yet.
pub(super) async fn make(tx: &Tx, event: &Event) -> Sql<Place> {
    let project = projects::resolve(tx, &event.project, event.at).await?;
    let predecessor = match event.body {
        EventBody::SessionStart { source: StartSource::Clear, .. } => {
            cleared(tx, event, project.id).await?
        }
        EventBody::SessionStart { source: StartSource::Fork | StartSource::Resume, .. } => {
            only_recent(tx, event, project.id).await?
        }
        _ => None,
    };
    let (agent, id) = (&event.agent, &event.agent_session_id);
    let session_id = make_session(tx, agent, id, project.id, event.at).await?;
    tx.run(
        "UPDATE sdk_sessions SET continues = $3, conversation_id = coalesce($4, id), worktree = $5,
         branch = $6 WHERE tenant = $1 AND id = $2",
        &[
            &session_id,
            &predecessor.map(|session| session.id),
            &predecessor.map(|session| session.conversation_id),
            &text(event.project.worktree.as_ref()),
            &text(event.project.branch.as_ref()),
        ],
    )
    .await?;
    Ok(Place {
        session_id,
        project_id: project.id,
        prompt_counter: 0,
        private_open: false,
        has_private: false,
        new_session: true,
        active: true,
    })
}

/// A new active session that continues no other.
pub(in crate::postgres) async fn make_session(
    tx: &Tx,
    agent: &str,
    agent_session_id: &str,
    project_id: i64,
    at: Time,
) -> Sql<i64> {
    let row = tx
        .one(
            "INSERT INTO sdk_sessions (tenant, uid, agent, short, agent_session_id, project_id,
                 started_at, active_since, last_event_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7) RETURNING id",
            &[
                &new_uid(at),
                &Text(agent),
                &short(agent_session_id),
                &Text(agent_session_id),
                &project_id,
                &at.millis(),
            ],
        )
        .await?;
    let id: i64 = get(&row, "id")?;
    let sql = "UPDATE sdk_sessions SET conversation_id = id WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&id]).await?;
    tx.tell(Change::of_session(id, project_id, SessionChange::Started));
    Ok(id)
}

/// A session that a new one goes on with.
#[derive(Clone, Copy, Debug)]
struct Predecessor {
    id: i64,
    conversation_id: i64,
}

impl Predecessor {
    fn from_row(row: &Row) -> Sql<Self> {
        Ok(Self { id: get(row, "id")?, conversation_id: get(row, "conversation_id")? })
    }
}

/// The session that was just cleared and that none goes on with yet.
async fn cleared(tx: &Tx, event: &Event, project_id: i64) -> Sql<Option<Predecessor>> {
    let sql = "SELECT s.id, s.conversation_id FROM sdk_sessions s
               WHERE s.tenant = $1 AND s.project_id = $3 AND s.agent = $2
               AND s.status = 'completed' AND s.end_reason = 'clear'
               AND s.completed_at BETWEEN $4 AND $5
               AND NOT EXISTS (SELECT 1 FROM sdk_sessions n
                   WHERE n.tenant = $1 AND n.continues = s.id)
               ORDER BY s.worktree IS NOT DISTINCT FROM $6 DESC, s.completed_at DESC, s.id DESC
               LIMIT 1 FOR NO KEY UPDATE OF s";
    let at = event.at.millis();
    let from = at.saturating_sub(CLEARED_MS);
    let worktree = text(event.project.worktree.as_ref());
    let row = tx.first(sql, &[&Text(&event.agent), &project_id, &from, &at, &worktree]).await?;
    row.as_ref().map(Predecessor::from_row).transpose()
}

/// The newest session of the only conversation that went on lately; none where there are several:
/// a wrong link mixes two conversations up, a missing one costs little.
async fn only_recent(tx: &Tx, event: &Event, project_id: i64) -> Sql<Option<Predecessor>> {
    let sql = "SELECT max(id) AS id, conversation_id FROM sdk_sessions
               WHERE tenant = $1 AND project_id = $3 AND agent = $2 AND last_event_at >= $4
               GROUP BY conversation_id LIMIT 2";
    let from = event.at.millis().saturating_sub(RECENT_MS);
    let rows = tx.rows(sql, &[&Text(&event.agent), &project_id, &from]).await?;
    Ok(if let [only] = &rows[..] { Some(Predecessor::from_row(only)?) } else { None })
}

/// What the event does to its session's status, and to the time of its last event. Events may come
/// late: an end that is older than the newest start ends nothing, and a start that is older than
/// the end starts nothing.
pub(super) async fn move_on(tx: &Tx, place: &mut Place, event: &Event) -> Sql<()> {
    const TOUCH: &str = "last_event_at = greatest(last_event_at, $3),
                         started_at = least(started_at, $3)";
    let at = event.at.millis();
    let (status, word) = match &event.body {
        EventBody::SessionEnd { reason } => (
            "status = CASE WHEN active_since <= $3 THEN 'completed' ELSE status END,
             completed_at = CASE WHEN active_since <= $3 THEN $3 ELSE completed_at END,
             end_reason = CASE WHEN active_since <= $3 THEN $4 ELSE end_reason END",
            Some(reason.as_str()),
        ),
        EventBody::SessionStart { .. } | EventBody::Prompt { .. } => (
            "status = CASE WHEN coalesce(completed_at, $3) <= $3 THEN 'active' ELSE status END,
             active_since = CASE WHEN coalesce(completed_at, $3) <= $3
                 THEN greatest(active_since, $3) ELSE active_since END,
             end_reason = CASE WHEN coalesce(completed_at, $3) <= $3 THEN NULL ELSE end_reason END,
             completed_at = CASE WHEN coalesce(completed_at, $3) <= $3 THEN NULL
                 ELSE completed_at END",
            None,
        ),
        _ => (
            "status = CASE WHEN status = 'completed' AND end_reason = $4 THEN 'active'
                 ELSE status END,
             completed_at = CASE WHEN status = 'completed' AND end_reason = $4 THEN NULL
                 ELSE completed_at END,
             end_reason = CASE WHEN status = 'completed' AND end_reason = $4 THEN NULL
                 ELSE end_reason END",
            Some(IDLE),
        ),
    };
    let sql = format!(
        "UPDATE sdk_sessions SET {status}, {TOUCH} WHERE tenant = $1 AND id = $2
         RETURNING status = 'active' AS active"
    );
    let row = match word {
        Some(word) => tx.one(&sql, &[&place.session_id, &at, &Text(word)]).await?,
        None => tx.one(&sql, &[&place.session_id, &at]).await?,
    };
    let active = get(&row, "active")?;
    if active != place.active {
        let change = if active { SessionChange::Resumed } else { SessionChange::Completed };
        tx.tell(Change::of_session(place.session_id, place.project_id, change));
        place.active = active;
    }
    tx.touch_project(place.project_id, event.at);
    Ok(())
}
