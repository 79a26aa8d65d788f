//! What the table and its neighbours say of a job, a session and life.

use afterword_domain::Time;

use crate::contract::Life;
use crate::postgres::answers::forget_of_job;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::jobs::ABANDONED;
use crate::postgres::values::{get, time_if_any};
use crate::rules::TRIES;

/// Ends a job without an answer.
pub(super) async fn end(tx: &Tx, id: i64) -> Sql<()> {
    let sql = "UPDATE model_jobs SET state = 'done', error = NULL, claimed_by = NULL
               WHERE tenant = $1 AND id = $2 AND state IN ('claimed', 'sent')";
    tx.run(sql, &[&id]).await?;
    forget_of_job(tx, &[id]).await
}

/// Takes up what servers left that are gone, and what the process of this number left. A job whose
/// answer is kept has lost nothing.
pub(super) async fn release(tx: &Tx, now: Time, own: Option<i64>) -> Sql<u64> {
    let lost = "(j.state = 'sent' AND NOT EXISTS (SELECT 1 FROM paid_answers a
        WHERE a.tenant = $1 AND a.job_id = j.id))";
    let sql = format!(
        "UPDATE model_jobs j SET claimed_by = NULL,
             run_after = CASE WHEN {lost} THEN greatest(run_after, $2) ELSE run_after END,
             error = CASE WHEN {lost} THEN 'the daemon ended before the answer came'
                 ELSE error END,
             state = CASE WHEN {lost} AND attempts >= $3 THEN 'parked' ELSE 'waiting' END
         WHERE j.tenant = $1 AND j.id IN
             (SELECT id FROM model_jobs WHERE tenant = $1 AND state IN ('claimed', 'sent')
              FOR UPDATE SKIP LOCKED)
         AND (claimed_by = $4 OR {ABANDONED})"
    );
    tx.run(&sql, &[&now.millis(), &TRIES, &own]).await
}

pub(super) async fn free_kept_back(tx: &Tx, now: Time) -> Sql<u64> {
    let sql = "UPDATE model_jobs SET kept_back = false, run_after = least(run_after, $2)
               WHERE tenant = $1 AND kept_back AND state = 'waiting'";
    tx.run(sql, &[&now.millis()]).await
}

pub(super) async fn life(tx: &Tx) -> Sql<Life> {
    let sql = "SELECT (SELECT max(last_event_at) FROM sdk_sessions WHERE tenant = $1) AS last,
               (SELECT max(last_event_at) FROM sdk_sessions
                WHERE tenant = $1 AND status = 'active') AS active";
    let row = tx.one(sql, &[]).await?;
    Ok(Life { any: time_if_any(&row, "last")?, active: time_if_any(&row, "active")? })
}

/// What is known of a session's rows that were forgotten, for the job of a turn or of the session.
pub(super) async fn forgotten(tx: &Tx, session_id: i64, turn: Option<i64>) -> Sql<(i64, bool)> {
    let sql = "SELECT count(*) AS n, count(*) FILTER (WHERE CASE
                   WHEN $3::bigint IS NULL THEN kind = 'summary' AND rule_key = 'session'
                   ELSE kind = 'observation' OR (kind = 'summary' AND rule_key = 'turn') END) AS told
               FROM tombstones WHERE tenant = $1 AND session_id = $2
               AND ($3::bigint IS NULL OR prompt_number = $3)";
    let row = tx.one(sql, &[&session_id, &turn]).await?;
    Ok((get(&row, "n")?, get::<i64>(&row, "told")? > 0))
}
