//! What forgotten rows leave behind in the files.
//!
//! A forgotten row can be read by nobody from the moment its transaction ends. Its bytes stay in
//! the table's pages until vacuum takes them out, so the tables that hold texts are vacuumed, one
//! with each call. What lies beyond the tables, the write-ahead log, replicas and backups, is the
//! server's own affair: `docs/design/postgres.md` says what to do about it.

use crate::Result;
use crate::postgres::PostgresStore;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::get;

/// The setting that says a sweep is due, and which table is next.
const DUE: &str = "sweep";

/// Tables that hold texts of rows, or words of them.
const TABLES: [&str; 15] = [
    "memories",
    "memory_history",
    "memory_feedback",
    "receipts",
    "observations",
    "session_summaries",
    "user_prompts",
    "snapshots",
    "events",
    "event_payloads",
    "search_tokens",
    "search_index",
    "model_jobs",
    "paid_answers",
    "row_revisions",
];

/// Notes that rows were forgotten.
pub(super) async fn begin(tx: &Tx) -> Sql<()> {
    set(tx, 0).await
}

/// As the contract's `sweep_forgotten`.
pub(super) async fn part(store: &PostgresStore) -> Result<bool> {
    let Some(next) = store.read(|tx| async move { due(&tx).await }).await? else {
        return Ok(false);
    };
    let Some(table) = TABLES.get(next) else {
        store.write(|tx| async move { end(&tx).await }).await?;
        return Ok(false);
    };
    store.pool.vacuum(table).await?;
    store
        .write(|tx| async move {
            // Forgotten rows that came meanwhile begin it anew.
            let sql = "UPDATE settings SET value = $4
                       WHERE tenant = $1 AND name = $2 AND value = $3";
            let (now, then) = (next.to_string(), (next + 1).to_string());
            tx.run(sql, &[&DUE, &now, &then]).await?;
            Ok(())
        })
        .await?;
    Ok(true)
}

/// Which table is next; none where nothing is to be swept.
async fn due(tx: &Tx) -> Sql<Option<usize>> {
    let sql = "SELECT value FROM settings WHERE tenant = $1 AND name = $2";
    let Some(row) = tx.first(sql, &[&DUE]).await? else { return Ok(None) };
    Ok(Some(get::<&str>(&row, "value")?.parse().unwrap_or(0)))
}

async fn end(tx: &Tx) -> Sql<()> {
    let sql = "DELETE FROM settings WHERE tenant = $1 AND name = $2 AND value = $3";
    tx.run(sql, &[&DUE, &TABLES.len().to_string()]).await?;
    Ok(())
}

async fn set(tx: &Tx, next: usize) -> Sql<()> {
    let sql = "INSERT INTO settings (tenant, name, value) VALUES ($1, $2, $3)
               ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value";
    tx.run(sql, &[&DUE, &next.to_string()]).await?;
    Ok(())
}
