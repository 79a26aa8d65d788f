//! Both queues as people see them.

use afterword_domain::Time;
use afterword_domain::wire::jobs::{JobId, JobRow, Queue};
use afterword_domain::wire::status::ModelQueue;
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use super::super::SqliteStore;
use super::super::answers::forget_of_job;
use super::super::connect::Sql;
use super::super::jobs::move_events;
use super::super::values::{count, limit as sql_limit, optional, time};
use crate::Result;
use crate::contract::{QueueStore, TurnKey};

#[async_trait]
impl QueueStore for SqliteStore {
    async fn list_jobs(&self, limit: usize) -> Result<Vec<JobRow>> {
        self.read(move |db| list(db, limit)).await
    }

    async fn retry_jobs(&self, ids: &[JobId], now: Time) -> Result<Vec<JobId>> {
        let ids = ids.to_vec();
        self.write(move |db| {
            let ids = if ids.is_empty() { failed_or_kept_back(db)? } else { ids };
            each(db, ids, |db, id| match id.queue {
                Queue::Rules => retry_rules(db, id.number, now),
                Queue::Model => retry_model(db, id.number, now),
            })
        })
        .await
    }

    async fn drop_jobs(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        let ids = ids.to_vec();
        self.write(move |db| {
            let ids = if ids.is_empty() { parked(db)? } else { ids };
            each(db, ids, |db, id| match id.queue {
                Queue::Rules => drop_rules(db, id.number),
                Queue::Model => drop_model(db, id.number),
            })
        })
        .await
    }
}

/// How many jobs for a model there are.
pub(in super::super) fn count_model_jobs(db: &Connection) -> Sql<ModelQueue> {
    let mut list = db.prepare_cached("SELECT state, count(*) FROM model_jobs GROUP BY state")?;
    let rows = list.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let mut counts = ModelQueue::default();
    for (state, n) in rows.collect::<rusqlite::Result<Vec<_>>>()? {
        match state.as_str() {
            "waiting" | "claimed" | "sent" => counts.waiting += count(n),
            "parked" => counts.parked += count(n),
            "done" => counts.done += count(n),
            _ => {}
        }
    }
    counts.kept_back = count(
        db.prepare_cached(
            "SELECT count(*) FROM model_jobs WHERE kept_back = 1 AND state = 'waiting'",
        )?
        .query_row([], |row| row.get(0))?,
    );
    Ok(counts)
}

fn list(db: &Connection, limit: usize) -> Sql<Vec<JobRow>> {
    let mut list = db.prepare_cached(
        "SELECT j.*, p.name AS project, s.agent_session_id AS session FROM (
             SELECT 'rules' AS queue, id, session_id, 'turn' AS level, prompt_number, state,
                 attempts, run_after, error FROM jobs
             UNION ALL
             SELECT 'model', id, session_id, level, prompt_number, state, attempts, run_after,
                 error FROM model_jobs WHERE state IN ('waiting', 'claimed', 'sent', 'parked')
         ) j
         JOIN sdk_sessions s ON s.id = j.session_id JOIN projects p ON p.id = s.project_id
         ORDER BY j.state <> 'parked', j.run_after, j.queue DESC, j.id LIMIT ?1",
    )?;
    let rows = list.query_map([sql_limit(limit)], job_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn job_row(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    let rules = row.get::<_, String>("queue")? == Queue::Rules.word();
    let queue = if rules { Queue::Rules } else { Queue::Model };
    Ok(JobRow {
        id: JobId { queue, number: row.get("id")? },
        of: row.get("level")?,
        project: row.get("project")?,
        session: row.get("session")?,
        prompt_number: row.get("prompt_number")?,
        state: row.get("state")?,
        attempts: row.get("attempts")?,
        due: time(row, "run_after")?,
        error: row.get("error")?,
    })
}

/// Does something with jobs; those with which it was done.
fn each(
    db: &Connection,
    ids: Vec<JobId>,
    deed: impl Fn(&Connection, JobId) -> Sql<bool>,
) -> Sql<Vec<JobId>> {
    let mut done = Vec::new();
    for id in ids {
        if deed(db, id)? {
            done.push(id);
        }
    }
    Ok(done)
}

fn parked(db: &Connection) -> Sql<Vec<JobId>> {
    let mut all = Vec::new();
    for queue in [Queue::Rules, Queue::Model] {
        let table = if queue == Queue::Rules { "jobs" } else { "model_jobs" };
        let sql = format!("SELECT id FROM {table} WHERE state = 'parked' ORDER BY id");
        let mut list = db.prepare_cached(&sql)?;
        let rows = list.query_map([], |row| Ok(JobId { queue, number: row.get(0)? }))?;
        all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(all)
}

/// What `retry` without a name is about.
fn failed_or_kept_back(db: &Connection) -> Sql<Vec<JobId>> {
    let mut all = parked(db)?;
    let mut list = db.prepare_cached(
        "SELECT id FROM model_jobs WHERE kept_back = 1 AND state = 'waiting' ORDER BY id",
    )?;
    let rows = list.query_map([], |row| Ok(JobId { queue: Queue::Model, number: row.get(0)? }))?;
    all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    Ok(all)
}

fn turn_of(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Sql<Option<TurnKey>> {
    let mut one = db.prepare_cached(sql)?;
    optional(one.query_row(params, |row| {
        Ok(TurnKey { session_id: row.get(0)?, prompt_number: row.get(1)? })
    }))
}

fn retry_rules(db: &Connection, id: i64, now: Time) -> Sql<bool> {
    let turn = turn_of(
        db,
        "UPDATE jobs SET state = 'waiting', attempts = 0, run_after = ?2
         WHERE id = ?1 AND state IN ('parked', 'waiting') RETURNING session_id, prompt_number",
        params![id, now.millis()],
    )?;
    if let Some(turn) = turn {
        move_events(db, turn, "parked", "waiting")?;
    }
    Ok(turn.is_some())
}

fn retry_model(db: &Connection, id: i64, now: Time) -> Sql<bool> {
    let n = db
        .prepare_cached(
            "UPDATE model_jobs SET state = 'waiting', attempts = 0, run_after = ?2, kept_back = 0
             WHERE id = ?1 AND state IN ('parked', 'waiting')",
        )?
        .execute(params![id, now.millis()])?;
    Ok(n > 0)
}

fn drop_rules(db: &Connection, id: i64) -> Sql<bool> {
    let turn = turn_of(
        db,
        "DELETE FROM jobs WHERE id = ?1 AND state IN ('parked', 'waiting')
         RETURNING session_id, prompt_number",
        [id],
    )?;
    if let Some(turn) = turn {
        for state in ["waiting", "parked"] {
            move_events(db, turn, state, "distilled")?;
        }
    }
    Ok(turn.is_some())
}

fn drop_model(db: &Connection, id: i64) -> Sql<bool> {
    let n = db
        .prepare_cached(
            "UPDATE model_jobs SET state = 'dropped', dropped_at =
                 (SELECT prompt_counter FROM sdk_sessions s WHERE s.id = session_id)
             WHERE id = ?1 AND state IN ('parked', 'waiting', 'claimed', 'sent')",
        )?
        .execute([id])?;
    forget_of_job(db, id)?;
    Ok(n > 0)
}
