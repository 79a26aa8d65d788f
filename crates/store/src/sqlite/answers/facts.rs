//! Facts among the memories of their project.

use afterword_domain::Time;
use afterword_domain::memory::Memory;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::memories::{add_history, insert_memory, note_superseded, set_superseded};
use super::super::projects;
use super::super::rows::memory_from_row;
use super::super::values::{from_json, json, optional};
use super::paid::forget_of_inference;
use crate::contract::{FactPlace, KeptFact, NewFact, NewInference};
use crate::rules::fact::{ADDED, Line, REPEATED, SUPERSEDED, kept_since};

/// As the contract's `save_inference`.
pub(super) fn save(db: &Connection, new: &NewInference) -> Sql<Vec<KeptFact>> {
    if let Some(known) = saved(db, new.uid)? {
        forget_of_inference(db, new.uid)?;
        return Ok(known);
    }
    let mut lines: Vec<Line> = Vec::new();
    for fact in &new.facts {
        let line = place(db, fact, new.now)?;
        if !lines.iter().any(|known| known.memory == line.memory) {
            lines.push(line);
        }
        projects::touch(db, fact.memory.project_id, new.now)?;
    }
    db.prepare_cached("DELETE FROM inferences WHERE at < ?1")?.execute([kept_since(new.now)])?;
    db.prepare_cached("INSERT INTO inferences (uid, at, facts) VALUES (?1, ?2, ?3)")?
        .execute(params![new.uid.to_string(), new.now.millis(), json(&lines)?])?;
    forget_of_inference(db, new.uid)?;
    facts_of(db, lines)
}

/// As the contract's `inference`.
pub(super) fn saved(db: &Connection, uid: Uuid) -> Sql<Option<Vec<KeptFact>>> {
    let mut one = db.prepare_cached("SELECT facts FROM inferences WHERE uid = ?1")?;
    let lines: Option<Vec<Line>> =
        optional(one.query_row([uid.to_string()], |row| from_json(row, "facts")))?;
    lines.map(|lines| facts_of(db, lines)).transpose()
}

fn facts_of(db: &Connection, lines: Vec<Line>) -> Sql<Vec<KeptFact>> {
    let mut facts = Vec::new();
    for line in lines {
        let Some(memory) = by_uid(db, line.memory)? else { continue };
        let change = line.change();
        let mut superseded = Vec::new();
        for uid in line.superseded {
            superseded.extend(by_uid(db, uid)?);
        }
        facts.push(KeptFact { memory, change, superseded });
    }
    Ok(facts)
}

fn by_uid(db: &Connection, uid: Uuid) -> Sql<Option<Memory>> {
    let mut one = db.prepare_cached("SELECT * FROM memories WHERE uid = ?1")?;
    optional(one.query_row([uid.to_string()], memory_from_row))
}

/// Stores a fact, or finds the memory that says it, and links it with those whose place it takes.
fn place(db: &Connection, fact: &NewFact, now: Time) -> Sql<Line> {
    let project = fact.memory.project_id;
    if let FactPlace::Repeats(uid) = fact.place
        && let Some(known) = by_uid(db, uid)?.filter(|known| known.project_id == project)
    {
        repeat(db, &known, fact)?;
        return Ok(Line { memory: uid, change: REPEATED.to_owned(), superseded: Vec::new() });
    }
    let (memory, mut change) = if let Some(known) = same_text(db, fact)? {
        let holds_again = repeat(db, &known, fact)?;
        (known.uid, if holds_again { ADDED } else { REPEATED })
    } else {
        insert_memory(db, &fact.memory, fact.memory.created_at)?;
        add_history(db, fact.memory.uid, ADDED, &fact.memory.text, fact.memory.created_at)?;
        (fact.memory.uid, ADDED)
    };
    let mut superseded = Vec::new();
    match &fact.place {
        FactPlace::Supersedes(older) => {
            for uid in older.iter().filter(|uid| **uid != memory) {
                if let Some(old) = by_uid(db, *uid)?.filter(|old| old.project_id == project) {
                    set_superseded(db, old.id, Some(memory))?;
                    note_superseded(db, *uid, memory, now)?;
                    superseded.push(*uid);
                    change = SUPERSEDED;
                }
            }
        }
        FactPlace::GivesWayTo(newer) if change == ADDED && *newer != memory => {
            let newer = by_uid(db, *newer)?.filter(|newer| newer.project_id == project);
            if let (Some(newer), Some(own)) = (newer, by_uid(db, memory)?) {
                set_superseded(db, own.id, Some(newer.uid))?;
            }
        }
        _ => {}
    }
    Ok(Line { memory, change: change.to_owned(), superseded })
}

/// A memory of the fact's project, or of its uid, that says the same.
fn same_text(db: &Connection, fact: &NewFact) -> Sql<Option<Memory>> {
    let mut one = db.prepare_cached(
        "SELECT * FROM memories WHERE (project_id = ?1 AND text_key = ?2) OR uid = ?3
         ORDER BY id LIMIT 1",
    )?;
    let new = &fact.memory;
    optional(
        one.query_row(params![new.project_id, new.text_key, new.uid.to_string()], memory_from_row),
    )
}

/// Brings a memory up to date that is said again; whether it holds again that another one had
/// taken the place of. It does not where this was said before that one.
fn repeat(db: &Connection, known: &Memory, fact: &NewFact) -> Sql<bool> {
    let said = fact.memory.created_at;
    db.prepare_cached("UPDATE memories SET updated_at = max(updated_at, ?2) WHERE id = ?1")?
        .execute(params![known.id, said.millis()])?;
    add_history(db, known.uid, REPEATED, &fact.memory.text, said)?;
    let holds_again =
        known.superseded_by.is_some() && !matches!(fact.place, FactPlace::GivesWayTo(_));
    if holds_again {
        set_superseded(db, known.id, None)?;
    }
    Ok(holds_again)
}

/// Gives the memories whose place a forgotten one had taken to the one that had taken its own; to
/// none where it held.
pub(in super::super) fn restore_links(db: &Connection, gone: &Memory) -> Sql<()> {
    db.prepare_cached("UPDATE memories SET superseded_by = ?2 WHERE superseded_by = ?1")?
        .execute(params![gone.uid.to_string(), gone.superseded_by.map(|uid| uid.to_string())])?;
    Ok(())
}
