//! The filters of a query: rows within them, and counting what matches.

use std::sync::Arc;

use afterword_domain::{Kind, Time};
use tokio_postgres::Row;

use super::terms::{self, Term};
use crate::contract::{KeywordQuery, Period};
use crate::postgres::connect::{Parameter, Sql, Tx};
use crate::postgres::owned::Ways;
use crate::postgres::values::{get, limit as sql_limit};
use crate::rules::ranking::bm25::as_f64;

/// Where counting of matches stops.
pub(super) const MOST_COUNTED: usize = 2_000;

/// The same as rows.
const MOST_COUNTED_ROWS: i64 = 2_000;

/// Newest rows that tell how many match where very many may.
const SAMPLE: i64 = 1_000;

/// Newest rows that are looked at one by one for a term that is too common to be looked up.
const WINDOW: i64 = 20_000;

/// Rows of a term up to which it is looked up.
const FEW: f64 = 5_000.0;

/// Rows within the filters up to which all of them are read.
const NARROW: usize = 300;

/// The first parameters of a statement after `$1`: those of [`Filters`].
const FIRST: usize = 4;

/// The filters of a query as parameters `$2` to `$5`, and owners after those of a statement's own.
pub(super) struct Filters {
    pub(super) project: Option<i64>,
    pub(super) kind: Option<&'static str>,
    pub(super) since: i64,
    pub(super) until: i64,
    owners: Option<Arc<Ways>>,
}

impl Filters {
    pub(super) fn of(query: &KeywordQuery) -> Self {
        Self {
            project: query.scope.project(),
            kind: query.kind.map(Kind::word),
            since: query.since.map_or(i64::MIN, Time::millis),
            until: query.until.map_or(i64::MAX, Time::millis),
            owners: query.owners.as_ref().map(|owners| Arc::new(Ways::of(owners))),
        }
    }

    /// Whether nothing can be found.
    pub(super) fn is_impossible(&self) -> bool {
        self.owners.as_ref().is_some_and(|ways| ways.is_impossible())
    }

    /// The parameters of a statement: those of the filters, its own, and owners.
    pub(super) fn with<'a>(&'a self, own: &[Parameter<'a>]) -> Vec<Parameter<'a>> {
        let mut all: Vec<Parameter<'a>> = vec![&self.project, &self.kind, &self.since, &self.until];
        all.extend_from_slice(own);
        all.extend(self.owners.iter().flat_map(|ways| ways.parameters()));
        all
    }

    /// The same with the times of a period besides.
    fn in_period(&self, period: Period) -> Self {
        Self {
            since: self.since.max(period.from.millis()),
            until: self.until.min(period.to.millis()),
            project: self.project,
            kind: self.kind,
            owners: self.owners.clone(),
        }
    }

    /// Whether anything is left out.
    pub(super) fn is_narrow(&self) -> bool {
        self.project.is_some() || self.kind.is_some() || self.owners.is_some() || self.by_time()
    }

    fn by_time(&self) -> bool {
        self.since != i64::MIN || self.until != i64::MAX
    }

    /// The conditions on the table or alias `t`, in a statement with so many parameters of its own.
    pub(super) fn conditions(&self, t: &str, own: usize) -> String {
        let kind = if self.kind.is_some() {
            format!("{t}.kind = $3")
        } else {
            "$3::text IS NULL".to_owned()
        };
        let of_row = self.of_row(t);
        let owned = self.owners.as_ref().map_or_else(String::new, |ways| {
            // Row by row: those that are asked about are few.
            let condition = ways.condition(FIRST + own + 2);
            format!(
                " AND {t}.kind = 'memory' AND EXISTS (SELECT 1 FROM search_rows o
                    JOIN memories m ON m.tenant = $1 AND m.id = o.row_id
                    WHERE o.tenant = $1 AND o.id = {t}.id AND {condition} OFFSET 0)"
            )
        });
        format!("{of_row} AND {kind}{owned}")
    }

    /// The conditions on project and time of the table or alias `t`.
    fn of_row(&self, t: &str) -> String {
        let project = if self.project.is_some() {
            format!("{t}.project_id = $2")
        } else {
            "$2::bigint IS NULL".to_owned()
        };
        let times = if self.by_time() {
            format!("{t}.created_at >= $4 AND {t}.created_at < $5")
        } else {
            "$4::bigint <= $5::bigint".to_owned()
        };
        format!("{t}.tenant = $1 AND {project} AND {times}")
    }

    /// The keys of rows within the filters: the newest, or any, at most `limit`. Where owners are
    /// asked for the way goes from their memories to the rows.
    fn keys(&self, own: usize, newest: bool, limit: &str) -> String {
        let order = |t: &str| {
            if newest {
                format!("ORDER BY {t}.created_at DESC, {t}.id DESC")
            } else {
                String::new()
            }
        };
        let Some(ways) = &self.owners else {
            let (conditions, order) = (self.conditions("r", own), order("r"));
            return format!(
                "SELECT r.id FROM search_rows r WHERE {conditions} {order} LIMIT {limit}"
            );
        };
        let kind = if self.kind.is_some() { "$3::text = 'memory'" } else { "$3::text IS NULL" };
        let condition = ways.condition(FIRST + own + 2);
        let (of_row, inner, outer) = (self.of_row("m"), order("m"), order("r"));
        format!(
            "SELECT r.id FROM (SELECT m.id FROM memories m
                 WHERE {of_row} AND {kind} AND {condition} {inner} LIMIT {limit}) m
             JOIN search_rows r ON r.tenant = $1 AND r.kind = 'memory' AND r.row_id = m.id {outer}"
        )
    }

    /// The newest rows within the filters with their terms, as a table of `id` and `terms`. Rows come
    /// one after the other, so that whoever has enough of them stops.
    fn window(&self, own: usize, rows: i64) -> String {
        if self.by_time() || self.kind.is_some() || self.owners.is_some() {
            let keys = self.keys(own, true, &rows.to_string());
            format!(
                "SELECT r.id, i.terms FROM ({keys}) r
                 CROSS JOIN LATERAL (
                     SELECT i.terms FROM search_index i
                     WHERE i.tenant = $1 AND i.id = r.id OFFSET 0) i"
            )
        } else {
            format!(
                "SELECT i.id, i.terms FROM search_index i WHERE {} ORDER BY i.id DESC LIMIT {rows}",
                self.conditions("i", own)
            )
        }
    }
}

/// Which of some terms a row is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    All,
    Any,
}

impl Holds {
    const fn operator(self) -> &'static str {
        match self {
            Self::All => "@>",
            Self::Any => "&&",
        }
    }

    /// Rows that are about looked at when the terms are looked up, in an index of so many.
    fn rows(self, terms: &[Term], all_rows: f64) -> f64 {
        let rows = terms.iter().map(|term| term.rows);
        match self {
            // As if words stood in rows by chance.
            Self::All => rows.fold(all_rows, |left, rows| left * (rows / all_rows).min(1.0)),
            Self::Any => rows.sum(),
        }
    }
}

/// What scoring asks of a row.
pub(super) struct Weighed {
    pub(super) key: i64,
    pub(super) length: i32,
    pub(super) terms: Vec<i64>,
    pub(super) weights: Vec<u8>,
}

impl Weighed {
    fn from_row(row: &Row) -> Sql<Self> {
        Ok(Self {
            key: get(row, "id")?,
            length: get(row, "length")?,
            terms: get(row, "terms")?,
            weights: get(row, "weights")?,
        })
    }
}

/// Every row within the filters that holds any of the terms.
pub(super) async fn holding_any(tx: &Tx, filters: &Filters, terms: &[Term]) -> Sql<Vec<Weighed>> {
    let sql = format!(
        "SELECT i.id, i.length, i.terms, i.weights FROM search_index i
         WHERE i.terms && $6::bigint[] AND {}",
        filters.conditions("i", 1)
    );
    let rows = tx.rows(&sql, &filters.with(&[&terms::numbers(terms)])).await?;
    rows.iter().map(Weighed::from_row).collect()
}

/// Every row within the filters, when they are few; reading them all is then the shortest way.
pub(super) async fn narrow_scope(tx: &Tx, filters: &Filters) -> Sql<Option<Vec<Weighed>>> {
    if !filters.is_narrow() {
        return Ok(None);
    }
    let sql = filters.keys(0, false, &(NARROW + 1).to_string());
    let rows = tx.rows(&sql, &filters.with(&[])).await?;
    if rows.len() > NARROW {
        return Ok(None);
    }
    let keys = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    weighed(tx, &keys).await.map(Some)
}

/// Rows by their keys.
pub(super) async fn weighed(tx: &Tx, keys: &[i64]) -> Sql<Vec<Weighed>> {
    let sql = "SELECT i.id, i.length, i.terms, i.weights FROM search_index i
               WHERE i.tenant = $1 AND i.id = ANY ($2)";
    tx.rows(sql, &[&keys]).await?.iter().map(Weighed::from_row).collect()
}

/// The newest rows within the filters that were made in a period.
pub(super) async fn rows_made_in(
    tx: &Tx,
    filters: &Filters,
    period: Period,
    limit: usize,
) -> Sql<Vec<i64>> {
    let filters = filters.in_period(period);
    let sql = filters.keys(1, true, "$6");
    let rows = tx.rows(&sql, &filters.with(&[&sql_limit(limit)])).await?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// The rows that hold the terms, those that were indexed last. Terms that very many of all rows hold
/// are looked for in the newest ones only.
pub(super) async fn newest_holding(
    tx: &Tx,
    filters: &Filters,
    (terms, holds): (&[Term], Holds),
    all_rows: f64,
    limit: usize,
) -> Sql<Vec<i64>> {
    let operator = holds.operator();
    let sql = if holds.rows(terms, all_rows) <= FEW {
        format!(
            "SELECT i.id FROM search_index i WHERE i.terms {operator} $6::bigint[] AND {}
             ORDER BY i.id DESC LIMIT $7",
            filters.conditions("i", 2)
        )
    } else {
        format!(
            "SELECT w.id FROM ({}) w WHERE w.terms {operator} $6::bigint[] LIMIT $7",
            filters.window(2, WINDOW)
        )
    };
    let rows = tx.rows(&sql, &filters.with(&[&terms::numbers(terms), &sql_limit(limit)])).await?;
    let mut ids = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids)
}

/// How many rows within the filters hold any of the terms, up to the bound. Of terms that very many
/// of all rows hold, the newest rows tell of the rest.
pub(super) async fn count_matches(
    tx: &Tx,
    filters: &Filters,
    terms: &[Term],
    all_rows: f64,
) -> Sql<usize> {
    let most = terms.iter().map(|term| term.rows).fold(0.0, f64::max);
    if !filters.is_narrow() && most >= as_f64(MOST_COUNTED_ROWS) {
        return Ok(MOST_COUNTED);
    }
    let numbers = terms::numbers(terms);
    if Holds::Any.rows(terms, all_rows) <= FEW {
        let sql = format!(
            "SELECT count(*) AS n FROM (
                 SELECT 1 FROM search_index i WHERE i.terms && $6::bigint[] AND {} LIMIT $7) found",
            filters.conditions("i", 2)
        );
        let bound = MOST_COUNTED_ROWS;
        let row = tx.one(&sql, &filters.with(&[&numbers, &bound])).await?;
        return Ok(usize::try_from(get::<i64>(&row, "n")?).unwrap_or(0));
    }
    let sql = format!(
        "SELECT count(*) AS looked_at, count(*) FILTER (WHERE w.terms && $6::bigint[]) AS n
         FROM ({}) w",
        filters.window(1, SAMPLE)
    );
    let row = tx.one(&sql, &filters.with(&[&numbers])).await?;
    let (looked_at, n): (i64, i64) = (get(&row, "looked_at")?, get(&row, "n")?);
    if looked_at < SAMPLE || n >= MOST_COUNTED_ROWS {
        return Ok(usize::try_from(n).unwrap_or(0));
    }
    let sql = format!("SELECT count(*) AS n FROM ({}) there", filters.keys(1, false, "$6"));
    let there = tx.one(&sql, &filters.with(&[&WINDOW])).await?;
    let estimate = n * get::<i64>(&there, "n")? / SAMPLE;
    Ok(usize::try_from(estimate).unwrap_or(0))
}
