//! One score in [0, 1] for a row and a question, and the order it gives.
//!
//! ```text
//! coverage = (1 - PASSAGE) · weight(terms in the row) / expected
//!          +      PASSAGE  · weight(terms in its best passage) / expected
//! density  = sum(weight(term) · count / (count + K1 · (1 - B + B · length / mean))) / expected
//! own      = (1 - DENSITY) · coverage + DENSITY · density
//! beside   = what own answers of the rows before and after it in its session add
//! mix      = (expected · (own + beside) + weight(date) · fit of the date) / (expected + weight(date))
//! score    = kind · mix^(log 0.5 / log ANSWERS_AT) · (1 - RECENCY + RECENCY · ½^(age / half-life))
//! ```
//!
//! A term weighs its inverse document frequency; a term that no row holds keeps its full weight, so
//! a question about something else stays low. A date in the question weighs what a word in as many
//! rows would, times DATE; without one it weighs nothing. 0.5 and more means that the row answers the question.
//! Nothing here depends on how a backend scores: it only chooses the candidates.

use std::cmp::Ordering;

use afterword_domain::{Kind, Time};
use afterword_store::contract::{IndexDoc, Row};

use super::beside::Beside;
use super::dates::Dates;
use super::matching::{MAX_TERMS, Matched, Matcher, weight};
use super::weights as w;
use crate::analyze;
use crate::recall::row_text::RowText;

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
}

impl Question {
    /// Weighs terms by how many of the indexed rows hold them.
    pub(crate) fn new(mut terms: Vec<String>, rows_with_term: &[u64], indexed_rows: u64) -> Self {
        terms.truncate(MAX_TERMS);
        let weights: Vec<f64> = terms
            .iter()
            .enumerate()
            .map(|(place, term)| {
                term_weight(term, rows_with_term.get(place).copied().unwrap_or(0), indexed_rows)
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
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens")]
    pub(crate) fn rank(&self, rows: Vec<(Row, IndexDoc)>) -> Vec<Ranked> {
        let newest = rows.iter().map(|(row, _)| row.created_at).max().unwrap_or_default();
        let matcher = Matcher::new(&self.terms, &self.weights);
        let found: Vec<(Row, RowText, Matched)> = rows
            .into_iter()
            .map(|(row, doc)| {
                let text = RowText::of(&row.body);
                let found = matcher.matched(&doc, text.text_begins_with_title());
                (row, text, found)
            })
            .collect();
        let tokens: usize = found.iter().map(|(_, _, matched)| matched.tokens).sum();
        let mean_tokens = tokens as f64 / found.len().max(1) as f64;
        let own: Vec<f64> =
            found.iter().map(|(_, _, matched)| self.answers(matched, mean_tokens)).collect();
        let beside = Beside::new(found.iter().map(|(row, ..)| row).zip(own.iter().copied()));
        let date_weight = self.date_weight(found.iter().map(|(row, ..)| row));
        let mut ranked: Vec<Ranked> = found
            .into_iter()
            .zip(own)
            .map(|((row, text, matched), own)| {
                let words = self.expected * (own + beside.adds(&row, matched.tokens));
                let date = date_weight * self.dates.fit(row.created_at);
                let all = (self.expected + date_weight).max(f64::MIN_POSITIVE);
                let score = score(&row, (words + date) / all, newest);
                Ranked { row, text, score, matched: matched.anywhere.count_ones() }
            })
            .collect();
        ranked.sort_by(in_order);
        ranked
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

/// The calibrated score of a row whose words and date answer as well as `mix` says.
fn score(row: &Row, mix: f64, newest: Time) -> f64 {
    let recency = halved(row.created_at, newest, w::RECENCY_HALF_LIFE_DAYS);
    let fresh = 1.0 - w::RECENCY + w::RECENCY * recency;
    let answer = mix.clamp(0.0, 1.0).powf(0.5_f64.ln() / w::ANSWERS_AT.ln());
    let score = (kind_factor(row.id.kind) * answer * fresh).clamp(0.0, 1.0);
    (score * 10_000.0).round() / 10_000.0
}

/// 1 for `newest`, half of it for every half-life before.
pub(crate) fn halved(at: Time, newest: Time, half_life_days: f64) -> f64 {
    let age_ms = newest.millis().saturating_sub(at.millis()).max(0);
    #[expect(clippy::cast_precision_loss, reason = "ages are far below 2^52 ms")]
    let days = age_ms as f64 / 86_400_000.0;
    0.5_f64.powf(days / half_life_days)
}

fn in_order(a: &Ranked, b: &Ranked) -> Ordering {
    b.score
        .total_cmp(&a.score)
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

const fn kind_factor(kind: Kind) -> f64 {
    match kind {
        Kind::Prompt => w::PROMPT_ROW,
        Kind::Snapshot => w::SNAPSHOT_ROW,
        Kind::Observation | Kind::Summary | Kind::Memory => 1.0,
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
