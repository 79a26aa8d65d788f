//! Limits of spending, and lines of it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};

use crate::contract::{AHEAD_DAYS, Limit, MOST_TOKENS, NewSpend, Settled, SpendLimits};

/// The most that one call is counted with, in micros; so that no sum of a day can overflow.
const MOST_COST: u64 = 1_000_000_000_000_000;

/// A number of tokens as its column takes it.
pub(crate) fn bounded(tokens: u64) -> i64 {
    i64::try_from(tokens.min(MOST_TOKENS)).unwrap_or(i64::MAX)
}

/// Micros as their column takes them.
pub(crate) fn micros(n: u64) -> i64 {
    i64::try_from(n.min(MOST_COST)).unwrap_or(i64::MAX)
}

/// The day that a call of `today` is charged to, by the ledger's newest day.
pub(crate) fn charged_to(newest: Option<Day>, today: Day) -> Day {
    match newest {
        Some(newest) if newest <= today.plus(AHEAD_DAYS) => newest.max(today),
        _ => today,
    }
}

/// What is settled and set aside on a day.
#[derive(Debug)]
pub(crate) struct Spent {
    pub(crate) tokens: u64,
    pub(crate) cost: u64,
    pub(crate) backlog_tokens: u64,
    pub(crate) session_tokens: u64,
}

/// The first limit that a call would pass.
pub(crate) fn passed(call: &NewSpend, spent: &Spent, limits: &SpendLimits) -> Option<Limit> {
    let most = call.most();
    if let Some(cap) = limits.cost {
        let Some(cost) = call.cost else { return Some(Limit::Price) };
        if spent.cost.saturating_add(cost) > cap {
            return Some(Limit::Cost);
        }
    }
    if spent.tokens.saturating_add(most) > limits.tokens {
        return Some(Limit::Tokens);
    }
    if call.backlog && spent.backlog_tokens.saturating_add(most) > limits.backlog_tokens {
        return Some(Limit::Backlog);
    }
    let is_of_a_session = call.session_id.is_some();
    (is_of_a_session && spent.session_tokens >= limits.session_tokens).then_some(Limit::Session)
}

/// What a settled call writes: its state, and tokens in, tokens out and cost where they change.
pub(crate) fn settled(settled: Settled) -> (&'static str, Option<i64>, Option<i64>, Option<i64>) {
    match settled {
        Settled::Used { input_tokens, output_tokens, cost } => {
            ("used", Some(bounded(input_tokens)), Some(bounded(output_tokens)), cost.map(micros))
        }
        Settled::Unknown => ("unknown", None, None, None),
        Settled::Nothing => ("nothing", Some(0), Some(0), Some(0)),
    }
}

/// Lines of one name as one, in the order people read them.
pub(crate) fn added_up(by: SpendBy, lines: impl IntoIterator<Item = SpendLine>) -> Vec<SpendLine> {
    let mut sums: BTreeMap<String, SpendLine> = BTreeMap::new();
    for line in lines {
        let name = line.name.clone();
        sums.entry(name.clone()).or_insert_with(|| empty(by, name)).add(&line);
    }
    let mut lines: Vec<SpendLine> = sums.into_values().collect();
    if by != SpendBy::Day {
        let weight = |line: &SpendLine| (line.tokens(), line.injected_tokens);
        lines.sort_by_key(|line| Reverse(weight(line)));
    }
    lines
}

/// A line to add to; only days and projects tell of what was handed over.
fn empty(by: SpendBy, name: String) -> SpendLine {
    let none = matches!(by, SpendBy::Day | SpendBy::Project).then_some(0);
    SpendLine { name, injected_blocks: none, injected_tokens: none, ..SpendLine::default() }
}

/// The name of a line: days are kept by their number.
pub(crate) fn line_name(by: SpendBy, name: String) -> String {
    if by != SpendBy::Day {
        return name;
    }
    name.parse().map_or(name, |number| Day::from_number(number).to_string())
}
