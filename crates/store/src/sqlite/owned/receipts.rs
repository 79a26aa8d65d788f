//! Receipts of requests to add memories.

use afterword_domain::Time;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::owner::Owner;
use afterword_domain::text::cut_chars;
use rusqlite::{Connection, Row, params};
use serde_json::Value;
use uuid::Uuid;

use super::super::answers::forget_of_inference;
use super::super::connect::Sql;
use super::super::memories::remember_one;
use super::super::values::{
    count, from_json, json, limit as sql_limit, optional, required, time, uid as uid_of,
};
use crate::contract::{
    Change, NewMemory, NewReceipt, ReceiptLine, ReceiptOutcome, ReceiptStatus, StoredReceipt,
};
use crate::rules::ERROR_CHARS;
use crate::rules::fact::kept_since;
use crate::rules::owned::{DROPPED, RECEIPT_TRIES};

/// As the contract's `add_with_receipt`.
pub(super) fn add(
    db: &Connection,
    receipt: &NewReceipt,
    memories: &[NewMemory],
) -> Sql<StoredReceipt> {
    if let Some(known) = by_uid(db, receipt.uid)? {
        return Ok(known);
    }
    let mut lines: Vec<ReceiptLine> = Vec::with_capacity(memories.len());
    for new in memories {
        let (memory, added) = remember_one(db, new)?;
        if !lines.iter().any(|line| line.memory == memory.uid) {
            let change = if added { Change::Add } else { Change::None };
            lines.push(ReceiptLine { memory: memory.uid, change, superseded: Vec::new() });
        }
    }
    insert(db, receipt, ReceiptStatus::Succeeded, &lines, None)?;
    required_by_uid(db, receipt.uid)
}

/// As the contract's `open_receipt`.
pub(super) fn open(
    db: &Connection,
    receipt: &NewReceipt,
    request: &Value,
    claimed: bool,
) -> Sql<(StoredReceipt, bool)> {
    if let Some(known) = by_uid(db, receipt.uid)? {
        return Ok((known, false));
    }
    let status = if claimed { ReceiptStatus::Running } else { ReceiptStatus::Pending };
    insert(db, receipt, status, &[], Some(request))?;
    Ok((required_by_uid(db, receipt.uid)?, true))
}

fn insert(
    db: &Connection,
    receipt: &NewReceipt,
    status: ReceiptStatus,
    lines: &[ReceiptLine],
    request: Option<&Value>,
) -> Sql<()> {
    let at = receipt.at.millis();
    db.prepare_cached(
        "DELETE FROM receipts WHERE created_at < ?1 AND status IN ('succeeded', 'failed')",
    )?
    .execute([kept_since(receipt.at)])?;
    let started = (status != ReceiptStatus::Pending).then_some(at);
    let completed = (status == ReceiptStatus::Succeeded).then_some(at);
    let owner = request.map(|_| json(&receipt.owner)).transpose()?;
    db.prepare_cached(
        "INSERT INTO receipts (uid, status, request, owner, lines, run_after, created_at,
         updated_at, started_at, completed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?7, ?8)",
    )?
    .execute(params![
        receipt.uid.to_string(),
        status.word(),
        request.map(json).transpose()?,
        owner,
        json(lines)?,
        at,
        started,
        completed
    ])?;
    Ok(())
}

/// The request that [`claim`] would claim.
pub(super) fn next(db: &Connection, only: Option<Uuid>, now: Time) -> Sql<Option<(Uuid, Value)>> {
    let which = match only {
        Some(_) => "uid = ?2 AND ?1 IS NOT NULL",
        None => "run_after <= ?1 AND ?2 IS NULL",
    };
    let mut one = db.prepare_cached(&format!(
        "SELECT uid, request FROM receipts WHERE status = 'pending' AND {which}
         ORDER BY run_after, id LIMIT 1"
    ))?;
    let bound = params![now.millis(), only.map(|uid| uid.to_string())];
    optional(one.query_row(bound, |row| Ok((uid_of(row)?, from_json(row, "request")?))))
}

/// As the contract's `claim_receipt`.
pub(super) fn claim(db: &Connection, only: Option<Uuid>, now: Time) -> Sql<Option<(Uuid, Value)>> {
    let found = next(db, only, now)?;
    if let Some((uid, _)) = &found {
        db.prepare_cached(
            "UPDATE receipts SET status = 'running', started_at = coalesce(started_at, ?2),
             updated_at = ?2 WHERE uid = ?1",
        )?
        .execute(params![uid.to_string(), now.millis()])?;
    }
    Ok(found)
}

/// As the contract's `next_receipt_at`.
pub(super) fn next_at(db: &Connection) -> Sql<Option<Time>> {
    let mut one = db.prepare_cached(
        "SELECT run_after FROM receipts WHERE status = 'pending' ORDER BY run_after LIMIT 1",
    )?;
    optional(one.query_row([], |row| time(row, "run_after")))
}

/// As the contract's `release_receipts`.
pub(super) fn release(db: &Connection) -> Sql<u64> {
    let rows = db
        .prepare_cached("UPDATE receipts SET status = 'pending' WHERE status = 'running'")?
        .execute([])?;
    Ok(rows as u64)
}

/// As the contract's `settle_receipt`.
pub(super) fn settle(db: &Connection, uid: Uuid, outcome: &ReceiptOutcome, now: Time) -> Sql<bool> {
    let rows = match outcome {
        ReceiptOutcome::Done(lines) => db
            .prepare_cached(
                "UPDATE receipts SET status = 'succeeded', lines = ?2, error = '', request = NULL,
                 owner = NULL, updated_at = ?3, completed_at = ?3
                 WHERE uid = ?1 AND status = 'running'",
            )?
            .execute(params![uid.to_string(), json(lines)?, now.millis()])?,
        ReceiptOutcome::Failed(why) => fail(db, uid, why, false, now)?,
        ReceiptOutcome::Again(why, at) => {
            let rows = db
                .prepare_cached(
                    "UPDATE receipts SET status = 'pending', tries = tries + 1, error = ?2,
                     run_after = ?3, updated_at = ?4
                     WHERE uid = ?1 AND status = 'running' AND tries + 1 < ?5",
                )?
                .execute(params![
                    uid.to_string(),
                    cut_chars(why, ERROR_CHARS),
                    at.millis(),
                    now.millis(),
                    RECEIPT_TRIES
                ])?;
            if rows > 0 { rows } else { fail(db, uid, why, false, now)? }
        }
    };
    Ok(rows > 0)
}

/// Notes that a request came to nothing that is worked on; `or_waits`: also one that waits.
fn fail(db: &Connection, uid: Uuid, why: &str, or_waits: bool, now: Time) -> Sql<usize> {
    let failed = db
        .prepare_cached(
            "UPDATE receipts SET status = 'failed', error = ?2, request = NULL, owner = NULL,
             updated_at = ?3, completed_at = ?3
             WHERE uid = ?1 AND (status = 'running' OR status = 'pending' AND ?4)",
        )?
        .execute(params![uid.to_string(), cut_chars(why, ERROR_CHARS), now.millis(), or_waits])?;
    if failed > 0 {
        forget_of_inference(db, uid)?;
    }
    Ok(failed)
}

/// Drops what is not done yet of owners that match.
pub(super) fn drop_of(db: &Connection, owner: &OwnerMatch, now: Time) -> Sql<()> {
    let mut list = db
        .prepare_cached("SELECT uid, owner FROM receipts WHERE status IN ('pending', 'running')")?;
    let waiting =
        list.query_map([], |row| Ok((uid_of(row)?, from_json::<Owner>(row, "owner")?)))?;
    for (uid, asked_by) in waiting.collect::<rusqlite::Result<Vec<_>>>()? {
        if owner.holds(&asked_by) {
            fail(db, uid, DROPPED, true, now)?;
        }
    }
    Ok(())
}

/// A receipt.
pub(super) fn by_uid(db: &Connection, uid: Uuid) -> Sql<Option<StoredReceipt>> {
    let mut one = db.prepare_cached("SELECT * FROM receipts WHERE uid = ?1")?;
    optional(one.query_row([uid.to_string()], from_row))
}

fn required_by_uid(db: &Connection, uid: Uuid) -> Sql<StoredReceipt> {
    let mut one = db.prepare_cached("SELECT * FROM receipts WHERE uid = ?1")?;
    required(one.query_row([uid.to_string()], from_row), "receipt")
}

/// As the contract's `receipts`.
pub(super) fn list(db: &Connection, offset: usize, limit: usize) -> Sql<(u64, Vec<StoredReceipt>)> {
    let total = db
        .prepare_cached("SELECT count(*) FROM receipts")?
        .query_row([], |row| row.get::<_, i64>(0))?;
    let mut list = db.prepare_cached(
        "SELECT * FROM receipts ORDER BY created_at DESC, id DESC LIMIT ?1 OFFSET ?2",
    )?;
    let rows = list.query_map([sql_limit(limit), sql_limit(offset)], from_row)?;
    Ok((count(total), rows.collect::<rusqlite::Result<_>>()?))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<StoredReceipt> {
    let optional_time = |column: &str| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Time::from_millis))
    };
    Ok(StoredReceipt {
        uid: uid_of(row)?,
        status: ReceiptStatus::from_word(&row.get::<_, String>("status")?),
        lines: from_json(row, "lines")?,
        error: row.get("error")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        started_at: optional_time("started_at")?,
        completed_at: optional_time("completed_at")?,
    })
}
