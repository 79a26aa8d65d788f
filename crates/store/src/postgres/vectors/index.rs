//! One HNSW index for each space, made by whoever opens the space first.

use crate::Result;
use crate::contract::SpaceId;
use crate::postgres::connect::{Fault, PostgresPool, Sql, name};

/// The most numbers of a vector that such an index takes.
const MOST_NUMBERS: usize = 4_000;

/// The name of a space's index.
pub(super) fn index_name(space: SpaceId) -> String {
    format!("embeddings_near_{}", space.0)
}

/// Makes the index where it is missing, without keeping anybody from writing. Search does without
/// it, only slower; so where it cannot be made that is told, and nothing fails.
pub(super) async fn ensure(pool: &PostgresPool, space: SpaceId, dimension: usize) -> Result<()> {
    if dimension == 0 || dimension > MOST_NUMBERS {
        return Ok(());
    }
    let client = pool.client().await?;
    if is_valid(&client, pool, space).await? == Some(true) {
        return Ok(());
    }
    let lock = "SELECT pg_try_advisory_lock(hashtextextended('index', $1)) AS ours";
    let row = client.query_one(lock, &[&space.0]).await.map_err(Fault::from)?;
    // Somebody else is making it at this moment.
    if !row.get::<_, bool>("ours") {
        return Ok(());
    }
    if let Err(error) = make(&client, pool, space, dimension).await {
        tracing::warn!(?error, space = space.0, "vectors are searched without an index");
    }
    let unlock = "SELECT pg_advisory_unlock(hashtextextended('index', $1))";
    client.execute(unlock, &[&space.0]).await.map_err(Fault::from)?;
    Ok(())
}

async fn make(
    client: &deadpool_postgres::Object,
    pool: &PostgresPool,
    space: SpaceId,
    dimension: usize,
) -> Sql<()> {
    let schema = name(pool.identity().schema());
    let of_type = name(pool.identity().vector_schema());
    let index = index_name(space);
    match is_valid(client, pool, space).await? {
        Some(true) => return Ok(()),
        // What is left of somebody who was interrupted.
        Some(false) => {
            client.batch_execute(&format!("DROP INDEX {schema}.{index}")).await?;
        }
        None => {}
    }
    client
        .batch_execute(&format!(
            "CREATE INDEX CONCURRENTLY {index} ON {schema}.embeddings
             USING hnsw ((near::{of_type}.halfvec({dimension})) {of_type}.halfvec_l2_ops)
             WHERE space_id = {}",
            space.0
        ))
        .await?;
    Ok(())
}

/// Whether the index is there, and whole.
async fn is_valid(
    client: &deadpool_postgres::Object,
    pool: &PostgresPool,
    space: SpaceId,
) -> Sql<Option<bool>> {
    let sql = "SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = $1 AND c.relname = $2";
    let statement = client.prepare_cached(sql).await?;
    let schema = pool.identity().schema();
    let row = client.query_opt(&statement, &[&schema, &index_name(space)]).await?;
    Ok(row.map(|row| row.get("valid")))
}
