//! Where the terms of a question occur in a row, by the tokens that were indexed.

use std::collections::HashMap;

use afterword_store::contract::IndexDoc;

use super::weights::{FILE_WEIGHT, PASSAGE_TOKENS, TITLE_WEIGHT};

/// Most terms of one question: what fits a [`Terms`].
pub(super) const MAX_TERMS: usize = 64;

/// A set of terms by their place in the question.
pub(super) type Terms = u64;

/// The terms of a question that a row holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Matched {
    /// In any field.
    pub(super) anywhere: Terms,
    /// In the best passage of the text, in the title or in the names of files.
    pub(super) together: Terms,
    /// How often each term occurs, with the weights of the fields.
    pub(super) counts: Vec<f64>,
    /// Tokens of the row.
    pub(super) tokens: usize,
}

/// Finds terms in rows.
#[derive(Debug)]
pub(super) struct Matcher<'q> {
    places: HashMap<&'q str, usize>,
    weights: &'q [f64],
}

/// What a field holds: the token and the place of the term for each occurrence.
#[derive(Clone, Debug, Default)]
struct Found {
    tokens: usize,
    hits: Vec<(usize, usize)>,
}

impl Found {
    fn terms(&self) -> Terms {
        self.hits.iter().fold(0, |terms, (_, place)| terms | 1 << place)
    }
}

impl<'q> Matcher<'q> {
    /// `weights` has one weight a term.
    pub(super) fn new(terms: &'q [String], weights: &'q [f64]) -> Self {
        let places = terms.iter().zip(weights).take(MAX_TERMS).enumerate();
        Self { places: places.map(|(place, (term, _))| (term.as_str(), place)).collect(), weights }
    }

    /// A title that only repeats the text says nothing twice: `repeated_title`.
    pub(super) fn matched(&self, doc: &IndexDoc, repeated_title: bool) -> Matched {
        let mut counts = vec![0.0; self.weights.len()];
        let mut tokens = 0;
        let mut take = |found: &Found, weight: f64| {
            tokens += found.tokens;
            for (_, place) in &found.hits {
                counts[*place] += weight;
            }
            found.terms()
        };
        let title_weight = if repeated_title { 0.0 } else { TITLE_WEIGHT };
        let heading =
            take(&self.find(&doc.title), title_weight) | take(&self.find(&doc.files), FILE_WEIGHT);
        let text = self.find(&doc.text);
        let anywhere = heading | take(&text, 1.0);
        let together = self.best_passage(&text.hits, heading, anywhere);
        Matched { anywhere, together, counts, tokens }
    }

    fn find(&self, tokens: &str) -> Found {
        let mut found = Found::default();
        for token in tokens.split(' ').filter(|token| !token.is_empty()) {
            if let Some(place) = self.places.get(token) {
                found.hits.push((found.tokens, *place));
            }
            found.tokens += 1;
        }
        found
    }

    fn best_passage(&self, hits: &[(usize, usize)], heading: Terms, all: Terms) -> Terms {
        let (mut best, mut best_weight) = (heading, weight(self.weights, heading));
        for (first, (start, _)) in hits.iter().enumerate() {
            let passage = hits[first..].iter().take_while(|(at, _)| at - start < PASSAGE_TOKENS);
            let terms = passage.fold(heading, |terms, (_, place)| terms | 1 << place);
            let weight = weight(self.weights, terms);
            if weight > best_weight {
                (best, best_weight) = (terms, weight);
            }
            if best == all {
                break;
            }
        }
        best
    }
}

/// What a set of terms weighs.
pub(super) fn weight(weights: &[f64], terms: Terms) -> f64 {
    let held = weights.iter().enumerate().filter(|(place, _)| terms & (1 << place) != 0);
    held.map(|(_, weight)| weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;

    fn doc(title: &str, text: &str) -> IndexDoc {
        analyze::index_doc(title, text, &["src/lease.rs".to_owned()])
    }

    #[test]
    fn fields_and_passages_are_told_apart() {
        let terms = analyze::query_terms("alpha beta gamma");
        let weights = [1.0, 1.0, 1.0];
        let matcher = Matcher::new(&terms, &weights);
        let close = matcher.matched(&doc("alpha", "beta gamma beta"), false);
        assert_eq!((close.anywhere, close.together), (0b111, 0b111));
        assert_eq!(close.counts, [TITLE_WEIGHT, 2.0, 1.0]);
        let filler = "word ".repeat(PASSAGE_TOKENS);
        let apart = matcher.matched(&doc("alpha", &format!("beta {filler} gamma")), false);
        assert_eq!(apart.anywhere, 0b111);
        assert_eq!(apart.together.count_ones(), 2);
    }

    #[test]
    fn k9_a_word_far_into_a_text_counts() {
        let terms = analyze::query_terms("needle");
        let weights = [1.0];
        let text = format!("{} needle", "hay ".repeat(20_000));
        assert_eq!(Matcher::new(&terms, &weights).matched(&doc("", &text), false).anywhere, 1);
    }
}
