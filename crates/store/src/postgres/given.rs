//! What sessions were given: rows, and the files that they were told of.

use afterword_domain::PublicId;

use super::connect::{Sql, Tx};
use super::values::{Text, get, kind, short};
use crate::contract::SessionName;
use crate::rules::MOST_GIVEN;

/// What stands in the place of a kind where a file is noted.
const FILE: &str = "file";

/// The oldest notes are looked for once in so many.
const SWEEP_EVERY: i64 = 64;

pub(super) async fn rows(tx: &Tx, session: &SessionName) -> Sql<Vec<PublicId>> {
    let sql = "SELECT kind, row_id FROM session_given
               WHERE tenant = $1 AND agent = $2 AND short = $3 AND kind <> $4 ORDER BY id";
    let short = short(&session.agent_session_id);
    let rows = tx.rows(sql, &[&Text(&session.agent), &short, &FILE]).await?;
    rows.iter().map(|row| Ok(PublicId::new(kind(row, "kind")?, get(row, "row_id")?))).collect()
}

pub(super) async fn note(
    tx: &Tx,
    session: &SessionName,
    rows: &[PublicId],
    whole_block: bool,
) -> Sql<()> {
    if whole_block {
        let short = &short(&session.agent_session_id);
        let agent = &Text(&session.agent);
        let sql = "DELETE FROM session_given WHERE tenant = $1 AND agent = $2 AND short = $3";
        tx.run(sql, &[agent, short]).await?;
        let sql = "UPDATE sdk_sessions SET compacted = false
                   WHERE tenant = $1 AND agent = $2 AND short = $3 AND compacted";
        tx.run(sql, &[agent, short]).await?;
    }
    let (kinds, numbers): (Vec<&str>, Vec<i64>) =
        rows.iter().map(|row| (row.kind.word(), row.number)).unzip();
    add(tx, session, &kinds, &numbers).await?;
    Ok(())
}

pub(super) async fn has_file(tx: &Tx, session: &SessionName, file: i64) -> Sql<bool> {
    let sql = "SELECT 1 FROM session_given
               WHERE tenant = $1 AND agent = $2 AND short = $3 AND kind = $4 AND row_id = $5";
    let short = short(&session.agent_session_id);
    tx.exists(sql, &[&Text(&session.agent), &short, &FILE, &file]).await
}

pub(super) async fn note_file(
    tx: &Tx,
    session: &SessionName,
    file: i64,
    rows: &[PublicId],
) -> Sql<bool> {
    if add(tx, session, &[FILE], &[file]).await? == 0 {
        return Ok(false);
    }
    note(tx, session, rows, false).await?;
    Ok(true)
}

/// How many of them are new. Of two transactions that add the same at one time, one waits for the
/// other and then has nothing to add.
async fn add(tx: &Tx, session: &SessionName, kinds: &[&str], numbers: &[i64]) -> Sql<usize> {
    if numbers.is_empty() {
        return Ok(0);
    }
    let sql = "INSERT INTO session_given (tenant, agent, short, kind, row_id)
               SELECT $1, $2, $3, new.kind, new.number
               FROM unnest($4::text[], $5::bigint[]) WITH ORDINALITY AS new (kind, number, n)
               ORDER BY new.n
               ON CONFLICT (tenant, agent, short, kind, row_id) DO NOTHING RETURNING id";
    let short = short(&session.agent_session_id);
    let rows = tx.rows(sql, &[&Text(&session.agent), &short, &kinds, &numbers]).await?;
    let ids = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    let sweeps = |id: &i64| id % SWEEP_EVERY == 0;
    if ids.iter().any(sweeps) {
        forget_oldest(tx).await?;
    }
    Ok(ids.len())
}

async fn forget_oldest(tx: &Tx) -> Sql<()> {
    let sql = "DELETE FROM session_given WHERE tenant = $1 AND id <=
               (SELECT id FROM session_given WHERE tenant = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)";
    tx.run(sql, &[&MOST_GIVEN]).await?;
    Ok(())
}
