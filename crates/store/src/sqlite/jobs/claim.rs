//! Which turn is next.
//!
//! The one that has waited longest, unless its session was served last and another session has a
//! turn that is due: then that goes first. So a session with a thousand turns gets every second
//! place, and the others take the places between in their order.

use std::sync::atomic::{AtomicI64, Ordering};

use afterword_domain::Time;
use rusqlite::{Connection, Row, params};

use super::super::connect::Sql;
use super::super::model_jobs::model_seen;
use super::super::values::optional;
use crate::contract::{Job, TurnKey};

/// Sessions that are looked at for one whose turn is due, before the longest wait decides.
const LOOKS: usize = 16;

/// As the contract's `claim_job`; `served` holds the session that was served last and the one that
/// last took a place between.
pub(super) fn claim(db: &Connection, now: Time, served: &Served) -> Sql<Option<Job>> {
    let Some(longest) = longest_wait(db, now)? else { return Ok(None) };
    let job = if longest.turn.session_id == served.last.load(Ordering::Relaxed) {
        let between = of_another(db, now, longest.turn.session_id, served)?;
        if let Some(job) = &between {
            served.between.store(job.turn.session_id, Ordering::Relaxed);
        }
        between.unwrap_or(longest)
    } else {
        longest
    };
    let job = Job { model_seen: model_seen(db, job.turn)?, ..job };
    served.last.store(job.turn.session_id, Ordering::Relaxed);
    db.prepare_cached("UPDATE jobs SET state = 'claimed' WHERE id = ?1")?.execute([job.id])?;
    Ok(Some(job))
}

/// Whose turns were claimed lately.
#[derive(Debug, Default)]
pub(in super::super) struct Served {
    last: AtomicI64,
    between: AtomicI64,
}

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    Ok(Job {
        id: row.get(0)?,
        turn: TurnKey { session_id: row.get(1)?, prompt_number: row.get(2)? },
        project_id: row.get(3)?,
        attempts: row.get(4)?,
        model_seen: 0,
    })
}

fn longest_wait(db: &Connection, now: Time) -> Sql<Option<Job>> {
    let mut due = db.prepare_cached(
        "SELECT j.id, j.session_id, j.prompt_number, s.project_id, j.attempts
         FROM jobs j INDEXED BY jobs_due CROSS JOIN sdk_sessions s ON s.id = j.session_id
         WHERE j.state = 'waiting' AND j.run_after <= ?1 ORDER BY j.run_after, j.id LIMIT 1",
    )?;
    optional(due.query_row([now.millis()], job))
}

/// The oldest due turn of the next session in turn, other than `session_id`.
fn of_another(db: &Connection, now: Time, session_id: i64, served: &Served) -> Sql<Option<Job>> {
    // The first waiting turn of each session is one step in this index.
    let mut next = db.prepare_cached(
        "SELECT j.id, j.session_id, j.prompt_number, s.project_id, j.attempts, j.run_after <= ?2
         FROM jobs j INDEXED BY jobs_by_session CROSS JOIN sdk_sessions s ON s.id = j.session_id
         WHERE j.state = 'waiting' AND j.session_id > ?1
         ORDER BY j.session_id, j.run_after LIMIT 1",
    )?;
    let mut after = served.between.load(Ordering::Relaxed);
    for _ in 0..LOOKS {
        let found = optional(
            next.query_row(params![after, now.millis()], |row| Ok((job(row)?, row.get(5)?))),
        )?;
        match found {
            Some((job, true)) if job.turn.session_id != session_id => return Ok(Some(job)),
            Some((job, _)) => after = job.turn.session_id,
            None if after == 0 => return Ok(None),
            None => after = 0,
        }
    }
    Ok(None)
}
