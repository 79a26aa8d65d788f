//! Nouns as rows of the tables.

use afterword_domain::observation::Observation;
use afterword_domain::summary::Summary;
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::json;

/// Stores an observation whose id is not set yet; returns the id.
pub(in super::super) fn insert_observation(
    db: &Connection,
    row: &Observation,
    rule_key: Option<&str>,
) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO observations (uid, session_id, project_id, prompt_number, rule_key)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        row.uid.to_string(),
        row.session_id,
        row.project_id,
        row.prompt_number,
        rule_key
    ])?;
    let id = db.last_insert_rowid();
    write_observation(db, id, row)?;
    Ok(id)
}

/// Brings an observation up to date, by its id.
pub(in super::super) fn update_observation(db: &Connection, row: &Observation) -> Sql<()> {
    write_observation(db, row.id, row)
}

fn write_observation(db: &Connection, id: i64, row: &Observation) -> Sql<()> {
    let content = &row.content;
    db.prepare_cached(
        "UPDATE observations SET type = ?2, title = ?3, subtitle = ?4, narrative = ?5, facts = ?6,
         concepts = ?7, files_read = ?8, files_modified = ?9, subagent = ?10, source = ?11,
         created_at = ?12 WHERE id = ?1",
    )?
    .execute(params![
        id,
        content.r#type,
        content.title,
        content.subtitle,
        content.narrative,
        json(&content.facts)?,
        json(&content.concepts)?,
        json(&content.files_read)?,
        json(&content.files_modified)?,
        row.subagent,
        row.source.word(),
        row.created_at.millis()
    ])?;
    Ok(())
}

/// Stores a summary whose id is not set yet; returns the id. A slotted one is the row that
/// distilling keeps up to date.
pub(in super::super) fn insert_summary(db: &Connection, row: &Summary, slotted: bool) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO session_summaries (uid, session_id, project_id, level, prompt_number, slotted)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        row.uid.to_string(),
        row.session_id,
        row.project_id,
        row.level.word(),
        row.prompt_number,
        slotted
    ])?;
    let id = db.last_insert_rowid();
    write_summary(db, id, row)?;
    Ok(id)
}

/// Brings a summary up to date, by its id.
pub(in super::super) fn update_summary(db: &Connection, row: &Summary) -> Sql<()> {
    write_summary(db, row.id, row)
}

fn write_summary(db: &Connection, id: i64, row: &Summary) -> Sql<()> {
    let content = &row.content;
    db.prepare_cached(
        "UPDATE session_summaries SET request = ?2, investigated = ?3, learned = ?4,
         completed = ?5, next_steps = ?6, notes = ?7, files_read = ?8, files_modified = ?9,
         source = ?10, created_at = ?11 WHERE id = ?1",
    )?
    .execute(params![
        id,
        content.request,
        content.investigated,
        content.learned,
        content.completed,
        content.next_steps,
        content.notes,
        json(&content.files_read)?,
        json(&content.files_modified)?,
        row.source.word(),
        row.created_at.millis()
    ])?;
    Ok(())
}
