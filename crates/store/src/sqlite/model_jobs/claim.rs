//! Which job is next: sessions in turn, the turns of one in their order, its summary last.

use afterword_domain::Time;
use rusqlite::{Connection, Row, params};

use super::super::connect::Sql;
use super::super::values::optional;
use super::forgotten;
use crate::contract::{ModelJob, ModelSubject, TurnKey};

/// What [`claim`] would claim.
pub(super) fn next(db: &Connection, now: Time, after: i64) -> Sql<Option<ModelJob>> {
    let found = match due(db, now, after)? {
        Some(job) => Some(job),
        // Round again, from the first session.
        None => due(db, now, i64::MIN)?,
    };
    found.map(|job| with_forgotten(db, job)).transpose()
}

fn with_forgotten(db: &Connection, mut job: ModelJob) -> Sql<ModelJob> {
    let turn = match job.subject {
        ModelSubject::Turn(turn) => Some(turn.prompt_number),
        ModelSubject::Session(_) => None,
    };
    (job.forgotten, job.tells_forgotten) = forgotten(db, job.session_id(), turn)?;
    Ok(job)
}

/// As the contract's `claim_model_job`.
pub(super) fn claim(db: &Connection, now: Time, after: i64) -> Sql<Option<ModelJob>> {
    let job = next(db, now, after)?;
    if let Some(job) = &job {
        take(db, job.id)?;
    }
    Ok(job)
}

/// As the contract's `claim_answered_job`.
pub(super) fn claim_answered(db: &Connection) -> Sql<Option<ModelJob>> {
    let mut one = db.prepare_cached(&format!(
        "{SELECT} WHERE j.state = 'waiting'
         AND j.id IN (SELECT job_id FROM paid_answers) ORDER BY j.id LIMIT 1"
    ))?;
    let Some(found) = optional(one.query_row([], job))? else { return Ok(None) };
    take(db, found.id)?;
    with_forgotten(db, found).map(Some)
}

/// Makes a job somebody's. Where its answer is kept, its call is behind it.
fn take(db: &Connection, id: i64) -> Sql<()> {
    db.prepare_cached(
        "UPDATE model_jobs SET state = CASE WHEN id IN (SELECT job_id FROM paid_answers)
         THEN 'sent' ELSE 'claimed' END, kept_back = 0 WHERE id = ?1",
    )?
    .execute([id])?;
    Ok(())
}

/// A job with its project. The try that brought a kept answer is not behind it yet.
const SELECT: &str = "SELECT j.id, j.session_id, j.level, j.prompt_number, s.project_id,
         j.attempts - (j.id IN (SELECT job_id FROM paid_answers)), p.name
     FROM model_jobs j
     CROSS JOIN sdk_sessions s ON s.id = j.session_id
     CROSS JOIN projects p ON p.id = s.project_id";

fn due(db: &Connection, now: Time, after: i64) -> Sql<Option<ModelJob>> {
    let select = SELECT.replace("model_jobs j", "model_jobs j INDEXED BY model_jobs_by_session");
    let mut one = db.prepare_cached(&format!(
        "{select} WHERE j.state = 'waiting' AND j.session_id > ?1 AND j.run_after <= ?2
         AND (j.level = 'turn' OR NOT EXISTS
             (SELECT 1 FROM model_jobs t WHERE t.session_id = j.session_id AND t.level = 'turn'
              AND t.state IN ('waiting', 'claimed', 'sent')))
         ORDER BY j.session_id, j.level DESC, j.prompt_number LIMIT 1"
    ))?;
    optional(one.query_row(params![after, now.millis()], job))
}

fn job(row: &Row<'_>) -> rusqlite::Result<ModelJob> {
    let (session_id, level): (i64, String) = (row.get(1)?, row.get(2)?);
    let subject = if level == "session" {
        ModelSubject::Session(session_id)
    } else {
        ModelSubject::Turn(TurnKey { session_id, prompt_number: row.get(3)? })
    };
    Ok(ModelJob {
        id: row.get(0)?,
        subject,
        project_id: row.get(4)?,
        attempts: row.get(5)?,
        project: row.get(6)?,
        forgotten: 0,
        tells_forgotten: false,
    })
}

/// As the contract's `next_model_job_at`. The summary of a session that waits for its turns is
/// due when they are.
pub(super) fn next_at(db: &Connection) -> Sql<Option<Time>> {
    let mut one = db.prepare_cached(
        "SELECT j.run_after FROM model_jobs j INDEXED BY model_jobs_due
         WHERE j.state = 'waiting' AND (j.level = 'turn' OR NOT EXISTS
             (SELECT 1 FROM model_jobs t WHERE t.session_id = j.session_id AND t.level = 'turn'
              AND t.state IN ('waiting', 'claimed', 'sent')))
         ORDER BY j.run_after LIMIT 1",
    )?;
    optional(one.query_row([], |row| Ok(Time::from_millis(row.get(0)?))))
}
