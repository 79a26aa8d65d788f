//! Saving what distilling a turn gave.

use std::collections::BTreeSet;

use afterword_domain::Kind;
use afterword_domain::observation::{Observation, Source};
use afterword_domain::summary::{Summary, SummaryLevel};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::model_jobs::{model_seen, note_wish, session_told};
use super::super::rows::{
    insert_observation, insert_summary, observation_from_row, summary_from_row, update_observation,
    update_summary,
};
use super::super::search;
use super::super::values::{optional, raise_time};
use crate::contract::{NewObservation, NewSummary, SavedTurn, TurnKey, TurnOutcome};
use crate::rules::entry::Entry;
use crate::rules::new_uid;
use crate::rules::revision::belongs_to_person;
use crate::rules::summary::{new_row, with_files_of};

pub(super) fn save_turn(db: &Connection, outcome: &TurnOutcome) -> Sql<SavedTurn> {
    let (turn, project) = (outcome.job.turn, outcome.job.project_id);
    let mut saved = SavedTurn::default();
    if model_seen(db, turn)? != outcome.job.model_seen {
        saved.waits_again = true;
        wait_again(db, outcome)?;
        return Ok(saved);
    }
    drop_unnamed(db, outcome)?;
    for new in &outcome.observations {
        saved.new_observations.extend(save_observation(db, turn, project, new)?);
    }
    let (of_turn, of_session) = (outcome.turn_summary.as_ref(), outcome.session_summary.as_ref());
    saved.turn_summary = save_summary(db, turn, project, SummaryLevel::Turn, of_turn)?;
    saved.session_summary = save_summary(db, turn, project, SummaryLevel::Session, of_session)?;
    saved.waits_again = end_job(db, outcome)?;
    if let Some(wish) = &outcome.model {
        note_wish(db, turn, wish, outcome.now)?;
    }
    raise_time(db, "last_distilled_at", outcome.now)?;
    Ok(saved)
}

/// Rule-made findings that a later look at the turn does not make any more were wrong. Those that
/// stand beside a model's rows are not looked at again.
fn drop_unnamed(db: &Connection, outcome: &TurnOutcome) -> Sql<()> {
    let turn = outcome.job.turn;
    let named: BTreeSet<&str> =
        outcome.observations.iter().map(|new| new.rule_key.as_str()).collect();
    let mut list = db.prepare_cached(
        "SELECT id, rule_key FROM observations o
         WHERE session_id = ?1 AND prompt_number = ?2 AND rule_key IS NOT NULL AND source = ?3
         AND NOT EXISTS (SELECT 1 FROM observation_events e
             WHERE e.observation_id = o.id AND e.event_id <= ?4)",
    )?;
    let seen = outcome.job.model_seen;
    let rows = list.query_map(
        params![turn.session_id, turn.prompt_number, Source::Rules.word(), seen],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    let present = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    for (id, rule_key) in present {
        if !named.contains(rule_key.as_str()) {
            db.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([id])?;
        }
    }
    Ok(())
}

fn is_forgotten(db: &Connection, turn: TurnKey, kind: Kind, rule_key: &str) -> Sql<bool> {
    let mut one = db.prepare_cached(
        "SELECT 1 FROM tombstones
         WHERE session_id = ?1 AND prompt_number = ?2 AND kind = ?3 AND rule_key = ?4",
    )?;
    Ok(one.exists(params![turn.session_id, turn.prompt_number, kind.word(), rule_key])?)
}

/// Returns the id of an observation that is new.
pub(in super::super) fn save_observation(
    db: &Connection,
    turn: TurnKey,
    project_id: i64,
    new: &NewObservation,
) -> Sql<Option<i64>> {
    if is_forgotten(db, turn, Kind::Observation, &new.rule_key)? {
        return Ok(None);
    }
    let mut one = db.prepare_cached(
        "SELECT * FROM observations
         WHERE session_id = ?1 AND prompt_number = ?2 AND rule_key = ?3",
    )?;
    let found = optional(one.query_row(
        params![turn.session_id, turn.prompt_number, new.rule_key],
        observation_from_row,
    ))?;
    let mut row = Observation {
        id: 0,
        uid: new_uid(new.created_at),
        session_id: Some(turn.session_id),
        project_id,
        prompt_number: turn.prompt_number,
        content: new.content.clone(),
        subagent: new.subagent.clone(),
        source: new.source,
        created_at: new.created_at,
    };
    let is_new = found.is_none();
    if let Some(known) = &found
        && belongs_to_person(known.source, known.created_at, false, new.created_at)
    {
        return Ok(None);
    }
    if let Some(known) = found {
        row.id = known.id;
        row.uid = known.uid;
        if row != known {
            update_observation(db, &row)?;
        }
    } else {
        row.id = insert_observation(db, &row, Some(&new.rule_key))?;
    }
    link_events(db, row.id, &new.event_ids)?;
    search::put(db, &Entry::from(&row), &new.index)?;
    Ok(is_new.then_some(row.id))
}

/// Ties an observation to exactly these events; ids that name none are left out.
fn link_events(db: &Connection, observation_id: i64, event_ids: &[i64]) -> Sql<()> {
    let wanted: BTreeSet<i64> = event_ids.iter().copied().collect();
    let mut list =
        db.prepare_cached("SELECT event_id FROM observation_events WHERE observation_id = ?1")?;
    let rows = list.query_map([observation_id], |row| row.get(0))?;
    let present = rows.collect::<rusqlite::Result<BTreeSet<i64>>>()?;
    let mut remove = db.prepare_cached(
        "DELETE FROM observation_events WHERE observation_id = ?1 AND event_id = ?2",
    )?;
    for id in present.difference(&wanted) {
        remove.execute(params![observation_id, id])?;
    }
    let mut add = db.prepare_cached(
        "INSERT INTO observation_events (observation_id, event_id)
         SELECT ?1, id FROM events WHERE id = ?2",
    )?;
    for id in wanted.difference(&present) {
        add.execute(params![observation_id, id])?;
    }
    Ok(())
}

/// Returns the id of a summary that is new or says something else now.
pub(in super::super) fn save_summary(
    db: &Connection,
    turn: TurnKey,
    project_id: i64,
    level: SummaryLevel,
    new: Option<&NewSummary>,
) -> Sql<Option<i64>> {
    let prompt_number = match level {
        SummaryLevel::Turn => turn.prompt_number,
        SummaryLevel::Session => 0,
    };
    let place = TurnKey { session_id: turn.session_id, prompt_number };
    let found = slotted_summary(db, place, level)?;
    let Some(new) = new else {
        if let Some(known) = found {
            drop_summary(db, &known)?;
        }
        return Ok(None);
    };
    if is_forgotten(db, place, Kind::Summary, level.word())? {
        return Ok(None);
    }
    if let Some(known) = &found
        && (belongs_to_person(
            known.source,
            known.created_at,
            level == SummaryLevel::Session,
            new.created_at,
        ) || is_told_by_model(db, turn, known, new)?)
    {
        return Ok(None);
    }
    let mut row = new_row(place, project_id, level, new);
    let changed = if let Some(known) = found {
        row.id = known.id;
        row.uid = known.uid;
        if row != known {
            update_summary(db, &row)?;
        }
        row.content != known.content || row.source != known.source
    } else {
        row.id = insert_summary(db, &row, true)?;
        true
    };
    search::put(db, &Entry::from(&row), &new.index)?;
    Ok(changed.then_some(row.id))
}

/// Whether a model has told what the rules would tell now. Its summary of a turn gains the files
/// that it did not know of; its summary of a session stays until another turn comes.
fn is_told_by_model(
    db: &Connection,
    turn: TurnKey,
    known: &Summary,
    new: &NewSummary,
) -> Sql<bool> {
    if known.source != Source::Provider || new.source != Source::Rules {
        return Ok(false);
    }
    if known.level == SummaryLevel::Session {
        return session_told(db, turn);
    }
    let content = with_files_of(&known.content, &new.content);
    let row = Summary { content, ..known.clone() };
    if row != *known {
        update_summary(db, &row)?;
    }
    Ok(true)
}

/// The summary of a session that distilling keeps up to date.
pub(in super::super) fn slotted_session_summary(
    db: &Connection,
    session_id: i64,
) -> Sql<Option<Summary>> {
    slotted_summary(db, TurnKey { session_id, prompt_number: 0 }, SummaryLevel::Session)
}

/// The row that distilling keeps up to date.
fn slotted_summary(db: &Connection, place: TurnKey, level: SummaryLevel) -> Sql<Option<Summary>> {
    let mut one = db.prepare_cached(
        "SELECT * FROM session_summaries
         WHERE session_id = ?1 AND level = ?2 AND prompt_number = ?3 AND slotted = 1",
    )?;
    optional(
        one.query_row(
            params![place.session_id, level.word(), place.prompt_number],
            summary_from_row,
        ),
    )
}

/// A rule-made summary of a turn that says nothing any more goes; a session keeps what it has.
fn drop_summary(db: &Connection, known: &Summary) -> Sql<()> {
    if known.level == SummaryLevel::Turn && known.source == Source::Rules {
        db.prepare_cached("DELETE FROM session_summaries WHERE id = ?1")?.execute([known.id])?;
    }
    Ok(())
}

/// Makes a job wait again whose turn has got a model's rows meanwhile.
fn wait_again(db: &Connection, outcome: &TurnOutcome) -> Sql<()> {
    db.prepare_cached("UPDATE jobs SET state = 'waiting', run_after = ?2 WHERE id = ?1")?
        .execute(params![outcome.job.id, outcome.now.millis()])?;
    Ok(())
}

/// Counts what was looked at as distilled. The job goes, unless later events wait.
fn end_job(db: &Connection, outcome: &TurnOutcome) -> Sql<bool> {
    let TurnKey { session_id, prompt_number } = outcome.job.turn;
    db.prepare_cached(
        "UPDATE events SET state = 'distilled' WHERE session_id = ?1 AND prompt_number = ?2
         AND state <> 'distilled' AND id <= ?3",
    )?
    .execute(params![session_id, prompt_number, outcome.seen_event_id])?;
    let waits = db
        .prepare_cached(
            "SELECT 1 FROM events
             WHERE session_id = ?1 AND prompt_number = ?2 AND state <> 'distilled' LIMIT 1",
        )?
        .exists(params![session_id, prompt_number])?;
    let sql = if waits {
        "UPDATE jobs SET state = 'waiting', attempts = 0, error = NULL, run_after = ?3
         WHERE session_id = ?1 AND prompt_number = ?2 AND ?3 IS NOT NULL"
    } else {
        "DELETE FROM jobs WHERE session_id = ?1 AND prompt_number = ?2 AND ?3 IS NOT NULL"
    };
    db.prepare_cached(sql)?.execute(params![session_id, prompt_number, outcome.now.millis()])?;
    Ok(waits)
}
