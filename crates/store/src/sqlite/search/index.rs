//! Keeping the index in step with the rows.

use std::path::Path;

use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::{Sql, Writer};
use super::super::owned::SCOPE_TERMS;
use super::super::values::{optional, time};
use super::encode::field;
use super::filters::Asked;
use crate::contract::IndexDoc;
use crate::rules::entry::{Entry, length};
use crate::rules::hash::doc_hash;
use crate::{Error, Result};

/// Begins the tokens of the `scope` field: a private character that no analyzed text holds, so
/// that a project or a kind is never taken for a word.
const SCOPE_MARK: char = '\u{10f8ff}';

/// The `scope` clause of a query; none when everything is asked for.
pub(super) fn scope_clause(asked: &Asked<'_>) -> Option<String> {
    let project = asked.scope.project().map(|id| format!("\"{SCOPE_MARK}{id}\""));
    let kind = asked.kind.map(|kind| format!("\"{SCOPE_MARK}{kind}\""));
    let owners = asked.ways.as_ref().map(|ways| ways.terms(SCOPE_MARK));
    let clauses: Vec<String> = [project, kind, owners].into_iter().flatten().collect();
    (!clauses.is_empty()).then(|| clauses.join(" AND "))
}

/// Puts a row into the index, or brings its entry up to date; an entry that is right stays.
pub(in super::super) fn put(db: &Connection, entry: &Entry, doc: &IndexDoc) -> Sql<()> {
    let hash = doc_hash(doc);
    let tokens = length(doc);
    let mut known = db.prepare_cached(
        "SELECT id, doc_hash, created_at FROM search_rows WHERE kind = ?1 AND row_id = ?2",
    )?;
    let word = entry.id.kind.word();
    let found = optional(known.query_row(params![word, entry.id.number], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, time(row, "created_at")?))
    }))?;
    let Some((id, old_hash, old_time)) = found else {
        let id = insert_row(db, entry, hash, tokens)?;
        return write_tokens(db, id, entry, doc);
    };
    if old_hash == hash && old_time == entry.created_at {
        return Ok(());
    }
    db.prepare_cached(
        "UPDATE search_rows SET created_at = ?2, tokens = ?3, doc_hash = ?4 WHERE id = ?1",
    )?
    .execute(params![id, entry.created_at.millis(), tokens, hash])?;
    if old_hash == hash {
        return Ok(());
    }
    db.prepare_cached("DELETE FROM search_index WHERE rowid = ?1")?.execute([id])?;
    write_tokens(db, id, entry, doc)
}

/// Adds tokens of files to a row's entry.
pub(in super::super) fn add_files(db: &Connection, entry: &Entry, tokens: &str) -> Sql<()> {
    let mut one = db.prepare_cached(
        "SELECT t.title, t.text, t.files FROM search_rows r JOIN search_tokens t ON t.id = r.id
         WHERE r.kind = ?1 AND r.row_id = ?2",
    )?;
    let known = one.query_row(params![entry.id.kind.word(), entry.id.number], |row| {
        Ok(IndexDoc { title: row.get(0)?, text: row.get(1)?, files: row.get(2)? })
    });
    let Some(mut doc) = optional(known)? else { return Ok(()) };
    let gap = if doc.files.is_empty() { "" } else { " " };
    doc.files = format!("{}{gap}{tokens}", doc.files);
    put(db, entry, &doc)
}

fn insert_row(db: &Connection, entry: &Entry, hash: i64, tokens: i64) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO search_rows (kind, row_id, project_id, session_id, created_at, subagent,
         tokens, doc_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        entry.id.kind.word(),
        entry.id.number,
        entry.project_id,
        entry.session_id,
        entry.created_at.millis(),
        entry.subagent,
        tokens,
        hash
    ])?;
    Ok(db.last_insert_rowid())
}

fn write_tokens(db: &Connection, id: i64, entry: &Entry, doc: &IndexDoc) -> Sql<()> {
    let (title, text, files) = (field(&doc.title), field(&doc.text), field(&doc.files));
    db.prepare_cached(
        "INSERT OR REPLACE INTO search_tokens (id, title, text, files) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![id, title, text, files])?;
    let mut scope = format!("{SCOPE_MARK}{} {SCOPE_MARK}{}", entry.project_id, entry.id.kind);
    if entry.id.kind == Kind::Memory {
        scope.push_str(&owner_terms(db, entry.id.number)?);
    }
    db.prepare_cached(
        "INSERT INTO search_index (rowid, title, text, files, scope) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![id, title, text, files, scope])?;
    Ok(())
}

/// The terms of a memory's owner in the scope, each after a blank.
fn owner_terms(db: &Connection, memory_id: i64) -> Sql<String> {
    let mut one =
        db.prepare_cached(&format!("SELECT {SCOPE_TERMS} FROM memories m WHERE m.id = ?2"))?;
    Ok(one.query_row(params![SCOPE_MARK.to_string(), memory_id], |row| row.get(0))?)
}

/// Rows of a project and a kind whose tokens are exactly these.
pub(in super::super) fn same_doc(
    db: &Connection,
    project_id: i64,
    kind: Kind,
    doc: &IndexDoc,
) -> Sql<Vec<PublicId>> {
    let mut list = db.prepare_cached(
        "SELECT row_id FROM search_rows WHERE doc_hash = ?1 AND project_id = ?2 AND kind = ?3",
    )?;
    let rows = list.query_map(params![doc_hash(doc), project_id, kind.word()], |row| {
        Ok(PublicId::new(kind, row.get(0)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What is wrong between the rows and the index, cheaply: the newest keys and a query.
fn quick_problem(db: &Connection) -> Option<String> {
    let newest = |sql: &str| db.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let probe = db.query_row(
        "SELECT count(*) FROM (SELECT 1 FROM search_index WHERE search_index MATCH '\"a\"'
         LIMIT 1)",
        [],
        |row| row.get::<_, i64>(0),
    );
    if let Err(error) = probe {
        return Some(error.to_string());
    }
    let rows = newest("SELECT max(id) FROM search_rows");
    let indexed = newest("SELECT max(id) FROM search_index_docsize");
    match (rows, indexed) {
        (Ok(rows), Ok(indexed)) if rows == indexed => None,
        (Ok(_), Ok(_)) => Some("its newest row is missing".to_owned()),
        (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
    }
}

/// Makes the index again when it plainly cannot be used. Runs at open, before any other thread.
pub(in super::super) fn ensure_usable(path: &Path) -> Result<()> {
    let mut db = Writer::connection(path)?;
    if let Some(problem) = quick_problem(&db) {
        tracing::warn!(problem, "the full-text index is made again");
        rebuild(&mut db).map_err(Error::from)?;
    }
    Ok(())
}

/// What is wrong with the index in full, as sentences; reads all of it.
pub(in super::super) fn index_problems(db: &Connection) -> Vec<String> {
    let mut problems: Vec<String> = quick_problem(db).into_iter().collect();
    let lost = |what: &str, sql: &str| match db.query_row(sql, [], |row| row.get::<_, i64>(0)) {
        Ok(0) => None,
        Ok(n) => Some(format!("{n} rows have no {what}")),
        Err(error) => Some(error.to_string()),
    };
    let indexed = "SELECT count(*) FROM search_rows
                   WHERE id NOT IN (SELECT id FROM search_index_docsize)";
    problems.extend(lost("place in the index", indexed));
    let result =
        db.query_row("PRAGMA integrity_check(search_index)", [], |row| row.get::<_, String>(0));
    match result {
        Ok(word) if word == "ok" => {}
        Ok(problem) => problems.push(problem),
        Err(error) => problems.push(error.to_string()),
    }
    problems
}

/// Makes the index again from the stored tokens, in one transaction. Returns how many rows it has.
pub(in super::super) fn rebuild(db: &mut Connection) -> Sql<usize> {
    let tx = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let ddl: String =
        tx.query_row("SELECT sql FROM sqlite_schema WHERE name = 'search_index'", [], |row| {
            row.get(0)
        })?;
    clear(&tx, &ddl)?;
    let rows = tx.execute(
        &format!(
            "INSERT INTO search_index (rowid, title, text, files, scope)
             SELECT r.id, t.title, t.text, t.files,
                 ?1 || r.project_id || ' ' || ?1 || r.kind || {SCOPE_TERMS}
             FROM search_rows r JOIN search_tokens t ON t.id = r.id
             LEFT JOIN memories m ON r.kind = 'memory' AND m.id = r.row_id ORDER BY r.id"
        ),
        [SCOPE_MARK.to_string()],
    )?;
    tx.commit()?;
    Ok(rows)
}

/// Drops the table and makes it anew. Where it is too broken to be dropped as a whole, its parts
/// go one by one, and the entry in the schema with them.
fn clear(db: &Connection, ddl: &str) -> Sql<()> {
    if db.execute_batch("SAVEPOINT whole; DROP TABLE search_index; RELEASE whole").is_err() {
        db.execute_batch("ROLLBACK TO whole; RELEASE whole")?;
        for part in ["data", "idx", "docsize", "config"] {
            db.execute_batch(&format!("DROP TABLE IF EXISTS search_index_{part}"))?;
        }
        db.execute_batch(
            "PRAGMA writable_schema = ON;
             DELETE FROM sqlite_schema WHERE name = 'search_index';
             PRAGMA writable_schema = RESET;",
        )?;
    }
    db.execute_batch(ddl)?;
    Ok(())
}
