//! Spending added up for people.

use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use rusqlite::{Connection, Row, params};

use super::super::connect::Sql;
use super::super::values::count;
use crate::rules::spend::{added_up, line_name};

/// What was spent and handed over from one day to another.
pub(super) fn lines(db: &Connection, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let spent = spent(db, by, from, to)?;
    Ok(added_up(by, spent.into_iter().chain(injected(db, by, from, to)?)))
}

fn spent(db: &Connection, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let name = match by {
        SpendBy::Day => "CAST(day AS TEXT)",
        SpendBy::Project => "coalesce(name, '')",
        SpendBy::Provider => "provider",
        SpendBy::Model => "provider || '/' || model",
        SpendBy::Purpose => "purpose",
    };
    let mut sums = db.prepare_cached(&format!(
        "SELECT {name}, sum(state <> 'nothing'), sum(input_tokens), sum(output_tokens),
             coalesce(sum(CASE WHEN state IN ('reserved', 'unknown')
                 THEN input_tokens + output_tokens END), 0),
             coalesce(sum(cost), 0),
             coalesce(sum(CASE WHEN cost IS NULL THEN input_tokens + output_tokens END), 0)
         FROM spend LEFT JOIN projects ON projects.id = project_id
         WHERE day BETWEEN ?1 AND ?2 GROUP BY 1"
    ))?;
    let rows = sums.query_map(params![from.number(), to.number()], |row| {
        Ok(SpendLine {
            name: name_of(by, row)?,
            calls: count(row.get(1)?),
            input_tokens: count(row.get(2)?),
            output_tokens: count(row.get(3)?),
            open_tokens: count(row.get(4)?),
            cost_micros: count(row.get(5)?),
            unpriced_tokens: count(row.get(6)?),
            ..SpendLine::default()
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn injected(db: &Connection, by: SpendBy, from: Day, to: Day) -> Sql<Vec<SpendLine>> {
    let name = match by {
        SpendBy::Day => "CAST(day AS TEXT)",
        SpendBy::Project => "name",
        SpendBy::Provider | SpendBy::Model | SpendBy::Purpose => return Ok(Vec::new()),
    };
    let mut sums = db.prepare_cached(&format!(
        "SELECT {name}, sum(blocks), sum(tokens)
         FROM injected JOIN projects ON projects.id = project_id
         WHERE day BETWEEN ?1 AND ?2 GROUP BY 1"
    ))?;
    let rows = sums.query_map(params![from.number(), to.number()], |row| {
        Ok(SpendLine {
            name: name_of(by, row)?,
            injected_blocks: Some(count(row.get(1)?)),
            injected_tokens: Some(count(row.get(2)?)),
            ..SpendLine::default()
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn name_of(by: SpendBy, row: &Row<'_>) -> rusqlite::Result<String> {
    Ok(line_name(by, row.get(0)?))
}
