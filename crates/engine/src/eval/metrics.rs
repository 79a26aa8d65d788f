//! How good a ranking is when the answers are known.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// The depths that recall is taken at.
const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// Depth of the discounted gain.
const GAIN_DEPTH: usize = 10;

/// Depth of a hit.
const HIT_DEPTH: usize = 5;

/// Means over questions, each in [0, 1], four decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// How many questions these are the means of.
    pub queries: u64,
    /// Share of the known answers that came first.
    #[serde(rename = "recall@1")]
    pub recall_1: f64,
    /// Share of the known answers among the first five.
    #[serde(rename = "recall@5")]
    pub recall_5: f64,
    /// Share of the known answers among the first ten.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Share of the known answers among the first twenty.
    #[serde(rename = "recall@20")]
    pub recall_20: f64,
    /// Share of the questions with any known answer among the first five.
    #[serde(rename = "hit@5")]
    pub hit_5: f64,
    /// One over the place of the first known answer, 0 where none was found.
    pub mrr: f64,
    /// Discounted gain of the first ten over that of the best ranking possible.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
}

/// Sums up questions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    queries: u64,
    recall: [f64; DEPTHS.len()],
    hit: f64,
    reciprocal: f64,
    gain: f64,
}

impl Tally {
    /// Adds a question: what was found, best first and each once, and what should have been.
    #[expect(clippy::cast_precision_loss, reason = "places in a short list")]
    pub(super) fn add(&mut self, found: &[&str], gold: &[String]) {
        let gold: HashSet<&str> = gold.iter().map(String::as_str).collect();
        let places: Vec<usize> = (found.iter().enumerate())
            .filter(|(_, id)| gold.contains(**id))
            .map(|(place, _)| place)
            .collect();
        let within = |depth: usize| places.iter().filter(|place| **place < depth).count();
        let all = gold.len().max(1) as f64;
        self.queries += 1;
        for (sum, depth) in self.recall.iter_mut().zip(DEPTHS) {
            *sum += within(depth) as f64 / all;
        }
        self.hit += f64::from(u8::from(within(HIT_DEPTH) > 0));
        self.reciprocal += places.first().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0));
        let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let best: f64 = (0..gold.len().min(GAIN_DEPTH)).map(discount).sum();
        let found = places.iter().filter(|place| **place < GAIN_DEPTH);
        self.gain += found.map(|place| discount(*place)).sum::<f64>() / best.max(f64::MIN_POSITIVE);
    }

    /// The means.
    #[expect(clippy::cast_precision_loss, reason = "counts of questions")]
    pub(super) fn scores(&self) -> Scores {
        let queries = self.queries.max(1) as f64;
        let mean = |sum: f64| (sum / queries * 10_000.0).round() / 10_000.0;
        let [recall_1, recall_5, recall_10, recall_20] = self.recall.map(mean);
        Scores {
            queries: self.queries,
            recall_1,
            recall_5,
            recall_10,
            recall_20,
            hit_5: mean(self.hit),
            mrr: mean(self.reciprocal),
            ndcg_10: mean(self.gain),
        }
    }
}
