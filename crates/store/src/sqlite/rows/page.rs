//! Rows of one kind, page by page.

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::limit as sql_limit;
use super::read::{row, table};
use crate::contract::Row;

/// As the contract's `page`.
pub(super) fn page(
    db: &Connection,
    scope: &Scope,
    kind: Kind,
    agent: Option<&str>,
    (offset, limit): (usize, usize),
) -> Sql<Vec<Row>> {
    let whose = match (agent, kind) {
        (None, _) => "?4 IS NULL",
        // A memory is of no session.
        (Some(_), Kind::Memory) => "?4 IS NULL AND FALSE",
        (Some(_), _) => "session_id IN (SELECT id FROM sdk_sessions WHERE agent = ?4)",
    };
    let sql = format!(
        "SELECT id FROM {} WHERE {} AND {whose}
         ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3",
        table(kind),
        super::in_scope(scope)
    );
    let mut list = db.prepare_cached(&sql)?;
    let found = list
        .query_map(params![scope.project(), sql_limit(limit), sql_limit(offset), agent], |row| {
            row.get(0)
        })?;
    let numbers = found.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut rows = Vec::with_capacity(numbers.len());
    for number in numbers {
        rows.extend(row(db, scope, PublicId::new(kind, number))?);
    }
    Ok(rows)
}
