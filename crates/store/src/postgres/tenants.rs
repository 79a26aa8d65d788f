//! What concerns more than one tenant, or a tenant as a whole.

use afterword_domain::Time;

use super::connect::{Fault, PostgresPool, Sql, TenantId, name};
use super::jobs::ABANDONED;
use super::values::{count, get, time};
use crate::Result;

impl PostgresPool {
    /// Tenants that have a job waiting, of the rules or for a model, or one that somebody had claimed
    /// who is gone, or a request to add memories, with the time when their next one is due; soonest
    /// first. For whoever works for many tenants: nothing else of another tenant can be seen in this
    /// way.
    ///
    /// # Errors
    ///
    /// As every call of a store.
    pub async fn tenants_with_work(&self) -> Result<Vec<(TenantId, Time)>> {
        self.read(TenantId::NOBODY, |tx| async move {
            tx.batch("SELECT set_config('afterword.oversees', 'on', true)").await?;
            // One step in an index for each tenant, however many jobs wait.
            let next = |table: &str, [state, waiting, claimed]: [&str; 3]| {
                format!(
                    "SELECT t.tenant, due.run_after FROM (
                         WITH RECURSIVE step AS (
                             (SELECT tenant FROM {table} ORDER BY tenant LIMIT 1)
                             UNION ALL
                             SELECT (SELECT j.tenant FROM {table} j WHERE j.tenant > step.tenant
                                     ORDER BY j.tenant LIMIT 1)
                             FROM step WHERE step.tenant IS NOT NULL)
                         SELECT tenant FROM step WHERE tenant IS NOT NULL) t
                     CROSS JOIN LATERAL (
                         (SELECT j.run_after FROM {table} j
                          WHERE j.tenant = t.tenant AND j.{state} = {waiting}
                          ORDER BY j.run_after LIMIT 1)
                         UNION ALL
                         (SELECT j.run_after FROM {table} j
                          WHERE j.tenant = t.tenant AND j.{state} IN ({claimed})
                          AND {ABANDONED} LIMIT 1)) due"
                )
            };
            let sql = format!(
                "SELECT tenant, min(run_after) AS at FROM ({} UNION ALL {} UNION ALL {}) waiting
                 WHERE $1::bigint IS NOT NULL GROUP BY tenant ORDER BY at, tenant",
                next("jobs", ["state", "'waiting'", "'claimed'"]),
                next("model_jobs", ["state", "'waiting'", "'claimed', 'sent'"]),
                next("receipts", ["status", "'pending'", "'running'"])
            );
            let rows = tx.rows(&sql, &[]).await?;
            rows.iter().map(|row| Ok((TenantId(get(row, "tenant")?), time(row, "at")?))).collect()
        })
        .await
    }

    /// How many jobs stand in each state, of all tenants together: queue (`rules`, `model` or
    /// `adding`), state, number. What is done is not counted.
    ///
    /// # Errors
    ///
    /// As every call of a store.
    pub async fn queue_counts(&self) -> Result<Vec<(String, String, u64)>> {
        self.read(TenantId::NOBODY, |tx| async move {
            tx.batch("SELECT set_config('afterword.oversees', 'on', true)").await?;
            let sql = "SELECT queue, state, count(*) AS n FROM (
                           SELECT 'rules' AS queue, state FROM jobs
                           UNION ALL
                           SELECT 'model', state FROM model_jobs
                           WHERE state IN ('waiting', 'claimed', 'sent', 'parked')
                           UNION ALL
                           SELECT 'adding', status FROM receipts
                           WHERE status IN ('pending', 'running')) jobs
                       WHERE $1::bigint IS NOT NULL GROUP BY queue, state ORDER BY queue, state";
            let rows = tx.rows(sql, &[]).await?;
            let line = |row| Ok((get(row, "queue")?, get(row, "state")?, count(get(row, "n")?)));
            rows.iter().map(line).collect()
        })
        .await
    }

    /// Deletes the schema with everything in it, every tenant's: for what was only made to measure
    /// or to try.
    ///
    /// # Errors
    ///
    /// As every call of a store.
    pub async fn drop_schema(&self) -> Result<()> {
        let client = self.client().await?;
        let sql = format!("DROP SCHEMA {} CASCADE", name(self.identity().schema()));
        client.batch_execute(&sql).await.map_err(Fault::from)?;
        Ok(())
    }

    /// Deletes everything of a tenant, from every table that has tenants; what its rows leave in
    /// the server's files goes with its next vacuum. Returns how many rows were named, without those
    /// that went along with them.
    ///
    /// # Errors
    ///
    /// As every call of a store.
    pub async fn drop_tenant(&self, tenant: TenantId) -> Result<u64> {
        self.write(tenant, |tx| async move {
            // Projects take most of it along, by foreign keys that have indexes.
            let sql = "SELECT c.relname::text AS name FROM pg_class c
                       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
                       WHERE c.relnamespace = current_schema()::regnamespace
                       AND c.relkind IN ('r', 'p') AND $1::bigint IS NOT NULL
                       ORDER BY c.relname <> 'projects', c.relname";
            let tables = tx.rows(sql, &[]).await?;
            let tables = tables.iter().map(|row| get(row, "name")).collect::<Sql<Vec<String>>>()?;
            let mut deleted = 0;
            for table in tables {
                let sql = format!("DELETE FROM {} WHERE tenant = $1", name(&table));
                deleted += tx.run(&sql, &[]).await?;
            }
            Ok(deleted)
        })
        .await
    }
}
