//! A model's rows in place of those of the rules.

use std::collections::BTreeSet;

use afterword_domain::observation::Source;
use afterword_domain::summary::SummaryLevel;
use rusqlite::{Connection, params};

use super::super::answers::forget_of_job;
use super::super::connect::Sql;
use super::super::jobs::{save_observation, save_summary};
use super::super::values::{json, optional, raise_time};
use super::{end, forgotten};
use crate::contract::{ModelJob, ModelOutcome, ModelSubject, SavedTurn, SessionAnswer, TurnKey};

/// As the contract's `save_model_turn`.
pub(super) fn turn(db: &Connection, outcome: &ModelOutcome) -> Sql<SavedTurn> {
    let ModelSubject::Turn(turn) = outcome.job.subject else { return Ok(SavedTurn::default()) };
    if !may_save(db, &outcome.job, Some(turn.prompt_number))? {
        return Ok(SavedTurn::default());
    }
    let project = outcome.job.project_id;
    let mut saved = SavedTurn::default();
    if !outcome.observations.is_empty() {
        clear_rule_rows(db, turn, outcome)?;
    }
    for new in &outcome.observations {
        // What a person has corrected is not told beside the correction.
        if !takes_over_a_persons(db, turn, new.takes_over.as_deref())? {
            saved.new_observations.extend(save_observation(db, turn, project, &new.row)?);
        }
    }
    if let Some(summary) = &outcome.turn_summary {
        saved.turn_summary = save_summary(db, turn, project, SummaryLevel::Turn, Some(summary))?;
    }
    if let Some(summary) = &outcome.session_summary {
        saved.session_summary =
            save_summary(db, turn, project, SummaryLevel::Session, Some(summary))?;
    }
    let seen = if outcome.observations.is_empty() { 0 } else { outcome.seen_event_id };
    db.prepare_cached(
        "UPDATE model_jobs SET state = 'done', error = NULL, seen_event_id = ?2 WHERE id = ?1",
    )?
    .execute(params![outcome.job.id, seen])?;
    forget_of_job(db, outcome.job.id)?;
    if seen > 0 {
        read_the_rest_again(db, turn, outcome)?;
    }
    raise_time(db, "last_distilled_at", outcome.now)?;
    Ok(saved)
}

/// Has the rules read the turn again where they had told of later events in rows that went.
fn read_the_rest_again(db: &Connection, turn: TurnKey, outcome: &ModelOutcome) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO jobs (session_id, prompt_number, run_after)
         SELECT ?1, ?2, ?4 WHERE EXISTS (SELECT 1 FROM events
             WHERE session_id = ?1 AND prompt_number = ?2 AND id > ?3)
         ON CONFLICT (session_id, prompt_number) DO NOTHING",
    )?
    .execute(params![
        turn.session_id,
        turn.prompt_number,
        outcome.seen_event_id,
        outcome.now.millis()
    ])?;
    Ok(())
}

/// Whether the answer is still wanted. Where not, its job is over.
fn may_save(db: &Connection, job: &ModelJob, turn: Option<i64>) -> Sql<bool> {
    let mut one = db.prepare_cached("SELECT state FROM model_jobs WHERE id = ?1")?;
    let state: Option<String> = optional(one.query_row([job.id], |row| row.get(0)))?;
    let (now_forgotten, _) = forgotten(db, job.session_id(), turn)?;
    let may = state.as_deref() == Some("sent") && now_forgotten == job.forgotten;
    if !may {
        end(db, job.id)?;
    }
    Ok(may)
}

/// Hands rule-made rows over to the model's, and takes away those that nobody keeps.
fn clear_rule_rows(db: &Connection, turn: TurnKey, outcome: &ModelOutcome) -> Sql<()> {
    let TurnKey { session_id, prompt_number } = turn;
    let mut hand_over = db.prepare_cached(
        "UPDATE OR IGNORE observations SET rule_key = ?4
         WHERE session_id = ?1 AND prompt_number = ?2 AND rule_key = ?3 AND source = ?5",
    )?;
    let mut kept: BTreeSet<&str> = outcome.keep.iter().map(String::as_str).collect();
    for new in &outcome.observations {
        kept.insert(&new.row.rule_key);
        if let Some(old) = &new.takes_over {
            let rules = Source::Rules.word();
            hand_over.execute(params![session_id, prompt_number, old, new.row.rule_key, rules])?;
        }
    }
    let mut list = db.prepare_cached(
        "SELECT o.id, o.rule_key FROM observations o
         WHERE o.session_id = ?1 AND o.prompt_number = ?2 AND o.rule_key IS NOT NULL
         AND o.source = ?3 AND EXISTS (SELECT 1 FROM observation_events e
             WHERE e.observation_id = o.id AND e.event_id <= ?4)",
    )?;
    let rows = list.query_map(
        params![session_id, prompt_number, Source::Rules.word(), outcome.seen_event_id],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    for (id, rule_key) in rows.collect::<rusqlite::Result<Vec<_>>>()? {
        if !kept.contains(rule_key.as_str()) {
            db.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([id])?;
        }
    }
    Ok(())
}

/// Whether a person has changed the row whose place is to be taken.
fn takes_over_a_persons(db: &Connection, turn: TurnKey, rule_key: Option<&str>) -> Sql<bool> {
    let Some(rule_key) = rule_key else { return Ok(false) };
    let TurnKey { session_id, prompt_number } = turn;
    let mut one = db.prepare_cached(
        "SELECT 1 FROM observations WHERE session_id = ?1 AND prompt_number = ?2
         AND rule_key = ?3 AND source = ?4",
    )?;
    Ok(one.exists(params![session_id, prompt_number, rule_key, Source::Person.word()])?)
}

/// As the contract's `save_session_answer`.
pub(super) fn session(db: &Connection, outcome: &SessionAnswer) -> Sql<Option<i64>> {
    let job = &outcome.job;
    if !may_save(db, job, None)? {
        return Ok(None);
    }
    let place = TurnKey { session_id: job.session_id(), prompt_number: 0 };
    let summary = Some(&outcome.summary);
    let saved = save_summary(db, place, job.project_id, SummaryLevel::Session, summary)?;
    db.prepare_cached(
        "UPDATE model_jobs SET error = NULL, answer = ?2, up_to_prompt = ?3, attempts = 0,
         state = CASE WHEN EXISTS (SELECT 1 FROM model_jobs t WHERE t.session_id = ?4
             AND t.level = 'turn' AND t.prompt_number > ?3) THEN 'waiting' ELSE 'done' END,
         run_after = ?5 WHERE id = ?1",
    )?
    .execute(params![
        job.id,
        json(&outcome.summary.content)?,
        outcome.up_to_prompt,
        place.session_id,
        outcome.again.millis()
    ])?;
    forget_of_job(db, job.id)?;
    raise_time(db, "last_distilled_at", outcome.now)?;
    Ok(saved)
}
