//! Both queues as people see them.

use afterword_domain::Time;
use afterword_domain::wire::jobs::{JobId, JobRow, Queue};
use afterword_domain::wire::status::ModelQueue;
use async_trait::async_trait;
use tokio_postgres::Row;

use crate::Result;
use crate::contract::{QueueStore, TurnKey};
use crate::postgres::PostgresStore;
use crate::postgres::answers::forget_of_job;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::jobs::{move_events, turn_from_row};
use crate::postgres::sessions;
use crate::postgres::values::{count, get, limit as sql_limit, time};

#[async_trait]
impl QueueStore for PostgresStore {
    async fn list_jobs(&self, limit: usize) -> Result<Vec<JobRow>> {
        self.read(|tx| async move { list(&tx, limit).await }).await
    }

    async fn retry_jobs(&self, ids: &[JobId], now: Time) -> Result<Vec<JobId>> {
        self.write(|tx| async move {
            let ids = named_or_found(&tx, ids, "state = 'parked' OR kept_back").await?;
            let mut done = retry_rules(&tx, &numbers(&ids, Queue::Rules), now).await?;
            done.extend(retry_model(&tx, &numbers(&ids, Queue::Model), now).await?);
            Ok(ids.into_iter().filter(|id| done.contains(id)).collect())
        })
        .await
    }

    async fn drop_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        self.write(|tx| async move {
            let ids = named_or_found(&tx, ids, "state = 'parked'").await?;
            let mut done = drop_rules(&tx, &numbers(&ids, Queue::Rules)).await?;
            done.extend(drop_model(&tx, &numbers(&ids, Queue::Model)).await?);
            Ok(ids.into_iter().filter(|id| done.contains(id)).collect())
        })
        .await
    }
}

/// How many jobs for a model there are.
pub(in crate::postgres) async fn count_model_jobs(tx: &Tx) -> Sql<ModelQueue> {
    let sql = "SELECT state, count(*) AS n FROM model_jobs WHERE tenant = $1 GROUP BY state";
    let mut counts = ModelQueue::default();
    for row in tx.rows(sql, &[]).await? {
        let n = count(get(&row, "n")?);
        match get(&row, "state")? {
            "waiting" | "claimed" | "sent" => counts.waiting += n,
            "parked" => counts.parked += n,
            "done" => counts.done += n,
            _ => {}
        }
    }
    let sql = "SELECT count(*) AS n FROM model_jobs
               WHERE tenant = $1 AND kept_back AND state = 'waiting'";
    counts.kept_back = count(get(&tx.one(sql, &[]).await?, "n")?);
    Ok(counts)
}

async fn list(tx: &Tx, limit: usize) -> Sql<Vec<JobRow>> {
    let sql = "SELECT j.*, p.name AS project, s.agent_session_id AS session FROM (
                   SELECT 'rules' AS queue, id, session_id, 'turn' AS level, prompt_number, state,
                       attempts, run_after, error FROM jobs WHERE tenant = $1
                   UNION ALL
                   SELECT 'model', id, session_id, level, prompt_number, state, attempts, run_after,
                       error FROM model_jobs
                   WHERE tenant = $1 AND state IN ('waiting', 'claimed', 'sent', 'parked')
               ) j
               JOIN sdk_sessions s ON s.tenant = $1 AND s.id = j.session_id
               JOIN projects p ON p.tenant = $1 AND p.id = s.project_id
               ORDER BY j.state <> 'parked', j.run_after, j.queue DESC, j.id LIMIT $2";
    tx.rows(sql, &[&sql_limit(limit)]).await?.iter().map(job_row).collect()
}

fn job_row(row: &Row) -> Sql<JobRow> {
    let rules = get::<&str>(row, "queue")? == Queue::Rules.word();
    let queue = if rules { Queue::Rules } else { Queue::Model };
    Ok(JobRow {
        id: JobId { queue, number: get(row, "id")? },
        of: get(row, "level")?,
        project: get(row, "project")?,
        session: get(row, "session")?,
        prompt_number: get(row, "prompt_number")?,
        state: get(row, "state")?,
        attempts: get(row, "attempts")?,
        due: time(row, "run_after")?,
        error: get(row, "error")?,
    })
}

/// The named jobs, each once, or where none are named those of which a condition holds; of the jobs
/// of the rules those that are parked. Their sessions are nobody else's from now on.
async fn named_or_found(tx: &Tx, ids: &[JobId], found: &str) -> Sql<Vec<JobId>> {
    let mut named: Vec<JobId> = Vec::with_capacity(ids.len());
    for id in ids {
        if !named.contains(id) {
            named.push(*id);
        }
    }
    for queue in [Queue::Rules, Queue::Model] {
        let (table, condition) = match queue {
            Queue::Rules => ("jobs", "state = 'parked'"),
            Queue::Model => ("model_jobs", found),
        };
        let sql = format!(
            "SELECT id, session_id FROM {table} WHERE tenant = $1
             AND CASE WHEN $3 THEN {condition} ELSE id = ANY ($2) END
             ORDER BY state <> 'parked', id"
        );
        let rows = tx.rows(&sql, &[&numbers(ids, queue), &ids.is_empty()]).await?;
        let of = rows.iter().map(|row| get(row, "session_id")).collect::<Sql<Vec<i64>>>()?;
        sessions::lock_all(tx, &of).await?;
        if ids.is_empty() {
            for row in &rows {
                named.push(JobId { queue, number: get(row, "id")? });
            }
        }
    }
    Ok(named)
}

fn numbers(ids: &[JobId], queue: Queue) -> Vec<i64> {
    ids.iter().filter(|id| id.queue == queue).map(|id| id.number).collect()
}

fn done(rows: &[Row], queue: Queue) -> Sql<Vec<JobId>> {
    rows.iter().map(|row| Ok(JobId { queue, number: get(row, "id")? })).collect()
}

fn turns(rows: &[Row]) -> Sql<Vec<TurnKey>> {
    rows.iter().map(turn_from_row).collect()
}

async fn retry_rules(tx: &Tx, ids: &[i64], now: Time) -> Sql<Vec<JobId>> {
    tx.brings_work();
    let sql = "UPDATE jobs SET state = 'waiting', attempts = 0, run_after = $3
               WHERE tenant = $1 AND id = ANY ($2) AND state IN ('parked', 'waiting')
               RETURNING id, session_id, prompt_number";
    let rows = tx.rows(sql, &[&ids, &now.millis()]).await?;
    move_events(tx, &turns(&rows)?, "parked", "waiting").await?;
    done(&rows, Queue::Rules)
}

async fn retry_model(tx: &Tx, ids: &[i64], now: Time) -> Sql<Vec<JobId>> {
    tx.brings_work();
    let sql = "UPDATE model_jobs SET state = 'waiting', attempts = 0, run_after = $3,
               kept_back = false
               WHERE tenant = $1 AND id = ANY ($2) AND state IN ('parked', 'waiting') RETURNING id";
    done(&tx.rows(sql, &[&ids, &now.millis()]).await?, Queue::Model)
}

async fn drop_rules(tx: &Tx, ids: &[i64]) -> Sql<Vec<JobId>> {
    let sql = "DELETE FROM jobs
               WHERE tenant = $1 AND id = ANY ($2) AND state IN ('parked', 'waiting')
               RETURNING id, session_id, prompt_number";
    let rows = tx.rows(sql, &[&ids]).await?;
    for state in ["waiting", "parked"] {
        move_events(tx, &turns(&rows)?, state, "distilled").await?;
    }
    done(&rows, Queue::Rules)
}

async fn drop_model(tx: &Tx, ids: &[i64]) -> Sql<Vec<JobId>> {
    let sql = "UPDATE model_jobs j SET state = 'dropped', claimed_by = NULL,
                   dropped_at = s.prompt_counter
               FROM sdk_sessions s
               WHERE j.tenant = $1 AND j.id = ANY ($2) AND s.tenant = $1 AND s.id = j.session_id
               AND j.state IN ('parked', 'waiting', 'claimed', 'sent') RETURNING j.id";
    let rows = tx.rows(sql, &[&ids]).await?;
    forget_of_job(tx, ids).await?;
    done(&rows, Queue::Model)
}
