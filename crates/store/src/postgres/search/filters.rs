//! The filters of a query: rows within them, and counting what matches.

use afterword_domain::{Kind, Time};
use tokio_postgres::Row;

use super::terms::{self, Term};
use crate::contract::{KeywordQuery, Period};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{get, limit as sql_limit};

/// Where counting of matches stops.
pub(super) const MOST_COUNTED: usize = 2_000;

/// Newest rows that are looked at one by one for a term that is too common to be looked up.
const WINDOW: i64 = 20_000;

/// Rows of a term up to which it is looked up.
const FEW: f64 = 5_000.0;

/// Rows within the filters up to which all of them are read.
const NARROW: usize = 300;

/// The filters of a query as parameters `$2` to `$5`.
pub(super) struct Filters {
    pub(super) project: Option<i64>,
    pub(super) kind: Option<&'static str>,
    pub(super) since: i64,
    pub(super) until: i64,
}

impl Filters {
    pub(super) fn of(query: &KeywordQuery) -> Self {
        Self {
            project: query.scope.project(),
            kind: query.kind.map(Kind::word),
            since: query.since.map_or(i64::MIN, Time::millis),
            until: query.until.map_or(i64::MAX, Time::millis),
        }
    }

    /// The same with the times of a period besides.
    fn in_period(&self, period: Period) -> Self {
        Self {
            since: self.since.max(period.from.millis()),
            until: self.until.min(period.to.millis()),
            ..*self
        }
    }

    /// Whether anything is left out.
    pub(super) fn is_narrow(&self) -> bool {
        self.project.is_some() || self.kind.is_some() || self.by_time()
    }

    fn by_time(&self) -> bool {
        self.since != i64::MIN || self.until != i64::MAX
    }

    /// The conditions on the table or alias `t`.
    pub(super) fn conditions(&self, t: &str) -> String {
        let project = if self.project.is_some() {
            format!("{t}.project_id = $2")
        } else {
            "$2::bigint IS NULL".to_owned()
        };
        let kind = if self.kind.is_some() {
            format!("{t}.kind = $3")
        } else {
            "$3::text IS NULL".to_owned()
        };
        let times = if self.by_time() {
            format!("{t}.created_at >= $4 AND {t}.created_at < $5")
        } else {
            "$4::bigint <= $5::bigint".to_owned()
        };
        format!("{t}.tenant = $1 AND {project} AND {kind} AND {times}")
    }

    /// The newest rows within the filters, as a table of `id`, in the order of one index.
    fn window(&self) -> String {
        if self.by_time() || self.kind.is_some() {
            format!(
                "SELECT r.id FROM search_rows r WHERE {} ORDER BY r.created_at DESC, r.id DESC
                 LIMIT {WINDOW}",
                self.conditions("r")
            )
        } else {
            format!(
                "SELECT i.id FROM search_index i WHERE {} ORDER BY i.id DESC LIMIT {WINDOW}",
                self.conditions("i")
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

    /// Rows that are at most looked at when the terms are looked up.
    fn rows(self, terms: &[Term]) -> f64 {
        let rows = terms.iter().map(|term| term.rows);
        match self {
            Self::All => rows.fold(f64::INFINITY, f64::min),
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
        filters.conditions("i")
    );
    let Filters { project, kind, since, until } = filters;
    let rows = tx.rows(&sql, &[project, kind, since, until, &terms::numbers(terms)]).await?;
    rows.iter().map(Weighed::from_row).collect()
}

/// Every row within the filters, when they are few; reading them all is then the shortest way.
pub(super) async fn narrow_scope(tx: &Tx, filters: &Filters) -> Sql<Option<Vec<Weighed>>> {
    if !filters.is_narrow() {
        return Ok(None);
    }
    let sql = format!(
        "SELECT i.id, i.length, i.terms, i.weights
         FROM (SELECT r.id FROM search_rows r WHERE {} LIMIT {}) r
         JOIN search_index i ON i.tenant = $1 AND i.id = r.id",
        filters.conditions("r"),
        NARROW + 1
    );
    let Filters { project, kind, since, until } = filters;
    let rows = tx.rows(&sql, &[project, kind, since, until]).await?;
    if rows.len() > NARROW {
        return Ok(None);
    }
    rows.iter().map(Weighed::from_row).collect::<Sql<_>>().map(Some)
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
    let sql = format!(
        "SELECT r.id FROM search_rows r WHERE {} ORDER BY r.created_at DESC, r.id DESC LIMIT $6",
        filters.conditions("r")
    );
    let Filters { project, kind, since, until } = &filters;
    let rows = tx.rows(&sql, &[project, kind, since, until, &sql_limit(limit)]).await?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// The rows that hold the terms, those that were indexed last. Terms that very many rows hold are
/// looked for in the newest ones only.
pub(super) async fn newest_holding(
    tx: &Tx,
    filters: &Filters,
    terms: &[Term],
    holds: Holds,
    limit: usize,
) -> Sql<Vec<i64>> {
    let operator = holds.operator();
    let sql = if holds.rows(terms) <= FEW {
        format!(
            "SELECT i.id FROM search_index i WHERE i.terms {operator} $6::bigint[] AND {}
             ORDER BY i.id DESC LIMIT $7",
            filters.conditions("i")
        )
    } else {
        format!(
            "SELECT found.id FROM (
                 SELECT i.id FROM ({}) w JOIN search_index i ON i.tenant = $1 AND i.id = w.id
                 WHERE i.terms {operator} $6::bigint[] LIMIT $7) found ORDER BY found.id DESC",
            filters.window()
        )
    };
    let Filters { project, kind, since, until } = filters;
    let numbers = terms::numbers(terms);
    let rows = tx.rows(&sql, &[project, kind, since, until, &numbers, &sql_limit(limit)]).await?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// How many rows within the filters hold any of the terms, counted up to the bound; of terms that
/// very many rows hold, those among the newest rows.
pub(super) async fn count_matches(tx: &Tx, filters: &Filters, terms: &[Term]) -> Sql<usize> {
    let most = terms.iter().map(|term| term.rows).fold(0.0, f64::max);
    #[expect(clippy::cast_precision_loss, reason = "a small bound")]
    if !filters.is_narrow() && most >= MOST_COUNTED as f64 {
        return Ok(MOST_COUNTED);
    }
    let from = if Holds::Any.rows(terms) <= FEW {
        format!(
            "SELECT 1 FROM search_index i WHERE i.terms && $6::bigint[] AND {} LIMIT $7",
            filters.conditions("i")
        )
    } else {
        format!(
            "SELECT 1 FROM ({}) w JOIN search_index i ON i.tenant = $1 AND i.id = w.id
             WHERE i.terms && $6::bigint[] LIMIT $7",
            filters.window()
        )
    };
    let sql = format!("SELECT count(*) AS n FROM ({from}) found");
    let Filters { project, kind, since, until } = filters;
    let numbers = terms::numbers(terms);
    let bound = sql_limit(MOST_COUNTED);
    let row = tx.one(&sql, &[project, kind, since, until, &numbers, &bound]).await?;
    Ok(usize::try_from(get::<i64>(&row, "n")?).unwrap_or(0))
}
