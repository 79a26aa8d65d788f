//! Limits are looked at and kept where nobody else can write meanwhile.

use afterword_domain::Time;
use afterword_domain::day::Day;
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::count;
use crate::contract::{AHEAD_DAYS, NewSpend, Reserved, Settled, SpendLimits};
use crate::rules::spend::{self, Spent, bounded, micros, passed};

pub(super) fn reserve(db: &Connection, call: &NewSpend, limits: &SpendLimits) -> Sql<Reserved> {
    bring_back(db, Day::of(call.at))?;
    let day = day_of_ledger(db, call.at)?;
    let spent = spent(db, day, call.session_id)?;
    if let Some(limit) = passed(call, &spent, limits) {
        return Ok(Reserved::Over { limit, day });
    }
    db.prepare_cached(
        "INSERT INTO spend (day, at, provider, model, purpose, project_id, session_id, backlog,
             input_tokens, output_tokens, cost)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        day.number(),
        call.at.millis(),
        call.provider,
        call.model,
        call.purpose,
        call.project_id,
        call.session_id,
        call.backlog,
        bounded(call.input_tokens),
        bounded(call.output_tokens),
        call.cost.map(micros),
    ])?;
    Ok(Reserved::Within(db.last_insert_rowid()))
}

/// The day that a call at `now` is charged to.
pub(super) fn day_of_ledger(db: &Connection, now: Time) -> Sql<Day> {
    Ok(spend::charged_to(newest(db)?, Day::of(now)))
}

fn newest(db: &Connection) -> Sql<Option<Day>> {
    let day: Option<i64> =
        db.prepare_cached("SELECT max(day) FROM spend")?.query_row([], |row| row.get(0))?;
    Ok(day.map(Day::from_number))
}

/// Puts what a clock far ahead has written on the day it is.
fn bring_back(db: &Connection, today: Day) -> Sql<()> {
    if newest(db)?.is_some_and(|newest| newest > today.plus(AHEAD_DAYS)) {
        db.prepare_cached("UPDATE spend SET day = ?1 WHERE day > ?1")?.execute([today.number()])?;
    }
    Ok(())
}

fn spent(db: &Connection, day: Day, session_id: Option<i64>) -> Sql<Spent> {
    let mut sums = db.prepare_cached(
        "SELECT coalesce(sum(input_tokens + output_tokens), 0),
             coalesce(sum(cost), 0),
             coalesce(sum(CASE WHEN backlog THEN input_tokens + output_tokens END), 0),
             coalesce(sum(CASE WHEN session_id = ?2 THEN input_tokens + output_tokens END), 0)
         FROM spend WHERE day = ?1",
    )?;
    Ok(sums.query_row(params![day.number(), session_id], |row| {
        Ok(Spent {
            tokens: count(row.get(0)?),
            cost: count(row.get(1)?),
            backlog_tokens: count(row.get(2)?),
            session_tokens: count(row.get(3)?),
        })
    })?)
}

pub(in super::super) fn settle(db: &Connection, id: i64, settled: Settled) -> Sql<bool> {
    let (state, input, output, cost) = spend::settled(settled);
    let n = db
        .prepare_cached(
            "UPDATE spend SET state = ?2, input_tokens = coalesce(?3, input_tokens),
                 output_tokens = coalesce(?4, output_tokens), cost = coalesce(?5, cost)
             WHERE id = ?1 AND state = 'reserved'",
        )?
        .execute(params![id, state, input, output, cost])?;
    Ok(n > 0)
}
