//! Which job is next: sessions in turn, the turns of one in their order, its summary last. As with
//! the jobs of the rules, one process at a time works for a session.

use afterword_domain::Time;
use tokio_postgres::Row;

use super::{forgotten, release};
use crate::contract::{ModelJob, ModelSubject, TurnKey};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::jobs::ABANDONED;
use crate::postgres::values::{get, time_if_any};

/// Jobs that may turn out to be somebody else's before a claim gives up for the moment.
const TRIES: usize = 4;

/// The condition that no other process works for the session of a job `j`.
const ALONE: &str = "NOT EXISTS (SELECT 1 FROM model_jobs o WHERE o.tenant = $1
    AND o.session_id = j.session_id AND o.state IN ('claimed', 'sent') AND o.claimed_by <> $2)";

/// The condition that a session's own job has no turn to wait for.
const AFTER_TURNS: &str = "(j.level = 'turn' OR NOT EXISTS (SELECT 1 FROM model_jobs t
    WHERE t.tenant = $1 AND t.session_id = j.session_id AND t.level = 'turn'
    AND t.state IN ('waiting', 'claimed', 'sent')))";

/// A job with its project. The try that brought a kept answer is not behind it yet.
const SELECT: &str = "SELECT j.id, j.session_id, j.level, j.prompt_number, s.project_id,
         j.attempts - (CASE WHEN EXISTS (SELECT 1 FROM paid_answers a
             WHERE a.tenant = $1 AND a.job_id = j.id) THEN 1 ELSE 0 END) AS attempts,
         p.name AS project
     FROM model_jobs j
     JOIN sdk_sessions s ON s.tenant = $1 AND s.id = j.session_id
     JOIN projects p ON p.tenant = $1 AND p.id = s.project_id";

/// Both rows are this transaction's then.
const LOCKED: &str = "FOR UPDATE OF j SKIP LOCKED FOR NO KEY UPDATE OF s SKIP LOCKED";

/// As the contract's `claim_model_job`; `key` is the number of this process.
pub(super) async fn claim(tx: &Tx, now: Time, after: i64, key: i64) -> Sql<Option<ModelJob>> {
    release(tx, now, None).await?;
    for _ in 0..TRIES {
        let found = match due(tx, now, after, key).await? {
            Some(job) => Some(job),
            // Round again, from the first session.
            None => due(tx, now, i64::MIN, key).await?,
        };
        let Some(job) = found else { return Ok(None) };
        if take(tx, job.id, key).await? {
            return with_forgotten(tx, job).await.map(Some);
        }
    }
    Ok(None)
}

/// As the contract's `claim_answered_job`.
pub(super) async fn claim_answered(tx: &Tx, key: i64) -> Sql<Option<ModelJob>> {
    for _ in 0..TRIES {
        let sql = format!(
            "{SELECT} WHERE j.tenant = $1 AND j.state = 'waiting' AND {ALONE}
             AND EXISTS (SELECT 1 FROM paid_answers a WHERE a.tenant = $1 AND a.job_id = j.id)
             ORDER BY j.id LIMIT 1 {LOCKED}"
        );
        let Some(row) = tx.first(&sql, &[&key]).await? else { return Ok(None) };
        let job = job(&row)?;
        if take(tx, job.id, key).await? {
            return with_forgotten(tx, job).await.map(Some);
        }
    }
    Ok(None)
}

/// Makes a job somebody's, unless somebody came to work for its session while it was looked for.
/// Where its answer is kept, its call is behind it.
async fn take(tx: &Tx, id: i64, key: i64) -> Sql<bool> {
    let sql = format!(
        "UPDATE model_jobs j SET claimed_by = $2, kept_back = false,
             state = CASE WHEN EXISTS (SELECT 1 FROM paid_answers a
                 WHERE a.tenant = $1 AND a.job_id = j.id) THEN 'sent' ELSE 'claimed' END
         WHERE j.tenant = $1 AND j.id = $3 AND j.state = 'waiting' AND {ALONE}"
    );
    Ok(tx.run(&sql, &[&key, &id]).await? > 0)
}

async fn with_forgotten(tx: &Tx, mut job: ModelJob) -> Sql<ModelJob> {
    let turn = match job.subject {
        ModelSubject::Turn(turn) => Some(turn.prompt_number),
        ModelSubject::Session(_) => None,
    };
    (job.forgotten, job.tells_forgotten) = forgotten(tx, job.session_id(), turn).await?;
    Ok(job)
}

async fn due(tx: &Tx, now: Time, after: i64, key: i64) -> Sql<Option<ModelJob>> {
    let sql = format!(
        "{SELECT} WHERE j.tenant = $1 AND j.state = 'waiting' AND j.session_id > $3
         AND j.run_after <= $4 AND {ALONE} AND {AFTER_TURNS}
         ORDER BY j.session_id, j.level DESC, j.prompt_number LIMIT 1 {LOCKED}"
    );
    tx.first(&sql, &[&key, &after, &now.millis()]).await?.as_ref().map(job).transpose()
}

fn job(row: &Row) -> Sql<ModelJob> {
    let (session_id, level): (i64, &str) = (get(row, "session_id")?, get(row, "level")?);
    let subject = if level == "session" {
        ModelSubject::Session(session_id)
    } else {
        ModelSubject::Turn(TurnKey { session_id, prompt_number: get(row, "prompt_number")? })
    };
    Ok(ModelJob {
        id: get(row, "id")?,
        subject,
        project_id: get(row, "project_id")?,
        attempts: get(row, "attempts")?,
        project: get(row, "project")?,
        forgotten: 0,
        tells_forgotten: false,
    })
}

/// As the contract's `next_model_job_at`, for this process. The summary of a session that waits for
/// its turns is due when they are; what a server left that is gone is due when it was.
pub(super) async fn next_at(tx: &Tx, key: i64) -> Sql<Option<Time>> {
    let sql = format!(
        "SELECT min(at) AS at FROM (
             (SELECT j.run_after AS at FROM model_jobs j
              WHERE j.tenant = $1 AND j.state = 'waiting' AND {ALONE} AND {AFTER_TURNS}
              ORDER BY j.run_after LIMIT 1)
             UNION ALL
             (SELECT run_after FROM model_jobs WHERE tenant = $1
              AND state IN ('claimed', 'sent') AND claimed_by <> $2 AND {ABANDONED})) due"
    );
    time_if_any(&tx.one(&sql, &[&key]).await?, "at")
}
