//! Rows that a person changes.

use afterword_domain::observation::{Observation, Source};
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};

use crate::Error;
use crate::contract::{NewContent, Revised, Revision, Row, RowBody, RowChange};
use crate::postgres::connect::{Fault, Sql, Tx};
use crate::postgres::log::Change;
use crate::postgres::memories::{add_history, revise_memory};
use crate::postgres::rows::{forget_rows, rows, update_observation, update_summary};
use crate::postgres::values::{from_json, get, json, time};
use crate::postgres::{search, sessions};
use crate::rules::entry::Entry;
use crate::rules::revision;

pub(super) async fn revise(tx: &Tx, revised: &Revised) -> Sql<Row> {
    let known = found(tx, &Scope::All, &[revised.id]).await?.remove(0);
    let scope = Scope::Project(known.project_id);
    let ids: Vec<PublicId> =
        revised.takes_in.iter().filter(|id| **id != revised.id).copied().collect();
    let of: Vec<i64> = found(tx, &scope, &ids).await?.iter().filter_map(|r| r.session_id).collect();
    sessions::lock_all(tx, &of.into_iter().chain(known.session_id).collect::<Vec<_>>()).await?;
    // As they are now that nobody else changes them.
    let known = found(tx, &scope, &[revised.id]).await?.remove(0);
    let took_in = found(tx, &scope, &ids).await?;
    keep(tx, revised, &known, &took_in).await?;
    if revised.id.kind == Kind::Observation {
        for id in &ids {
            move_evidence(tx, id.number, revised.id.number).await?;
        }
    }
    forget_rows(tx, &scope, &ids, revised.at).await?;
    write(tx, revised, &known, !took_in.is_empty()).await?;
    // Whoever watches is told, also where the tokens are the same as before.
    tx.tell(Change::of_row(known.id, known.project_id, known.session_id, RowChange::Changed));
    Ok(found(tx, &scope, &[revised.id]).await?.remove(0))
}

/// The rows of ids, all of them.
async fn found(tx: &Tx, scope: &Scope, ids: &[PublicId]) -> Sql<Vec<Row>> {
    let found = rows(tx, scope, ids).await?;
    match ids.iter().find(|id| found.iter().all(|row| row.id != **id)) {
        Some(missing) => Err(Fault::Store(Error::NotFound(missing.kind.word()))),
        None => Ok(found),
    }
}

/// Keeps what is there before it is written over.
async fn keep(tx: &Tx, revised: &Revised, known: &Row, took_in: &[Row]) -> Sql<()> {
    let before = json(&revision::before(known, took_in)?)?;
    let change = revision::change(!took_in.is_empty());
    let sql = "INSERT INTO row_revisions (tenant, kind, row_id, change, before, at)
               VALUES ($1, $2, $3, $4, $5, $6)";
    let PublicId { kind, number } = revised.id;
    tx.run(sql, &[&kind.word(), &number, &change, &before, &revised.at.millis()]).await?;
    Ok(())
}

/// The events behind one observation stand behind another one too.
async fn move_evidence(tx: &Tx, from: i64, to: i64) -> Sql<()> {
    let sql = "INSERT INTO observation_events (tenant, observation_id, event_id)
               SELECT $1, $3, event_id FROM observation_events
               WHERE tenant = $1 AND observation_id = $2 ON CONFLICT DO NOTHING";
    tx.run(sql, &[&from, &to]).await?;
    Ok(())
}

async fn write(tx: &Tx, revised: &Revised, known: &Row, merged: bool) -> Sql<()> {
    let entry = match (&revised.content, &known.body) {
        (NewContent::Observation(content), RowBody::Observation(row)) => {
            let row =
                Observation { content: content.clone(), source: Source::Person, ..row.clone() };
            update_observation(tx, &row).await?;
            Entry::from(&row)
        }
        (NewContent::Summary(content), RowBody::Summary(row)) => {
            let mut row = row.clone();
            row.content.clone_from(content);
            row.source = Source::Person;
            update_summary(tx, &row).await?;
            Entry::from(&row)
        }
        (NewContent::Memory { title, text, text_key, files }, RowBody::Memory(row)) => {
            revise_memory(tx, row, (title, text, text_key), files, revised.at).await?;
            let change = revision::change(merged);
            add_history(tx, change, &[(row.uid, text, revised.at)]).await?;
            Entry::from(row)
        }
        _ => return Err(Fault::Store(Error::NotFound("row of this kind"))),
    };
    search::put(tx, &entry, &revised.index).await
}

pub(super) async fn revisions(tx: &Tx, id: PublicId) -> Sql<Vec<Revision>> {
    let sql = "SELECT change, before, at FROM row_revisions
               WHERE tenant = $1 AND kind = $2 AND row_id = $3 ORDER BY id DESC";
    let rows = tx.rows(sql, &[&id.kind.word(), &id.number]).await?;
    let revisions = rows.iter().map(|row| {
        Ok(Revision {
            change: get(row, "change")?,
            before: from_json(row, "before")?,
            at: time(row, "at")?,
        })
    });
    revisions.collect()
}
