//! Changing and forgetting memories by uid and by owner.

use afterword_domain::day::Day;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::connect::{Fault, Sql};
use super::super::memories::{add_history, revise_memory};
use super::super::rows::forget_rows;
use super::super::search;
use super::super::values::{json, limit as sql_limit, optional};
use super::list::by_uid;
use super::ways::Ways;
use crate::Error;
use crate::contract::{ChangedMemory, Feedback};
use crate::rules::entry::Entry;
use crate::rules::new_uid;
use crate::rules::owned::{CHANGED, FORGOTTEN};

/// As the contract's `change_memories`.
pub(super) fn all(db: &Connection, changes: &[ChangedMemory]) -> Sql<Vec<Memory>> {
    changes.iter().map(|change| one(db, change)).collect()
}

fn one(db: &Connection, change: &ChangedMemory) -> Sql<Memory> {
    let known = found(db, change.uid)?;
    if let Some(new) = &change.text {
        let said = ("", new.text.as_str(), new.text_key.as_str());
        revise_memory(db, known.id, said, &known.files, change.at)?;
        search::put(db, &Entry::from(&known), &new.index)?;
    }
    if let Some(metadata) = &change.metadata {
        db.prepare_cached("UPDATE memories SET metadata = ?2 WHERE id = ?1")?
            .execute(params![known.id, json(metadata)?])?;
    }
    if let Some(expires) = change.expires {
        db.prepare_cached("UPDATE memories SET expires = ?2 WHERE id = ?1")?
            .execute(params![known.id, expires.map(Day::number)])?;
    }
    db.prepare_cached("UPDATE memories SET updated_at = max(updated_at, ?2) WHERE id = ?1")?
        .execute(params![known.id, change.at.millis()])?;
    let changed = found(db, change.uid)?;
    add_history(db, change.uid, CHANGED, &changed.text, change.at)?;
    db.prepare_cached(
        "INSERT INTO live_changes (change, kind, subject, project_id)
         VALUES ('changed', 'memory', ?1, ?2)",
    )?
    .execute([changed.id, changed.project_id])?;
    Ok(changed)
}

fn found(db: &Connection, uid: Uuid) -> Sql<Memory> {
    by_uid(db, uid)?.ok_or(Fault::Store(Error::NotFound("memory")))
}

/// As the contract's `forget_memories`.
pub(super) fn forget(db: &Connection, uids: &[Uuid], now: Time) -> Sql<u64> {
    let mut ids = Vec::with_capacity(uids.len());
    for uid in uids {
        ids.extend(by_uid(db, *uid)?.map(|memory| PublicId::new(Kind::Memory, memory.id)));
    }
    Ok(forget_rows(db, &Scope::All, ids, now)?.len() as u64)
}

/// As the contract's `forget_owned`, of the memories.
pub(super) fn forget_owned(
    db: &Connection,
    owner: &OwnerMatch,
    limit: usize,
    now: Time,
) -> Sql<u64> {
    let ways = Ways::of(db, std::slice::from_ref(owner))?;
    let mut list = db.prepare(&format!(
        "SELECT m.id FROM memories m WHERE {} LIMIT {}",
        ways.condition(),
        sql_limit(limit)
    ))?;
    let ids = list.query_map([], |row| Ok(PublicId::new(Kind::Memory, row.get(0)?)))?;
    let ids = ids.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(forget_rows(db, &Scope::All, ids, now)?.len() as u64)
}

/// Takes the texts out of a memory's history, which then ends with its being forgotten.
pub(in super::super) fn forget_texts(db: &Connection, uid: Uuid, now: Time) -> Sql<()> {
    db.prepare_cached("UPDATE memory_history SET text = '' WHERE memory_uid = ?1 AND text <> ''")?
        .execute([uid.to_string()])?;
    add_history(db, uid, FORGOTTEN, "", now)
}

/// As the contract's `note_feedback`.
pub(super) fn note_feedback(
    db: &Connection,
    memory: Uuid,
    feedback: Option<Feedback>,
    reason: &str,
    now: Time,
) -> Sql<Uuid> {
    found(db, memory)?;
    let mut known = db.prepare_cached("SELECT uid FROM memory_feedback WHERE memory_uid = ?1")?;
    let known: Option<String> = optional(known.query_row([memory.to_string()], |row| row.get(0)))?;
    let uid = known.and_then(|uid| uid.parse().ok()).unwrap_or_else(|| new_uid(now));
    if let Some(feedback) = feedback {
        db.prepare_cached(
            "INSERT OR REPLACE INTO memory_feedback (memory_uid, uid, feedback, reason, at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            memory.to_string(),
            uid.to_string(),
            feedback.word(),
            reason,
            now.millis()
        ])?;
    } else {
        db.prepare_cached("DELETE FROM memory_feedback WHERE memory_uid = ?1")?
            .execute([memory.to_string()])?;
    }
    Ok(uid)
}
