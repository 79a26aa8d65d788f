//! Sessions that begin and bring nothing: hooks of starts run, and those that capture do not.

use afterword_domain::Time;

use crate::postgres::connect::{Sql, Tx};

/// Notes a start, before it counts as stored itself. What was stored last may be missing: perhaps
/// nothing is to be captured here.
pub(super) async fn goes_on(tx: &Tx, at: Time) -> Sql<()> {
    tx.settle_times().await?;
    tx.run(
        "INSERT INTO silence AS s (tenant, since, began_at, sessions)
         SELECT $1, max(at), $2, 1 FROM times WHERE tenant = $1 AND name = 'last_stored_at'
         ON CONFLICT (tenant) DO UPDATE SET sessions = s.sessions + 1",
        &[&at.millis()],
    )
    .await?;
    Ok(())
}

/// Whether the last that came was a start.
pub(super) async fn lasts(tx: &Tx) -> Sql<bool> {
    tx.exists("SELECT 1 FROM silence WHERE tenant = $1", &[]).await
}

/// Notes that something else came.
pub(super) async fn end(tx: &Tx) -> Sql<()> {
    tx.run("DELETE FROM silence WHERE tenant = $1", &[]).await?;
    Ok(())
}
