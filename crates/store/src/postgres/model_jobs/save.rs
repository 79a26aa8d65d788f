//! A model's rows in place of those of the rules.

use std::collections::BTreeSet;

use afterword_domain::Kind;
use afterword_domain::observation::Source;
use afterword_domain::summary::SummaryLevel;

use super::{end, forgotten};
use crate::contract::{
    ModelJob, ModelObservation, ModelOutcome, ModelSubject, NewObservation, RowChange, SavedTurn,
    SessionAnswer, TurnKey,
};
use crate::postgres::answers::forget_of_job;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::jobs::{save_observations, save_summary};
use crate::postgres::rows::remove;
use crate::postgres::sessions;
use crate::postgres::values::{Text, get, json};

/// As the contract's `save_model_turn`; `key` is the number of this process.
pub(super) async fn turn(tx: &Tx, outcome: &ModelOutcome, key: i64) -> Sql<SavedTurn> {
    let ModelSubject::Turn(turn) = outcome.job.subject else { return Ok(SavedTurn::default()) };
    if !may_save(tx, &outcome.job, Some(turn.prompt_number), key).await? {
        return Ok(SavedTurn::default());
    }
    let project = outcome.job.project_id;
    let mut saved = SavedTurn::default();
    if !outcome.observations.is_empty() {
        clear_rule_rows(tx, turn, outcome).await?;
    }
    // What a person has corrected is not told beside the correction.
    let corrected = persons_keys(tx, turn).await?;
    let takes_over_a_persons = |new: &&ModelObservation| {
        new.takes_over.as_ref().is_some_and(|key| corrected.contains(key))
    };
    let observations: Vec<&NewObservation> = outcome
        .observations
        .iter()
        .filter(|new| !takes_over_a_persons(new))
        .map(|new| &new.row)
        .collect();
    saved.new_observations = save_observations(tx, turn, project, &observations).await?;
    if let Some(summary) = &outcome.turn_summary {
        let level = SummaryLevel::Turn;
        saved.turn_summary = save_summary(tx, turn, project, level, Some(summary)).await?;
    }
    if let Some(summary) = &outcome.session_summary {
        let level = SummaryLevel::Session;
        saved.session_summary = save_summary(tx, turn, project, level, Some(summary)).await?;
    }
    let seen = if outcome.observations.is_empty() { 0 } else { outcome.seen_event_id };
    let sql = "UPDATE model_jobs SET state = 'done', error = NULL, seen_event_id = $3,
               claimed_by = NULL WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&outcome.job.id, &seen]).await?;
    forget_of_job(tx, &[outcome.job.id]).await?;
    if seen > 0 {
        read_the_rest_again(tx, turn, outcome).await?;
    }
    tx.raise_time("last_distilled_at", outcome.now);
    Ok(saved)
}

/// Has the rules read the turn again where they had told of later events in rows that went.
async fn read_the_rest_again(tx: &Tx, turn: TurnKey, outcome: &ModelOutcome) -> Sql<()> {
    let sql = "INSERT INTO jobs (tenant, session_id, prompt_number, run_after)
               SELECT $1, $2, $3, $5 WHERE EXISTS (SELECT 1 FROM events
                   WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3 AND id > $4)
               ON CONFLICT (tenant, session_id, prompt_number) DO NOTHING";
    let (seen, now) = (outcome.seen_event_id, outcome.now.millis());
    tx.run(sql, &[&turn.session_id, &turn.prompt_number, &seen, &now]).await?;
    Ok(())
}

/// Keys of the rows of a turn that a person has changed.
async fn persons_keys(tx: &Tx, turn: TurnKey) -> Sql<BTreeSet<String>> {
    let sql = "SELECT rule_key FROM observations WHERE tenant = $1 AND session_id = $2
               AND prompt_number = $3 AND source = $4 AND rule_key IS NOT NULL";
    let person = Source::Person.word();
    let rows = tx.rows(sql, &[&turn.session_id, &turn.prompt_number, &person]).await?;
    rows.iter().map(|row| get(row, "rule_key")).collect()
}

/// Whether the answer is still wanted. Where not, its job is over, unless it is another's by now.
async fn may_save(tx: &Tx, job: &ModelJob, turn: Option<i64>, key: i64) -> Sql<bool> {
    sessions::lock(tx, job.session_id()).await?;
    let sql = "SELECT state, claimed_by FROM model_jobs WHERE tenant = $1 AND id = $2 FOR UPDATE";
    let Some(row) = tx.first(sql, &[&job.id]).await? else { return Ok(false) };
    if get::<Option<i64>>(&row, "claimed_by")?.is_some_and(|other| other != key) {
        return Ok(false);
    }
    let (now_forgotten, _) = forgotten(tx, job.session_id(), turn).await?;
    let may = get::<&str>(&row, "state")? == "sent" && now_forgotten == job.forgotten;
    if !may {
        end(tx, job.id).await?;
    }
    Ok(may)
}

/// Hands rule-made rows over to the model's, and takes away those that nobody keeps.
async fn clear_rule_rows(tx: &Tx, turn: TurnKey, outcome: &ModelOutcome) -> Sql<()> {
    let TurnKey { session_id, prompt_number } = turn;
    let rules = Source::Rules.word();
    let mut kept: BTreeSet<&str> = outcome.keep.iter().map(String::as_str).collect();
    for new in &outcome.observations {
        kept.insert(&new.row.rule_key);
        if let Some(old) = &new.takes_over {
            let sql = "UPDATE observations SET rule_key = $5
                       WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3
                       AND rule_key = $4 AND source = $6
                       AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.tenant = $1
                           AND o.session_id = $2 AND o.prompt_number = $3 AND o.rule_key = $5)";
            let (old, key) = (Text(old), Text(&new.row.rule_key));
            tx.run(sql, &[&session_id, &prompt_number, &old, &key, &rules]).await?;
        }
    }
    let kept: Vec<Text<'_>> = kept.into_iter().map(Text).collect();
    let sql = "SELECT o.id FROM observations o
               WHERE o.tenant = $1 AND o.session_id = $2 AND o.prompt_number = $3
               AND o.rule_key IS NOT NULL AND o.rule_key <> ALL ($6) AND o.source = $4
               AND EXISTS (SELECT 1 FROM observation_events e
                   WHERE e.tenant = $1 AND e.observation_id = o.id AND e.event_id <= $5)";
    let seen = outcome.seen_event_id;
    let rows = tx.rows(sql, &[&session_id, &prompt_number, &rules, &seen, &kept]).await?;
    let gone = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    remove(tx, Kind::Observation, &gone, RowChange::Replaced).await
}

/// As the contract's `save_session_answer`.
pub(super) async fn session(tx: &Tx, outcome: &SessionAnswer, key: i64) -> Sql<Option<i64>> {
    let job = &outcome.job;
    if !may_save(tx, job, None, key).await? {
        return Ok(None);
    }
    let place = TurnKey { session_id: job.session_id(), prompt_number: 0 };
    let summary = Some(&outcome.summary);
    let saved = save_summary(tx, place, job.project_id, SummaryLevel::Session, summary).await?;
    tx.run(
        "UPDATE model_jobs SET error = NULL, answer = $3, up_to_prompt = $4, attempts = 0,
         claimed_by = NULL,
         state = CASE WHEN EXISTS (SELECT 1 FROM model_jobs t WHERE t.tenant = $1
             AND t.session_id = $5 AND t.level = 'turn' AND t.prompt_number > $4)
             THEN 'waiting' ELSE 'done' END,
         run_after = $6 WHERE tenant = $1 AND id = $2",
        &[
            &job.id,
            &json(&outcome.summary.content)?,
            &outcome.up_to_prompt,
            &place.session_id,
            &outcome.again.millis(),
        ],
    )
    .await?;
    forget_of_job(tx, &[job.id]).await?;
    tx.raise_time("last_distilled_at", outcome.now);
    Ok(saved)
}
