//! Reading vectors and what waits for them.

use std::collections::{BTreeSet, HashMap};

use afterword_domain::PublicId;
use afterword_domain::scope::Scope;
use tokio_postgres::Row as SqlRow;

use super::save::CURRENT;
use crate::contract::{EmbeddedRow, Row, SpaceId, VectorChanges, VectorCounts, WaitingRow};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::log::{self, Log};
use crate::postgres::rows::{self, owner};
use crate::postgres::search::{embedded_counter, sizes};
use crate::postgres::values::{count, get, kind, limit as sql_limit, time};
use crate::rules::hash::version;

/// Changes of one answer at most.
const CHANGES: i64 = 1_000;

pub(super) async fn waiting(tx: &Tx, space: SpaceId, limit: usize) -> Sql<Vec<WaitingRow>> {
    let sql = "SELECT id FROM vector_spaces WHERE tenant = $1 AND id <> $2 ORDER BY id";
    let others = tx.rows(sql, &[&space.0]).await?;
    let others = others.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    let mut waits: Vec<Waits> = Vec::new();
    let sql = format!(
        "SELECT own.id, own.kind, own.row_id, own.doc_hash, {BEFORE_HASH} AS before_hash
         FROM search_rows own WHERE own.tenant = $1 AND own.embedded = $2
         ORDER BY own.created_at DESC, own.id DESC LIMIT $3"
    );
    for other in [0].into_iter().chain(others) {
        if waits.len() >= limit {
            break;
        }
        for row in tx.rows(&sql, &[&other, &sql_limit(limit - waits.len())]).await? {
            let before: Option<i64> = get(&row, "before_hash")?;
            waits.push(Waits {
                key: get(&row, "id")?,
                version: version(get(&row, "doc_hash")?, before),
                id: PublicId::new(kind(&row, "kind")?, get(&row, "row_id")?),
                has_before: before.is_some(),
            });
        }
    }
    let ids: BTreeSet<PublicId> =
        waits.iter().flat_map(|waits| [Some(waits.id), waits.before()]).flatten().collect();
    let ids: Vec<PublicId> = ids.into_iter().collect();
    let found = rows::rows(tx, &Scope::All, &ids).await?;
    let found: HashMap<PublicId, Row> = found.into_iter().map(|row| (row.id, row)).collect();
    let waiting = waits.iter().filter_map(|waits| {
        // An entry whose row is gone points nowhere; a check tells of it.
        let row = found.get(&waits.id)?.clone();
        let before = waits.before().and_then(|id| found.get(&id).cloned());
        Some(WaitingRow { key: waits.key, version: waits.version, row, before })
    });
    Ok(waiting.collect())
}

/// An entry that waits for vectors.
struct Waits {
    key: i64,
    version: i64,
    id: PublicId,
    has_before: bool,
}

impl Waits {
    /// What stands before it.
    fn before(&self) -> Option<PublicId> {
        self.has_before.then(|| PublicId::new(self.id.kind, self.id.number - 1))
    }
}

/// The tokens' hash of what stands before the row `own`: the row of the same kind and session with
/// the number before; none where there is none.
pub(super) const BEFORE_HASH: &str = "(SELECT before.doc_hash FROM search_rows before
    WHERE before.tenant = $1 AND before.kind = own.kind AND before.row_id = own.row_id - 1
    AND before.session_id = own.session_id)";

pub(super) async fn page(
    tx: &Tx,
    space: SpaceId,
    after: i64,
    limit: usize,
) -> Sql<Vec<EmbeddedRow>> {
    let sql = "SELECT DISTINCT row_id FROM embeddings
               WHERE tenant = $1 AND row_id > $2 AND space_id = $3 ORDER BY row_id LIMIT $4";
    let keys = tx.rows(sql, &[&after, &space.0, &sql_limit(limit)]).await?;
    let keys = keys.iter().map(|row| get(row, "row_id")).collect::<Sql<Vec<i64>>>()?;
    embedded(tx, space, &keys).await
}

/// Rows with their vectors of a space, in order of their keys, without those that have none.
async fn embedded(tx: &Tx, space: SpaceId, keys: &[i64]) -> Sql<Vec<EmbeddedRow>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sql =
        "SELECT e.row_id AS key, e.part, e.vector, r.kind, r.row_id, r.project_id, r.created_at,
                   coalesce(m.user_id, '') AS user_id, coalesce(m.agent_id, '') AS agent_id,
                   coalesce(m.app_id, '') AS app_id, coalesce(m.run_id, '') AS run_id
               FROM embeddings e JOIN search_rows r ON r.tenant = $1 AND r.id = e.row_id
               LEFT JOIN memories m ON m.tenant = $1 AND r.kind = 'memory' AND m.id = r.row_id
               WHERE e.tenant = $1 AND e.row_id = ANY ($2) AND e.space_id = $3
               ORDER BY e.row_id, e.part";
    let mut found: Vec<EmbeddedRow> = Vec::new();
    for row in tx.rows(sql, &[&keys, &space.0]).await? {
        let key = get(&row, "key")?;
        if found.last().is_none_or(|last| last.key != key) {
            found.push(bare(&row, key)?);
        }
        let part = u8::try_from(get::<i16>(&row, "part")?).unwrap_or(u8::MAX);
        let vector = get(&row, "vector")?;
        found.last_mut().expect("one was pushed").vectors.push((part, vector));
    }
    Ok(found)
}

fn bare(row: &SqlRow, key: i64) -> Sql<EmbeddedRow> {
    Ok(EmbeddedRow {
        key,
        id: PublicId::new(kind(row, "kind")?, get(row, "row_id")?),
        project_id: get(row, "project_id")?,
        owner: owner(row)?,
        created_at: time(row, "created_at")?,
        vectors: Vec::new(),
    })
}

pub(super) async fn of_parts(
    tx: &Tx,
    space: SpaceId,
    parts: &[(i64, u8)],
) -> Sql<Vec<Option<Vec<u8>>>> {
    let (keys, numbers): (Vec<i64>, Vec<i16>) =
        parts.iter().map(|(key, part)| (*key, i16::from(*part))).unzip();
    let sql = "SELECT e.vector FROM unnest($2::bigint[], $3::smallint[]) WITH ORDINALITY
                   AS k (key, part, n)
               LEFT JOIN embeddings e ON e.tenant = $1 AND e.row_id = k.key
                   AND e.space_id = $4 AND e.part = k.part
               ORDER BY k.n";
    let rows = tx.rows(sql, &[&keys, &numbers, &space.0]).await?;
    rows.iter().map(|row| get(row, "vector")).collect()
}

pub(super) async fn changes(tx: &Tx, space: SpaceId, after: i64) -> Sql<VectorChanges> {
    let stand = log::stand(tx, Log::Vectors).await?;
    if stand.has_lost(after) {
        return Ok(VectorChanges { seq: stand.newest, lost: true, ..VectorChanges::default() });
    }
    let newest = stand.newest;
    let mut answer = VectorChanges { seq: after, ..VectorChanges::default() };
    if after == newest {
        return Ok(answer);
    }
    let sql = "SELECT seq, row_id FROM vector_changes WHERE tenant = $1 AND seq > $2
               ORDER BY seq LIMIT $3";
    let mut keys = BTreeSet::new();
    for row in tx.rows(sql, &[&after, &CHANGES]).await? {
        answer.seq = get(&row, "seq")?;
        keys.insert(get::<i64>(&row, "row_id")?);
    }
    let all: Vec<i64> = keys.iter().copied().collect();
    answer.rows = embedded(tx, space, &all).await?;
    for row in &answer.rows {
        keys.remove(&row.key);
    }
    answer.gone = keys.into_iter().collect();
    Ok(answer)
}

pub(in crate::postgres) async fn counts(tx: &Tx) -> Sql<Option<VectorCounts>> {
    let sql = "SELECT m.id, m.name, m.dimension
               FROM settings s JOIN vector_models m ON m.id::text = s.value
               WHERE s.tenant = $1 AND s.name = $2";
    let Some(row) = tx.first(sql, &[&CURRENT]).await? else { return Ok(None) };
    let sql = "SELECT coalesce(sum(value), 0)::bigint AS n FROM counters
               WHERE tenant = $1 AND name = $2";
    let embedded = tx.one(sql, &[&embedded_counter(get(&row, "id")?)]).await?;
    let embedded = count(get(&embedded, "n")?);
    let (indexed, _) = sizes(tx).await?;
    Ok(Some(VectorCounts {
        space: get(&row, "name")?,
        dimension: usize::try_from(get::<i32>(&row, "dimension")?).unwrap_or(0),
        embedded,
        waiting: count(indexed).saturating_sub(embedded),
    }))
}
