//! Rows of one kind, newest first.

use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::limit as sql_limit;
use super::read::{prompt_from_row, row, summary_from_row, table};
use crate::contract::Row;

/// As the contract's `page`.
pub(super) fn page(
    db: &Connection,
    scope: &Scope,
    kind: Kind,
    agent: Option<&str>,
    (offset, limit): (usize, usize),
) -> Sql<Vec<Row>> {
    let whose = match (agent, kind) {
        (None, _) => "?4 IS NULL",
        // A memory is of no session.
        (Some(_), Kind::Memory) => "?4 IS NULL AND FALSE",
        (Some(_), _) => "session_id IN (SELECT id FROM sdk_sessions WHERE agent = ?4)",
    };
    let sql = format!(
        "SELECT id FROM {} WHERE {} AND {whose}
         ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3",
        table(kind),
        super::in_scope(scope)
    );
    let mut list = db.prepare_cached(&sql)?;
    let found = list
        .query_map(params![scope.project(), sql_limit(limit), sql_limit(offset), agent], |row| {
            row.get(0)
        })?;
    let numbers = found.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut rows = Vec::with_capacity(numbers.len());
    for number in numbers {
        rows.extend(row(db, scope, PublicId::new(kind, number))?);
    }
    Ok(rows)
}

/// As the contract's `recent_summaries`.
pub(super) fn recent_summaries(
    db: &Connection,
    scope: &Scope,
    level: SummaryLevel,
    limit: usize,
) -> Sql<Vec<Summary>> {
    let sql = format!(
        "SELECT * FROM session_summaries WHERE {} AND level = ?3
         ORDER BY created_at DESC, id DESC LIMIT ?2",
        super::in_scope(scope)
    );
    let mut list = db.prepare_cached(&sql)?;
    let rows =
        list.query_map(params![scope.project(), sql_limit(limit), level.word()], summary_from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// As the contract's `recent_prompts`.
pub(super) fn recent_prompts(db: &Connection, scope: &Scope, limit: usize) -> Sql<Vec<Prompt>> {
    let sql = format!(
        "SELECT * FROM user_prompts WHERE {} ORDER BY created_at DESC, id DESC LIMIT ?2",
        super::in_scope(scope)
    );
    let mut list = db.prepare_cached(&sql)?;
    let rows = list.query_map(params![scope.project(), sql_limit(limit)], prompt_from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
