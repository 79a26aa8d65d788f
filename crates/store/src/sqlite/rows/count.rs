//! How many rows there are.

use afterword_domain::Kind;
use afterword_domain::scope::Scope;
use rusqlite::Connection;

use super::super::connect::Sql;
use super::super::values::{count, kind as kind_of};

/// Every kind with its number of rows, also those with none.
pub(in super::super) fn count_rows(db: &Connection, scope: &Scope) -> Sql<Vec<(Kind, u64)>> {
    let sql = match scope {
        Scope::All => {
            "SELECT substr(name, 6) AS kind, value AS n FROM counters
             WHERE name GLOB 'rows.*' AND ?1 IS NULL"
        }
        Scope::Project(_) => {
            "SELECT kind, count(*) AS n FROM search_rows WHERE project_id = ?1 GROUP BY kind"
        }
    };
    let mut list = db.prepare_cached(sql)?;
    let rows =
        list.query_map([scope.project()], |row| Ok((kind_of(row, "kind")?, count(row.get("n")?))))?;
    let found = rows.collect::<rusqlite::Result<Vec<(Kind, u64)>>>()?;
    let of = |kind| found.iter().find(|(k, _)| *k == kind).map_or(0, |(_, n)| *n);
    Ok(Kind::ALL.into_iter().map(|kind| (kind, of(kind))).collect())
}
