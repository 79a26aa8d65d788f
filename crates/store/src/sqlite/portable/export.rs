//! Rows on their way out.

use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::projects;
use super::super::rows::{in_scope, row, table};
use super::super::values::limit as sql_limit;
use crate::contract::{ExportCursor, Row};
use crate::rules::transfer::portable::{fill, line};

/// The rows after a cursor, kind by kind, each by id.
pub(super) fn page(
    db: &Connection,
    scope: &Scope,
    after: Option<ExportCursor>,
    limit: usize,
) -> Sql<Vec<(ExportCursor, PortableRow)>> {
    let mut found = Vec::new();
    let kinds = Kind::ALL.into_iter().filter(|kind| after.is_none_or(|after| *kind >= after.kind));
    for kind in kinds {
        let last = after.filter(|after| after.kind == kind).map_or(0, |after| after.id);
        for id in ids(db, scope, kind, last, limit - found.len())? {
            if let Some(row) = row(db, scope, PublicId::new(kind, id))? {
                found.push((ExportCursor { kind, id }, portable(db, row)?));
            }
        }
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

fn ids(db: &Connection, scope: &Scope, kind: Kind, after: i64, limit: usize) -> Sql<Vec<i64>> {
    let mut list = db.prepare_cached(&format!(
        "SELECT id FROM {} WHERE {} AND id > ?2 ORDER BY id LIMIT ?3",
        table(kind),
        in_scope(scope)
    ))?;
    let rows =
        list.query_map(params![scope.project(), after, sql_limit(limit)], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A row as a line of an export file.
pub(super) fn portable(db: &Connection, row: Row) -> Sql<PortableRow> {
    let agent = match row.session_id {
        Some(id) => Some(
            db.prepare_cached("SELECT agent FROM sdk_sessions WHERE id = ?1")?
                .query_row([id], |row| row.get(0))?,
        ),
        None => None,
    };
    let line = line(&row, agent, projects::keys(db, row.project_id)?);
    Ok(fill(line, row.body)?)
}
