//! The passages of a row as they are embedded, and the vectors that come of them.
//!
//! A short row says little by itself: "Yes, for my birthday" is near to no question. It is
//! embedded twice, alone and behind what stands before it in its session, and its vector is the
//! mean of the two. The mean is left as long as it is: a row whose two vectors agree is nearer to
//! what both are near to. Brought 4 to 6 points of recall where rows are turns of a talk
//! (`docs/design/embeddings.md`).

use afterword_domain::text::prefix;
use afterword_store::contract::RowBody;

use super::parts;

/// How much of what stands before a row is looked at, in bytes.
const BEFORE_BYTES: usize = 500;

/// A row cut into passages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    passages: Vec<String>,
    /// The only passage, behind what stands before it.
    behind: Option<String>,
}

impl Cut {
    /// Cuts a row; `before` is the row of the same kind before it in its session.
    pub fn of(row: &RowBody, before: Option<&RowBody>) -> Self {
        let passages = parts::parts(row);
        let behind = match (passages.as_slice(), before) {
            ([only], Some(before)) if parts::is_short(only) => {
                let before = parts::parts(before).join("\n");
                let before = prefix(before.trim(), BEFORE_BYTES);
                (!before.is_empty()).then(|| format!("{before}\n{only}"))
            }
            _ => None,
        };
        Self { passages, behind }
    }

    /// What is to be embedded, in the order that [`Self::vectors`] takes it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.passages.iter().chain(&self.behind).map(String::as_str)
    }

    /// How many texts that is; at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.passages.len() + usize::from(self.behind.is_some())
    }

    /// The vector of each passage, from those of the texts; takes as many as there are texts.
    pub fn vectors(&self, of_texts: &mut impl Iterator<Item = Vec<f32>>) -> Vec<Vec<f32>> {
        let mut vectors: Vec<Vec<f32>> = of_texts.take(self.len()).collect();
        if self.behind.is_some()
            && let Some(behind) = vectors.pop()
            && let Some(own) = vectors.last_mut()
        {
            own.iter_mut().zip(behind).for_each(|(own, behind)| *own = f32::midpoint(*own, behind));
        }
        vectors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::testing::{memory, observation};

    fn said(text: &str) -> RowBody {
        RowBody::Observation(observation(1, text, 0))
    }

    #[test]
    fn a_short_row_is_the_mean_of_itself_and_what_it_answers() {
        let cut = Cut::of(&said("Yes, for my birthday"), Some(&said("Was it a present?")));
        let texts: Vec<&str> = cut.texts().collect();
        assert_eq!(texts, ["Yes, for my birthday", "Was it a present?\nYes, for my birthday"]);
        let mut all = [vec![1.0, 0.0], vec![0.0, 1.0], vec![9.0, 9.0]].into_iter();
        assert_eq!(cut.vectors(&mut all), [[0.5, 0.5]]);
        assert_eq!(all.next(), Some(vec![9.0, 9.0]), "the next row's are left");
    }

    #[test]
    fn long_rows_and_those_without_a_neighbour_stand_alone() {
        let long = RowBody::Memory(memory(1, &"many words ".repeat(60), 0));
        let alone = Cut::of(&said("Yes, for my birthday"), None);
        for cut in [alone, Cut::of(&long, Some(&said("Was it a present?")))] {
            let texts = cut.len();
            assert_eq!(cut.vectors(&mut std::iter::repeat_n(vec![1.0], 9)).len(), texts);
        }
    }
}
