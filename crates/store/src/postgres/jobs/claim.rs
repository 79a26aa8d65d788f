//! Which turn is next.
//!
//! The one that has waited longest, unless its session was served last and another session has a
//! turn that is due: then that goes first. So a session with a thousand turns gets every second
//! place, and the others take the places between in their order.
//!
//! Several servers claim from one queue. A row that another one looks at is passed over, and so is
//! a session that another one works for or that just now gets an event: it is the turn of the
//! others meanwhile. What a server had claimed that is gone belongs to whoever comes by.

use std::sync::atomic::{AtomicI64, Ordering};

use afterword_domain::Time;

use crate::contract::{Job, TurnKey};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{get, time_if_any};

/// Sessions that are looked at for one whose turn is due, before the longest wait decides.
const LOOKS: i32 = 16;

/// Jobs that may turn out to be somebody else's before a claim gives up for the moment.
const TRIES: usize = 4;

/// The condition that nobody who could finish a claimed job is there any more.
pub(in crate::postgres) const ABANDONED: &str =
    "(claimed_by IS NULL OR pg_try_advisory_xact_lock(claimed_by))";

/// Whose turns were claimed lately.
#[derive(Debug, Default)]
pub(in crate::postgres) struct Served {
    last: AtomicI64,
    between: AtomicI64,
}

/// As the contract's `claim_job`; `key` is the number of this process.
pub(super) async fn claim(tx: &Tx, now: Time, key: i64, served: &Served) -> Sql<Option<Job>> {
    take_over(tx).await?;
    for _ in 0..TRIES {
        let Some(longest) = longest_wait(tx, now, key).await? else { return Ok(None) };
        let mut next = longest;
        let mut between = None;
        if longest.1.session_id == served.last.load(Ordering::Relaxed)
            && let Some(other) = of_another(tx, now, key, longest.1.session_id, served).await?
        {
            next = other;
            between = Some(other.1.session_id);
        }
        if let Some(job) = take(tx, next.0, key).await? {
            if let Some(session) = between {
                served.between.store(session, Ordering::Relaxed);
            }
            served.last.store(job.turn.session_id, Ordering::Relaxed);
            return Ok(Some(job));
        }
    }
    Ok(None)
}

/// When the next job is due that this process may claim.
pub(super) async fn next_at(tx: &Tx, key: i64) -> Sql<Option<Time>> {
    let sql = format!(
        "SELECT min(at) AS at FROM (
             (SELECT j.run_after AS at FROM jobs j WHERE j.tenant = $1 AND j.state = 'waiting'
              AND {UNSERVED} ORDER BY j.run_after, j.id LIMIT 1)
             UNION ALL
             (SELECT run_after FROM jobs
              WHERE tenant = $1 AND state = 'claimed' AND claimed_by <> $2 AND {ABANDONED})) due"
    );
    time_if_any(&tx.one(&sql, &[&key]).await?, "at")
}

/// Makes jobs wait again whose server is gone.
async fn take_over(tx: &Tx) -> Sql<()> {
    let sql = format!(
        "UPDATE jobs SET state = 'waiting', claimed_by = NULL WHERE tenant = $1 AND id IN
             (SELECT id FROM jobs WHERE tenant = $1 AND state = 'claimed' FOR UPDATE SKIP LOCKED)
         AND {ABANDONED}"
    );
    tx.run(&sql, &[]).await?;
    Ok(())
}

/// A job and its turn.
type Candidate = (i64, TurnKey);

/// The condition that no other process works for the session of a job `j`.
const UNSERVED: &str = "NOT EXISTS (SELECT 1 FROM jobs o WHERE o.tenant = $1
    AND o.session_id = j.session_id AND o.state = 'claimed' AND o.claimed_by <> $2)";

/// Both rows are this transaction's then.
const LOCKED: &str = "FOR UPDATE OF j SKIP LOCKED FOR NO KEY UPDATE OF s SKIP LOCKED";

async fn longest_wait(tx: &Tx, now: Time, key: i64) -> Sql<Option<Candidate>> {
    let sql = format!(
        "SELECT j.id, j.session_id, j.prompt_number
         FROM jobs j JOIN sdk_sessions s ON s.tenant = $1 AND s.id = j.session_id
         WHERE j.tenant = $1 AND j.state = 'waiting' AND j.run_after <= $3 AND {UNSERVED}
         ORDER BY j.run_after, j.id LIMIT 1 {LOCKED}"
    );
    candidate(tx.first(&sql, &[&key, &now.millis()]).await?)
}

/// The oldest due turn of the next session in turn, other than `session_id`.
async fn of_another(
    tx: &Tx,
    now: Time,
    key: i64,
    session_id: i64,
    served: &Served,
) -> Sql<Option<Candidate>> {
    let after = served.between.load(Ordering::Relaxed);
    for after in if after == 0 { vec![0] } else { vec![after, 0] } {
        if let Some(session) = session_after(tx, now, after, session_id).await? {
            let sql = format!(
                "SELECT j.id, j.session_id, j.prompt_number
                 FROM jobs j JOIN sdk_sessions s ON s.tenant = $1 AND s.id = j.session_id
                 WHERE j.tenant = $1 AND j.state = 'waiting' AND j.run_after <= $3 AND {UNSERVED}
                 AND j.session_id = $4 ORDER BY j.run_after, j.id LIMIT 1 {LOCKED}"
            );
            return candidate(tx.first(&sql, &[&key, &now.millis(), &session]).await?);
        }
    }
    Ok(None)
}

/// The next session with a turn that is due. The first waiting turn of each session is one step in
/// an index.
async fn session_after(tx: &Tx, now: Time, after: i64, other_than: i64) -> Sql<Option<i64>> {
    let sql = "WITH RECURSIVE step AS (
                   (SELECT session_id, run_after, 1 AS n FROM jobs
                    WHERE tenant = $1 AND state = 'waiting' AND session_id > $2
                    ORDER BY session_id, run_after LIMIT 1)
                   UNION ALL
                   SELECT j.session_id, j.run_after, step.n + 1
                   FROM step CROSS JOIN LATERAL (
                       SELECT session_id, run_after FROM jobs
                       WHERE tenant = $1 AND state = 'waiting' AND session_id > step.session_id
                       ORDER BY session_id, run_after LIMIT 1) j
                   WHERE step.n < $5)
               SELECT session_id FROM step WHERE run_after <= $3 AND session_id <> $4
               ORDER BY n LIMIT 1";
    let row = tx.first(sql, &[&after, &now.millis(), &other_than, &LOOKS]).await?;
    row.map(|row| get(&row, "session_id")).transpose()
}

fn candidate(row: Option<tokio_postgres::Row>) -> Sql<Option<Candidate>> {
    row.map(|row| Ok((get(&row, "id")?, super::turn_from_row(&row)?))).transpose()
}

/// Claims a job whose session is ours, unless somebody came to work for it while it was looked for.
async fn take(tx: &Tx, id: i64, key: i64) -> Sql<Option<Job>> {
    let sql = format!(
        "UPDATE jobs j SET state = 'claimed', claimed_by = $2
         FROM sdk_sessions s
         WHERE j.tenant = $1 AND j.id = $3 AND j.state = 'waiting' AND {UNSERVED}
         AND s.tenant = $1 AND s.id = j.session_id
         RETURNING j.id, j.session_id, j.prompt_number, s.project_id, j.attempts,
             coalesce((SELECT m.seen_event_id FROM model_jobs m
                 WHERE m.tenant = $1 AND m.session_id = j.session_id AND m.level = 'turn'
                 AND m.prompt_number = j.prompt_number AND m.state = 'done'), 0) AS model_seen"
    );
    let row = tx.first(&sql, &[&key, &id]).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Job {
        id: get(&row, "id")?,
        turn: super::turn_from_row(&row)?,
        project_id: get(&row, "project_id")?,
        attempts: get(&row, "attempts")?,
        model_seen: get(&row, "model_seen")?,
    }))
}
