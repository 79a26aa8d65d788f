//! Saving what distilling a turn gave.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use afterword_domain::Kind;
use afterword_domain::observation::{Observation, Source};
use afterword_domain::summary::{Summary, SummaryLevel};

use crate::contract::{
    IndexDoc, NewObservation, NewSummary, RowChange, SavedTurn, TurnKey, TurnOutcome,
};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::model_jobs::{model_seen, note_wish, session_told};
use crate::postgres::rows::{
    insert_observations, insert_summaries, observation_from_row, remove, summary_from_row,
    update_observation, update_summary,
};
use crate::postgres::values::{Text, get};
use crate::postgres::{search, sessions};
use crate::rules::entry::Entry;
use crate::rules::new_uid;
use crate::rules::revision::belongs_to_person;
use crate::rules::summary::{new_row, with_files_of};

pub(super) async fn save_turn(tx: &Tx, outcome: &TurnOutcome) -> Sql<SavedTurn> {
    let (turn, project) = (outcome.job.turn, outcome.job.project_id);
    sessions::lock(tx, turn.session_id).await?;
    let mut saved = SavedTurn::default();
    if model_seen(tx, turn).await? != outcome.job.model_seen {
        saved.waits_again = true;
        wait_again(tx, outcome).await?;
        return Ok(saved);
    }
    drop_unnamed(tx, outcome).await?;
    let observations: Vec<&NewObservation> = outcome.observations.iter().collect();
    saved.new_observations = save_observations(tx, turn, project, &observations).await?;
    let (of_turn, of_session) = (outcome.turn_summary.as_ref(), outcome.session_summary.as_ref());
    saved.turn_summary = save_summary(tx, turn, project, SummaryLevel::Turn, of_turn).await?;
    saved.session_summary =
        save_summary(tx, turn, project, SummaryLevel::Session, of_session).await?;
    saved.waits_again = end_job(tx, outcome).await?;
    if let Some(wish) = &outcome.model {
        note_wish(tx, turn, wish, outcome.now).await?;
    }
    tx.raise_time("last_distilled_at", outcome.now);
    Ok(saved)
}

/// Rule-made findings that a later look at the turn does not make any more were wrong. Those that
/// stand beside a model's rows are not looked at again.
async fn drop_unnamed(tx: &Tx, outcome: &TurnOutcome) -> Sql<()> {
    let turn = outcome.job.turn;
    let named: Vec<Text<'_>> = outcome.observations.iter().map(|new| Text(&new.rule_key)).collect();
    let sql = "SELECT id FROM observations o
               WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3
               AND rule_key IS NOT NULL AND source = $4 AND rule_key <> ALL ($6)
               AND NOT EXISTS (SELECT 1 FROM observation_events e
                   WHERE e.tenant = $1 AND e.observation_id = o.id AND e.event_id <= $5)";
    let (seen, rules) = (outcome.job.model_seen, Source::Rules.word());
    let rows =
        tx.rows(sql, &[&turn.session_id, &turn.prompt_number, &rules, &seen, &named]).await?;
    let wrong = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    remove(tx, Kind::Observation, &wrong, RowChange::Replaced).await
}

/// Which findings of a turn were forgotten.
async fn forgotten(tx: &Tx, turn: TurnKey, kind: Kind) -> Sql<BTreeSet<String>> {
    let sql = "SELECT rule_key FROM tombstones WHERE tenant = $1 AND session_id = $2
               AND prompt_number = $3 AND kind = $4 AND rule_key IS NOT NULL";
    let rows = tx.rows(sql, &[&turn.session_id, &turn.prompt_number, &kind.word()]).await?;
    rows.iter().map(|row| get(row, "rule_key")).collect()
}

/// Saves a turn's observations; the ids of those that are new.
pub(in crate::postgres) async fn save_observations(
    tx: &Tx,
    turn: TurnKey,
    project_id: i64,
    all: &[&NewObservation],
) -> Sql<Vec<i64>> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let forgotten = forgotten(tx, turn, Kind::Observation).await?;
    let mut wanted: BTreeMap<&str, &NewObservation> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for new in all.iter().filter(|new| !forgotten.contains(&new.rule_key)) {
        // The last of one key counts, in the place of the first.
        if wanted.insert(&new.rule_key, new).is_none() {
            order.push(&new.rule_key);
        }
    }
    let known = known(tx, turn, &order).await?;
    let mut rows: Vec<(Observation, &NewObservation)> = Vec::with_capacity(order.len());
    let mut fresh: Vec<usize> = Vec::new();
    for key in order {
        let new = wanted[key];
        let mut row = observation(turn, project_id, new);
        match known.get(key) {
            Some(known)
                if belongs_to_person(known.source, known.created_at, false, new.created_at) =>
            {
                continue;
            }
            Some(known) => {
                (row.id, row.uid) = (known.id, known.uid);
                if row != *known {
                    update_observation(tx, &row).await?;
                }
            }
            None => fresh.push(rows.len()),
        }
        rows.push((row, new));
    }
    let inserts: Vec<(&Observation, Option<&str>)> =
        fresh.iter().map(|at| (&rows[*at].0, Some(rows[*at].1.rule_key.as_str()))).collect();
    let ids = insert_observations(tx, &inserts).await?;
    for (at, id) in fresh.iter().zip(&ids) {
        rows[*at].0.id = *id;
    }
    link_events(tx, &rows).await?;
    let docs: Vec<(Entry, &IndexDoc)> =
        rows.iter().map(|(row, new)| (Entry::from(row), &new.index)).collect();
    search::put_all(tx, &docs).await?;
    Ok(ids)
}

fn observation(turn: TurnKey, project_id: i64, new: &NewObservation) -> Observation {
    Observation {
        id: 0,
        uid: new_uid(new.created_at),
        session_id: Some(turn.session_id),
        project_id,
        prompt_number: turn.prompt_number,
        content: new.content.clone(),
        subagent: new.subagent.clone(),
        source: new.source,
        created_at: new.created_at,
    }
}

async fn known(tx: &Tx, turn: TurnKey, keys: &[&str]) -> Sql<HashMap<String, Observation>> {
    let keys: Vec<Text<'_>> = keys.iter().map(|key| Text(key)).collect();
    let sql = "SELECT * FROM observations WHERE tenant = $1 AND session_id = $2
               AND prompt_number = $3 AND rule_key = ANY ($4)";
    let rows = tx.rows(sql, &[&turn.session_id, &turn.prompt_number, &keys]).await?;
    rows.iter().map(|row| Ok((get(row, "rule_key")?, observation_from_row(row)?))).collect()
}

/// Ties observations to exactly their events; ids that name none are left out.
async fn link_events(tx: &Tx, rows: &[(Observation, &NewObservation)]) -> Sql<()> {
    let ids: Vec<i64> = rows.iter().map(|(row, _)| row.id).collect();
    let links =
        rows.iter().flat_map(|(row, new)| new.event_ids.iter().map(|event| (row.id, *event)));
    let (observations, events): (Vec<i64>, Vec<i64>) = links.unzip();
    tx.run(
        "WITH wanted AS MATERIALIZED (
             SELECT DISTINCT * FROM unnest($3::bigint[], $4::bigint[]) AS w (observation, event)),
         gone AS (
             DELETE FROM observation_events l WHERE l.tenant = $1 AND l.observation_id = ANY ($2)
             AND NOT EXISTS (SELECT 1 FROM wanted w
                 WHERE w.observation = l.observation_id AND w.event = l.event_id))
         INSERT INTO observation_events (tenant, observation_id, event_id)
         SELECT $1, w.observation, e.id
         FROM wanted w JOIN events e ON e.tenant = $1 AND e.id = w.event
         ON CONFLICT (tenant, observation_id, event_id) DO NOTHING",
        &[&ids, &observations, &events],
    )
    .await?;
    Ok(())
}

/// Returns the id of a summary that is new or says something else now.
pub(in crate::postgres) async fn save_summary(
    tx: &Tx,
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
    let found = slotted_summary(tx, place, level).await?;
    let Some(new) = new else {
        if let Some(known) = found {
            drop_summary(tx, &known).await?;
        }
        return Ok(None);
    };
    if forgotten(tx, place, Kind::Summary).await?.contains(level.word()) {
        return Ok(None);
    }
    if let Some(known) = &found {
        let of_session = level == SummaryLevel::Session;
        if belongs_to_person(known.source, known.created_at, of_session, new.created_at)
            || is_told_by_model(tx, turn, known, new).await?
        {
            return Ok(None);
        }
    }
    let mut row = new_row(place, project_id, level, new);
    let changed = if let Some(known) = found {
        (row.id, row.uid) = (known.id, known.uid);
        if row != known {
            update_summary(tx, &row).await?;
        }
        row.content != known.content || row.source != known.source
    } else {
        row.id = insert_summaries(tx, &[(&row, true)]).await?[0];
        true
    };
    search::put(tx, &Entry::from(&row), &new.index).await?;
    Ok(changed.then_some(row.id))
}

/// Whether a model has told what the rules would tell now. Its summary of a turn gains the files
/// that it did not know of; its summary of a session stays until another turn comes.
async fn is_told_by_model(tx: &Tx, turn: TurnKey, known: &Summary, new: &NewSummary) -> Sql<bool> {
    if known.source != Source::Provider || new.source != Source::Rules {
        return Ok(false);
    }
    if known.level == SummaryLevel::Session {
        return session_told(tx, turn).await;
    }
    let content = with_files_of(&known.content, &new.content);
    let row = Summary { content, ..known.clone() };
    if row != *known {
        update_summary(tx, &row).await?;
    }
    Ok(true)
}

/// The summary of a session that distilling keeps up to date.
pub(in crate::postgres) async fn slotted_session_summary(
    tx: &Tx,
    session_id: i64,
) -> Sql<Option<Summary>> {
    slotted_summary(tx, TurnKey { session_id, prompt_number: 0 }, SummaryLevel::Session).await
}

/// The row that distilling keeps up to date.
async fn slotted_summary(tx: &Tx, place: TurnKey, level: SummaryLevel) -> Sql<Option<Summary>> {
    let sql = "SELECT * FROM session_summaries WHERE tenant = $1 AND session_id = $2
               AND level = $3 AND prompt_number = $4 AND slotted";
    let row = tx.first(sql, &[&place.session_id, &level.word(), &place.prompt_number]).await?;
    row.as_ref().map(summary_from_row).transpose()
}

/// A rule-made summary of a turn that says nothing any more goes; a session keeps what it has.
async fn drop_summary(tx: &Tx, known: &Summary) -> Sql<()> {
    if known.level == SummaryLevel::Turn && known.source == Source::Rules {
        remove(tx, Kind::Summary, &[known.id], RowChange::Replaced).await?;
    }
    Ok(())
}

/// Makes a job wait again whose turn has got a model's rows meanwhile.
async fn wait_again(tx: &Tx, outcome: &TurnOutcome) -> Sql<()> {
    let sql = "UPDATE jobs SET state = 'waiting', claimed_by = NULL, run_after = $3
               WHERE tenant = $1 AND id = $2";
    tx.run(sql, &[&outcome.job.id, &outcome.now.millis()]).await?;
    Ok(())
}

/// Counts what was looked at as distilled. The job goes, unless later events wait.
async fn end_job(tx: &Tx, outcome: &TurnOutcome) -> Sql<bool> {
    let TurnKey { session_id, prompt_number } = outcome.job.turn;
    let sql = "WITH open AS MATERIALIZED (
                   SELECT id, state FROM events WHERE tenant = $1 AND session_id = $2
                   AND prompt_number = $3 AND state <> 'distilled' AND id <= $4),
               done AS (
                   UPDATE events e SET state = 'distilled' FROM open
                   WHERE e.tenant = $1 AND e.id = open.id)
               SELECT state, count(*) AS n FROM open GROUP BY state";
    let seen = outcome.seen_event_id;
    for row in tx.rows(sql, &[&session_id, &prompt_number, &seen]).await? {
        let (state, n): (&str, i64) = (get(&row, "state")?, get(&row, "n")?);
        tx.count(format!("events.{state}"), -n);
        tx.count("events.distilled", n);
    }
    let sql = "SELECT 1 FROM events WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3
               AND state <> 'distilled' LIMIT 1";
    let waits = tx.exists(sql, &[&session_id, &prompt_number]).await?;
    if waits {
        let sql =
            "UPDATE jobs SET state = 'waiting', claimed_by = NULL, attempts = 0, error = NULL,
                   run_after = $4 WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3";
        tx.run(sql, &[&session_id, &prompt_number, &outcome.now.millis()]).await?;
    } else {
        let sql = "DELETE FROM jobs WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3";
        tx.run(sql, &[&session_id, &prompt_number]).await?;
    }
    Ok(waits)
}
