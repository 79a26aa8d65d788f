//! How many rows there are.

use afterword_domain::Kind;
use afterword_domain::day::Day;
use afterword_domain::scope::Scope;
use rusqlite::{Connection, params};

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

/// As the contract's `count_rows_by_day`. A kind at a time, so that an index alone can answer.
pub(super) fn by_day(
    db: &Connection,
    scope: &Scope,
    from: Day,
    to: Day,
) -> Sql<Vec<(Day, Kind, u64)>> {
    let mut found = Vec::new();
    let place = super::in_scope(scope);
    let mut list = db.prepare_cached(&format!(
        "SELECT created_at / 86400000 AS day, count(*) AS n FROM search_rows
         WHERE {place} AND kind = ?2 AND created_at >= ?3 AND created_at < ?4 GROUP BY day"
    ))?;
    for kind in Kind::ALL {
        let (begin, end) = (from.begins().millis(), to.plus(1).begins().millis());
        let rows = list.query_map(params![scope.project(), kind.word(), begin, end], |row| {
            Ok((Day::from_number(row.get("day")?), kind, count(row.get("n")?)))
        })?;
        found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    // Stable: kinds of a day stay in their order.
    found.sort_by_key(|(day, ..)| *day);
    Ok(found)
}
