//! Changing and forgetting memories by uid and by owner.

use afterword_domain::day::Day;
use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId, Time};
use uuid::Uuid;

use super::list::{by_uids, ids_of};
use super::ways::Ways;
use crate::contract::{ChangedMemory, Feedback, RowChange};
use crate::postgres::connect::{Sql, Tx, required};
use crate::postgres::log::Change;
use crate::postgres::memories::{add_history, revise_memory};
use crate::postgres::rows::{forget_rows, memory_from_row};
use crate::postgres::search;
use crate::postgres::values::{Text, get, json};
use crate::rules::entry::Entry;
use crate::rules::new_uid;
use crate::rules::owned::{CHANGED, FORGOTTEN};

/// As the contract's `change_memories`.
pub(super) async fn all(tx: &Tx, changes: &[ChangedMemory]) -> Sql<Vec<Memory>> {
    // In one order, whoever else changes some of them.
    let uids: Vec<Uuid> = changes.iter().map(|change| change.uid).collect();
    let sql = "SELECT 1 FROM memories WHERE tenant = $1 AND uid = ANY ($2) ORDER BY id FOR UPDATE";
    tx.run(sql, &[&uids]).await?;
    let mut memories = Vec::with_capacity(changes.len());
    for change in changes {
        memories.push(one(tx, change).await?);
    }
    Ok(memories)
}

async fn one(tx: &Tx, change: &ChangedMemory) -> Sql<Memory> {
    let known = found(tx, change.uid).await?;
    if let Some(new) = &change.text {
        let said = ("", new.text.as_str(), new.text_key.as_str());
        revise_memory(tx, &known, said, &known.files, change.at).await?;
        search::put(tx, &Entry::from(&known), &new.index).await?;
    }
    if let Some(metadata) = &change.metadata {
        let sql = "UPDATE memories SET metadata = $3 WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&known.id, &json(metadata)?]).await?;
    }
    if let Some(expires) = change.expires {
        let sql = "UPDATE memories SET expires = $3 WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&known.id, &expires.map(Day::number)]).await?;
    }
    let sql = "UPDATE memories SET updated_at = greatest(updated_at, $3)
               WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&known.id, &change.at.millis()]).await?;
    let changed = found(tx, change.uid).await?;
    add_history(tx, CHANGED, &[(change.uid, &changed.text, change.at)]).await?;
    let id = PublicId::new(Kind::Memory, changed.id);
    tx.tell(Change::of_row(id, changed.project_id, None, RowChange::Changed));
    Ok(changed)
}

async fn found(tx: &Tx, uid: Uuid) -> Sql<Memory> {
    let sql = "SELECT * FROM memories WHERE tenant = $1 AND uid = $2";
    memory_from_row(&required(tx.first(sql, &[&uid]).await?, "memory")?)
}

/// As the contract's `forget_memories`.
pub(super) async fn forget(tx: &Tx, uids: &[Uuid], now: Time) -> Sql<u64> {
    let known = by_uids(tx, uids).await?;
    let ids: Vec<PublicId> =
        known.iter().map(|memory| PublicId::new(Kind::Memory, memory.id)).collect();
    Ok(forget_rows(tx, &Scope::All, &ids, now).await?.len() as u64)
}

/// As the contract's `forget_owned`, of the memories.
pub(super) async fn forget_owned(tx: &Tx, owner: &OwnerMatch, limit: usize, now: Time) -> Sql<u64> {
    let ids = ids_of(tx, &Ways::of(std::slice::from_ref(owner)), limit).await?;
    Ok(forget_rows(tx, &Scope::All, &ids, now).await?.len() as u64)
}

/// Takes the texts out of a memory's history, which then ends with its being forgotten.
pub(in crate::postgres) async fn forget_texts(tx: &Tx, uid: Uuid, now: Time) -> Sql<()> {
    let sql = "UPDATE memory_history SET text = ''
               WHERE tenant = $1 AND memory_uid = $2 AND text <> ''";
    tx.run(sql, &[&uid]).await?;
    add_history(tx, FORGOTTEN, &[(uid, &String::new(), now)]).await
}

/// As the contract's `note_feedback`.
pub(super) async fn note_feedback(
    tx: &Tx,
    memory: Uuid,
    feedback: Option<Feedback>,
    reason: &str,
    now: Time,
) -> Sql<Uuid> {
    let sql = "SELECT 1 FROM memories WHERE tenant = $1 AND uid = $2 FOR NO KEY UPDATE";
    required(tx.first(sql, &[&memory]).await?, "memory")?;
    let sql = "SELECT uid FROM memory_feedback WHERE tenant = $1 AND memory_uid = $2";
    let known = tx.first(sql, &[&memory]).await?;
    let uid = known.map(|row| get(&row, "uid")).transpose()?.unwrap_or_else(|| new_uid(now));
    if let Some(feedback) = feedback {
        let sql = "INSERT INTO memory_feedback (tenant, memory_uid, uid, feedback, reason, at)
                   VALUES ($1, $2, $3, $4, $5, $6)
                   ON CONFLICT (tenant, memory_uid) DO UPDATE SET feedback = excluded.feedback,
                       reason = excluded.reason, at = excluded.at";
        tx.run(sql, &[&memory, &uid, &feedback.word(), &Text(reason), &now.millis()]).await?;
    } else {
        let sql = "DELETE FROM memory_feedback WHERE tenant = $1 AND memory_uid = $2";
        tx.run(sql, &[&memory]).await?;
    }
    Ok(uid)
}
