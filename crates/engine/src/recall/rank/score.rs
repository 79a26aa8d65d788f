//! One score in [0, 1] for a row and a question, and the order it gives.
//!
//! ```text
//! coverage = (1 - PASSAGE) · weight(terms in the row) / expected
//!          +      PASSAGE  · weight(terms in its best passage) / expected
//! density  = sum(weight(term) · count / (count + K1 · (1 - B + B · length / mean))) / expected
//! words    = (1 - DENSITY) · coverage + DENSITY · density
//! meaning  = weight(length) · (cosine - that of most of the nearest rows) / MEANING_SPAN
//! own      = (words + meaning) · length / (length + LITTLE_TOKENS)     rows of a session
//! beside   = what words + meaning of the rows before and after it in its session add
//! mix      = (expected · (own + beside) + weight(date) · fit of the date) / (expected + weight(date))
//! score    = kind · mix^(log 0.5 / log ANSWERS_AT) · (1 - RECENCY + RECENCY · ½^(age / half-life))
//! ```
//!
//! A term weighs its inverse document frequency; a term that no row holds keeps its full weight, so
//! a question about something else stays low. Where nothing is embedded meaning is 0 for all rows. A
//! date in the question weighs what a word in as many rows would, times DATE; without one it weighs
//! nothing. 0.5 and more means that the row answers the question. Nothing here depends on how a
//! backend scores: it only chooses the candidates.

use std::cmp::Ordering;

use afterword_domain::wire::search::Why;
use afterword_domain::{Kind, Time};
use afterword_store::contract::{IndexDoc, Row, RowBody};

use super::beside::Beside;
use super::dates::Dates;
use super::matching::{MAX_TERMS, Matched, Matcher, Terms, weight};
use super::meaning::Meaning;
use super::weights as w;
use crate::analyze;
use crate::recall::row_text::{RowText, only_asks};

/// A question and what its terms weigh.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    terms: Vec<String>,
    weights: Vec<f64>,
    /// What a full answer is expected to hold.
    expected: f64,
    dates: Dates,
    indexed_rows: u64,
}

/// A row with its score.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) row: Row,
    pub(crate) text: RowText,
    /// In [0, 1], four decimals.
    pub(crate) score: f64,
    /// How many terms of the question the row holds.
    pub(crate) matched: u32,
    pub(crate) parts: Parts,
}

/// What a score is made of, on the scale of the mix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) words: f64,
    pub(crate) meaning: f64,
    pub(crate) beside: f64,
    pub(crate) date: f64,
    /// The terms of the question that the row holds.
    pub(crate) held: Terms,
    /// The share of the score that the row's age, and a newer row that says otherwise, leave.
    pub(crate) kept: f64,
    /// A newer row says otherwise.
    pub(crate) superseded: bool,
}

impl Parts {
    fn mix(&self) -> f64 {
        self.words + self.meaning + self.beside + self.date
    }

    /// The same as shares of a score, with the names of the question's terms.
    pub(crate) fn why(&self, score: f64, terms: &[String]) -> Why {
        let before = if self.kept > 0.0 { score / self.kept } else { score };
        let scale = if self.mix() > 0.0 { before / self.mix() } else { 0.0 };
        let round = |number: f64| (number * 10_000.0).round() / 10_000.0;
        let held = terms.iter().enumerate().filter(|(at, _)| self.held & (1 << at) != 0);
        Why {
            words: round(self.words * scale),
            meaning: round(self.meaning * scale),
            neighbours: round(self.beside * scale),
            date: round(self.date * scale),
            recency: round(score - before) + 0.0,
            matched: held.map(|(_, term)| term.clone()).collect(),
            superseded: self.superseded,
        }
    }
}

/// A row on its way to a score.
struct Found {
    row: Row,
    text: RowText,
    matched: Matched,
    /// What its words and its meaning answer, whatever its length.
    words: f64,
    meaning: f64,
}

impl Question {
    /// Weighs terms by how many of the indexed rows hold them.
    pub(crate) fn new(mut terms: Vec<String>, rows_with_term: &[u64], indexed_rows: u64) -> Self {
        terms.truncate(MAX_TERMS);
        let weights: Vec<f64> = terms
            .iter()
            .enumerate()
            .map(|(place, term)| {
                let rows = rows_with_term.get(place).copied().unwrap_or(0);
                let names = if analyze::names_file(term) { w::FILE_NAMED } else { 1.0 };
                names * term_weight(term, rows, indexed_rows)
            })
            .collect();
        let all: f64 = weights.iter().sum();
        // No row answers a question that asks nothing: its rows are listed, the newest first.
        let asks = !analyze::say_nothing(&terms);
        let expected = if asks { all * expected_share(terms.len()) } else { 0.0 };
        Self { terms, weights, expected, dates: Dates::default(), indexed_rows }
    }

    /// The same question about certain dates.
    pub(crate) fn about(self, dates: Dates) -> Self {
        Self { dates, ..self }
    }

    /// Scores rows with their indexed tokens, best first, newest first among equals.
    pub(crate) fn rank(&self, rows: Vec<(Row, IndexDoc)>, meaning: &Meaning) -> Vec<Ranked> {
        let newest = rows.iter().map(|(row, _)| row.created_at).max().unwrap_or_default();
        let found = self.look_at(rows, meaning);
        let answers = |found: &Found| found.words + found.meaning;
        let beside = Beside::new(found.iter().map(|found| (&found.row, answers(found))));
        let date_weight = self.date_weight(found.iter().map(|found| &found.row));
        // A question without words is answered by meaning alone.
        let expected = if self.expected > 0.0 { self.expected } else { 1.0 };
        let own_share = expected / (expected + date_weight);
        let mut ranked: Vec<(f64, Ranked)> = found
            .into_iter()
            .map(|found| {
                let own = own_share * substance(&found.row, found.matched.tokens);
                let parts = Parts {
                    words: own * found.words,
                    meaning: own * found.meaning,
                    beside: own_share * beside.adds(&found.row, found.matched.tokens),
                    date: (1.0 - own_share) * self.dates.fit(found.row.created_at),
                    held: found.matched.anywhere,
                    kept: fresh(&found.row, newest),
                    superseded: false,
                };
                let strength = strength(&found.row, &parts);
                let (score, matched) = (strength.min(1.0), parts.held.count_ones());
                (strength, Ranked { row: found.row, text: found.text, score, matched, parts })
            })
            .collect();
        ranked.sort_by(in_order);
        ranked.into_iter().map(|(_, ranked)| ranked).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    fn look_at(&self, rows: Vec<(Row, IndexDoc)>, meaning: &Meaning) -> Vec<Found> {
        let terms = Matcher::new(&self.terms, &self.weights);
        let look = |(row, tokens): (Row, IndexDoc)| {
            let text = RowText::of(&row.body);
            let matched = terms.matched(&tokens, text.text_begins_with_title());
            let meaning = meaning.answers(row.id, matched.tokens);
            Found { row, text, matched, words: 0.0, meaning }
        };
        let mut found: Vec<Found> = rows.into_iter().map(look).collect();
        let tokens: usize = found.iter().map(|found| found.matched.tokens).sum();
        let mean_tokens = tokens as f64 / found.len().max(1) as f64;
        for found in &mut found {
            found.words = self.answers(&found.matched, mean_tokens);
        }
        found
    }

    /// What a date weighs: as much as a word that as many rows hold as fit it, times [`w::DATE`].
    fn date_weight<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> f64 {
        if self.dates.is_empty() || self.expected <= 0.0 {
            return 0.0;
        }
        let fitting = rows.filter(|row| self.dates.fit(row.created_at) >= w::DATE_NEXT_DAY).count();
        w::DATE * term_weight("", u64::try_from(fitting).unwrap_or(u64::MAX), self.indexed_rows)
    }

    /// How well a row answers by its words alone.
    fn answers(&self, found: &Matched, mean_tokens: f64) -> f64 {
        if self.expected <= 0.0 {
            return 0.0;
        }
        let share = |terms| (weight(&self.weights, terms) / self.expected).min(1.0);
        let coverage =
            (1.0 - w::PASSAGE) * share(found.anywhere) + w::PASSAGE * share(found.together);
        let density = self.density(found, mean_tokens).min(1.0);
        (1.0 - w::DENSITY) * coverage + w::DENSITY * density
    }

    /// BM25 of a row as a share of the most that the expected terms can reach.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    fn density(&self, found: &Matched, mean_tokens: f64) -> f64 {
        let length = found.tokens as f64 / mean_tokens.max(1.0);
        let norm = w::K1 * (1.0 - w::B + w::B * length);
        let terms = self.weights.iter().zip(&found.counts);
        let sum: f64 = terms.map(|(weight, count)| weight * count / (count + norm)).sum();
        sum / self.expected
    }
}

/// How well a row answers: the calibrated score, which only a row that has more than the question
/// asks for exceeds. Four decimals.
fn strength(row: &Row, parts: &Parts) -> f64 {
    let answer = parts.mix().max(0.0).powf(0.5_f64.ln() / w::ANSWERS_AT.ln());
    let strength = of_kind(&row.body, answer) * parts.kept;
    (strength * 10_000.0).round() / 10_000.0
}

/// The share of its score that a row's age leaves.
fn fresh(row: &Row, newest: Time) -> f64 {
    let recency = halved(row.created_at, newest, w::RECENCY_HALF_LIFE_DAYS);
    1.0 - w::RECENCY + w::RECENCY * recency
}

/// The share of its answer that a row of so many tokens keeps: a few words in the middle of a
/// session say little, while a memory may be brief.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
fn substance(row: &Row, tokens: usize) -> f64 {
    if row.session_id.is_none() || row.id.kind == Kind::Memory {
        return 1.0;
    }
    let tokens = tokens as f64;
    tokens / (tokens + w::LITTLE_TOKENS)
}

/// 1 for `newest`, half of it for every half-life before.
pub(crate) fn halved(at: Time, newest: Time, half_life_days: f64) -> f64 {
    let age_ms = newest.millis().saturating_sub(at.millis()).max(0);
    #[expect(clippy::cast_precision_loss, reason = "ages are far below 2^52 ms")]
    let days = age_ms as f64 / 86_400_000.0;
    0.5_f64.powf(days / half_life_days)
}

fn in_order((a_strength, a): &(f64, Ranked), (b_strength, b): &(f64, Ranked)) -> Ordering {
    b_strength
        .total_cmp(a_strength)
        .then_with(|| b.row.created_at.cmp(&a.row.created_at))
        .then_with(|| a.row.id.cmp(&b.row.id))
}

#[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
pub(super) fn term_weight(term: &str, rows: u64, indexed_rows: u64) -> f64 {
    let collection = (indexed_rows as f64).max(w::LEAST_COLLECTION);
    let rows_with = (rows as f64).min(collection);
    let idf = (1.0 + (collection - rows_with + 0.5) / (rows_with + 0.5)).ln();
    if rows == 0 && is_cjk_pair(term) { idf * w::UNKNOWN_CJK_PAIR } else { idf }
}

#[expect(clippy::cast_precision_loss, reason = "a question has at most 64 terms")]
fn expected_share(terms: usize) -> f64 {
    if terms <= w::PLAIN_TERMS {
        return 1.0;
    }
    let plain = w::PLAIN_TERMS as f64;
    let all = terms as f64;
    (plain + (all - plain) * w::LONG_QUESTION_SHARE) / all
}

/// What a row's answer is worth by what the row is.
fn of_kind(body: &RowBody, answer: f64) -> f64 {
    match body {
        RowBody::Prompt(_) => answer * w::PROMPT_ROW,
        RowBody::Summary(summary) if only_asks(&summary.content) => answer.min(w::ASKED_ONLY),
        RowBody::Snapshot(_) => answer * w::SNAPSHOT_ROW,
        RowBody::Observation(_) | RowBody::Summary(_) | RowBody::Memory(_) => answer,
    }
}

fn is_cjk_pair(term: &str) -> bool {
    let mut chars = term.chars();
    let pair = (chars.next(), chars.next(), chars.next());
    matches!(pair, (Some(a), Some(b), None) if is_cjk(a) && is_cjk(b))
}

/// Han, kana and hangul: scripts written without blanks or compared by pairs.
const fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
