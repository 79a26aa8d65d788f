//! Whether an event is known already: by its key, or by a report of the same happening just beside
//! it.

use afterword_domain::event::EventBody;
use rusqlite::{Connection, Row, named_params, params};

use super::super::connect::Sql;
use super::super::values::optional;
use super::payload;
use crate::contract::{NEAR_MS, NewEvent, Recorded, TurnKey};

/// A stored event that may be the same happening.
struct Candidate {
    event_id: i64,
    at: i64,
    turn: TurnKey,
    project_id: i64,
}

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        event_id: row.get(0)?,
        at: row.get(1)?,
        turn: TurnKey { session_id: row.get(2)?, prompt_number: row.get(3)? },
        project_id: row.get(4)?,
    })
}

impl Candidate {
    fn duplicate(self, same_report: bool) -> Recorded {
        Recorded::Duplicate { turn: self.turn, project_id: self.project_id, same_report }
    }
}

/// The answer for an event that is stored already.
pub(super) fn event(db: &Connection, new: &NewEvent) -> Sql<Option<Recorded>> {
    let mut one = db.prepare_cached(
        "SELECT e.id, e.at, s.id, s.prompt_counter, s.project_id
         FROM events e JOIN sdk_sessions s ON s.id = e.session_id WHERE e.dedupe_key = ?1",
    )?;
    if let Some(known) = optional(one.query_row([&new.dedupe_key], candidate))? {
        let same = payload::is_of_report(db, known.event_id, new.event.uid)?;
        return Ok(Some(known.duplicate(same)));
    }
    match &new.near_key {
        Some(near_key) => beside(db, new, near_key),
        None => Ok(None),
    }
}

/// The answer when the same was reported at nearly the same time and nothing came between.
fn beside(db: &Connection, new: &NewEvent, near_key: &str) -> Sql<Option<Recorded>> {
    let (event, at) = (&new.event, new.event.at.millis());
    let mut list = db.prepare_cached(
        "SELECT e.id, e.at, s.id, s.prompt_counter, s.project_id
         FROM sdk_sessions s JOIN events e ON e.session_id = s.id
         WHERE s.agent = ?1 AND s.agent_session_id = ?2 AND e.near_key = ?3
         AND e.at BETWEEN ?4 - ?5 AND ?4 + ?5",
    )?;
    let rows = list.query_map(
        params![event.agent, event.agent_session_id, near_key, at, NEAR_MS],
        candidate,
    )?;
    for known in rows.collect::<rusqlite::Result<Vec<_>>>()? {
        if !something_between(db, &known, new)? {
            return Ok(Some(known.duplicate(false)));
        }
    }
    Ok(None)
}

/// Whether another event of the session lies between: of the same sub-agent, or likewise of the
/// session itself. At the same instant the order of arrival decides.
fn something_between(db: &Connection, known: &Candidate, new: &NewEvent) -> Sql<bool> {
    let at = new.event.at.millis();
    let (from, to) = (known.at.min(at), known.at.max(at));
    let session = known.turn.session_id;
    let mut events = db.prepare_cached(
        "SELECT 1 FROM events INDEXED BY events_by_time
         WHERE session_id = :session AND at BETWEEN :from AND :to AND id <> :known
         AND subagent IS :subagent AND ((at > :from AND at < :to) OR id > :known) LIMIT 1",
    )?;
    let lane = new.event.subagent.as_ref().map(|subagent| &subagent.id);
    let found = events.exists(named_params! {
        ":session": session, ":from": from, ":to": to, ":known": known.event_id,
        ":subagent": lane,
    })?;
    if found {
        return Ok(true);
    }
    let mut private = db.prepare_cached(
        "SELECT 1 FROM private_turns WHERE session_id = ?1 AND at BETWEEN ?2 AND ?3 LIMIT 1",
    )?;
    Ok(private.exists(params![session, from, to])?)
}

/// Whether a private prompt was reported before: it changes nothing, whatever came since.
pub(super) fn private_prompt(db: &Connection, new: &NewEvent) -> Sql<bool> {
    if !matches!(new.event.body, EventBody::Prompt { .. }) {
        return Ok(false);
    }
    let mut one = db.prepare_cached("SELECT 1 FROM private_turns WHERE dedupe_key = ?1")?;
    if one.exists([&new.dedupe_key])? {
        return Ok(true);
    }
    let Some(near_key) = &new.near_key else { return Ok(false) };
    // A prompt between the two makes the second a new one, to be kept private too.
    let mut beside = db.prepare_cached(
        "SELECT 1 FROM sdk_sessions s JOIN private_turns p ON p.session_id = s.id
         WHERE s.agent = ?1 AND s.agent_session_id = ?2 AND p.near_key = ?3
         AND p.at BETWEEN ?4 - ?5 AND ?4 + ?5
         AND NOT EXISTS (SELECT 1 FROM user_prompts u WHERE u.session_id = s.id
             AND u.created_at BETWEEN min(p.at, ?4) AND max(p.at, ?4))
         LIMIT 1",
    )?;
    let event = &new.event;
    let at = event.at.millis();
    Ok(beside.exists(params![event.agent, event.agent_session_id, near_key, at, NEAR_MS])?)
}
