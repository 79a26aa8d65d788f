//! Takes away what a text's language alone puts into its vector.
//!
//! The model puts all texts of a language to one side, so that a Chinese question is nearer to any
//! Chinese text than to the English one that answers it. Each language is moved to the middle
//! between the two; what they have in common stays, because taking that away too makes the order
//! within a language worse. Measured in `docs/design/embeddings.md`.

/// The mean vector of each language, one a line, in ten-thousandths.
const TABLE: &str = include_str!("means.txt");

/// The weights that the table was measured on.
const WEIGHTS: &str = "multilingual-e5-small-q4";

/// Letters of an alphabet that weigh as much as one character that is a word.
const LETTERS_PER_CHARACTER: f32 = 4.0;

/// Where the languages lie; nowhere in particular for weights that were not measured.
#[derive(Debug)]
pub(crate) struct Means {
    /// From the middle to the texts in ideographs; the others lie as far on the other side.
    side: Vec<f32>,
    middle: Vec<f32>,
    measured: bool,
}

impl Means {
    /// The means of some weights whose vectors have this width.
    pub(crate) fn of(weights: &str, width: usize) -> Self {
        let row = |language: &str| -> Option<Vec<f32>> {
            let line = TABLE.lines().find_map(|line| line.strip_prefix(language))?;
            let numbers = line.split_whitespace().map(|n| n.parse().ok().map(|n: f32| n / 1e4));
            numbers.collect::<Option<Vec<f32>>>().filter(|row| row.len() == width)
        };
        match (row("en "), row("zh ")) {
            (Some(en), Some(zh)) if weights == WEIGHTS => {
                let pairs = || zh.iter().zip(&en);
                let side = pairs().map(|(zh, en)| (zh - en) / 2.0).collect();
                let middle = pairs().map(|(zh, en)| f32::midpoint(*zh, *en)).collect();
                Self { side, middle, measured: true }
            }
            _ => Self { side: vec![0.0; width], middle: vec![0.0; width], measured: false },
        }
    }

    /// Names what is done to the vectors, as a part of the model's id.
    pub(crate) fn name(&self) -> &'static str {
        if self.measured { "middle1" } else { "raw" }
    }

    /// The name that the means of some weights will have.
    pub(crate) fn name_of(weights: &str) -> &'static str {
        if weights == WEIGHTS { "middle1" } else { "raw" }
    }

    /// Where all languages lie afterwards.
    pub(crate) fn middle(&self) -> &[f32] {
        &self.middle
    }

    /// Moves a text's vector from its language's side to the middle; a text of both languages
    /// moves less.
    pub(crate) fn level(&self, text: &str, vector: &mut [f32]) {
        let weight = 2.0 * share_of_ideographs(text) - 1.0;
        vector.iter_mut().zip(&self.side).for_each(|(number, side)| *number -= side * weight);
    }
}

/// How much of a text is written in ideographs, from nought to one.
pub(crate) fn share_of_ideographs(text: &str) -> f32 {
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
    fn both_languages_end_in_the_middle() {
        let means = Means::of(WEIGHTS, 384);
        assert!(means.measured);
        let (mut english, mut chinese) = (vec![0.0; 384], vec![0.0; 384]);
        for at in 0..384 {
            english[at] = means.middle[at] - means.side[at];
            chinese[at] = means.middle[at] + means.side[at];
        }
        means.level("a text", &mut english);
        means.level("文字", &mut chinese);
        for at in 0..384 {
            assert!((english[at] - chinese[at]).abs() < 1e-6);
        }
        let others = Means::of("others", 384);
        assert_eq!((others.name(), others.side.len()), ("raw", 384));
    }
}
