//! How many rows there are.

use afterword_domain::Kind;
use afterword_domain::day::Day;
use afterword_domain::scope::Scope;

use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{count, get, kind as kind_of};

/// Every kind with its number of rows, also those with none.
pub(in crate::postgres) async fn count_rows(tx: &Tx, scope: &Scope) -> Sql<Vec<(Kind, u64)>> {
    let sql = match scope {
        Scope::All => {
            "SELECT substr(name, 6) AS kind, sum(value)::bigint AS n FROM counters
             WHERE tenant = $1 AND name >= 'rows.' AND name < 'rows/' AND $2::bigint IS NULL
             GROUP BY name"
        }
        Scope::Project(_) => {
            "SELECT kind, count(*) AS n FROM search_rows WHERE tenant = $1 AND project_id = $2
             GROUP BY kind"
        }
    };
    let rows = tx.rows(sql, &[&scope.project()]).await?;
    let found = super::each(&rows, |row| Ok((kind_of(row, "kind")?, count(get(row, "n")?))))?;
    let of = |kind| found.iter().find(|(k, _)| *k == kind).map_or(0, |(_, n)| *n);
    Ok(Kind::ALL.into_iter().map(|kind| (kind, of(kind))).collect())
}

/// As the contract's `count_rows_by_day`.
pub(super) async fn by_day(
    tx: &Tx,
    scope: &Scope,
    from: Day,
    to: Day,
) -> Sql<Vec<(Day, Kind, u64)>> {
    // Days before the epoch count down: division goes towards the earlier day.
    let sql = format!(
        "SELECT floor(created_at / 86400000.0)::bigint AS day, kind, count(*) AS n FROM search_rows
         WHERE tenant = $1 AND {} AND created_at >= $3 AND created_at < $4 GROUP BY 1, 2",
        super::in_scope(scope)
    );
    let (begin, end) = (from.begins().millis(), to.plus(1).begins().millis());
    let rows = tx.rows(&sql, &[&scope.project(), &begin, &end]).await?;
    let mut found = super::each(&rows, |row| {
        Ok((Day::from_number(get(row, "day")?), kind_of(row, "kind")?, count(get(row, "n")?)))
    })?;
    found.sort_by_key(|(day, kind, _)| (*day, *kind));
    Ok(found)
}
