//! What the table and its neighbours say of a job, a session and life.

use afterword_domain::Time;
use rusqlite::{Connection, params};

use super::super::answers::forget_of_job;
use super::super::connect::Sql;
use super::super::values::count;
use crate::contract::Life;
use crate::rules::TRIES;

/// Ends a job without an answer.
pub(super) fn end(db: &Connection, id: i64) -> Sql<()> {
    db.prepare_cached(
        "UPDATE model_jobs SET state = 'done', error = NULL
         WHERE id = ?1 AND state IN ('claimed', 'sent')",
    )?
    .execute([id])?;
    forget_of_job(db, id)
}

pub(super) fn release(db: &Connection, now: Time) -> Sql<u64> {
    let claimed = db
        .prepare_cached(
            "UPDATE model_jobs SET state = 'waiting' WHERE state = 'claimed'
             OR (state = 'sent' AND id IN (SELECT job_id FROM paid_answers))",
        )?
        .execute([])?;
    let sent = db
        .prepare_cached(
            "UPDATE model_jobs SET run_after = max(run_after, ?1),
             state = CASE WHEN attempts >= ?2 THEN 'parked' ELSE 'waiting' END,
             error = 'the daemon ended before the answer came' WHERE state = 'sent'",
        )?
        .execute(params![now.millis(), TRIES])?;
    Ok((claimed + sent) as u64)
}

pub(super) fn free_kept_back(db: &Connection, now: Time) -> Sql<u64> {
    let n = db
        .prepare_cached(
            "UPDATE model_jobs SET kept_back = 0, run_after = min(run_after, ?1)
             WHERE kept_back = 1 AND state = 'waiting'",
        )?
        .execute([now.millis()])?;
    Ok(n as u64)
}

pub(super) fn life(db: &Connection) -> Sql<Life> {
    let time = |sql: &str| -> Sql<Option<Time>> {
        let at: Option<i64> = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(at.map(Time::from_millis))
    };
    Ok(Life {
        any: time("SELECT max(last_event_at) FROM sdk_sessions")?,
        active: time("SELECT max(last_event_at) FROM sdk_sessions WHERE status = 'active'")?,
    })
}

/// What is known of a session's rows that were forgotten, for the job of a turn or of the session.
pub(super) fn forgotten(db: &Connection, session_id: i64, turn: Option<i64>) -> Sql<(i64, bool)> {
    let mut one = db.prepare_cached(
        "SELECT count(*), coalesce(sum(CASE
             WHEN ?2 IS NULL THEN kind = 'summary' AND rule_key = 'session'
             ELSE kind = 'observation' OR (kind = 'summary' AND rule_key = 'turn') END), 0)
         FROM tombstones WHERE session_id = ?1 AND (?2 IS NULL OR prompt_number = ?2)",
    )?;
    Ok(one.query_row(params![session_id, turn], |row| Ok((row.get(0)?, count(row.get(1)?) > 0)))?)
}
