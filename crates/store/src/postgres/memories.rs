//! Memories and snapshots.

use afterword_domain::day::Day;
use afterword_domain::memory::Memory;
use afterword_domain::owner::OwnerKind;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::{PublicId, Time};
use async_trait::async_trait;
use uuid::Uuid;

use super::PostgresStore;
use super::connect::{Fault, Sql, Tx, required};
use super::rows::{ids_of, in_scope, memory_from_row, snapshot_from_row};
use super::values::{Text, get, json, limit as sql_limit, text};
use super::{search, sessions};
use crate::contract::{IndexDoc, MemoryStore, NewMemory, NewSnapshot, SnapshotStore};
use crate::rules::entry::Entry;
use crate::rules::fact::{ADDED, REPEATED, SUPERSEDED};
use crate::rules::new_uid;
use crate::{Error, Result};

#[async_trait]
impl MemoryStore for PostgresStore {
    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        let memory = &memory;
        self.write(|tx| async move { Ok(remember_one(&tx, memory).await?.0) }).await
    }

    async fn list_memories(&self, scope: Scope, limit: usize) -> Result<Vec<Memory>> {
        let scope = &self.reachable(scope);
        self.read(|tx| async move {
            let sql = format!(
                "SELECT * FROM memories WHERE tenant = $1 AND {}
                 ORDER BY updated_at DESC, id DESC LIMIT $3",
                in_scope(scope)
            );
            let rows = tx.rows(&sql, &[&scope.project(), &sql_limit(limit)]).await?;
            rows.iter().map(memory_from_row).collect()
        })
        .await
    }
}

#[async_trait]
impl SnapshotStore for PostgresStore {
    async fn insert_snapshot(&self, snapshot: NewSnapshot) -> Result<Snapshot> {
        let snapshot = &snapshot;
        self.write(|tx| async move { insert_snapshot(&tx, snapshot).await }).await
    }

    async fn last_snapshot(&self, session_id: i64) -> Result<Option<(Snapshot, i64)>> {
        self.read(|tx| async move {
            let sql = "SELECT * FROM snapshots WHERE tenant = $1 AND session_id = $2
                       ORDER BY created_at DESC, id DESC LIMIT 1";
            let row = tx.first(sql, &[&session_id]).await?;
            let last = row.map(|row| Ok((snapshot_from_row(&row)?, get(&row, "up_to_event_id")?)));
            last.transpose()
        })
        .await
    }

    async fn add_agent_summary(
        &self,
        session_id: i64,
        summary: &str,
        index: IndexDoc,
    ) -> Result<Option<PublicId>> {
        let index = &index;
        self.write(|tx| async move { add_agent_summary(&tx, session_id, summary, index).await })
            .await
    }
}

/// As the contract's `remember`, and whether the memory is new.
pub(super) async fn remember_one(tx: &Tx, new: &NewMemory) -> Sql<(Memory, bool)> {
    let sql = "SELECT * FROM memories WHERE tenant = $1
               AND ((project_id = $2 AND text_key = $3) OR uid = $4) ORDER BY id LIMIT 1 FOR UPDATE";
    let (project, at) = (new.project_id, new.created_at);
    let known = tx.first(sql, &[&project, &Text(&new.text_key), &new.uid]).await?;
    tx.touch_project(project, at);
    let (memory, change) = match known {
        Some(row) => {
            let mut memory = memory_from_row(&row)?;
            if memory.updated_at < at {
                memory.updated_at = at;
                let sql = "UPDATE memories SET updated_at = $3 WHERE tenant = $1 AND id = $2";
                tx.run(sql, &[&memory.id, &at.millis()]).await?;
            }
            add_files(tx, &mut memory, new).await?;
            (memory, REPEATED)
        }
        None => (insert_memories(tx, &[(new, at)]).await?.remove(0), ADDED),
    };
    add_history(tx, change, &[(memory.uid, &new.text, at)]).await?;
    Ok((memory, change == ADDED))
}

/// Adds the files that are told of a known memory now and were not before.
async fn add_files(tx: &Tx, known: &mut Memory, new: &NewMemory) -> Sql<()> {
    let more: Vec<String> =
        new.files.iter().filter(|file| !known.files.contains(file)).cloned().collect();
    if more.is_empty() {
        return Ok(());
    }
    known.files.extend(more);
    let sql = "UPDATE memories SET files = $3 WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&known.id, &json(&known.files)?]).await?;
    search::add_files(tx, &Entry::from(&*known), &new.index.files).await
}

/// Says which memory took the place of one; none: it holds.
pub(super) async fn set_superseded(tx: &Tx, id: i64, by: Option<Uuid>) -> Sql<()> {
    let sql = "UPDATE memories SET superseded_by = $3 WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&id, &by]).await?;
    Ok(())
}

/// Puts another text in the place of a memory's. A conflict when the project remembers that text
/// already.
pub(super) async fn revise_memory(
    tx: &Tx,
    known: &Memory,
    (title, text, text_key): (&str, &str, &str),
    files: &[String],
    at: Time,
) -> Sql<()> {
    let sql = "SELECT 1 FROM memories WHERE tenant = $1 AND project_id = $2 AND id <> $3
               AND text_key = $4";
    if tx.exists(sql, &[&known.project_id, &known.id, &Text(text_key)]).await? {
        return Err(Fault::Store(Error::Conflict("a memory that says the same".to_owned())));
    }
    let sql = "UPDATE memories SET title = $3, text = $4, text_key = $5, files = $6,
               updated_at = greatest(updated_at, $7) WHERE tenant = $1 AND id = $2";
    let (title, text, key) = (Text(title), Text(text), Text(text_key));
    tx.run(sql, &[&known.id, &title, &text, &key, &json(files)?, &at.millis()]).await?;
    Ok(())
}

/// Stores memories that are not known, with their index entries and the time of their last change,
/// by one statement each; returns them in their order.
pub(super) async fn insert_memories(tx: &Tx, memories: &[(&NewMemory, Time)]) -> Sql<Vec<Memory>> {
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let uids: Vec<Uuid> = memories.iter().map(|(new, _)| new.uid).collect();
    let projects: Vec<i64> = memories.iter().map(|(new, _)| new.project_id).collect();
    let titles: Vec<Text<'_>> = memories.iter().map(|(new, _)| Text(&new.title)).collect();
    let texts: Vec<Text<'_>> = memories.iter().map(|(new, _)| Text(&new.text)).collect();
    let keys: Vec<Text<'_>> = memories.iter().map(|(new, _)| Text(&new.text_key)).collect();
    let metadata = memories.iter().map(|(new, _)| json(&new.metadata));
    let files = memories.iter().map(|(new, _)| json(&new.files));
    let origins: Vec<&str> = memories.iter().map(|(new, _)| new.origin.word()).collect();
    let created: Vec<i64> = memories.iter().map(|(new, _)| new.created_at.millis()).collect();
    let updated: Vec<i64> = memories.iter().map(|(_, at)| at.millis()).collect();
    let names = |kind| {
        let name =
            move |(new, _): &(&NewMemory, Time)| new.owner.get(kind).unwrap_or_default().to_owned();
        memories.iter().map(name).collect::<Vec<String>>()
    };
    let attributes = || memories.iter().map(|(new, _)| &new.attributes);
    let made = tx
        .rows(
            "INSERT INTO memories (tenant, uid, project_id, title, text, text_key, metadata, files,
                 origin, created_at, updated_at, user_id, agent_id, app_id, run_id, categories,
                 expires, immutable, role, actor)
             SELECT $1, uid, project_id, title, text, text_key, metadata, files, origin, created_at,
                 updated_at, user_id, agent_id, app_id, run_id, categories, expires, immutable,
                 role, actor
             FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                 $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::text[],
                 $14::text[], $15::text[], $16::text[], $17::bigint[], $18::boolean[], $19::text[],
                 $20::text[]) WITH ORDINALITY
             AS new (uid, project_id, title, text, text_key, metadata, files, origin, created_at,
                 updated_at, user_id, agent_id, app_id, run_id, categories, expires, immutable,
                 role, actor, n)
             ORDER BY n RETURNING id, uid",
            &[
                &uids,
                &projects,
                &titles,
                &texts,
                &keys,
                &metadata.collect::<Sql<Vec<String>>>()?,
                &files.collect::<Sql<Vec<String>>>()?,
                &origins,
                &created,
                &updated,
                &names(OwnerKind::User),
                &names(OwnerKind::Agent),
                &names(OwnerKind::App),
                &names(OwnerKind::Run),
                &attributes().map(|it| json(&it.categories)).collect::<Sql<Vec<String>>>()?,
                &attributes().map(|it| it.expires.map(Day::number)).collect::<Vec<Option<i64>>>(),
                &attributes().map(|it| it.immutable).collect::<Vec<bool>>(),
                &attributes().map(|it| Text(&it.role)).collect::<Vec<Text<'_>>>(),
                &attributes().map(|it| Text(&it.actor)).collect::<Vec<Text<'_>>>(),
            ],
        )
        .await?;
    let ids = ids_of(&made, &uids)?;
    let stored: Vec<Memory> =
        ids.iter().zip(memories).map(|(id, (new, at))| stored(*id, new, *at)).collect();
    let entries: Vec<(Entry, &IndexDoc)> =
        stored.iter().zip(memories).map(|(memory, (new, _))| (memory.into(), &new.index)).collect();
    search::add_all(tx, &entries).await?;
    Ok(stored)
}

fn stored(id: i64, new: &NewMemory, updated_at: Time) -> Memory {
    Memory {
        id,
        uid: new.uid,
        project_id: new.project_id,
        title: new.title.clone(),
        text: new.text.clone(),
        metadata: new.metadata.clone(),
        files: new.files.clone(),
        origin: new.origin,
        created_at: new.created_at,
        updated_at,
        superseded_by: None,
        owner: new.owner.clone(),
        attributes: new.attributes.clone(),
    }
}

/// Notes what became of memories, with the texts that were told.
pub(super) async fn add_history(tx: &Tx, change: &str, of: &[(Uuid, &String, Time)]) -> Sql<()> {
    let uids: Vec<Uuid> = of.iter().map(|(uid, _, _)| *uid).collect();
    let texts: Vec<Text<'_>> = of.iter().map(|(_, text, _)| Text(text)).collect();
    let times: Vec<i64> = of.iter().map(|(_, _, at)| at.millis()).collect();
    let sql = format!(
        "INSERT INTO memory_history (tenant, memory_uid, project_id, change, text, at)
         SELECT $1, uid, {}, $2, text, at
         FROM unnest($3::uuid[], $4::text[], $5::bigint[]) WITH ORDINALITY AS new (uid, text, at, n)
         ORDER BY n",
        project_of("new.uid")
    );
    tx.run(&sql, &[&change, &uids, &texts, &times]).await?;
    Ok(())
}

/// The project of a memory that is there, or was until now.
fn project_of(uid: &str) -> String {
    format!(
        "coalesce(
             (SELECT m.project_id FROM memories m WHERE m.tenant = $1 AND m.uid = {uid}),
             (SELECT h.project_id FROM memory_history h
              WHERE h.tenant = $1 AND h.memory_uid = {uid} ORDER BY h.id LIMIT 1))"
    )
}

/// Notes that a memory's place was taken by another one, whose text stands with that one alone.
pub(super) async fn note_superseded(tx: &Tx, memory: Uuid, by: Uuid, at: Time) -> Sql<()> {
    let sql = format!(
        "INSERT INTO memory_history (tenant, memory_uid, project_id, change, by_uid, at)
         VALUES ($1, $2, {}, $3, $4, $5)",
        project_of("$2")
    );
    tx.run(&sql, &[&memory, &SUPERSEDED, &by, &at.millis()]).await?;
    Ok(())
}

async fn insert_snapshot(tx: &Tx, new: &NewSnapshot) -> Sql<Snapshot> {
    let sql = "SELECT project_id FROM sdk_sessions WHERE tenant = $1 AND id = $2
               FOR NO KEY UPDATE";
    let session = required(tx.first(sql, &[&new.session_id]).await?, "session")?;
    let sql = "SELECT * FROM snapshots
               WHERE tenant = $1 AND session_id = $2 AND up_to_event_id = $3 ORDER BY id LIMIT 1";
    if let Some(known) = tx.first(sql, &[&new.session_id, &new.up_to_event_id]).await? {
        return snapshot_from_row(&known);
    }
    let mut snapshot = Snapshot {
        id: 0,
        uid: new_uid(new.created_at),
        session_id: new.session_id,
        project_id: get(&session, "project_id")?,
        trigger: new.trigger.clone(),
        text: new.text.clone(),
        agent_summary: None,
        created_at: new.created_at,
    };
    snapshot.id = write_snapshot(tx, &snapshot, new.up_to_event_id, &new.index).await?;
    Ok(snapshot)
}

/// Stores a snapshot whose id is not set yet, with its index entry; returns the id.
pub(super) async fn write_snapshot(
    tx: &Tx,
    new: &Snapshot,
    up_to_event_id: i64,
    index: &IndexDoc,
) -> Sql<i64> {
    let row = tx
        .one(
            "INSERT INTO snapshots (tenant, uid, session_id, project_id, up_to_event_id, trigger,
                 text, agent_summary, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
            &[
                &new.uid,
                &new.session_id,
                &new.project_id,
                &up_to_event_id,
                &Text(&new.trigger),
                &Text(&new.text),
                &text(new.agent_summary.as_ref()),
                &new.created_at.millis(),
            ],
        )
        .await?;
    let id = get(&row, "id")?;
    search::add_all(tx, &[(Entry::from(&Snapshot { id, ..new.clone() }), index)]).await?;
    Ok(id)
}

async fn add_agent_summary(
    tx: &Tx,
    session_id: i64,
    summary: &str,
    index: &IndexDoc,
) -> Sql<Option<PublicId>> {
    sessions::lock(tx, session_id).await?;
    let sql = "UPDATE snapshots SET agent_summary = $3 WHERE tenant = $1 AND id =
               (SELECT id FROM snapshots WHERE tenant = $1 AND session_id = $2
                ORDER BY created_at DESC, id DESC LIMIT 1)
               RETURNING *";
    let Some(row) = tx.first(sql, &[&session_id, &Text(summary)]).await? else { return Ok(None) };
    let entry = Entry::from(&snapshot_from_row(&row)?);
    search::put(tx, &entry, index).await?;
    Ok(Some(entry.id))
}
