//! Whether an event is known already: by its key, or by a report of the same happening just beside
//! it.

use afterword_domain::event::EventBody;
use tokio_postgres::Row;

use crate::contract::{NEAR_MS, NewEvent, Recorded, TurnKey};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, get, text};

use super::place::Place;

/// A stored event that may be the same happening.
struct Candidate {
    event_id: i64,
    at: i64,
    turn: TurnKey,
    project_id: i64,
}

fn candidate(row: &Row) -> Sql<Candidate> {
    Ok(Candidate {
        event_id: get(row, "event_id")?,
        at: get(row, "at")?,
        turn: TurnKey {
            session_id: get(row, "session_id")?,
            prompt_number: get(row, "prompt_counter")?,
        },
        project_id: get(row, "project_id")?,
    })
}

impl Candidate {
    fn duplicate(self, same_report: bool) -> Recorded {
        Recorded::Duplicate { turn: self.turn, project_id: self.project_id, same_report }
    }
}

/// The answer for an event that is stored already; `place` is its session, where that is known.
pub(super) async fn event(tx: &Tx, new: &NewEvent, place: Option<&Place>) -> Sql<Option<Recorded>> {
    let sql = "SELECT e.id AS event_id, e.at, s.id AS session_id, s.prompt_counter, s.project_id,
                   p.payload
               FROM events e JOIN sdk_sessions s ON s.tenant = $1 AND s.id = e.session_id
               LEFT JOIN event_payloads p ON p.tenant = $1 AND p.event_id = e.id
               WHERE e.tenant = $1 AND e.dedupe_key = $2";
    if let Some(row) = tx.first(sql, &[&Text(&new.dedupe_key)]).await? {
        let payload: Option<&str> = get(&row, "payload")?;
        let same = payload.is_some_and(|payload| is_report(payload, new));
        return Ok(Some(candidate(&row)?.duplicate(same)));
    }
    match (&new.near_key, place) {
        (Some(near_key), Some(place)) => beside(tx, new, near_key, place).await,
        _ => Ok(None),
    }
}

/// Whether a stored payload came from the very report that comes now.
fn is_report(payload: &str, new: &NewEvent) -> bool {
    #[derive(serde::Deserialize)]
    struct Uid {
        uid: uuid::Uuid,
    }
    serde_json::from_str::<Uid>(payload).is_ok_and(|stored| stored.uid == new.event.uid)
}

/// The answer when the same was reported at nearly the same time and nothing came between.
async fn beside(tx: &Tx, new: &NewEvent, near_key: &str, place: &Place) -> Sql<Option<Recorded>> {
    let sql = "SELECT e.id AS event_id, e.at, s.id AS session_id, s.prompt_counter, s.project_id
               FROM events e JOIN sdk_sessions s ON s.tenant = $1 AND s.id = e.session_id
               WHERE e.tenant = $1 AND e.session_id = $2 AND e.near_key = $3
               AND e.at BETWEEN $4 AND $5 ORDER BY e.id";
    let at = new.event.at.millis();
    let (from, to) = (at.saturating_sub(NEAR_MS), at.saturating_add(NEAR_MS));
    for row in tx.rows(sql, &[&place.session_id, &Text(near_key), &from, &to]).await? {
        let known = candidate(&row)?;
        if !something_between(tx, &known, new).await? {
            return Ok(Some(known.duplicate(false)));
        }
    }
    Ok(None)
}

/// Whether another event of the session lies between: of the same sub-agent, or likewise of the
/// session itself. At the same instant the order of arrival decides.
async fn something_between(tx: &Tx, known: &Candidate, new: &NewEvent) -> Sql<bool> {
    let at = new.event.at.millis();
    let (from, to) = (known.at.min(at), known.at.max(at));
    let lane = new.event.subagent.as_ref().map(|subagent| &subagent.id);
    let sql = "SELECT 1 WHERE EXISTS (SELECT 1 FROM events
                   WHERE tenant = $1 AND session_id = $2 AND at BETWEEN $3 AND $4 AND id <> $5
                   AND subagent IS NOT DISTINCT FROM $6 AND ((at > $3 AND at < $4) OR id > $5))
               OR EXISTS (SELECT 1 FROM private_turns
                   WHERE tenant = $1 AND session_id = $2 AND at BETWEEN $3 AND $4)";
    tx.exists(sql, &[&known.turn.session_id, &from, &to, &known.event_id, &text(lane)]).await
}

/// Whether a private prompt was reported before: it changes nothing, whatever came since.
pub(super) async fn private_prompt(tx: &Tx, new: &NewEvent, place: Option<&Place>) -> Sql<bool> {
    if !matches!(new.event.body, EventBody::Prompt { .. }) {
        return Ok(false);
    }
    let sql = "SELECT 1 FROM private_turns WHERE tenant = $1 AND dedupe_key = $2";
    if tx.exists(sql, &[&Text(&new.dedupe_key)]).await? {
        return Ok(true);
    }
    let (Some(near_key), Some(place)) = (&new.near_key, place) else { return Ok(false) };
    // A prompt between the two makes the second a new one, to be kept private too.
    let sql = "SELECT 1 FROM private_turns p
               WHERE p.tenant = $1 AND p.session_id = $2 AND p.near_key = $3
               AND p.at BETWEEN $4 AND $5
               AND NOT EXISTS (SELECT 1 FROM user_prompts u
                   WHERE u.tenant = $1 AND u.session_id = $2
                   AND u.created_at BETWEEN least(p.at, $6) AND greatest(p.at, $6)) LIMIT 1";
    let at = new.event.at.millis();
    let (from, to) = (at.saturating_sub(NEAR_MS), at.saturating_add(NEAR_MS));
    tx.exists(sql, &[&place.session_id, &Text(near_key), &from, &to, &at]).await
}
