//! Vectors of a model for the first rows, and made-up ones with the same spread for the rest.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use afterword_engine::embed::{Embedder, LocalEmbedder, Model, Result};
use afterword_engine::eval::KeptEmbedder;
use afterword_engine::vectors::EmbedderSource;
use async_trait::async_trait;

use crate::measure::Dice;

/// Vectors that the model makes itself.
const REAL: usize = 10_000;

/// How far a made-up vector lies from a real one: in sum about as far as two texts about one thing.
const NOISE: f64 = 0.05;

/// An embedder for many rows. What the model made is kept for the next run.
#[derive(Debug)]
pub(crate) struct MadeUp {
    model: KeptEmbedder,
    real: Mutex<(Vec<Vec<f32>>, Dice)>,
}

impl MadeUp {
    pub(crate) fn load(folder: &Path) -> Self {
        let model = LocalEmbedder::new(Model::load(folder).expect("a model")).expect("a thread");
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
        let model = KeptEmbedder::open(Arc::new(model), &kept).expect("a folder for vectors");
        Self { model, real: Mutex::new((Vec::new(), Dice::new(11))) }
    }

    fn made_up(&self) -> Option<Vec<f32>> {
        let mut real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
        let (vectors, dice) = &mut *real;
        if vectors.len() < REAL {
            return None;
        }
        let like = &vectors[dice.below(vectors.len())];
        #[expect(clippy::cast_possible_truncation, reason = "half the digits are enough")]
        let near = like.iter().map(|n| n + ((dice.fraction() - 0.5) * NOISE * 2.0) as f32);
        let near: Vec<f32> = near.collect();
        let length = near.iter().map(|n| n * n).sum::<f32>().sqrt();
        Some(near.into_iter().map(|n| n / length).collect())
    }
}

#[async_trait]
impl Embedder for MadeUp {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn middle(&self) -> &[f32] {
        self.model.middle()
    }

    async fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let made_up: Option<Vec<Vec<f32>>> = texts.iter().map(|_| self.made_up()).collect();
        if let Some(vectors) = made_up {
            return Ok(vectors);
        }
        let vectors = self.model.passages(texts).await?;
        let mut real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
        real.0.extend(vectors.iter().cloned());
        Ok(vectors)
    }

    async fn query(&self, text: &str) -> Result<Vec<f32>> {
        self.model.query(text).await
    }
}

/// Gives the same embedder to every store that is measured.
#[derive(Debug)]
pub(crate) struct Shared(pub(crate) Arc<MadeUp>);

#[async_trait]
impl EmbedderSource for Shared {
    fn id(&self) -> Option<String> {
        Some(self.0.model.id().to_owned())
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        Ok(Arc::clone(&self.0) as Arc<dyn Embedder>)
    }
}
