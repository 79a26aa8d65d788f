//! Which of the rows that were found may be given.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use afterword_domain::PublicId;
use afterword_store::contract::RowBody;

use crate::recall::context::superseded;
use crate::recall::rank::weights::ANSWERS;
use crate::recall::rank::{Ranked, drop_repeats};

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
            RowBody::Summary(_) | RowBody::Memory(_) => true,
            RowBody::Prompt(_) | RowBody::Snapshot(_) => false,
        })
        .collect();
    drop_repeats(&mut rows);
    drop_superseded(&mut rows);
    one_of_each_turn(rows)
}

/// Drops what a newer row took the place of.
fn drop_superseded(rows: &mut Vec<Ranked>) {
    let mut newest: Vec<&Ranked> = rows.iter().collect();
    newest.sort_by_key(|found| Reverse((found.row.created_at, found.row.id)));
    let says = |found: &&Ranked| match &found.row.body {
        RowBody::Memory(row) => row.text.clone(),
        RowBody::Observation(row) if row.content.r#type == "decision" => row.content.title.clone(),
        _ => String::new(),
    };
    let texts: Vec<String> = newest.iter().map(says).collect();
    let gone = superseded(texts.iter().map(String::as_str));
    let gone: HashSet<PublicId> =
        newest.iter().zip(gone).filter(|(_, gone)| *gone).map(|(found, _)| found.row.id).collect();
    rows.retain(|found| !gone.contains(&found.row.id));
}

/// Keeps the best row of each turn, at its place: an observation before the turn's summary. The
/// summary of a session goes when a turn of it answers.
fn one_of_each_turn(rows: Vec<Ranked>) -> Vec<Ranked> {
    let mut places: HashMap<(i64, i64), usize> = HashMap::new();
    let mut kept: Vec<Ranked> = Vec::new();
    for found in rows {
        let Some(turn) = turn_of(&found) else {
            kept.push(found);
            continue;
        };
        match places.get(&turn) {
            None => {
                places.insert(turn, kept.len());
                kept.push(found);
            }
            Some(&at) => {
                let summary = matches!(kept[at].row.body, RowBody::Summary(_));
                if summary && matches!(found.row.body, RowBody::Observation(_)) {
                    kept[at] = found;
                }
            }
        }
    }
    let sessions: HashSet<i64> =
        places.keys().filter(|(_, number)| *number > 0).map(|(session, _)| *session).collect();
    kept.retain(|found| match turn_of(found) {
        Some((session, 0)) => !sessions.contains(&session),
        _ => true,
    });
    kept
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
