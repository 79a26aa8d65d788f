use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use super::container::Container;
use super::language::Means;
use super::math;
use super::network::Network;
use super::tokenizer::Tokenizer;
use crate::error::{Error, Result, damaged};

/// The file of a model's folder that says what the folder holds.
pub const CARD_FILE: &str = "model.json";

/// Tokens of one pass at most, which bounds what a pass writes to (about 10 MB).
const PASS_TOKENS: usize = 512;

/// Parts of a long text that have a say in its vector.
const MOST_PARTS: usize = 4;

/// What [`CARD_FILE`] says.
#[derive(Debug, Deserialize)]
struct Card {
    id: String,
    weights: String,
}

/// A multilingual embedding model in memory, ready to be asked from any thread.
///
/// About 75 MB resident. A call runs on the caller's thread, on one core, and needs at most about
/// 15 MB more while it runs. Dropping the value gives everything back.
pub struct Model {
    id: String,
    tokenizer: Tokenizer,
    network: Network,
    means: Means,
}

/// What a text is, which the model wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Query,
    Passage,
}

impl Role {
    fn prefix(self) -> &'static str {
        match self {
            Self::Query => "query: ",
            Self::Passage => "passage: ",
        }
    }
}

impl Card {
    fn read(folder: &Path) -> Result<Self> {
        let card = match fs::read(folder.join(CARD_FILE)) {
            Ok(card) => card,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Missing(folder.display().to_string()));
            }
            Err(e) => return Err(e.into()),
        };
        serde_json::from_slice(&card).map_err(|e| Error::Damaged(format!("{CARD_FILE}: {e}")))
    }
}

impl Model {
    /// The id that the model in a folder will have once it is loaded; none where there is none.
    /// Reads the card only.
    pub fn id_in(folder: &Path) -> Option<String> {
        let card = Card::read(folder).ok()?;
        Some(id_of(&card.id, Means::name_of(&card.id)))
    }

    /// Reads the model that `afterword model pull` put into a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where the folder holds none, [`Error::Damaged`] where a file is not what
    /// it should be, [`Error::Io`] where it cannot be read.
    pub fn load(folder: &Path) -> Result<Self> {
        let card = Card::read(folder)?;
        if Path::new(&card.weights).file_name() != Some(card.weights.as_ref()) {
            return damaged(format!("{CARD_FILE} names a file outside its folder"));
        }
        let file = fs::read(folder.join(&card.weights))?;
        Self::from_weights(&card.id, file)
    }

    fn from_weights(weights: &str, file: Vec<u8>) -> Result<Self> {
        let container = Container::parse(&file)?;
        let mut network = Network::new(&container)?;
        let words = container.words()?;
        let tokenizer = Tokenizer::new(container.pieces);
        network.keep_words(file, words);
        let means = Means::of(weights, network.shape().width);
        Ok(Self { id: id_of(weights, means.name()), tokenizer, network, means })
    }

    /// Names the space of the vectors: weights and everything done to them afterwards. Vectors of
    /// two ids must not be compared.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Numbers of a vector.
    pub fn dimension(&self) -> usize {
        self.network.shape().width
    }

    /// Where vectors lie on average; [`VectorIndex::around`](super::VectorIndex::around) wants it.
    pub fn middle(&self) -> &[f32] {
        self.means.middle()
    }

    /// A vector of length one for each text, for texts that are kept and found.
    ///
    /// Order is kept. The same text always gives the same vector on the same machine, whatever
    /// stands beside it. An empty text has a vector too. Of a text longer than 8,000 characters or
    /// about 2,000 tokens the beginning counts.
    pub fn embed_passages(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.embed(Role::Passage, texts)
    }

    /// A vector of length one for what is asked; compare it with vectors of passages.
    pub fn embed_query(&self, text: &str) -> Vec<f32> {
        self.embed(Role::Query, &[text]).pop().expect("one text, one vector")
    }

    fn embed(&self, role: Role, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut vectors = self.raw(role, texts);
        for (vector, text) in vectors.iter_mut().zip(texts) {
            self.means.level(text, vector);
            math::unit(vector);
        }
        vectors
    }

    /// Vectors of length one as the model gives them, before languages are levelled.
    pub(crate) fn raw(&self, role: Role, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut sums = vec![vec![0.0; self.dimension()]; texts.len()];
        let mut pass = Pass::default();
        for (at, text) in texts.iter().enumerate() {
            let cut = self.tokenizer.cut(&format!("{}{text}", role.prefix()));
            let longest = self.network.shape().positions.min(PASS_TOKENS) - 2;
            for part in cut.chunks(longest).take(MOST_PARTS) {
                if pass.tokens.len() + part.len() + 2 > PASS_TOKENS {
                    self.flush(&mut pass, &mut sums);
                }
                pass.push(at, self.tokenizer.begin(), part, self.tokenizer.end());
            }
        }
        self.flush(&mut pass, &mut sums);
        for sum in &mut sums {
            math::unit(sum);
        }
        sums
    }

    /// Runs what waits; a text of several parts gets the sum of their means, weighted by length.
    #[expect(clippy::cast_precision_loss, reason = "a part has few tokens")]
    fn flush(&self, pass: &mut Pass, sums: &mut [Vec<f32>]) {
        let means = self.network.run(&pass.tokens, &pass.parts);
        for ((mean, owner), part) in means.iter().zip(&pass.owners).zip(&pass.parts) {
            let weight = part.len() as f32;
            sums[*owner].iter_mut().zip(mean).for_each(|(sum, number)| *sum += number * weight);
        }
        *pass = Pass::default();
    }
}

fn id_of(weights: &str, treatment: &str) -> String {
    format!("{weights}+{treatment}")
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Parts of texts that go through the network together.
#[derive(Default)]
struct Pass {
    tokens: Vec<u32>,
    parts: Vec<Range<usize>>,
    /// Whose part each is.
    owners: Vec<usize>,
}

impl Pass {
    fn push(&mut self, owner: usize, begin: u32, part: &[u32], end: u32) {
        let start = self.tokens.len();
        self.tokens.push(begin);
        self.tokens.extend_from_slice(part);
        self.tokens.push(end);
        self.parts.push(start..self.tokens.len());
        self.owners.push(owner);
    }
}
