//! Writing vectors, and taking them away.

use std::collections::HashMap;

use pgvector::HalfVector;

use super::near::numbers;
use super::read::BEFORE_HASH;
use crate::contract::{RowVectors, SpaceId};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::search::embedded_counter;
use crate::postgres::values::{Text, get};
use crate::rules::hash::version;

/// The setting that says which space was opened last.
pub(super) const CURRENT: &str = "vector_space";

/// Rows that one call looks at for vectors of other spaces.
const ROWS: i64 = 2_000;

pub(super) async fn open_space(tx: &Tx, name: &str, dimension: usize) -> Sql<SpaceId> {
    let dimension = i32::try_from(dimension).unwrap_or(i32::MAX);
    let sql = "SELECT id FROM vector_models
               WHERE name = $2 AND dimension = $3 AND $1::bigint IS NOT NULL";
    let known = tx.first(sql, &[&Text(name), &dimension]).await?;
    let row = if let Some(row) = known {
        row
    } else {
        let sql = "INSERT INTO vector_models (name, dimension)
                   SELECT $2, $3 WHERE $1::bigint IS NOT NULL RETURNING id";
        tx.one(sql, &[&Text(name), &dimension]).await?
    };
    let id: i64 = get(&row, "id")?;
    let sql = "INSERT INTO vector_spaces (tenant, id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.run(sql, &[&id]).await?;
    let sql = "INSERT INTO settings AS s (tenant, name, value) VALUES ($1, $2, $3)
               ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value
               WHERE s.value <> excluded.value";
    tx.run(sql, &[&CURRENT, &id.to_string()]).await?;
    Ok(SpaceId(id))
}

/// A space whose vectors are gone goes too; a row that belongs to it all the same waits.
async fn forget_space(tx: &Tx, id: i64) -> Sql<()> {
    let sql = "UPDATE search_rows SET embedded = 0 WHERE tenant = $1 AND embedded = $2";
    tx.run(sql, &[&id]).await?;
    tx.run("DELETE FROM vector_spaces WHERE tenant = $1 AND id = $2", &[&id]).await?;
    let sql = "DELETE FROM counters WHERE tenant = $1 AND name = $2";
    tx.run(sql, &[&embedded_counter(id)]).await?;
    Ok(())
}

pub(super) async fn save(tx: &Tx, space: SpaceId, rows: &[RowVectors]) -> Sql<usize> {
    let unchanged = unchanged(tx, rows).await?;
    let dimension = dimension(tx, space).await?;
    let (mut keys, mut parts, mut vectors, mut near) = (vec![], vec![], vec![], vec![]);
    // Of a row that is named twice the last counts, as if it had been saved twice.
    let rows: HashMap<i64, &RowVectors> = rows.iter().map(|row| (row.key, row)).collect();
    let mut saved: Vec<i64> = Vec::new();
    for (key, row) in rows.iter().filter(|(key, _)| unchanged.contains_key(*key)) {
        saved.push(*key);
        for (part, vector) in (0..=u8::MAX).zip(&row.vectors) {
            keys.push(*key);
            parts.push(i16::from(part));
            near.push(numbers(vector, dimension).map(|n| HalfVector::from_f32_slice(&n)));
            vectors.push(vector.as_slice());
        }
    }
    let sql = "DELETE FROM embeddings WHERE tenant = $1 AND row_id = ANY ($2) AND space_id = $3";
    tx.run(sql, &[&saved, &space.0]).await?;
    tx.run(
        "INSERT INTO embeddings (tenant, row_id, space_id, part, vector, near)
         SELECT $1, new.key, $2, new.part, new.vector, new.near
         FROM unnest($3::bigint[], $4::smallint[], $5::bytea[], $6::halfvec[])
             AS new (key, part, vector, near) ORDER BY new.key, new.part",
        &[&space.0, &keys, &parts, &vectors, &near],
    )
    .await?;
    let sql = "UPDATE search_rows SET embedded = $3
               WHERE tenant = $1 AND id = ANY ($2) AND embedded <> $3";
    tx.run(sql, &[&saved, &space.0]).await?;
    for key in &saved {
        let before = unchanged[key];
        if before != space.0 {
            tx.count(embedded_counter(space.0), 1);
            if before != 0 {
                tx.count(embedded_counter(before), -1);
            }
        }
        tx.vectors_changed(*key);
    }
    Ok(saved.len())
}

/// The rows that are as they were when they were read, with the spaces they are embedded for. They
/// stay so until the transaction ends.
async fn unchanged(tx: &Tx, rows: &[RowVectors]) -> Sql<HashMap<i64, i64>> {
    let versions: HashMap<i64, i64> = rows.iter().map(|row| (row.key, row.version)).collect();
    let keys: Vec<i64> = versions.keys().copied().collect();
    let sql = "SELECT own.id FROM search_rows own WHERE own.tenant = $1 AND own.id = ANY ($2)
               ORDER BY own.id FOR NO KEY UPDATE";
    tx.run(sql, &[&keys]).await?;
    // What stands before them may have changed while they were waited for.
    let sql = format!(
        "SELECT own.id, own.embedded, own.doc_hash, {BEFORE_HASH} AS before_hash
         FROM search_rows own WHERE own.tenant = $1 AND own.id = ANY ($2)"
    );
    let mut unchanged = HashMap::new();
    for row in tx.rows(&sql, &[&keys]).await? {
        let key: i64 = get(&row, "id")?;
        if versions[&key] == version(get(&row, "doc_hash")?, get(&row, "before_hash")?) {
            unchanged.insert(key, get(&row, "embedded")?);
        }
    }
    Ok(unchanged)
}

async fn dimension(tx: &Tx, space: SpaceId) -> Sql<usize> {
    let sql = "SELECT dimension FROM vector_models WHERE id = $2 AND $1::bigint IS NOT NULL";
    let row = tx.first(sql, &[&space.0]).await?;
    let dimension: i32 = row.map_or(Ok(0), |row| get(&row, "dimension"))?;
    Ok(usize::try_from(dimension).unwrap_or(0))
}

pub(super) async fn drop_others(tx: &Tx, space: SpaceId, after: i64) -> Sql<Option<i64>> {
    let sql = "SELECT max(row_id) AS last FROM (
                   SELECT DISTINCT row_id FROM embeddings WHERE tenant = $1 AND row_id > $2
                   ORDER BY row_id LIMIT $3) page";
    let last: Option<i64> = get(&tx.one(sql, &[&after, &ROWS]).await?, "last")?;
    if let Some(last) = last {
        let sql = "DELETE FROM embeddings
                   WHERE tenant = $1 AND row_id > $2 AND row_id <= $3 AND space_id <> $4";
        tx.run(sql, &[&after, &last, &space.0]).await?;
        return Ok(Some(last));
    }
    let sql = "SELECT id FROM vector_spaces WHERE tenant = $1 AND id <> $2 ORDER BY id";
    for row in tx.rows(sql, &[&space.0]).await? {
        forget_space(tx, get(&row, "id")?).await?;
    }
    Ok(None)
}
