//! Where the terms of a question occur in a row.

use std::collections::HashMap;

use afterword_domain::text::prefix;

use super::weights::{FILE_WEIGHT, PASSAGE_TOKENS, TITLE_WEIGHT};
use crate::analyze;
use crate::recall::row_text::RowText;

/// Most terms of one question: what fits a [`Terms`].
pub(super) const MAX_TERMS: usize = 64;

/// Text beyond this many bytes is not looked at again; the row is found all the same.
const MAX_TEXT_BYTES: usize = 400_000;

/// Longer words are seldom met twice and are not remembered.
const MAX_REMEMBERED_BYTES: usize = 64;

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

/// Finds terms in rows; remembers words, as the rows of a project repeat them.
#[derive(Debug)]
pub(super) struct Matcher<'q> {
    places: HashMap<&'q str, usize>,
    weights: &'q [f64],
    words: HashMap<String, Found>,
}

/// What a text holds: the token and the place of the term for each occurrence.
#[derive(Clone, Debug, Default)]
struct Found {
    tokens: usize,
    hits: Vec<(usize, usize)>,
}

impl Found {
    fn add(&mut self, next: &Self) {
        self.hits.extend(next.hits.iter().map(|(at, place)| (self.tokens + at, *place)));
        self.tokens += next.tokens;
    }

    fn terms(&self) -> Terms {
        self.hits.iter().fold(0, |terms, (_, place)| terms | 1 << place)
    }
}

impl<'q> Matcher<'q> {
    /// `weights` has one weight a term.
    pub(super) fn new(terms: &'q [String], weights: &'q [f64]) -> Self {
        let places = terms.iter().zip(weights).take(MAX_TERMS).enumerate();
        Self {
            places: places.map(|(place, (term, _))| (term.as_str(), place)).collect(),
            weights,
            words: HashMap::new(),
        }
    }

    pub(super) fn matched(&mut self, row: &RowText) -> Matched {
        let mut counts = vec![0.0; self.weights.len()];
        let mut tokens = 0;
        let mut take = |found: &Found, weight: f64| {
            tokens += found.tokens;
            for (_, place) in &found.hits {
                counts[*place] += weight;
            }
            found.terms()
        };
        // A title that only repeats the text says nothing twice.
        let title_weight = if row.text_begins_with_title() { 0.0 } else { TITLE_WEIGHT };
        let mut heading = take(&self.find(&row.title), title_weight);
        for file in &row.files {
            heading |= take(&self.find(file), FILE_WEIGHT);
        }
        let text = self.find(prefix(&row.text, MAX_TEXT_BYTES));
        let anywhere = heading | take(&text, 1.0);
        let together = self.best_passage(&text.hits, heading, anywhere);
        Matched { anywhere, together, counts, tokens }
    }

    fn find(&mut self, text: &str) -> Found {
        let mut found = Found::default();
        for chunk in text.split_whitespace() {
            if let Some(word) = self.words.get(chunk) {
                found.add(word);
                continue;
            }
            let word = self.read(chunk);
            found.add(&word);
            if chunk.len() <= MAX_REMEMBERED_BYTES {
                self.words.insert(chunk.to_owned(), word);
            }
        }
        found
    }

    fn read(&self, chunk: &str) -> Found {
        let tokens = analyze::tokens(chunk);
        let hits = tokens.iter().enumerate();
        let hits = hits.filter_map(|(at, token)| Some((at, *self.places.get(token.as_str())?)));
        Found { hits: hits.collect(), tokens: tokens.len() }
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

    fn row(title: &str, text: &str) -> RowText {
        RowText { title: title.into(), text: text.into(), files: vec!["src/lease.rs".into()] }
    }

    #[test]
    fn fields_and_passages_are_told_apart() {
        let terms = analyze::query_terms("alpha beta gamma");
        let weights = [1.0, 1.0, 1.0];
        let mut matcher = Matcher::new(&terms, &weights);
        let close = matcher.matched(&row("alpha", "beta gamma beta"));
        assert_eq!((close.anywhere, close.together), (0b111, 0b111));
        assert_eq!(close.counts, [TITLE_WEIGHT, 2.0, 1.0]);
        let filler = "word ".repeat(PASSAGE_TOKENS);
        let apart = matcher.matched(&row("alpha", &format!("beta {filler} gamma")));
        assert_eq!(apart.anywhere, 0b111);
        assert_eq!(apart.together.count_ones(), 2);
    }

    #[test]
    fn k9_a_word_far_into_a_text_counts() {
        let terms = analyze::query_terms("needle");
        let weights = [1.0];
        let text = format!("{} needle", "hay ".repeat(20_000));
        assert_eq!(Matcher::new(&terms, &weights).matched(&row("", &text)).anywhere, 1);
    }
}
