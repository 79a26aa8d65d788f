//! Reading the log; triggers write it. There is one writer, so changes commit in the order of their
//! numbers.

use afterword_domain::PublicId;
use rusqlite::{Connection, Row, params};

use super::super::connect::Sql;
use super::super::values::{kind, limit as sql_limit, optional};
use crate::contract::{LiveChange, LiveChanges, RowChange, SessionChange, What};

pub(super) fn changes(db: &Connection, after: Option<i64>, limit: usize) -> Sql<LiveChanges> {
    let mut newest =
        db.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'live_changes'")?;
    let last: i64 = optional(newest.query_row([], |row| row.get(0)))?.unwrap_or(0);
    let Some(after) = after.filter(|after| *after != last) else {
        return Ok(LiveChanges { last, ..LiveChanges::default() });
    };
    let mut oldest = db.prepare_cached("SELECT coalesce(min(id), ?1) FROM live_changes")?;
    let oldest: i64 = oldest.query_row([last + 1], |row| row.get(0))?;
    if after > last || after < oldest - 1 {
        return Ok(LiveChanges { last, lost: true, ..LiveChanges::default() });
    }
    let mut page = db.prepare_cached(
        "SELECT id, change, kind, subject, project_id, session_id FROM live_changes
         WHERE id > ?1 ORDER BY id LIMIT ?2",
    )?;
    let rows = page.query_map(params![after, sql_limit(limit)], change)?;
    Ok(LiveChanges { changes: rows.collect::<rusqlite::Result<_>>()?, last, lost: false })
}

fn change(row: &Row<'_>) -> rusqlite::Result<LiveChange> {
    let word: String = row.get("change")?;
    let subject: i64 = row.get("subject")?;
    let what = if row.get::<_, Option<String>>("kind")?.is_some() {
        let change = RowChange::ALL.into_iter().find(|change| change.word() == word);
        What::Row(PublicId::new(kind(row, "kind")?, subject), change.unwrap_or(RowChange::Changed))
    } else {
        let change = SessionChange::ALL.into_iter().find(|change| change.word() == word);
        What::Session(subject, change.unwrap_or(SessionChange::Resumed))
    };
    Ok(LiveChange {
        id: row.get("id")?,
        project_id: row.get("project_id")?,
        session_id: row.get("session_id")?,
        what,
    })
}
