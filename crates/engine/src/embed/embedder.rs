//! Whoever turns texts into vectors: the model in this process, or a service.

use std::fmt;
use std::sync::{Arc, mpsc};
use std::thread;

use async_trait::async_trait;
use tokio::sync::oneshot;

use super::{Error, Model, Result};

/// Texts that go to the thread of the model at once, so that one that gives up waiting leaves
/// little work behind.
const BATCH: usize = 16;

/// How much less of the processor than others the thread for passages gets.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Turns texts into vectors of length one.
#[async_trait]
pub trait Embedder: Send + Sync + fmt::Debug {
    /// Names weights and treatment; vectors of different ids are never compared.
    fn id(&self) -> &str;

    /// Numbers of a vector.
    fn dimension(&self) -> usize;

    /// What vectors are kept around: see [`VectorIndex::around`](super::VectorIndex::around).
    fn middle(&self) -> &[f32];

    /// A vector for each text that is kept and found, in order. Slow, and at low priority.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] where nobody answers or the answer is none.
    async fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// A vector for what is asked; waits for no passages.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] where nobody answers or the answer is none.
    async fn query(&self, text: &str) -> Result<Vec<f32>>;
}

/// The model in this process.
///
/// Passages are embedded on a thread of its own, which runs at low priority where the platform has
/// one for single threads, and ends with the value. Queries run beside it.
pub struct LocalEmbedder {
    model: Arc<Model>,
    passages: mpsc::Sender<Passages>,
}

/// Texts on their way to the thread.
struct Passages {
    texts: Vec<String>,
    answer: oneshot::Sender<Vec<Vec<f32>>>,
}

impl LocalEmbedder {
    /// Starts the thread for passages.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the system gives no thread.
    pub fn new(model: Model) -> Result<Self> {
        let model = Arc::new(model);
        let (passages, waiting) = mpsc::channel::<Passages>();
        let worker = Arc::clone(&model);
        thread::Builder::new().name("embed".into()).spawn(move || {
            step_back();
            for batch in waiting {
                // Nobody waits any more.
                if batch.answer.is_closed() {
                    continue;
                }
                let texts: Vec<&str> = batch.texts.iter().map(String::as_str).collect();
                drop(batch.answer.send(worker.embed_passages(&texts)));
            }
        })?;
        Ok(Self { model, passages })
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
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
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(BATCH) {
            let (answer, answered) = oneshot::channel();
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            self.passages.send(Passages { texts, answer }).map_err(|_| stopped())?;
            vectors.extend(answered.await.map_err(|_| stopped())?);
        }
        Ok(vectors)
    }

    async fn query(&self, text: &str) -> Result<Vec<f32>> {
        let (model, text) = (Arc::clone(&self.model), text.to_owned());
        let vector = tokio::task::spawn_blocking(move || model.embed_query(&text)).await;
        vector.map_err(|_| stopped())
    }
}

impl fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalEmbedder").field(&self.model).finish()
    }
}

fn stopped() -> Error {
    Error::Unavailable("the embedding model has stopped".into())
}

/// Lets everybody else go first.
fn step_back() {
    // Elsewhere a priority belongs to the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "the embedding thread keeps its priority");
    }
}
