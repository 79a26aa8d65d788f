//! Memories and snapshots.

use afterword_domain::day::Day;
use afterword_domain::memory::Memory;
use afterword_domain::owner::OwnerKind;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::{Kind, PublicId, Time};
use async_trait::async_trait;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::SqliteStore;
use super::connect::{Fault, Sql};
use super::owned::note_owner;
use super::projects;
use super::rows::{in_scope, memory_from_row, snapshot_from_row};
use super::search;
use super::values::{json, limit as sql_limit, optional, required};
use crate::contract::{IndexDoc, MemoryStore, NewMemory, NewSnapshot, SnapshotStore};
use crate::rules::entry::Entry;
use crate::rules::fact::{ADDED, REPEATED, SUPERSEDED};
use crate::rules::new_uid;
use crate::{Error, Result};

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        self.write(move |db| Ok(remember_one(db, &memory)?.0)).await
    }

    async fn list_memories(&self, scope: Scope, limit: usize) -> Result<Vec<Memory>> {
        self.read(move |db| {
            let sql = format!(
                "SELECT * FROM memories WHERE {} ORDER BY updated_at DESC, id DESC LIMIT ?2",
                in_scope(&scope)
            );
            let mut list = db.prepare_cached(&sql)?;
            let rows =
                list.query_map(params![scope.project(), sql_limit(limit)], memory_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

#[async_trait]
impl SnapshotStore for SqliteStore {
    async fn insert_snapshot(&self, snapshot: NewSnapshot) -> Result<Snapshot> {
        self.write(move |db| insert_snapshot(db, &snapshot)).await
    }

    async fn last_snapshot(&self, session_id: i64) -> Result<Option<(Snapshot, i64)>> {
        self.read(move |db| {
            let mut one = db.prepare_cached(
                "SELECT * FROM snapshots WHERE session_id = ?1
                 ORDER BY created_at DESC, id DESC LIMIT 1",
            )?;
            optional(one.query_row([session_id], |row| {
                Ok((snapshot_from_row(row)?, row.get("up_to_event_id")?))
            }))
        })
        .await
    }

    async fn add_agent_summary(
        &self,
        session_id: i64,
        summary: &str,
        index: IndexDoc,
    ) -> Result<Option<PublicId>> {
        let summary = summary.to_owned();
        self.write(move |db| add_agent_summary(db, session_id, &summary, &index)).await
    }
}

/// As the contract's `remember`, and whether the memory is new.
pub(super) fn remember_one(db: &Connection, new: &NewMemory) -> Sql<(Memory, bool)> {
    let mut known = db.prepare_cached(
        "SELECT id FROM memories WHERE (project_id = ?1 AND text_key = ?2) OR uid = ?3
         ORDER BY id LIMIT 1",
    )?;
    let found: Option<i64> = optional(
        known.query_row(params![new.project_id, new.text_key, new.uid.to_string()], |row| {
            row.get(0)
        }),
    )?;
    let (id, change) = match found {
        Some(id) => {
            db.prepare_cached(
                "UPDATE memories SET updated_at = max(updated_at, ?2) WHERE id = ?1",
            )?
            .execute(params![id, new.created_at.millis()])?;
            add_files(db, id, new)?;
            (id, REPEATED)
        }
        None => (insert_memory(db, new, new.created_at)?, ADDED),
    };
    projects::touch(db, new.project_id, new.created_at)?;
    let mut one = db.prepare_cached("SELECT * FROM memories WHERE id = ?1")?;
    let memory = required(one.query_row([id], memory_from_row), "memory")?;
    add_history(db, memory.uid, change, &new.text, new.created_at)?;
    Ok((memory, change == ADDED))
}

/// Adds the files that are told of a known memory now and were not before.
fn add_files(db: &Connection, id: i64, new: &NewMemory) -> Sql<()> {
    let mut one = db.prepare_cached("SELECT * FROM memories WHERE id = ?1")?;
    let known = required(one.query_row([id], memory_from_row), "memory")?;
    let more = new.files.iter().filter(|file| !known.files.contains(file));
    let files: Vec<&String> = known.files.iter().chain(more).collect();
    if files.len() == known.files.len() {
        return Ok(());
    }
    db.prepare_cached("UPDATE memories SET files = ?2 WHERE id = ?1")?
        .execute(params![id, json(&files)?])?;
    search::add_files(db, &Entry::from(&known), &new.index.files)
}

/// Stores a memory that is not known, with its index entry; returns its id.
pub(super) fn insert_memory(db: &Connection, new: &NewMemory, updated_at: Time) -> Sql<i64> {
    let attributes = &new.attributes;
    let name = |kind| new.owner.get(kind).unwrap_or_default();
    note_owner(db, &new.owner)?;
    db.prepare_cached(
        "INSERT INTO memories (uid, project_id, title, text, text_key, metadata, files, origin,
         created_at, updated_at, user_id, agent_id, app_id, run_id, categories, expires, immutable,
         role, actor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
         ?17, ?18, ?19)",
    )?
    .execute(params![
        new.uid.to_string(),
        new.project_id,
        new.title,
        new.text,
        new.text_key,
        json(&new.metadata)?,
        json(&new.files)?,
        new.origin.word(),
        new.created_at.millis(),
        updated_at.millis(),
        name(OwnerKind::User),
        name(OwnerKind::Agent),
        name(OwnerKind::App),
        name(OwnerKind::Run),
        json(&attributes.categories)?,
        attributes.expires.map(Day::number),
        attributes.immutable,
        attributes.role,
        attributes.actor
    ])?;
    let id = db.last_insert_rowid();
    let entry = Entry {
        id: PublicId::new(Kind::Memory, id),
        project_id: new.project_id,
        session_id: None,
        created_at: new.created_at,
        subagent: false,
    };
    search::put(db, &entry, &new.index)?;
    Ok(id)
}

/// Says which memory took the place of one; none: it holds.
pub(super) fn set_superseded(db: &Connection, id: i64, by: Option<Uuid>) -> Sql<()> {
    db.prepare_cached("UPDATE memories SET superseded_by = ?2 WHERE id = ?1")?
        .execute(params![id, by.map(|by| by.to_string())])?;
    Ok(())
}

/// Puts another text in the place of a memory's. A conflict when the project remembers that text
/// already.
pub(super) fn revise_memory(
    db: &Connection,
    id: i64,
    (title, text, text_key): (&str, &str, &str),
    files: &[String],
    at: Time,
) -> Sql<()> {
    let taken = db
        .prepare_cached(
            "SELECT 1 FROM memories m JOIN memories o ON o.project_id = m.project_id
             WHERE m.id = ?1 AND o.id <> ?1 AND o.text_key = ?2",
        )?
        .exists(params![id, text_key])?;
    if taken {
        return Err(Fault::Store(Error::Conflict("a memory that says the same".to_owned())));
    }
    db.prepare_cached(
        "UPDATE memories SET title = ?2, text = ?3, text_key = ?4, files = ?5,
         updated_at = max(updated_at, ?6) WHERE id = ?1",
    )?
    .execute(params![id, title, text, text_key, json(files)?, at.millis()])?;
    Ok(())
}

/// Notes what became of a memory.
pub(super) fn add_history(
    db: &Connection,
    memory: Uuid,
    change: &str,
    text: &str,
    at: Time,
) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO memory_history (memory_uid, change, text, at) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![memory.to_string(), change, text, at.millis()])?;
    Ok(())
}

/// Notes that a memory's place was taken by another one, whose text stands with that one alone.
pub(super) fn note_superseded(db: &Connection, memory: Uuid, by: Uuid, at: Time) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO memory_history (memory_uid, change, by_uid, at) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![memory.to_string(), SUPERSEDED, by.to_string(), at.millis()])?;
    Ok(())
}

fn insert_snapshot(db: &Connection, new: &NewSnapshot) -> Sql<Snapshot> {
    let mut session = db.prepare_cached("SELECT project_id FROM sdk_sessions WHERE id = ?1")?;
    let project_id = required(session.query_row([new.session_id], |row| row.get(0)), "session")?;
    let mut snapshot = Snapshot {
        id: 0,
        uid: new_uid(new.created_at),
        session_id: new.session_id,
        project_id,
        trigger: new.trigger.clone(),
        text: new.text.clone(),
        agent_summary: None,
        created_at: new.created_at,
    };
    let mut known =
        db.prepare_cached("SELECT * FROM snapshots WHERE session_id = ?1 AND up_to_event_id = ?2")?;
    let known = known.query_row(params![new.session_id, new.up_to_event_id], snapshot_from_row);
    if let Some(known) = optional(known)? {
        return Ok(known);
    }
    snapshot.id = write_snapshot(db, &snapshot, new.up_to_event_id, &new.index)?;
    Ok(snapshot)
}

/// Stores a snapshot whose id is not set yet, with its index entry; returns the id.
pub(super) fn write_snapshot(
    db: &Connection,
    new: &Snapshot,
    up_to_event_id: i64,
    index: &IndexDoc,
) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO snapshots (uid, session_id, project_id, up_to_event_id, trigger, text,
         agent_summary, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        new.uid.to_string(),
        new.session_id,
        new.project_id,
        up_to_event_id,
        new.trigger,
        new.text,
        new.agent_summary,
        new.created_at.millis()
    ])?;
    let id = db.last_insert_rowid();
    search::put(db, &Entry::from(&Snapshot { id, ..new.clone() }), index)?;
    Ok(id)
}

fn add_agent_summary(
    db: &Connection,
    session_id: i64,
    summary: &str,
    index: &IndexDoc,
) -> Sql<Option<PublicId>> {
    let mut update = db.prepare_cached(
        "UPDATE snapshots SET agent_summary = ?2 WHERE id =
         (SELECT id FROM snapshots WHERE session_id = ?1 ORDER BY created_at DESC, id DESC LIMIT 1)
         RETURNING *",
    )?;
    let updated = optional(update.query_row(params![session_id, summary], snapshot_from_row))?;
    let Some(snapshot) = updated else { return Ok(None) };
    let entry = Entry::from(&snapshot);
    search::put(db, &entry, index)?;
    Ok(Some(entry.id))
}
