//! Rows of one kind, newest first.

use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::{Kind, PublicId};

use super::read::{prompt_from_row, rows, summary_from_row, table};
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

/// As the contract's `recent_summaries`.
pub(super) async fn recent_summaries(
    tx: &Tx,
    scope: &Scope,
    level: SummaryLevel,
    limit: usize,
) -> Sql<Vec<Summary>> {
    let sql = format!(
        "SELECT * FROM session_summaries WHERE tenant = $1 AND {} AND level = $4
         ORDER BY created_at DESC, id DESC LIMIT $3",
        super::in_scope(scope)
    );
    let rows = tx.rows(&sql, &[&scope.project(), &sql_limit(limit), &level.word()]).await?;
    rows.iter().map(summary_from_row).collect()
}

/// As the contract's `recent_prompts`.
pub(super) async fn recent_prompts(tx: &Tx, scope: &Scope, limit: usize) -> Sql<Vec<Prompt>> {
    let sql = format!(
        "SELECT * FROM user_prompts WHERE tenant = $1 AND {}
         ORDER BY created_at DESC, id DESC LIMIT $3",
        super::in_scope(scope)
    );
    let rows = tx.rows(&sql, &[&scope.project(), &sql_limit(limit)]).await?;
    rows.iter().map(prompt_from_row).collect()
}
