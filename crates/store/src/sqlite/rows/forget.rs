//! Forgetting: the row, its index entry and its links go, and a tombstone stays.

use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use afterword_domain::{Kind, PublicId, Time};
use rusqlite::{Connection, Params, params};

use super::super::answers::{forget_of_session, restore_links};
use super::super::connect::Sql;
use super::super::events::drop_evidence;
use super::super::owned::forget_texts;
use super::{row, sweep, table};
use crate::contract::RowBody;
use crate::rules::FIRST_PROMPT_CHARS;

/// Forgets rows; returns those that existed in the scope.
pub(in super::super) fn all(
    db: &Connection,
    scope: &Scope,
    ids: Vec<PublicId>,
    now: Time,
) -> Sql<Vec<PublicId>> {
    let mut forgotten = Vec::new();
    for id in ids {
        if forget(db, scope, id, now)? {
            forgotten.push(id);
        }
    }
    if !forgotten.is_empty() {
        sweep::begin(db)?;
    }
    Ok(forgotten)
}

/// Forgets one row; false when it does not exist in the scope.
fn forget(db: &Connection, scope: &Scope, id: PublicId, now: Time) -> Sql<bool> {
    let Some(found) = row(db, scope, id)? else { return Ok(false) };
    let (prompt_number, rule_key) = match &found.body {
        RowBody::Observation(o) => {
            drop_evidence(db, &only_behind(db, id.number)?)?;
            (o.prompt_number, rule_of(db, id.number)?)
        }
        RowBody::Summary(s) => {
            drop_evidence(db, &only_summed_up(db, s)?)?;
            scrub_answer(db, s)?;
            (s.prompt_number, slot_of(db, id.number)?)
        }
        RowBody::Prompt(p) => {
            scrub_prompt(db, p.session_id, p.number, &p.text)?;
            (p.number, None)
        }
        RowBody::Memory(m) => {
            restore_links(db, m)?;
            forget_texts(db, m.uid, now)?;
            (0, None)
        }
        RowBody::Snapshot(_) => (0, None),
    };
    if let Some(session_id) = found.session_id {
        // An answer that was not read yet may tell of it.
        forget_of_session(db, session_id)?;
    }
    db.prepare_cached(
        "INSERT OR IGNORE INTO tombstones (uid, kind, session_id, prompt_number, rule_key, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        found.uid.to_string(),
        id.kind.word(),
        found.session_id,
        prompt_number,
        rule_key,
        now.millis()
    ])?;
    // Triggers take the index entry along, foreign keys the links and the history.
    db.prepare_cached(&format!("DELETE FROM {} WHERE id = ?1", table(id.kind)))?
        .execute([id.number])?;
    Ok(true)
}

fn rule_of(db: &Connection, id: i64) -> Sql<Option<String>> {
    let mut one = db.prepare_cached("SELECT rule_key FROM observations WHERE id = ?1")?;
    Ok(one.query_row([id], |row| row.get(0))?)
}

/// The level of a summary that distilling keeps up to date; none for any other.
fn slot_of(db: &Connection, id: i64) -> Sql<Option<String>> {
    let mut one = db.prepare_cached(
        "SELECT CASE WHEN slotted = 1 THEN level END FROM session_summaries WHERE id = ?1",
    )?;
    Ok(one.query_row([id], |row| row.get(0))?)
}

/// Events that an observation rests on and no other does; a prompt is a row of its own.
fn only_behind(db: &Connection, observation_id: i64) -> Sql<Vec<i64>> {
    event_ids(
        db,
        "SELECT e.id FROM observation_events o JOIN events e ON e.id = o.event_id
         WHERE o.observation_id = ?1 AND e.kind <> 'prompt' AND NOT EXISTS
             (SELECT 1 FROM observation_events other
              WHERE other.event_id = e.id AND other.observation_id <> ?1)",
        params![observation_id],
    )
}

/// Events of the turn of a turn's summary that no observation rests on; the prompt is a row of its
/// own, and a session's summary rests on those of its turns.
fn only_summed_up(db: &Connection, summary: &Summary) -> Sql<Vec<i64>> {
    if summary.level != SummaryLevel::Turn {
        return Ok(Vec::new());
    }
    event_ids(
        db,
        "SELECT e.id FROM events e WHERE e.session_id = ?1 AND e.prompt_number = ?2
         AND e.kind <> 'prompt' AND NOT EXISTS
             (SELECT 1 FROM observation_events o WHERE o.event_id = e.id)",
        params![summary.session_id, summary.prompt_number],
    )
}

/// What a model made of a session is kept beside its row, to go on from.
fn scrub_answer(db: &Connection, summary: &Summary) -> Sql<()> {
    if summary.level == SummaryLevel::Session {
        db.prepare_cached(
            "UPDATE model_jobs SET answer = NULL WHERE session_id = ?1 AND level = 'session'",
        )?
        .execute([summary.session_id])?;
    }
    Ok(())
}

fn event_ids(db: &Connection, sql: &str, params: impl Params) -> Sql<Vec<i64>> {
    let mut list = db.prepare_cached(sql)?;
    let rows = list.query_map(params, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A forgotten prompt must not come back from the event that brought it, nor from lists of
/// sessions.
fn scrub_prompt(db: &Connection, session_id: i64, number: i64, text: &str) -> Sql<()> {
    let events = event_ids(
        db,
        "SELECT id FROM events WHERE session_id = ?1 AND prompt_number = ?2 AND kind = 'prompt'",
        params![session_id, number],
    )?;
    drop_evidence(db, &events)?;
    db.prepare_cached(
        "UPDATE sdk_sessions SET first_prompt = NULL WHERE id = ?1 AND first_prompt = ?2",
    )?
    .execute(params![session_id, cut_chars(text, FIRST_PROMPT_CHARS)])?;
    Ok(())
}

/// Whether a uid was forgotten.
pub(in super::super) fn is_forgotten(db: &Connection, uid: &str) -> Sql<bool> {
    let mut one = db.prepare_cached("SELECT 1 FROM tombstones WHERE uid = ?1")?;
    Ok(one.exists([uid])?)
}

/// Whether any row of a kind has this uid.
pub(in super::super) fn is_known(db: &Connection, kind: Kind, uid: &str) -> Sql<bool> {
    let mut one = db.prepare_cached(&format!("SELECT 1 FROM {} WHERE uid = ?1", table(kind)))?;
    Ok(one.exists([uid])?)
}
