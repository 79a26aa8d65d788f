//! Is the file whole, and do its parts agree? What can be mended without loss is mended.

use std::collections::BTreeMap;

use rusqlite::{Connection, ErrorCode};

use super::SqliteStore;
use super::connect::{Sql, differences};
use super::search;
use crate::{Error, Result};

/// Most problems of one kind that are listed.
const MOST: usize = 20;

/// Everything but pages, index and counters: foreign keys and schema.
pub(super) fn check(db: &Connection) -> Sql<Vec<String>> {
    let mut problems = Vec::new();
    let mut list = db.prepare("PRAGMA foreign_key_check")?;
    let orphans = list.query_map([], |row| {
        Ok(format!(
            "a row of {} points to a row of {} that does not exist",
            row.get::<_, String>(0)?,
            row.get::<_, String>(2)?
        ))
    })?;
    problems.extend(orphans.take(MOST).collect::<rusqlite::Result<Vec<_>>>()?);
    problems.extend(differences(db)?);
    Ok(problems)
}

/// Problems of ordinary pages; those of the index are told apart by name.
pub(super) fn pages(db: &Connection) -> Sql<Vec<String>> {
    let mut list = db.prepare("PRAGMA quick_check(20)")?;
    let rows = list.query_map([], |row| row.get::<_, String>(0))?;
    let found = match rows.collect::<rusqlite::Result<Vec<_>>>() {
        Ok(found) => found,
        // Too broken to be looked through.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            vec![error.to_string()]
        }
        Err(error) => return Err(error.into()),
    };
    Ok(found.into_iter().filter(|line| line != "ok" && !line.contains("search_index")).collect())
}

/// Looks at the index and the counters, and makes again what is wrong.
pub(super) async fn mend(store: &SqliteStore) -> Result<Vec<String>> {
    let index = store.read(|db| Ok(search::index_problems(db))).await?;
    let counters = store.read(counter_problems).await?;
    let mut told = Vec::new();
    if !index.is_empty() {
        let rows = store.writer.run_alone(|db| search::rebuild(db).map_err(Error::from)).await?;
        told.push(format!(
            "the full-text index was damaged ({}) and was made again from {rows} rows",
            index.join("; ")
        ));
    }
    if !counters.is_empty() {
        store.write(recount).await?;
        told.push(format!("counters were wrong ({}) and were counted again", counters.join("; ")));
    }
    Ok(told)
}

/// The counters that triggers keep, counted from the rows.
fn counted(db: &Connection) -> Sql<BTreeMap<String, i64>> {
    let mut counted = BTreeMap::new();
    for state in ["waiting", "distilled", "parked"] {
        counted.insert(format!("events.{state}"), 0);
    }
    for kind in afterword_domain::Kind::ALL {
        counted.insert(format!("rows.{kind}"), 0);
    }
    let mut list = db.prepare(
        "SELECT 'events.' || state, count(*) FROM events GROUP BY state
         UNION ALL SELECT 'rows.' || kind, count(*) FROM search_rows GROUP BY kind
         UNION ALL SELECT 'tokens', coalesce(sum(tokens), 0) FROM search_rows
         UNION ALL SELECT 'embedded.' || s.id,
             (SELECT count(*) FROM search_rows WHERE embedded = s.id) FROM vector_spaces s
         UNION ALL SELECT 'payload.bytes', coalesce(sum(octet_length(payload)), 0)
         FROM event_payloads",
    )?;
    let rows = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    counted.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    Ok(counted)
}

fn counter_problems(db: &Connection) -> Sql<Vec<String>> {
    let mut one = db.prepare("SELECT coalesce(max(value), 0) FROM counters WHERE name = ?1")?;
    let mut problems = Vec::new();
    for (name, n) in counted(db)? {
        let says: i64 = one.query_row([&name], |row| row.get(0))?;
        if says != n {
            problems.push(format!("{name} said {says}, there are {n}"));
        }
    }
    Ok(problems)
}

/// Counts the rows again and sets the counters by them.
pub(super) fn recount(db: &Connection) -> Sql<()> {
    let mut set = db.prepare("INSERT OR REPLACE INTO counters (name, value) VALUES (?1, ?2)")?;
    for (name, n) in counted(db)? {
        set.execute((name, n))?;
    }
    Ok(())
}

/// Brings the whole log into the file and empties it.
pub(super) fn checkpoint(db: &Connection) -> Result<()> {
    let outcome = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    match outcome {
        Ok(0) => Ok(()),
        Ok(_) => Err(Error::Busy),
        Err(error) => Err(super::connect::Fault::from(error).into()),
    }
}
