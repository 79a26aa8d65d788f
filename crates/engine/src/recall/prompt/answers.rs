//! Which of the rows that were found may be given.

use std::collections::{HashMap, HashSet};

use afterword_domain::PublicId;
use afterword_store::contract::RowBody;

use crate::recall::context::{DECISION, UNRESOLVED};
use crate::recall::newest::superseded_of;
use crate::recall::rank::weights::ANSWERS;
use crate::recall::rank::{Ranked, drop_repeats};
use crate::recall::row_text::only_asks;

/// A row with fewer of the terms matched by chance.
const LEAST_MATCHED: u32 = 2;

/// The rows that answer and may be given, best first.
pub(super) fn answers(
    found: Vec<Ranked>,
    session: Option<i64>,
    already_given: &[PublicId],
) -> Vec<Ranked> {
    let given: HashSet<&PublicId> = already_given.iter().collect();
    let mut rows: Vec<Ranked> = found
        .into_iter()
        .filter(|found| found.score >= ANSWERS && found.matched >= LEAST_MATCHED)
        .filter(|found| session.is_none() || found.row.session_id != session)
        .filter(|found| !given.contains(&found.row.id))
        .filter(|found| match &found.row.body {
            RowBody::Observation(row) => row.subagent.is_none(),
            RowBody::Summary(row) => !only_asks(&row.content),
            RowBody::Memory(_) => true,
            RowBody::Prompt(_) | RowBody::Snapshot(_) => false,
        })
        .collect();
    most_telling_of_turns_first(&mut rows);
    drop_repeats(&mut rows);
    let gone = superseded_of(&rows);
    rows.retain(|found| !gone.contains(&found.row.id));
    drop_summed_up(&mut rows);
    rows
}

/// Orders the rows of each turn among the places that they hold: what came of the turn, what else was
/// done, what was left failing, its summary; the best first among equals.
fn most_telling_of_turns_first(rows: &mut Vec<Ranked>) {
    let mut of_turn: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (place, found) in rows.iter().enumerate() {
        if let Some(turn) = turn_of(found) {
            of_turn.entry(turn).or_default().push(place);
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for places in of_turn.into_values() {
        let mut best = places.clone();
        best.sort_by_key(|place| tells(&rows[*place].row.body));
        for (place, from) in places.into_iter().zip(best) {
            order[place] = from;
        }
    }
    let mut taken: Vec<Option<Ranked>> = rows.drain(..).map(Some).collect();
    rows.extend(order.into_iter().filter_map(|from| taken[from].take()));
}

/// How directly a row of a turn says what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tells {
    /// A decision, a finding or a fix.
    Outcome,
    /// What was done.
    Work,
    /// A failure that was not seen to pass.
    OpenFailure,
    /// The turn in short.
    Summary,
}

fn tells(body: &RowBody) -> Tells {
    let RowBody::Observation(row) = body else { return Tells::Summary };
    let content = &row.content;
    if content.concepts.iter().any(|concept| concept == UNRESOLVED) {
        return Tells::OpenFailure;
    }
    match content.r#type.as_str() {
        DECISION | "discovery" | "bugfix" => Tells::Outcome,
        _ => Tells::Work,
    }
}

/// Drops the summary of a turn when an observation of the turn answers, and that of a session when a
/// turn of it does.
fn drop_summed_up(rows: &mut Vec<Ranked>) {
    let is_summary = |found: &Ranked| matches!(found.row.body, RowBody::Summary(_));
    let observed: HashSet<(i64, i64)> =
        rows.iter().filter(|found| !is_summary(found)).filter_map(turn_of).collect();
    let turns = rows.iter().filter_map(turn_of).filter(|(_, number)| *number > 0);
    let sessions: HashSet<i64> = turns.map(|(session, _)| session).collect();
    let mut summed_up = HashSet::new();
    rows.retain(|found| match turn_of(found) {
        Some((session, 0)) if sessions.contains(&session) => false,
        Some(turn) if is_summary(found) => !observed.contains(&turn) && summed_up.insert(turn),
        _ => true,
    });
}

/// Session and number of the prompt; 0 for the summary of a session.
fn turn_of(found: &Ranked) -> Option<(i64, i64)> {
    let number = match &found.row.body {
        RowBody::Observation(row) => row.prompt_number,
        RowBody::Summary(row) => row.prompt_number,
        _ => return None,
    };
    Some((found.row.session_id?, number))
}
