//! Where the terms of a question occur in a row.

use std::collections::HashMap;

use afterword_domain::text::prefix;

use super::weights::PASSAGE_TOKENS;
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    /// In any field.
    pub(super) anywhere: Terms,
    /// In the title or in the names of files.
    pub(super) heading: Terms,
    /// In the best passage of the text or in the heading.
    pub(super) together: Terms,
}

/// Finds terms in rows; remembers words, as the rows of a project repeat them.
#[derive(Debug)]
pub(super) struct Matcher<'q> {
    terms: HashMap<&'q str, Terms>,
    weights: &'q [f64],
    words: HashMap<String, Word>,
}

/// What a word between blanks holds.
#[derive(Clone, Debug, Default)]
struct Word {
    tokens: usize,
    hits: Vec<(usize, Terms)>,
}

impl<'q> Matcher<'q> {
    pub(super) fn new(terms: &'q [String], weights: &'q [f64]) -> Self {
        let places = terms.iter().take(MAX_TERMS).enumerate();
        Self {
            terms: places.map(|(place, term)| (term.as_str(), 1 << place)).collect(),
            weights,
            words: HashMap::new(),
        }
    }

    pub(super) fn matched(&mut self, row: &RowText) -> Matched {
        let mut heading = self.all(&row.title);
        for file in &row.files {
            heading |= self.all(file);
        }
        let hits = self.hits(prefix(&row.text, MAX_TEXT_BYTES));
        let anywhere = hits.iter().fold(heading, |all, (_, terms)| all | terms);
        Matched { anywhere, heading, together: self.best_passage(&hits, heading, anywhere) }
    }

    /// What a set of terms weighs.
    pub(super) fn weight(&self, terms: Terms) -> f64 {
        weight(self.weights, terms)
    }

    fn all(&mut self, text: &str) -> Terms {
        self.hits(text).iter().fold(0, |all, (_, terms)| all | terms)
    }

    /// The terms in a text with the number of the token that holds them.
    fn hits(&mut self, text: &str) -> Vec<(usize, Terms)> {
        let mut found = Vec::new();
        let mut start = 0;
        for chunk in text.split_whitespace() {
            if let Some(word) = self.words.get(chunk) {
                found.extend(word.hits.iter().map(|(at, terms)| (start + at, *terms)));
                start += word.tokens;
                continue;
            }
            let word = self.read(chunk);
            found.extend(word.hits.iter().map(|(at, terms)| (start + at, *terms)));
            start += word.tokens;
            if chunk.len() <= MAX_REMEMBERED_BYTES {
                self.words.insert(chunk.to_owned(), word);
            }
        }
        found
    }

    fn read(&self, chunk: &str) -> Word {
        let tokens = analyze::tokens(chunk);
        let hits = tokens.iter().enumerate();
        let hits = hits.filter_map(|(at, token)| Some((at, *self.terms.get(token.as_str())?)));
        Word { hits: hits.collect(), tokens: tokens.len() }
    }

    fn best_passage(&self, hits: &[(usize, Terms)], heading: Terms, all: Terms) -> Terms {
        let (mut best, mut best_weight) = (heading, self.weight(heading));
        for (first, (start, _)) in hits.iter().enumerate() {
            let passage = hits[first..].iter().take_while(|(at, _)| at - start < PASSAGE_TOKENS);
            let terms = passage.fold(heading, |terms, (_, more)| terms | more);
            let weight = self.weight(terms);
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
        let terms: Vec<String> = ["alpha", "beta", "gamma"].map(str::to_owned).into();
        let weights = [1.0, 1.0, 1.0];
        let mut matcher = Matcher::new(&terms, &weights);
        let close = matcher.matched(&row("alpha", "beta gamma"));
        assert_eq!(close, Matched { anywhere: 0b111, heading: 0b001, together: 0b111 });
        let filler = "word ".repeat(PASSAGE_TOKENS);
        let apart = matcher.matched(&row("alpha", &format!("beta {filler} gamma")));
        assert_eq!(apart.anywhere, 0b111);
        assert_eq!(apart.together.count_ones(), 2);
    }

    #[test]
    fn k9_a_word_far_into_a_text_counts() {
        let terms = vec!["needle".to_owned()];
        let weights = [1.0];
        let text = format!("{} needle", "hay ".repeat(20_000));
        assert_eq!(Matcher::new(&terms, &weights).matched(&row("", &text)).anywhere, 1);
    }
}
