//! Which of the rows that were found may be given.

use std::collections::{HashMap, HashSet};

use afterword_domain::PublicId;
use afterword_store::contract::RowBody;

use crate::recall::newest::superseded_of;
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
    let gone = superseded_of(&rows);
    rows.retain(|found| !gone.contains(&found.row.id));
    one_of_each_turn(rows)
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
