//! Recording events: known already, kept out, or new rows that make their turns wait.

use afterword_domain::event::{Event, EventBody};
use afterword_domain::text::cut_chars;
use afterword_domain::wire::events::SkipReason;
use afterword_domain::{Kind, PublicId};

use super::place::{self, Place};
use super::{count_skipped, follow_up, known, payload, silence};
use crate::contract::{IndexDoc, NewEvent, Recorded, TurnKey};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::model_jobs::close_turns;
use crate::postgres::search;
use crate::postgres::values::{Text, get, json, text};
use crate::rules::entry::Entry;
use crate::rules::{FIRST_PROMPT_CHARS, GATHER_MS, new_uid};

/// Records events in order; see the contract for the rules.
pub(super) async fn record(tx: &Tx, events: &[NewEvent]) -> Sql<Vec<Recorded>> {
    let mut places = place::known(tx, events).await?;
    let mut silent = silence::lasts(tx).await?;
    let mut recorded = Vec::with_capacity(events.len());
    for new in events {
        let name = place::name(&new.event);
        let place = places.get(&name).cloned();
        if let Some(duplicate) = known::event(tx, new, place.as_ref()).await? {
            tx.count("duplicates", 1);
            recorded.push(duplicate);
            continue;
        }
        if known::private_prompt(tx, new, place.as_ref()).await? {
            recorded.push(Recorded::Skipped(SkipReason::Private));
            continue;
        }
        let starts = matches!(new.event.body, EventBody::SessionStart { .. });
        if starts {
            silence::goes_on(tx, new.event.at).await?;
        } else if silent {
            silence::end(tx).await?;
        }
        silent = starts;
        let mut place = match place {
            Some(place) => place,
            None => place::make(tx, &new.event).await?,
        };
        recorded.push(record_new(tx, &mut place, new).await?);
        places.insert(name, Place { new_session: false, ..place });
    }
    Ok(recorded)
}

/// Records an event that is not known, and brings what is known of its session up to date.
async fn record_new(tx: &Tx, place: &mut Place, new: &NewEvent) -> Sql<Recorded> {
    let event = &new.event;
    if let EventBody::Prompt { private: true, .. } = event.body {
        open_private_turn(tx, place, new).await?;
        (place.private_open, place.has_private) = (true, true);
        return Ok(skip_private(tx));
    }
    if belongs_to_private_turn(tx, place, event).await? {
        return Ok(skip_private(tx));
    }
    place::move_on(tx, place, event).await?;
    let prompt_number = match &event.body {
        EventBody::Prompt { text, .. } => insert_prompt(tx, place, new, text).await?,
        _ => prompt_of(tx, place, event).await?,
    };
    let turn = TurnKey { session_id: place.session_id, prompt_number };
    let event_id = insert_event(tx, turn, new).await?;
    queue_turn(tx, turn, event).await?;
    tx.raise_time("last_stored_at", event.at);
    Ok(Recorded::Stored {
        event_id,
        turn,
        project_id: place.project_id,
        new_session: place.new_session,
    })
}

async fn open_private_turn(tx: &Tx, place: &mut Place, new: &NewEvent) -> Sql<()> {
    let event = &new.event;
    tx.run(
        "INSERT INTO private_turns (tenant, session_id, dedupe_key, near_key, turn_id, at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            &place.session_id,
            &Text(&new.dedupe_key),
            &text(new.near_key.as_ref()),
            &text(event.turn_id.as_ref()),
            &event.at.millis(),
        ],
    )
    .await?;
    place::move_on(tx, place, event).await?;
    let sql = "UPDATE sdk_sessions SET private_open = true WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&place.session_id]).await?;
    finish_turns(tx, place.session_id, i64::MAX, event.at.millis()).await
}

fn skip_private(tx: &Tx) -> Recorded {
    count_skipped(tx, SkipReason::Private, 1);
    Recorded::Skipped(SkipReason::Private)
}

/// Whether a tool use, a stop or a sub-agent's stop is part of a private turn. Where the agent does
/// not say which turn an event belongs to, everything until the next prompt is.
async fn belongs_to_private_turn(tx: &Tx, place: &Place, event: &Event) -> Sql<bool> {
    if !place.has_private
        || !matches!(
            event.body,
            EventBody::ToolUse { .. } | EventBody::Stop { .. } | EventBody::SubagentStop { .. }
        )
    {
        return Ok(false);
    }
    let Some(turn_id) = &event.turn_id else { return Ok(place.private_open) };
    let sql = "SELECT 1 FROM private_turns
               WHERE tenant = $1 AND session_id = $2 AND turn_id = $3 LIMIT 1";
    if tx.exists(sql, &[&place.session_id, &Text(turn_id)]).await? {
        return Ok(true);
    }
    if !place.private_open || prompt_with_turn(tx, place, turn_id).await?.is_some() {
        return Ok(false);
    }
    // The newest private prompt came without an id, so this may be its turn.
    let sql = "SELECT turn_id IS NULL AS nameless FROM private_turns
               WHERE tenant = $1 AND session_id = $2 ORDER BY id DESC LIMIT 1";
    let newest = tx.first(sql, &[&place.session_id]).await?;
    newest.map_or(Ok(false), |row| get(&row, "nameless"))
}

async fn prompt_with_turn(tx: &Tx, place: &Place, turn_id: &str) -> Sql<Option<i64>> {
    let sql = "SELECT number FROM user_prompts
               WHERE tenant = $1 AND session_id = $2 AND turn_id = $3
               ORDER BY number DESC LIMIT 1";
    let found = tx.first(sql, &[&place.session_id, &Text(turn_id)]).await?;
    found.map(|row| get(&row, "number")).transpose()
}

/// The prompt that an event belongs to.
async fn prompt_of(tx: &Tx, place: &Place, event: &Event) -> Sql<i64> {
    let named = match &event.turn_id {
        Some(turn_id) if place.prompt_counter > 0 => prompt_with_turn(tx, place, turn_id).await?,
        _ => None,
    };
    Ok(named.unwrap_or(place.prompt_counter))
}

async fn insert_prompt(tx: &Tx, place: &mut Place, new: &NewEvent, said: &str) -> Sql<i64> {
    let event = &new.event;
    let number = place.prompt_counter + 1;
    let first = cut_chars(said, FIRST_PROMPT_CHARS);
    let sql = "UPDATE sdk_sessions SET prompt_counter = $3, private_open = false,
               first_prompt = coalesce(first_prompt, $4) WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&place.session_id, &number, &Text(&first)]).await?;
    let row = tx
        .one(
            "INSERT INTO user_prompts (tenant, uid, session_id, project_id, number, turn_id, text,
                 created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
            &[
                &new_uid(event.at),
                &place.session_id,
                &place.project_id,
                &number,
                &text(event.turn_id.as_ref()),
                &Text(said),
                &event.at.millis(),
            ],
        )
        .await?;
    let entry = Entry {
        id: PublicId::new(Kind::Prompt, get(&row, "id")?),
        project_id: place.project_id,
        session_id: Some(place.session_id),
        created_at: event.at,
        subagent: event.subagent.is_some(),
    };
    let nothing = IndexDoc::default();
    search::add_all(tx, &[(entry, new.index.as_ref().unwrap_or(&nothing))]).await?;
    finish_turns(tx, place.session_id, number, event.at.millis()).await?;
    (place.prompt_counter, place.private_open) = (number, false);
    Ok(number)
}

async fn insert_event(tx: &Tx, turn: TurnKey, new: &NewEvent) -> Sql<i64> {
    let event = &new.event;
    let payload = json(event)?;
    let bytes = i64::try_from(payload.len()).unwrap_or(i64::MAX);
    let row = tx
        .one(
            "WITH event AS (
                 INSERT INTO events (tenant, session_id, prompt_number, kind, at, subagent,
                     dedupe_key, near_key, digest)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id)
             INSERT INTO event_payloads (tenant, event_id, bytes, payload)
             SELECT $1, id, $10, $11 FROM event RETURNING event_id",
            &[
                &turn.session_id,
                &turn.prompt_number,
                &event.body.kind(),
                &event.at.millis(),
                &text(event.subagent.as_ref().map(|subagent| &subagent.id)),
                &Text(&new.dedupe_key),
                &text(new.near_key.as_ref()),
                &json(&new.digest)?,
                &bytes,
                &payload,
            ],
        )
        .await?;
    let id = get(&row, "event_id")?;
    tx.count("received", 1);
    tx.count("events.waiting", 1);
    tx.count(payload::BYTES, bytes);
    follow_up::owe(tx, id, turn.session_id, event).await?;
    Ok(id)
}

/// Makes the turn's job wait. What a stop or the session's end closes is due at once; a job that
/// failed keeps its time of retry, and a parked one gets new tries.
async fn queue_turn(tx: &Tx, turn: TurnKey, event: &Event) -> Sql<()> {
    let at = event.at.millis();
    let closes = matches!(event.body, EventBody::Stop { .. } | EventBody::SessionEnd { .. });
    let due = if closes { at } else { at.saturating_add(GATHER_MS) };
    let TurnKey { session_id, prompt_number } = turn;
    let row = tx
        .one(
            "WITH woken AS (
                 UPDATE events SET state = 'waiting' WHERE tenant = $1 AND session_id = $2
                 AND prompt_number = $3 AND state = 'parked' RETURNING 1),
             job AS (
                 INSERT INTO jobs AS j (tenant, session_id, prompt_number, run_after)
                 VALUES ($1, $2, $3, $4)
                 ON CONFLICT (tenant, session_id, prompt_number) DO UPDATE SET
                     run_after = CASE WHEN j.state = 'parked' THEN excluded.run_after
                         ELSE least(j.run_after, excluded.run_after) END,
                     attempts = CASE WHEN j.state = 'parked' THEN 0 ELSE j.attempts END,
                     error = CASE WHEN j.state = 'parked' THEN NULL ELSE j.error END,
                     state = 'waiting'
                 WHERE j.state = 'parked' OR (j.state = 'waiting' AND j.attempts = 0))
             SELECT count(*) AS woken FROM woken",
            &[&session_id, &prompt_number, &due],
        )
        .await?;
    tx.brings_work();
    let woken: i64 = get(&row, "woken")?;
    tx.count("events.parked", -woken);
    tx.count("events.waiting", woken);
    if matches!(event.body, EventBody::SessionEnd { .. }) {
        finish_turns(tx, session_id, i64::MAX, at).await?;
    }
    Ok(())
}

/// Makes the jobs of a session's turns before `below` due.
async fn finish_turns(tx: &Tx, session_id: i64, below: i64, at: i64) -> Sql<()> {
    let sql = "UPDATE jobs SET run_after = $4 WHERE tenant = $1 AND session_id = $2
               AND prompt_number < $3 AND state = 'waiting' AND attempts = 0 AND run_after > $4";
    tx.run(sql, &[&session_id, &below, &at]).await?;
    close_turns(tx, session_id, below, at).await
}
