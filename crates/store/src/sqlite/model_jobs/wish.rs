//! How jobs for a model come into being: beside what the rules save, and due when a turn is over.

use afterword_domain::Time;
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::optional;
use crate::contract::{ModelWish, TurnKey};

/// Makes the turn's job wait, and that of its session. A turn that another one follows is over.
pub(in super::super) fn note_wish(
    db: &Connection,
    turn: TurnKey,
    wish: &ModelWish,
    now: Time,
) -> Sql<()> {
    let TurnKey { session_id, prompt_number } = turn;
    if let Some(at) = wish.turn {
        db.prepare_cached(
            "INSERT INTO model_jobs (session_id, level, prompt_number, run_after)
             SELECT id, 'turn', ?2, CASE WHEN prompt_counter > ?2 THEN min(?3, ?4) ELSE ?3 END
             FROM sdk_sessions WHERE id = ?1
             ON CONFLICT (session_id, level, prompt_number) DO UPDATE
             SET run_after = excluded.run_after WHERE state = 'waiting' AND attempts = 0",
        )?
        .execute(params![session_id, prompt_number, at.millis(), now.millis()])?;
    }
    // What its last summary tells of already needs no other.
    db.prepare_cached(
        "INSERT INTO model_jobs (session_id, level, prompt_number, run_after)
         VALUES (?1, 'session', 0, ?3)
         ON CONFLICT (session_id, level, prompt_number) DO UPDATE
         SET run_after = excluded.run_after, state = 'waiting', attempts = 0, error = NULL
         WHERE (state IN ('waiting', 'done', 'parked') OR (state = 'dropped' AND dropped_at < ?2))
         AND up_to_prompt < ?2",
    )?
    .execute(params![session_id, prompt_number, wish.session.millis()])?;
    Ok(())
}

/// Makes the jobs of a session's turns before `below` due: those turns are over.
pub(in super::super) fn close_turns(
    db: &Connection,
    session_id: i64,
    below: i64,
    at: i64,
) -> Sql<()> {
    db.prepare_cached(
        "UPDATE model_jobs SET run_after = ?3 WHERE session_id = ?1 AND level = 'turn'
         AND prompt_number < ?2 AND state = 'waiting' AND attempts = 0 AND run_after > ?3",
    )?
    .execute(params![session_id, below, at])?;
    Ok(())
}

/// The newest event that a model's rows of the turn rest on; 0 while there are none.
pub(in super::super) fn model_seen(db: &Connection, turn: TurnKey) -> Sql<i64> {
    let mut one = db.prepare_cached(
        "SELECT seen_event_id FROM model_jobs
         WHERE session_id = ?1 AND level = 'turn' AND prompt_number = ?2 AND state = 'done'",
    )?;
    let found = one.query_row(params![turn.session_id, turn.prompt_number], |row| row.get(0));
    Ok(optional(found)?.unwrap_or(0))
}

/// Whether a model's summary of the session tells of this turn.
pub(in super::super) fn session_told(db: &Connection, turn: TurnKey) -> Sql<bool> {
    let mut one = db.prepare_cached(
        "SELECT 1 FROM model_jobs WHERE session_id = ?1 AND level = 'session'
         AND answer IS NOT NULL AND up_to_prompt >= ?2",
    )?;
    Ok(one.exists(params![turn.session_id, turn.prompt_number])?)
}
