//! Answers between their charge and their use.

use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::spend::settle;
use super::super::values::optional;
use crate::contract::{AnswerOf, NewAnswer, PaidAnswer, Settled};
use crate::rules::fact::kept_since;

/// As the contract's `settle_with_answer`.
pub(super) fn settle_keeping(
    db: &Connection,
    id: i64,
    settled: Settled,
    new: &NewAnswer,
) -> Sql<bool> {
    let first = settle(db, id, settled)?;
    let PaidAnswer { text, cut, note } = &new.answer;
    let at = new.at.millis();
    match new.of {
        AnswerOf::Job(job) => {
            db.prepare_cached(
                "INSERT OR REPLACE INTO paid_answers (job_id, at, text, cut, note)
                 SELECT id, ?2, ?3, ?4, ?5 FROM model_jobs WHERE id = ?1 AND state = 'sent'",
            )?
            .execute(params![job, at, text, cut, note])?;
        }
        AnswerOf::Inference(uid) => {
            db.prepare_cached("DELETE FROM paid_answers WHERE inference IS NOT NULL AND at < ?1")?
                .execute([kept_since(new.at)])?;
            db.prepare_cached(
                "INSERT OR REPLACE INTO paid_answers (inference, at, text, cut, note)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![uid.to_string(), at, text, cut, note])?;
        }
    }
    Ok(first)
}

/// The answer that was kept.
pub(super) fn kept(db: &Connection, of: AnswerOf) -> Sql<Option<PaidAnswer>> {
    let (column, key) = match of {
        AnswerOf::Job(job) => ("job_id", job.to_string()),
        AnswerOf::Inference(uid) => ("inference", uid.to_string()),
    };
    let mut one = db
        .prepare_cached(&format!("SELECT text, cut, note FROM paid_answers WHERE {column} = ?1"))?;
    optional(one.query_row([key], |row| {
        Ok(PaidAnswer { text: row.get(0)?, cut: row.get(1)?, note: row.get(2)? })
    }))
}

/// Lets go of the answer of a job.
pub(in super::super) fn forget_of_job(db: &Connection, job: i64) -> Sql<()> {
    db.prepare_cached("DELETE FROM paid_answers WHERE job_id = ?1")?.execute([job])?;
    Ok(())
}

/// Lets go of the answers of a session's jobs.
pub(in super::super) fn forget_of_session(db: &Connection, session: i64) -> Sql<()> {
    db.prepare_cached(
        "DELETE FROM paid_answers WHERE job_id IN (SELECT id FROM model_jobs WHERE session_id = ?1)",
    )?
    .execute([session])?;
    Ok(())
}

/// Lets go of the answer of an inference.
pub(in super::super) fn forget_of_inference(db: &Connection, uid: Uuid) -> Sql<()> {
    db.prepare_cached("DELETE FROM paid_answers WHERE inference = ?1")?
        .execute([uid.to_string()])?;
    Ok(())
}
