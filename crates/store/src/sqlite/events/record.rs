//! Recording one event: known already, kept out, or a new row that makes its turn wait.

use afterword_domain::event::{Event, EventBody};
use afterword_domain::text::cut_chars;
use afterword_domain::wire::events::SkipReason;
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::model_jobs::close_turns;
use super::super::search;
use super::super::values::{add_to_counter, json, optional, raise_time};
use super::place::{self, Place};
use super::{count_skipped, follow_up, known, payload, silence};
use crate::contract::{NewEvent, Recorded, TurnKey};
use crate::rules::entry::Entry;
use crate::rules::{FIRST_PROMPT_CHARS, GATHER_MS, new_uid};

/// Records one event; see the contract for the rules.
pub(super) fn record_one(db: &Connection, new: &NewEvent) -> Sql<Recorded> {
    if let Some(duplicate) = known::event(db, new)? {
        add_to_counter(db, "duplicates", 1)?;
        return Ok(duplicate);
    }
    if known::private_prompt(db, new)? {
        return Ok(Recorded::Skipped(SkipReason::Private));
    }
    let event = &new.event;
    if let EventBody::SessionStart { .. } = event.body {
        silence::goes_on(db, event.at)?;
    } else {
        silence::end(db)?;
    }
    let place = place::find_or_make(db, event)?;
    if let EventBody::Prompt { private: true, .. } = event.body {
        open_private_turn(db, &place, new)?;
        return skip_private(db);
    }
    if belongs_to_private_turn(db, &place, event)? {
        return skip_private(db);
    }
    store(db, &place, new)
}

fn store(db: &Connection, place: &Place, new: &NewEvent) -> Sql<Recorded> {
    let event = &new.event;
    place::move_status(db, place, event)?;
    let prompt_number = match &event.body {
        EventBody::Prompt { text, .. } => insert_prompt(db, place, new, text)?,
        _ => prompt_of(db, place, event)?,
    };
    let turn = TurnKey { session_id: place.session_id, prompt_number };
    let event_id = insert_event(db, turn, new)?;
    queue_turn(db, turn, event)?;
    place::touch(db, place, event.at)?;
    raise_time(db, "last_stored_at", event.at)?;
    Ok(Recorded::Stored {
        event_id,
        turn,
        project_id: place.project_id,
        new_session: place.new_session,
    })
}

fn open_private_turn(db: &Connection, place: &Place, new: &NewEvent) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO private_turns (session_id, dedupe_key, near_key, turn_id, at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        place.session_id,
        new.dedupe_key,
        new.near_key,
        new.event.turn_id,
        new.event.at.millis()
    ])?;
    place::move_status(db, place, &new.event)?;
    db.prepare_cached("UPDATE sdk_sessions SET private_open = 1 WHERE id = ?1")?
        .execute([place.session_id])?;
    finish_turns(db, place.session_id, i64::MAX, new.event.at.millis())?;
    place::touch(db, place, new.event.at)
}

fn skip_private(db: &Connection) -> Sql<Recorded> {
    count_skipped(db, SkipReason::Private, 1)?;
    Ok(Recorded::Skipped(SkipReason::Private))
}

/// Whether a tool use, a stop or a sub-agent's stop is part of a private turn. Where the agent does
/// not say which turn an event belongs to, everything until the next prompt is.
fn belongs_to_private_turn(db: &Connection, place: &Place, event: &Event) -> Sql<bool> {
    if !matches!(
        event.body,
        EventBody::ToolUse { .. } | EventBody::Stop { .. } | EventBody::SubagentStop { .. }
    ) {
        return Ok(false);
    }
    let Some(turn_id) = &event.turn_id else { return Ok(place.private_open) };
    let mut marked =
        db.prepare_cached("SELECT 1 FROM private_turns WHERE session_id = ?1 AND turn_id = ?2")?;
    if marked.exists(params![place.session_id, turn_id])? {
        return Ok(true);
    }
    if !place.private_open || prompt_with_turn(db, place, turn_id)?.is_some() {
        return Ok(false);
    }
    // The newest private prompt came without an id, so this may be its turn.
    let mut newest = db.prepare_cached(
        "SELECT turn_id IS NULL FROM private_turns WHERE session_id = ?1 ORDER BY id DESC LIMIT 1",
    )?;
    Ok(optional(newest.query_row([place.session_id], |row| row.get(0)))?.unwrap_or(false))
}

fn prompt_with_turn(db: &Connection, place: &Place, turn_id: &str) -> Sql<Option<i64>> {
    let mut one = db.prepare_cached(
        "SELECT number FROM user_prompts WHERE session_id = ?1 AND turn_id = ?2
         ORDER BY number DESC LIMIT 1",
    )?;
    optional(one.query_row(params![place.session_id, turn_id], |row| row.get(0)))
}

/// The prompt that an event belongs to.
fn prompt_of(db: &Connection, place: &Place, event: &Event) -> Sql<i64> {
    let named = match &event.turn_id {
        Some(turn_id) => prompt_with_turn(db, place, turn_id)?,
        None => None,
    };
    Ok(named.unwrap_or(place.prompt_counter))
}

fn insert_prompt(db: &Connection, place: &Place, new: &NewEvent, text: &str) -> Sql<i64> {
    let event = &new.event;
    let number = place.prompt_counter + 1;
    db.prepare_cached(
        "UPDATE sdk_sessions SET prompt_counter = ?2, private_open = 0,
         first_prompt = coalesce(first_prompt, ?3) WHERE id = ?1",
    )?
    .execute(params![place.session_id, number, cut_chars(text, FIRST_PROMPT_CHARS)])?;
    db.prepare_cached(
        "INSERT INTO user_prompts (uid, session_id, project_id, number, turn_id, text, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        new_uid(event.at).to_string(),
        place.session_id,
        place.project_id,
        number,
        event.turn_id,
        text,
        event.at.millis()
    ])?;
    let entry = Entry {
        id: PublicId::new(Kind::Prompt, db.last_insert_rowid()),
        project_id: place.project_id,
        session_id: Some(place.session_id),
        created_at: event.at,
        subagent: event.subagent.is_some(),
    };
    search::put(db, &entry, &new.index.clone().unwrap_or_default())?;
    finish_turns(db, place.session_id, number, event.at.millis())?;
    Ok(number)
}

fn insert_event(db: &Connection, turn: TurnKey, new: &NewEvent) -> Sql<i64> {
    let event = &new.event;
    db.prepare_cached(
        "INSERT INTO events (session_id, prompt_number, kind, at, subagent, dedupe_key, near_key,
         digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        turn.session_id,
        turn.prompt_number,
        event.body.kind(),
        event.at.millis(),
        event.subagent.as_ref().map(|subagent| &subagent.id),
        new.dedupe_key,
        new.near_key,
        json(&new.digest)?
    ])?;
    let id = db.last_insert_rowid();
    payload::keep(db, id, event)?;
    follow_up::owe(db, id, turn.session_id, event)?;
    Ok(id)
}

/// Makes the turn's job wait. What a stop or the session's end closes is due at once; a job that
/// failed keeps its time of retry, and a parked one gets new tries.
fn queue_turn(db: &Connection, turn: TurnKey, event: &Event) -> Sql<()> {
    let at = event.at.millis();
    let closes = matches!(event.body, EventBody::Stop { .. } | EventBody::SessionEnd { .. });
    let due = if closes { at } else { at.saturating_add(GATHER_MS) };
    let TurnKey { session_id, prompt_number } = turn;
    let mut parked = db.prepare_cached(
        "DELETE FROM jobs WHERE session_id = ?1 AND prompt_number = ?2 AND state = 'parked'",
    )?;
    if parked.execute(params![session_id, prompt_number])? > 0 {
        db.prepare_cached(
            "UPDATE events SET state = 'waiting'
             WHERE session_id = ?1 AND prompt_number = ?2 AND state = 'parked'",
        )?
        .execute(params![session_id, prompt_number])?;
    }
    db.prepare_cached(
        "INSERT INTO jobs (session_id, prompt_number, run_after) VALUES (?1, ?2, ?3)
         ON CONFLICT (session_id, prompt_number) DO UPDATE
         SET run_after = min(run_after, excluded.run_after)
         WHERE state = 'waiting' AND attempts = 0",
    )?
    .execute(params![session_id, prompt_number, due])?;
    if matches!(event.body, EventBody::SessionEnd { .. }) {
        finish_turns(db, session_id, i64::MAX, at)?;
    }
    Ok(())
}

/// Makes the jobs of a session's turns before `below` due.
fn finish_turns(db: &Connection, session_id: i64, below: i64, at: i64) -> Sql<()> {
    db.prepare_cached(
        "UPDATE jobs SET run_after = ?3 WHERE session_id = ?1 AND prompt_number < ?2
         AND state = 'waiting' AND attempts = 0 AND run_after > ?3",
    )?
    .execute(params![session_id, below, at])?;
    close_turns(db, session_id, below, at)
}
