//! A person's content in the place of a row's.

use afterword_domain::observation::{Observation, Source};
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::{Fault, Sql};
use super::super::memories::{add_history, revise_memory};
use super::super::rows::{forget_rows, row, update_observation, update_summary};
use super::super::search;
use super::super::values::{from_json, json as json_text, time};
use crate::Error;
use crate::contract::{NewContent, Revised, Revision, Row, RowBody};
use crate::rules::entry::Entry;
use crate::rules::revision;

pub(super) fn revise(db: &Connection, revised: &Revised) -> Sql<Row> {
    let known = found(db, &Scope::All, revised.id)?;
    let scope = Scope::Project(known.project_id);
    let mut took_in = Vec::new();
    for id in revised.takes_in.iter().filter(|id| **id != revised.id) {
        took_in.push(found(db, &scope, *id)?);
    }
    keep(db, revised, &known, &took_in)?;
    let ids: Vec<PublicId> = took_in.iter().map(|row| row.id).collect();
    if revised.id.kind == Kind::Observation {
        for id in &ids {
            move_evidence(db, id.number, revised.id.number)?;
        }
    }
    forget_rows(db, &scope, ids, revised.at)?;
    write(db, revised, &known, !took_in.is_empty())?;
    note_change(db, &known)?;
    found(db, &scope, revised.id)
}

fn found(db: &Connection, scope: &Scope, id: PublicId) -> Sql<Row> {
    row(db, scope, id)?.ok_or(Fault::Store(Error::NotFound(id.kind.word())))
}

/// Keeps what is there before it is written over.
fn keep(db: &Connection, revised: &Revised, known: &Row, took_in: &[Row]) -> Sql<()> {
    let before = revision::before(known, took_in)?;
    let change = revision::change(!took_in.is_empty());
    db.prepare_cached(
        "INSERT INTO row_revisions (kind, row_id, change, before, at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        revised.id.kind.word(),
        revised.id.number,
        change,
        json_text(&before)?,
        revised.at.millis()
    ])?;
    Ok(())
}

/// The events behind one observation stand behind another one too.
fn move_evidence(db: &Connection, from: i64, to: i64) -> Sql<()> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO observation_events (observation_id, event_id)
         SELECT ?2, event_id FROM observation_events WHERE observation_id = ?1",
    )?
    .execute([from, to])?;
    Ok(())
}

fn write(db: &Connection, revised: &Revised, known: &Row, merged: bool) -> Sql<()> {
    let entry = match (&revised.content, &known.body) {
        (NewContent::Observation(content), RowBody::Observation(row)) => {
            let row =
                Observation { content: content.clone(), source: Source::Person, ..row.clone() };
            update_observation(db, &row)?;
            Entry::from(&row)
        }
        (NewContent::Summary(content), RowBody::Summary(row)) => {
            let mut row = row.clone();
            row.content.clone_from(content);
            row.source = Source::Person;
            update_summary(db, &row)?;
            Entry::from(&row)
        }
        (NewContent::Memory { title, text, text_key, files }, RowBody::Memory(row)) => {
            let change = revision::change(merged);
            revise_memory(db, row.id, (title, text, text_key), files, revised.at)?;
            add_history(db, row.uid, change, text, revised.at)?;
            Entry::from(row)
        }
        _ => return Err(Fault::Store(Error::NotFound("row of this kind"))),
    };
    search::put(db, &entry, &revised.index)
}

/// Tells whoever watches, also where the tokens are the same as before.
fn note_change(db: &Connection, row: &Row) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO live_changes (change, kind, subject, project_id, session_id)
         VALUES ('changed', ?1, ?2, ?3, ?4)",
    )?
    .execute(params![row.id.kind.word(), row.id.number, row.project_id, row.session_id])?;
    Ok(())
}

pub(super) fn revisions(db: &Connection, id: PublicId) -> Sql<Vec<Revision>> {
    let mut list = db.prepare_cached(
        "SELECT change, before, at FROM row_revisions WHERE kind = ?1 AND row_id = ?2
         ORDER BY id DESC",
    )?;
    let rows = list.query_map(params![id.kind.word(), id.number], |row| {
        Ok(Revision {
            change: row.get("change")?,
            before: from_json(row, "before")?,
            at: time(row, "at")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
