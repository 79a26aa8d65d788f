//! Receipts of requests to add memories. Several servers work on those that wait; what one had
//! claimed that is gone belongs to whoever comes by.

use afterword_domain::Time;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::owner::Owner;
use afterword_domain::text::cut_chars;
use serde_json::Value;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::contract::{
    Change, NewMemory, NewReceipt, ReceiptLine, ReceiptOutcome, ReceiptStatus, StoredReceipt,
};
use crate::postgres::answers::forget_of_inference;
use crate::postgres::connect::{Sql, Tx, required};
use crate::postgres::jobs::ABANDONED;
use crate::postgres::memories::remember_one;
use crate::postgres::values::{
    Text, count, from_json, get, json, limit as sql_limit, time, time_if_any,
};
use crate::rules::ERROR_CHARS;
use crate::rules::fact::kept_since;
use crate::rules::owned::{DROPPED, RECEIPT_TRIES};

/// As the contract's `add_with_receipt`.
pub(super) async fn add(
    tx: &Tx,
    receipt: &NewReceipt,
    memories: &[NewMemory],
) -> Sql<StoredReceipt> {
    if let Some(known) = by_uid(tx, receipt.uid).await? {
        return Ok(known);
    }
    // Whoever asks for the same at the same time waits here, and is then given this receipt.
    insert(tx, receipt, ReceiptStatus::Succeeded, None, None).await?;
    let mut lines: Vec<ReceiptLine> = Vec::with_capacity(memories.len());
    for new in memories {
        let (memory, added) = remember_one(tx, new).await?;
        if !lines.iter().any(|line| line.memory == memory.uid) {
            let change = if added { Change::Add } else { Change::None };
            lines.push(ReceiptLine { memory: memory.uid, change, superseded: Vec::new() });
        }
    }
    let sql = "UPDATE receipts SET lines = $3 WHERE tenant = $1 AND uid = $2";
    tx.run(sql, &[&receipt.uid, &json(&lines)?]).await?;
    required(by_uid(tx, receipt.uid).await?, "receipt")
}

/// As the contract's `open_receipt`; with the number of a process it is claimed by that.
pub(super) async fn open(
    tx: &Tx,
    receipt: &NewReceipt,
    request: &Value,
    claimed_by: Option<i64>,
) -> Sql<(StoredReceipt, bool)> {
    if let Some(known) = by_uid(tx, receipt.uid).await? {
        return Ok((known, false));
    }
    let status = if claimed_by.is_some() { ReceiptStatus::Running } else { ReceiptStatus::Pending };
    insert(tx, receipt, status, Some(request), claimed_by).await?;
    Ok((required(by_uid(tx, receipt.uid).await?, "receipt")?, true))
}

async fn insert(
    tx: &Tx,
    receipt: &NewReceipt,
    status: ReceiptStatus,
    request: Option<&Value>,
    claimed_by: Option<i64>,
) -> Sql<()> {
    tx.brings_work();
    let at = receipt.at.millis();
    let sql = "DELETE FROM receipts WHERE tenant = $1 AND created_at < $2
               AND status IN ('succeeded', 'failed')";
    tx.run(sql, &[&kept_since(receipt.at)]).await?;
    let started = (status != ReceiptStatus::Pending).then_some(at);
    let completed = (status == ReceiptStatus::Succeeded).then_some(at);
    let owner = request.map(|_| json(&receipt.owner)).transpose()?;
    let request = request.map(json).transpose()?;
    let sql = "INSERT INTO receipts (tenant, uid, status, request, owner, run_after, created_at,
                   updated_at, started_at, completed_at, claimed_by)
               VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, $9)";
    let (uid, word) = (receipt.uid, status.word());
    tx.run(sql, &[&uid, &word, &request, &owner, &at, &started, &completed, &claimed_by]).await?;
    Ok(())
}

/// As the contract's `claim_receipt`; `key` is the number of this process.
pub(super) async fn claim(
    tx: &Tx,
    only: Option<Uuid>,
    now: Time,
    key: i64,
) -> Sql<Option<(Uuid, Value)>> {
    take_over(tx).await?;
    let which = match only {
        Some(_) => "uid = $3 AND $2::bigint IS NOT NULL",
        None => "run_after <= $2 AND $3::uuid IS NULL",
    };
    let sql = format!(
        "SELECT uid, request FROM receipts WHERE tenant = $1 AND status = 'pending' AND {which}
         ORDER BY run_after, id LIMIT 1 FOR UPDATE SKIP LOCKED"
    );
    let Some(row) = tx.first(&sql, &[&now.millis(), &only]).await? else { return Ok(None) };
    let uid: Uuid = get(&row, "uid")?;
    let sql = "UPDATE receipts SET status = 'running', claimed_by = $3, updated_at = $4,
                   started_at = coalesce(started_at, $4)
               WHERE tenant = $1 AND uid = $2";
    tx.run(sql, &[&uid, &key, &now.millis()]).await?;
    Ok(Some((uid, from_json(&row, "request")?)))
}

/// Makes requests wait again whose server is gone.
async fn take_over(tx: &Tx) -> Sql<()> {
    let sql = format!(
        "UPDATE receipts SET status = 'pending', claimed_by = NULL WHERE tenant = $1 AND id IN
             (SELECT id FROM receipts WHERE tenant = $1 AND status = 'running'
              FOR UPDATE SKIP LOCKED)
         AND {ABANDONED}"
    );
    tx.run(&sql, &[]).await?;
    Ok(())
}

/// As the contract's `next_receipt_at`, for this process: what a server left that is gone is due
/// when it was.
pub(super) async fn next_at(tx: &Tx, key: i64) -> Sql<Option<Time>> {
    let sql = format!(
        "SELECT min(at) AS at FROM (
             (SELECT run_after AS at FROM receipts WHERE tenant = $1 AND status = 'pending'
              ORDER BY run_after LIMIT 1)
             UNION ALL
             (SELECT run_after FROM receipts WHERE tenant = $1 AND status = 'running'
              AND claimed_by <> $2 AND {ABANDONED})) due"
    );
    time_if_any(&tx.one(&sql, &[&key]).await?, "at")
}

/// As the contract's `release_receipts`.
pub(super) async fn release(tx: &Tx, key: i64) -> Sql<u64> {
    let sql = format!(
        "UPDATE receipts SET status = 'pending', claimed_by = NULL
         WHERE tenant = $1 AND status = 'running' AND (claimed_by = $2 OR {ABANDONED})"
    );
    tx.run(&sql, &[&key]).await
}

/// As the contract's `settle_receipt`.
pub(super) async fn settle(tx: &Tx, uid: Uuid, outcome: &ReceiptOutcome, now: Time) -> Sql<bool> {
    let rows = match outcome {
        ReceiptOutcome::Done(lines) => {
            let sql = "UPDATE receipts SET status = 'succeeded', lines = $3, error = '',
                           request = NULL, owner = NULL, claimed_by = NULL, updated_at = $4,
                           completed_at = $4
                       WHERE tenant = $1 AND uid = $2 AND status = 'running'";
            tx.run(sql, &[&uid, &json(lines)?, &now.millis()]).await?
        }
        ReceiptOutcome::Failed(why) => fail(tx, uid, why, &RUNNING, now).await?,
        ReceiptOutcome::Again(why, at) => {
            let sql = "UPDATE receipts SET status = 'pending', tries = tries + 1, error = $3,
                           claimed_by = NULL, run_after = $4, updated_at = $5
                       WHERE tenant = $1 AND uid = $2 AND status = 'running' AND tries + 1 < $6";
            let error = cut_chars(why, ERROR_CHARS);
            let (at, now_ms) = (at.millis(), now.millis());
            let rows = tx.run(sql, &[&uid, &Text(&error), &at, &now_ms, &RECEIPT_TRIES]).await?;
            if rows > 0 { rows } else { fail(tx, uid, why, &RUNNING, now).await? }
        }
    };
    Ok(rows > 0)
}

/// The status of a request that may be settled, and those of one that may be dropped.
const RUNNING: [&str; 1] = ["running"];
const UNDONE: [&str; 2] = ["pending", "running"];

async fn fail(tx: &Tx, uid: Uuid, why: &str, of: &[&str], now: Time) -> Sql<u64> {
    let sql = "UPDATE receipts SET status = 'failed', error = $3, request = NULL, owner = NULL,
                   claimed_by = NULL, updated_at = $4, completed_at = $4
               WHERE tenant = $1 AND uid = $2 AND status = ANY ($5)";
    let error = cut_chars(why, ERROR_CHARS);
    let failed = tx.run(sql, &[&uid, &Text(&error), &now.millis(), &of]).await?;
    if failed > 0 {
        forget_of_inference(tx, uid).await?;
    }
    Ok(failed)
}

/// Drops what is not done yet of owners that match.
pub(super) async fn drop_of(tx: &Tx, owner: &OwnerMatch, now: Time) -> Sql<()> {
    let sql = "SELECT uid, owner FROM receipts
               WHERE tenant = $1 AND status IN ('pending', 'running') ORDER BY id FOR UPDATE";
    for row in tx.rows(sql, &[]).await? {
        if owner.holds(&from_json::<Owner>(&row, "owner")?) {
            fail(tx, get(&row, "uid")?, DROPPED, &UNDONE, now).await?;
        }
    }
    Ok(())
}

/// A receipt.
pub(super) async fn by_uid(tx: &Tx, uid: Uuid) -> Sql<Option<StoredReceipt>> {
    let sql = "SELECT * FROM receipts WHERE tenant = $1 AND uid = $2";
    tx.first(sql, &[&uid]).await?.as_ref().map(from_row).transpose()
}

/// As the contract's `receipts`.
pub(super) async fn list(tx: &Tx, offset: usize, limit: usize) -> Sql<(u64, Vec<StoredReceipt>)> {
    let total = tx.one("SELECT count(*) AS n FROM receipts WHERE tenant = $1", &[]).await?;
    let sql = "SELECT * FROM receipts WHERE tenant = $1
               ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3";
    let rows = tx.rows(sql, &[&sql_limit(limit), &sql_limit(offset)]).await?;
    Ok((count(get(&total, "n")?), rows.iter().map(from_row).collect::<Sql<_>>()?))
}

fn from_row(row: &Row) -> Sql<StoredReceipt> {
    Ok(StoredReceipt {
        uid: get(row, "uid")?,
        status: ReceiptStatus::from_word(get(row, "status")?),
        lines: from_json(row, "lines")?,
        error: get(row, "error")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        started_at: time_if_any(row, "started_at")?,
        completed_at: time_if_any(row, "completed_at")?,
    })
}
