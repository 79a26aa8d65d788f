//! Answers between their charge and their use.

use uuid::Uuid;

use crate::contract::{AnswerOf, NewAnswer, PaidAnswer, Settled};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::spend::settle;
use crate::postgres::values::{Text, get};
use crate::rules::fact::kept_since;

/// As the contract's `settle_with_answer`.
pub(super) async fn settle_keeping(
    tx: &Tx,
    id: i64,
    settled: Settled,
    new: &NewAnswer,
) -> Sql<bool> {
    let first = settle(tx, id, settled).await?;
    let PaidAnswer { text, cut, note } = &new.answer;
    let (text, note, at) = (Text(text), Text(note), new.at.millis());
    match new.of {
        AnswerOf::Job(job) => {
            let sql = "INSERT INTO paid_answers (tenant, job_id, at, text, cut, note)
                       SELECT $1, id, $3, $4, $5, $6 FROM model_jobs
                       WHERE tenant = $1 AND id = $2 AND state = 'sent' FOR UPDATE
                       ON CONFLICT (tenant, job_id) DO UPDATE SET at = excluded.at,
                           text = excluded.text, cut = excluded.cut, note = excluded.note";
            tx.run(sql, &[&job, &at, &text, cut, &note]).await?;
        }
        AnswerOf::Inference(uid) => {
            let sql = "DELETE FROM paid_answers
                       WHERE tenant = $1 AND inference IS NOT NULL AND at < $2";
            tx.run(sql, &[&kept_since(new.at)]).await?;
            let sql = "INSERT INTO paid_answers (tenant, inference, at, text, cut, note)
                       VALUES ($1, $2, $3, $4, $5, $6)
                       ON CONFLICT (tenant, inference) DO UPDATE SET at = excluded.at,
                           text = excluded.text, cut = excluded.cut, note = excluded.note";
            tx.run(sql, &[&uid, &at, &text, cut, &note]).await?;
        }
    }
    Ok(first)
}

/// The answer that was kept.
pub(super) async fn kept(tx: &Tx, of: AnswerOf) -> Sql<Option<PaidAnswer>> {
    let row = match of {
        AnswerOf::Job(job) => {
            let sql = "SELECT text, cut, note FROM paid_answers WHERE tenant = $1 AND job_id = $2";
            tx.first(sql, &[&job]).await?
        }
        AnswerOf::Inference(uid) => {
            let sql =
                "SELECT text, cut, note FROM paid_answers WHERE tenant = $1 AND inference = $2";
            tx.first(sql, &[&uid]).await?
        }
    };
    let answer = row.map(|row| {
        Ok(PaidAnswer {
            text: get(&row, "text")?,
            cut: get(&row, "cut")?,
            note: get(&row, "note")?,
        })
    });
    answer.transpose()
}

/// Lets go of the answers of jobs.
pub(in crate::postgres) async fn forget_of_job(tx: &Tx, jobs: &[i64]) -> Sql<()> {
    let sql = "DELETE FROM paid_answers WHERE tenant = $1 AND job_id = ANY ($2)";
    tx.run(sql, &[&jobs]).await?;
    Ok(())
}

/// Lets go of the answers of a session's jobs.
pub(in crate::postgres) async fn forget_of_session(tx: &Tx, session: i64) -> Sql<()> {
    let sql = "DELETE FROM paid_answers WHERE tenant = $1 AND job_id IN
                   (SELECT id FROM model_jobs WHERE tenant = $1 AND session_id = $2)";
    tx.run(sql, &[&session]).await?;
    Ok(())
}

/// Lets go of the answer of an inference.
pub(in crate::postgres) async fn forget_of_inference(tx: &Tx, uid: Uuid) -> Sql<()> {
    tx.run("DELETE FROM paid_answers WHERE tenant = $1 AND inference = $2", &[&uid]).await?;
    Ok(())
}
