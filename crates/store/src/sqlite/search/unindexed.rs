//! Rows that are older than the index. Only the analyzer makes tokens, so whoever has it is asked to
//! bring them in; that it is still to be done stands in `settings`.

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use rusqlite::Connection;

use super::super::connect::Sql;
use super::super::rows::{row, table};
use super::index::put;
use crate::contract::IndexDoc;
use crate::rules::entry::Entry;

/// The setting that says that rows may be missing.
const DUE: &str = "unindexed";

/// Notes that rows may be missing.
pub(in super::super) fn begin(db: &Connection) -> Sql<()> {
    db.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?1, 'due')", [DUE])?;
    Ok(())
}

pub(super) fn is_due(db: &Connection) -> Sql<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM settings WHERE name = ?1")?.exists([DUE])?)
}

pub(super) fn end(db: &Connection) -> Sql<()> {
    db.prepare_cached("DELETE FROM settings WHERE name = ?1")?.execute([DUE])?;
    Ok(())
}

/// Some of the rows that are missing, of those that can be read: one whose project or session is gone
/// cannot.
pub(super) fn rows(db: &Connection, limit: usize) -> Sql<Vec<PublicId>> {
    let mut missing = Vec::new();
    for kind in Kind::ALL {
        let sql = format!(
            "SELECT id FROM {} AS t WHERE NOT EXISTS
             (SELECT 1 FROM search_rows WHERE kind = ?1 AND row_id = t.id) ORDER BY id",
            table(kind)
        );
        let mut list = db.prepare_cached(&sql)?;
        for id in list.query_map([kind.word()], |row| row.get(0))? {
            let id = PublicId::new(kind, id?);
            if missing.len() == limit {
                return Ok(missing);
            }
            if row(db, &Scope::All, id)?.is_some() {
                missing.push(id);
            }
        }
    }
    Ok(missing)
}

pub(super) fn index(db: &Connection, docs: &[(PublicId, IndexDoc)]) -> Sql<()> {
    for (id, doc) in docs {
        if let Some(row) = row(db, &Scope::All, *id)? {
            put(db, &Entry::from(&row), doc)?;
        }
    }
    Ok(())
}
