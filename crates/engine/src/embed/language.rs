//! Takes away what a text's language alone puts into its vector.
//!
//! The model gives all texts of a language one direction in common, and another to another
//! language, so that a Chinese question is nearer to any Chinese text than to the English one that
//! answers it. The mean vector of each language is subtracted; see `docs/design/embeddings.md`.

use super::model::Role;

/// The mean vectors: one line each of `role language` and whole numbers, in ten-thousandths.
const TABLE: &str = include_str!("means.txt");

/// The weights that the table was measured on.
const WEIGHTS: &str = "multilingual-e5-small-q4";

/// Letters of an alphabet that weigh as much as one character that is a word.
const LETTERS_PER_CHARACTER: f32 = 4.0;

/// The mean vector of each language for each role; none for weights that were not measured.
#[derive(Debug, Default)]
pub(super) struct Means {
    rows: Vec<Mean>,
}

#[derive(Debug)]
struct Mean {
    role: Role,
    ideographs: bool,
    vector: Vec<f32>,
}

impl Means {
    /// The means of some weights, all of this width.
    pub(super) fn of(weights: &str, width: usize) -> Self {
        if weights != WEIGHTS {
            return Self::default();
        }
        let rows = TABLE.lines().filter_map(Mean::read).filter(|m| m.vector.len() == width);
        Self { rows: rows.collect() }
    }

    /// Names what is subtracted, as a part of the model's id.
    pub(super) fn name(&self) -> &'static str {
        if self.rows.is_empty() { "raw" } else { "means1" }
    }

    /// Subtracts the mean of the text's language, or a blend for a text of both.
    pub(super) fn centre(&self, role: Role, text: &str, vector: &mut [f32]) {
        let share = share_of_ideographs(text);
        for mean in self.rows.iter().filter(|mean| mean.role == role) {
            let weight = if mean.ideographs { share } else { 1.0 - share };
            vector.iter_mut().zip(&mean.vector).for_each(|(number, m)| *number -= m * weight);
        }
    }
}

impl Mean {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let role = match words.next()? {
            "query" => Role::Query,
            "passage" => Role::Passage,
            _ => return None,
        };
        let ideographs = words.next()? == "zh";
        let numbers = words.map(|n| n.parse::<f32>().ok().map(|n| n / 10_000.0));
        Some(Self { role, ideographs, vector: numbers.collect::<Option<_>>()? })
    }
}

/// How much of a text is written in ideographs, from nought to one.
pub(super) fn share_of_ideographs(text: &str) -> f32 {
    let (mut ideographs, mut letters) = (0.0_f32, 0.0_f32);
    for c in text.chars().take(super::tokenizer::MOST_CHARACTERS) {
        match u32::from(c) {
            0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => {
                ideographs += 1.0;
            }
            _ if c.is_alphabetic() => letters += 1.0,
            _ => {}
        }
    }
    let all = ideographs + letters / LETTERS_PER_CHARACTER;
    if all > 0.0 { ideographs / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_both_languages_is_between_them() {
        assert!(share_of_ideographs("Retry the queue") < 1e-6);
        assert!(share_of_ideographs("") < 1e-6);
        assert!(share_of_ideographs("重试队列") > 0.999);
        let both = share_of_ideographs("把 retryQueue 的上限改成五次");
        assert!(both > 0.5 && both < 0.95, "{both}");
    }

    #[test]
    fn the_table_has_a_mean_for_each_role_and_language() {
        let means = Means::of(WEIGHTS, 384);
        assert_eq!(means.rows.len(), 4);
        assert_eq!(means.rows.iter().filter(|m| m.role == Role::Query).count(), 2);
        assert!(Means::of("others", 384).rows.is_empty());
    }
}
