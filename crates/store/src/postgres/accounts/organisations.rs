//! Organisations: which there are, and new ones.

use afterword_domain::Time;
use tokio_postgres::Row;

use crate::contract::{Organisation, TenantId};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, get, time};

/// Lets the rest of a transaction see which organisations there are.
async fn oversee(tx: &Tx) -> Sql<()> {
    tx.batch("SELECT set_config('afterword.oversees', 'on', true)").await
}

/// Goes on as a tenant: what follows in the transaction sees its rows.
pub(super) async fn enter(tx: &Tx, tenant: TenantId) -> Sql<()> {
    tx.batch(&format!("SELECT set_config('afterword.tenant', '{}', true)", tenant.0)).await
}

pub(super) fn from_row(row: &Row) -> Sql<Organisation> {
    Ok(Organisation {
        tenant: TenantId(get(row, "tenant")?),
        name: get(row, "name")?,
        created_at: time(row, "created_at")?,
    })
}

pub(super) async fn all(tx: &Tx) -> Sql<Vec<Organisation>> {
    oversee(tx).await?;
    let sql = "SELECT * FROM organisations WHERE $1::bigint IS NOT NULL ORDER BY name, tenant";
    tx.rows(sql, &[]).await?.iter().map(from_row).collect()
}

async fn find(tx: &Tx, name: &str) -> Sql<Option<Organisation>> {
    let sql = "SELECT * FROM organisations WHERE $1::bigint IS NOT NULL AND name = $2
               ORDER BY tenant LIMIT 1";
    tx.first(sql, &[&Text(name)]).await?.as_ref().map(from_row).transpose()
}

/// No unique key holds names apart, for each key begins with the tenant; so whoever makes one comes
/// alone.
async fn alone(tx: &Tx) -> Sql<()> {
    let sql = "SELECT pg_advisory_xact_lock(hashtextextended('organisations', $1))";
    tx.run(sql, &[]).await?;
    oversee(tx).await
}

pub(super) async fn of_name(tx: &Tx, name: &str, now: Time) -> Sql<Organisation> {
    oversee(tx).await?;
    if let Some(known) = find(tx, name).await? {
        return Ok(known);
    }
    alone(tx).await?;
    match find(tx, name).await? {
        Some(known) => Ok(known),
        None => make(tx, name, now).await,
    }
}

/// The first organisation of a database; none where there is one.
pub(super) async fn first(tx: &Tx, name: &str, now: Time) -> Sql<Option<Organisation>> {
    alone(tx).await?;
    if tx.exists("SELECT 1 FROM organisations WHERE $1::bigint IS NOT NULL LIMIT 1", &[]).await? {
        return Ok(None);
    }
    make(tx, name, now).await.map(Some)
}

async fn make(tx: &Tx, name: &str, now: Time) -> Sql<Organisation> {
    let sql = "SELECT nextval(pg_get_serial_sequence('organisations', 'tenant')) AS tenant
               WHERE $1::bigint IS NOT NULL";
    let tenant = TenantId(get(&tx.one(sql, &[]).await?, "tenant")?);
    enter(tx, tenant).await?;
    let sql = "INSERT INTO organisations (tenant, name, created_at)
               SELECT $2, $3, $4 WHERE $1::bigint IS NOT NULL RETURNING *";
    from_row(&tx.one(sql, &[&tenant.0, &Text(name), &now.millis()]).await?)
}
