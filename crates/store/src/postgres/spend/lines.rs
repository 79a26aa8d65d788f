//! Spending added up for people.

use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use tokio_postgres::Row;

use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{count, get};
use crate::rules::spend::{added_up, line_name};

/// What was spent and handed over from one day to another.
pub(super) async fn lines(tx: &Tx, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let spent = spent(tx, by, from, to).await?;
    Ok(added_up(by, spent.into_iter().chain(injected(tx, by, from, to).await?)))
}

async fn spent(tx: &Tx, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let name = match by {
        SpendBy::Day => "s.day::text",
        SpendBy::Project => "coalesce(p.name, '')",
        SpendBy::Provider => "s.provider",
        SpendBy::Model => "s.provider || '/' || s.model",
        SpendBy::Purpose => "s.purpose",
    };
    let sql = format!(
        "SELECT {name} AS name, count(*) FILTER (WHERE state <> 'nothing') AS calls,
             sum(input_tokens)::bigint AS input, sum(output_tokens)::bigint AS output,
             coalesce(sum(input_tokens + output_tokens)
                 FILTER (WHERE state IN ('reserved', 'unknown')), 0)::bigint AS open,
             coalesce(sum(cost), 0)::bigint AS cost,
             coalesce(sum(input_tokens + output_tokens) FILTER (WHERE cost IS NULL), 0)::bigint
                 AS unpriced
         FROM spend s LEFT JOIN projects p ON p.tenant = $1 AND p.id = s.project_id
         WHERE s.tenant = $1 AND s.day BETWEEN $2 AND $3 GROUP BY 1"
    );
    let line = |row: &Row| {
        Ok(SpendLine {
            name: line_name(by, get(row, "name")?),
            calls: count(get(row, "calls")?),
            input_tokens: count(get(row, "input")?),
            output_tokens: count(get(row, "output")?),
            open_tokens: count(get(row, "open")?),
            cost_micros: count(get(row, "cost")?),
            unpriced_tokens: count(get(row, "unpriced")?),
            ..SpendLine::default()
        })
    };
    tx.rows(&sql, &[&from.number(), &to.number()]).await?.iter().map(line).collect()
}

async fn injected(tx: &Tx, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let name = match by {
        SpendBy::Day => "i.day::text",
        SpendBy::Project => "p.name",
        SpendBy::Provider | SpendBy::Model | SpendBy::Purpose => return Ok(Vec::new()),
    };
    let sql = format!(
        "SELECT {name} AS name, sum(blocks)::bigint AS blocks, sum(tokens)::bigint AS tokens
         FROM injected i JOIN projects p ON p.tenant = $1 AND p.id = i.project_id
         WHERE i.tenant = $1 AND i.day BETWEEN $2 AND $3 GROUP BY 1"
    );
    let line = |row: &Row| {
        Ok(SpendLine {
            name: line_name(by, get(row, "name")?),
            injected_blocks: Some(count(get(row, "blocks")?)),
            injected_tokens: Some(count(get(row, "tokens")?)),
            ..SpendLine::default()
        })
    };
    tx.rows(&sql, &[&from.number(), &to.number()]).await?.iter().map(line).collect()
}
