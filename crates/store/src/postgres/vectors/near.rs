//! Passages that are near a vector, found by the database.
//!
//! Distances are Euclidean between vectors without the middle of their space, which is the order of
//! cosines of the whole vectors. Where few rows pass the filters, all of them are compared; where
//! many do, the index is walked from the nearest on until enough of them passed.

use afterword_domain::{Kind, PublicId};
use pgvector::HalfVector;

use super::index::index_name;
use crate::contract::{NearPassage, NearQuery, SpaceId};
use crate::postgres::connect::{Parameter, Sql, Tx};
use crate::postgres::owned::Ways;
use crate::postgres::values::{get, kind as kind_of, limit as sql_limit};

/// Rows up to which all are compared, whatever the index could do.
const FEW: f64 = 10_000.0;

/// Rows from which the index is used, whatever it costs.
const MANY: f64 = 50_000.0;

/// How much more a step in the index costs than comparing a row.
const STEP_COSTS: f64 = 2.0;

/// The most candidates that the index keeps at one time; it goes on searching beyond them.
const CANDIDATES: usize = 1_000;

/// The largest number that two bytes hold.
const LARGEST: f32 = 65_504.0;

/// As the contract's `nearest`.
pub(super) async fn nearest(tx: &Tx, query: &NearQuery, iterative: bool) -> Sql<Vec<NearPassage>> {
    let Some(dimension) = dimension(tx, query.space).await? else { return Ok(Vec::new()) };
    let Some(vector) = numbers(&query.vector, dimension) else { return Ok(Vec::new()) };
    let ways = query.owners.as_ref().map(|owners| Ways::of(owners));
    let ways = ways.as_ref();
    if ways.is_some_and(Ways::is_impossible) {
        return Ok(Vec::new());
    }
    if is_worth_the_index(tx, query, ways).await? {
        prepare(tx, query.limit, iterative).await?;
        let found = search(tx, query, dimension, (&vector, ways), true).await?;
        // Fewer mean that the way through the rows of others became too long.
        if found.len() >= query.limit {
            return Ok(found);
        }
    }
    search(tx, query, dimension, (&vector, ways), false).await
}

async fn search(
    tx: &Tx,
    query: &NearQuery,
    dimension: usize,
    (vector, ways): (&[f32], Option<&Ways>),
    walks: bool,
) -> Sql<Vec<NearPassage>> {
    let distance = format!("e.near::halfvec({dimension}) <-> $6::halfvec({dimension})");
    // An index is matched by the very expression only.
    let order = if walks { distance } else { format!("({distance}) + 0") };
    let sql = format!(
        "SELECT e.row_id AS key, e.part, e.vector, r.kind, r.row_id
         FROM embeddings e JOIN search_rows r ON r.tenant = $1 AND r.id = e.row_id{}
         WHERE e.tenant = $1 AND e.space_id = {} AND e.near IS NOT NULL AND {}
         ORDER BY {order} LIMIT $5",
        owned(ways, 7),
        query.space.0,
        filters(query)
    );
    let (project, kind, since) = bounds(query);
    let limit = sql_limit(query.limit);
    let vector = HalfVector::from_f32_slice(vector);
    let mut all: Vec<Parameter<'_>> = vec![&project, &kind, &since, &limit, &vector];
    all.extend(ways.iter().flat_map(|ways| ways.parameters()));
    let passages = tx.rows(&sql, &all).await?;
    let passages = passages.iter().map(|row| {
        Ok(NearPassage {
            key: get(row, "key")?,
            part: u8::try_from(get::<i16>(row, "part")?).unwrap_or(u8::MAX),
            id: PublicId::new(kind_of(row, "kind")?, get(row, "row_id")?),
            vector: get(row, "vector")?,
        })
    });
    passages.collect()
}

/// What kept bytes tell, as numbers around nought; none where they are no vector of the dimension.
pub(super) fn numbers(bytes: &[u8], dimension: usize) -> Option<Vec<f32>> {
    let (step, steps) = bytes.split_first_chunk()?;
    let step = f32::from_le_bytes(*step);
    let (steps, left) = steps.as_chunks();
    if !left.is_empty() || steps.len() != dimension || dimension == 0 {
        return None;
    }
    let numbers = steps.iter().map(|bytes| f32::from(i16::from_le_bytes(*bytes)) * step);
    let numbers: Vec<f32> = numbers.collect();
    numbers.iter().all(|n| n.is_finite() && n.abs() <= LARGEST).then_some(numbers)
}

async fn dimension(tx: &Tx, space: SpaceId) -> Sql<Option<usize>> {
    let sql = "SELECT dimension FROM vector_models WHERE id = $2 AND $1::bigint IS NOT NULL";
    let Some(row) = tx.first(sql, &[&space.0]).await? else { return Ok(None) };
    Ok(usize::try_from(get::<i32>(&row, "dimension")?).ok())
}

/// The filters as `$2` to `$4`; the end of the time is a number of the text.
fn filters(query: &NearQuery) -> String {
    let project =
        if query.scope.project().is_some() { "r.project_id = $2" } else { "$2::bigint IS NULL" };
    let kind = if query.kind.is_some() { "r.kind = $3" } else { "$3::text IS NULL" };
    let since = if query.since.is_some() { "r.created_at >= $4" } else { "$4::bigint IS NULL" };
    let until = query.until.map_or(i64::MAX, afterword_domain::Time::millis);
    format!("{project} AND {kind} AND {since} AND r.created_at < {until}")
}

/// The memories of owners that are asked for, joined to the rows; their names are the parameters from
/// `first` on.
fn owned(ways: Option<&Ways>, first: usize) -> String {
    ways.map_or_else(String::new, |ways| {
        let condition = ways.condition(first);
        format!(
            " JOIN memories m ON m.tenant = $1 AND r.kind = 'memory' AND m.id = r.row_id
              AND {condition}"
        )
    })
}

fn bounds(query: &NearQuery) -> (Option<i64>, Option<&'static str>, Option<i64>) {
    let since = query.since.map(afterword_domain::Time::millis);
    (query.scope.project(), query.kind.map(Kind::word), since)
}

/// Whether walking the index costs less than comparing every row that passes the filters. Of the
/// rows on the way only the share that passes counts, so a filter that lets little of a large index
/// through makes the way long.
async fn is_worth_the_index(tx: &Tx, query: &NearQuery, ways: Option<&Ways>) -> Sql<bool> {
    let sql = "SELECT c.reltuples::double precision AS vectors FROM pg_class c
               JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
               JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid
               WHERE c.relname = $2 AND $1::bigint IS NOT NULL";
    let Some(row) = tx.first(sql, &[&index_name(query.space)]).await? else { return Ok(false) };
    let vectors: f64 = get::<f64>(&row, "vectors")?.max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let way = (STEP_COSTS * query.limit as f64 * vectors).sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "between the bounds")]
    let bound = way.clamp(FEW, MANY) as i64;
    let sql = format!(
        "SELECT count(*) AS n FROM (
             SELECT 1 FROM search_rows r{} WHERE r.tenant = $1 AND {} LIMIT $5) passed",
        owned(ways, 6),
        filters(query)
    );
    let (project, kind, since) = bounds(query);
    let most = bound + 1;
    let mut all: Vec<Parameter<'_>> = vec![&project, &kind, &since, &most];
    all.extend(ways.iter().flat_map(|ways| ways.parameters()));
    let passed = tx.one(&sql, &all).await?;
    Ok(get::<i64>(&passed, "n")? > bound)
}

/// Lets the index be walked, until the end of the transaction.
async fn prepare(tx: &Tx, limit: usize, iterative: bool) -> Sql<()> {
    let candidates = limit.clamp(100, CANDIDATES);
    tx.batch(&format!("SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL enable_sort = off;"))
        .await?;
    if iterative {
        tx.batch(
            "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.max_scan_tuples = 200000;",
        )
        .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_the_right_shape_are_numbers() {
        let mut bytes = 0.5_f32.to_le_bytes().to_vec();
        bytes.extend([2_i16, -4].iter().flat_map(|n| n.to_le_bytes()));
        assert_eq!(numbers(&bytes, 2), Some(vec![1.0, -2.0]));
        assert_eq!(numbers(&bytes, 3), None);
        assert_eq!(numbers(&bytes[..7], 2), None);
        assert_eq!(numbers(&[1; 4], 4), None);
        assert_eq!(numbers(&[], 0), None);
        let mut wide = 1e9_f32.to_le_bytes().to_vec();
        wide.extend(1_i16.to_le_bytes());
        assert_eq!(numbers(&wide, 1), None);
    }
}
