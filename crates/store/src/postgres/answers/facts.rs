//! Facts among the memories of their project.

use std::collections::HashMap;

use afterword_domain::Time;
use afterword_domain::memory::Memory;
use uuid::Uuid;

use super::paid::forget_of_inference;
use crate::contract::{FactPlace, KeptFact, NewFact, NewInference};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::memories::{add_history, insert_memories, note_superseded, set_superseded};
use crate::postgres::rows::memory_from_row;
use crate::postgres::values::{Text, from_json, json};
use crate::rules::fact::{ADDED, Line, REPEATED, SUPERSEDED, kept_since};

/// As the contract's `save_inference`.
pub(super) async fn save(tx: &Tx, new: &NewInference) -> Sql<Vec<KeptFact>> {
    if let Some(known) = saved(tx, new.uid).await? {
        forget_of_inference(tx, new.uid).await?;
        return Ok(known);
    }
    // Whoever asks for the same at the same time waits here, and is then told what came of it.
    let sql = "INSERT INTO inferences (tenant, uid, at) VALUES ($1, $2, $3)";
    tx.run(sql, &[&new.uid, &new.now.millis()]).await?;
    let mut lines: Vec<Line> = Vec::new();
    for fact in &new.facts {
        let line = place(tx, fact, new.now).await?;
        if !lines.iter().any(|known| known.memory == line.memory) {
            lines.push(line);
        }
        tx.touch_project(fact.memory.project_id, new.now);
    }
    let sql = "DELETE FROM inferences WHERE tenant = $1 AND at < $2 AND uid <> $3";
    tx.run(sql, &[&kept_since(new.now), &new.uid]).await?;
    let sql = "UPDATE inferences SET facts = $3 WHERE tenant = $1 AND uid = $2";
    tx.run(sql, &[&new.uid, &json(&lines)?]).await?;
    forget_of_inference(tx, new.uid).await?;
    facts_of(tx, lines).await
}

/// As the contract's `inference`.
pub(super) async fn saved(tx: &Tx, uid: Uuid) -> Sql<Option<Vec<KeptFact>>> {
    let sql = "SELECT facts FROM inferences WHERE tenant = $1 AND uid = $2";
    match tx.first(sql, &[&uid]).await? {
        Some(row) => facts_of(tx, from_json(&row, "facts")?).await.map(Some),
        None => Ok(None),
    }
}

async fn facts_of(tx: &Tx, lines: Vec<Line>) -> Sql<Vec<KeptFact>> {
    let uids =
        lines.iter().flat_map(|line| [line.memory].into_iter().chain(line.superseded.clone()));
    let known = by_uids(tx, &uids.collect::<Vec<_>>()).await?;
    let fact = |line: Line| {
        let memory = known.get(&line.memory)?.clone();
        let change = line.change();
        let superseded = line.superseded.iter().filter_map(|uid| known.get(uid).cloned());
        Some(KeptFact { memory, change, superseded: superseded.collect() })
    };
    Ok(lines.into_iter().filter_map(fact).collect())
}

async fn by_uids(tx: &Tx, uids: &[Uuid]) -> Sql<HashMap<Uuid, Memory>> {
    let sql = "SELECT * FROM memories WHERE tenant = $1 AND uid = ANY ($2) ORDER BY id";
    let rows = tx.rows(sql, &[&uids]).await?;
    let memories = rows.iter().map(|row| {
        let memory = memory_from_row(row)?;
        Ok((memory.uid, memory))
    });
    memories.collect()
}

/// Memories of a project by their uids, which nobody else changes meanwhile.
async fn of_project(tx: &Tx, project: i64, uids: &[Uuid]) -> Sql<HashMap<Uuid, Memory>> {
    let sql = "SELECT 1 FROM memories WHERE tenant = $1 AND uid = ANY ($2)
               ORDER BY id FOR NO KEY UPDATE";
    tx.run(sql, &[&uids]).await?;
    let mut known = by_uids(tx, uids).await?;
    known.retain(|_, memory| memory.project_id == project);
    Ok(known)
}

/// Stores a fact, or finds the memory that says it, and links it with those whose place it takes.
async fn place(tx: &Tx, fact: &NewFact, now: Time) -> Sql<Line> {
    let project = fact.memory.project_id;
    if let FactPlace::Repeats(uid) = fact.place
        && let Some(known) = of_project(tx, project, &[uid]).await?.get(&uid)
    {
        repeat(tx, known, fact).await?;
        return Ok(Line { memory: uid, change: REPEATED.to_owned(), superseded: Vec::new() });
    }
    let (memory, mut change) = if let Some(known) = same_text(tx, fact).await? {
        let holds_again = repeat(tx, &known, fact).await?;
        (known.uid, if holds_again { ADDED } else { REPEATED })
    } else {
        let (new, said) = (&fact.memory, fact.memory.created_at);
        insert_memories(tx, &[(new, said)]).await?;
        add_history(tx, ADDED, &[(new.uid, &new.text, said)]).await?;
        (new.uid, ADDED)
    };
    let mut superseded = Vec::new();
    match &fact.place {
        FactPlace::Supersedes(older) => {
            let known = of_project(tx, project, older).await?;
            for uid in older.iter().filter(|uid| **uid != memory) {
                if let Some(old) = known.get(uid) {
                    set_superseded(tx, old.id, Some(memory)).await?;
                    note_superseded(tx, *uid, memory, now).await?;
                    superseded.push(*uid);
                    change = SUPERSEDED;
                }
            }
        }
        FactPlace::GivesWayTo(newer) if change == ADDED && *newer != memory => {
            let known = of_project(tx, project, &[*newer, memory]).await?;
            if let (Some(newer), Some(own)) = (known.get(newer), known.get(&memory)) {
                set_superseded(tx, own.id, Some(newer.uid)).await?;
            }
        }
        _ => {}
    }
    Ok(Line { memory, change: change.to_owned(), superseded })
}

/// A memory of the fact's project, or of its uid, that says the same.
async fn same_text(tx: &Tx, fact: &NewFact) -> Sql<Option<Memory>> {
    let sql = "SELECT * FROM memories WHERE tenant = $1
               AND ((project_id = $2 AND text_key = $3) OR uid = $4)
               ORDER BY id LIMIT 1 FOR NO KEY UPDATE";
    let new = &fact.memory;
    let row = tx.first(sql, &[&new.project_id, &Text(&new.text_key), &new.uid]).await?;
    row.as_ref().map(memory_from_row).transpose()
}

/// Brings a memory up to date that is said again; whether it holds again that another one had
/// taken the place of. It does not where this was said before that one.
async fn repeat(tx: &Tx, known: &Memory, fact: &NewFact) -> Sql<bool> {
    let said = fact.memory.created_at;
    let sql = "UPDATE memories SET updated_at = greatest(updated_at, $3)
               WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&known.id, &said.millis()]).await?;
    add_history(tx, REPEATED, &[(known.uid, &fact.memory.text, said)]).await?;
    let holds_again =
        known.superseded_by.is_some() && !matches!(fact.place, FactPlace::GivesWayTo(_));
    if holds_again {
        set_superseded(tx, known.id, None).await?;
    }
    Ok(holds_again)
}

/// Gives the memories whose place a forgotten one had taken to the one that had taken its own; to
/// none where it held.
pub(in crate::postgres) async fn restore_links(tx: &Tx, gone: &Memory) -> Sql<()> {
    let sql = "UPDATE memories SET superseded_by = $3 WHERE tenant = $1 AND superseded_by = $2";
    tx.run(sql, &[&gone.uid, &gone.superseded_by]).await?;
    Ok(())
}
