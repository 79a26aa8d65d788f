//! Rows of one kind, page by page.

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};

use super::read::{rows, table};
use crate::contract::Row;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{get, limit as sql_limit, text};

/// As the contract's `page`.
pub(super) async fn page(
    tx: &Tx,
    scope: &Scope,
    kind: Kind,
    agent: Option<&String>,
    (offset, limit): (usize, usize),
) -> Sql<Vec<Row>> {
    let whose = match (agent, kind) {
        (None, _) => "$5::text IS NULL",
        // A memory is of no session.
        (Some(_), Kind::Memory) => "$5::text IS NULL AND FALSE",
        (Some(_), _) => {
            "session_id IN (SELECT id FROM sdk_sessions WHERE tenant = $1 AND agent = $5::text)"
        }
    };
    let sql = format!(
        "SELECT id FROM {} WHERE tenant = $1 AND {} AND {whose}
         ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
        table(kind),
        super::in_scope(scope)
    );
    let found = tx
        .rows(&sql, &[&scope.project(), &sql_limit(limit), &sql_limit(offset), &text(agent)])
        .await?;
    let ids = super::each(&found, |row| Ok(PublicId::new(kind, get(row, "id")?)))?;
    rows(tx, scope, &ids).await
}
