//! Limits are looked at and kept where nobody else can set anything aside meanwhile.

use afterword_domain::Time;
use afterword_domain::day::Day;

use crate::contract::{AHEAD_DAYS, NewSpend, Reserved, Settled, SpendLimits};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, count, get};
use crate::rules::spend::{self, Spent, bounded, micros, passed};

pub(super) async fn reserve(tx: &Tx, call: &NewSpend, limits: &SpendLimits) -> Sql<Reserved> {
    // One after the other, on whichever server: what the next one adds up has this one in it.
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('spend', $1))", &[]).await?;
    bring_back(tx, Day::of(call.at)).await?;
    let day = day_of_ledger(tx, call.at).await?;
    let spent = spent(tx, day, call.session_id).await?;
    if let Some(limit) = passed(call, &spent, limits) {
        return Ok(Reserved::Over { limit, day });
    }
    let row = tx
        .one(
            "INSERT INTO spend (tenant, day, at, provider, model, purpose, project_id, session_id,
                 backlog, input_tokens, output_tokens, cost)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id",
            &[
                &day.number(),
                &call.at.millis(),
                &Text(&call.provider),
                &Text(&call.model),
                &Text(&call.purpose),
                &call.project_id,
                &call.session_id,
                &call.backlog,
                &bounded(call.input_tokens),
                &bounded(call.output_tokens),
                &call.cost.map(micros),
            ],
        )
        .await?;
    Ok(Reserved::Within(get(&row, "id")?))
}

/// The day that a call at `now` is charged to.
pub(super) async fn day_of_ledger(tx: &Tx, now: Time) -> Sql<Day> {
    Ok(spend::charged_to(newest(tx).await?, Day::of(now)))
}

async fn newest(tx: &Tx) -> Sql<Option<Day>> {
    let row = tx.one("SELECT max(day) AS day FROM spend WHERE tenant = $1", &[]).await?;
    Ok(get::<Option<i64>>(&row, "day")?.map(Day::from_number))
}

/// Puts what a clock far ahead has written on the day it is.
async fn bring_back(tx: &Tx, today: Day) -> Sql<()> {
    if newest(tx).await?.is_some_and(|newest| newest > today.plus(AHEAD_DAYS)) {
        let sql = "UPDATE spend SET day = $2 WHERE tenant = $1 AND day > $2";
        tx.run(sql, &[&today.number()]).await?;
    }
    Ok(())
}

async fn spent(tx: &Tx, day: Day, session_id: Option<i64>) -> Sql<Spent> {
    // Each number is bounded, and so is the number of calls that a day can have.
    let sql = "SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint AS tokens,
                   coalesce(sum(cost), 0)::bigint AS cost,
                   coalesce(sum(input_tokens + output_tokens) FILTER (WHERE backlog), 0)::bigint
                       AS backlog_tokens,
                   coalesce(sum(input_tokens + output_tokens) FILTER (WHERE session_id = $3), 0)::bigint
                       AS session_tokens
               FROM spend WHERE tenant = $1 AND day = $2";
    let row = tx.one(sql, &[&day.number(), &session_id]).await?;
    Ok(Spent {
        tokens: count(get(&row, "tokens")?),
        cost: count(get(&row, "cost")?),
        backlog_tokens: count(get(&row, "backlog_tokens")?),
        session_tokens: count(get(&row, "session_tokens")?),
    })
}

pub(in crate::postgres) async fn settle(tx: &Tx, id: i64, settled: Settled) -> Sql<bool> {
    let (state, input, output, cost) = spend::settled(settled);
    let sql = "UPDATE spend SET state = $3, input_tokens = coalesce($4, input_tokens),
                   output_tokens = coalesce($5, output_tokens), cost = coalesce($6, cost)
               WHERE tenant = $1 AND id = $2 AND state = 'reserved'";
    Ok(tx.run(sql, &[&id, &state, &input, &output, &cost]).await? > 0)
}
