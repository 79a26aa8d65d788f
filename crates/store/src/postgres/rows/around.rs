//! Rows next to a point in time, and those of a session.

use afterword_domain::scope::Scope;
use afterword_domain::{PublicId, Time};

use super::read::rows;
use crate::contract::{Around, Row};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{get, kind, limit as sql_limit};

/// Where the walk begins: a row's place, or the place in front of everything of that time.
struct Point<'a> {
    at: i64,
    kind: &'a str,
    number: i64,
}

pub(super) async fn around(
    tx: &Tx,
    scope: &Scope,
    at: Time,
    id: Option<PublicId>,
    before: usize,
    after: usize,
) -> Sql<Around> {
    let point = Point {
        at: at.millis(),
        // No kind is called so: every kind of that time comes after it.
        kind: id.map_or("", |id| id.kind.word()),
        number: id.map_or(0, |id| id.number),
    };
    let mut earlier = walk(tx, scope, &point, ("<", "DESC"), before).await?;
    earlier.reverse();
    let after = walk(tx, scope, &point, (">", "ASC"), after).await?;
    Ok(Around { before: earlier, after })
}

async fn walk(
    tx: &Tx,
    scope: &Scope,
    point: &Point<'_>,
    (side, order): (&str, &str),
    limit: usize,
) -> Sql<Vec<Row>> {
    let place = super::in_scope(scope);
    // The first condition is what an index by time can be entered with.
    let sql = format!(
        "SELECT kind, row_id FROM search_rows WHERE tenant = $1 AND {place}
         AND created_at {side}= $3 AND (created_at, kind, row_id) {side} ($3, $4, $5)
         ORDER BY created_at {order}, kind {order}, row_id {order} LIMIT $6"
    );
    let found = tx
        .rows(&sql, &[&scope.project(), &point.at, &point.kind, &point.number, &sql_limit(limit)])
        .await?;
    let ids =
        super::each(&found, |row| Ok(PublicId::new(kind(row, "kind")?, get(row, "row_id")?)))?;
    rows(tx, scope, &ids).await
}

/// As the contract's `session_rows`.
pub(super) async fn of_session(tx: &Tx, session_id: i64, limit: usize) -> Sql<Vec<Row>> {
    let sql = "SELECT 'observation'::text COLLATE \"C\" AS kind, id AS row_id, created_at FROM observations
                   WHERE tenant = $1 AND session_id = $2
               UNION ALL SELECT 'summary', id, created_at FROM session_summaries
                   WHERE tenant = $1 AND session_id = $2
               UNION ALL SELECT 'prompt', id, created_at FROM user_prompts
                   WHERE tenant = $1 AND session_id = $2
               UNION ALL SELECT 'snapshot', id, created_at FROM snapshots
                   WHERE tenant = $1 AND session_id = $2
               ORDER BY created_at, kind, row_id LIMIT $3";
    let found = tx.rows(sql, &[&session_id, &sql_limit(limit)]).await?;
    let ids =
        super::each(&found, |row| Ok(PublicId::new(kind(row, "kind")?, get(row, "row_id")?)))?;
    rows(tx, &Scope::All, &ids).await
}
