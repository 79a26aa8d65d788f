//! One embedder for many engines.

use std::sync::{Arc, Weak};

use afterword_engine::embed::{Embedder, Result};
use afterword_engine::vectors::EmbedderSource;
use async_trait::async_trait;
use tokio::sync::Mutex;

/// A source whose embedder all who ask share, for as long as one of them holds it: a model in this
/// process is in memory once, however many engines there are.
#[derive(Debug)]
pub struct SharedSource {
    source: Arc<dyn EmbedderSource>,
    loaded: Mutex<Option<Weak<dyn Embedder>>>,
}

impl SharedSource {
    /// Shares what another source gives.
    pub fn new(source: Arc<dyn EmbedderSource>) -> Self {
        Self { source, loaded: Mutex::default() }
    }
}

#[async_trait]
impl EmbedderSource for SharedSource {
    fn id(&self) -> Option<String> {
        self.source.id()
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        // Held while it is loaded: who comes meanwhile waits for the same one.
        let mut loaded = self.loaded.lock().await;
        let known = loaded.as_ref().and_then(Weak::upgrade);
        if let Some(embedder) = known.filter(|known| Some(known.id()) == self.id().as_deref()) {
            return Ok(embedder);
        }
        let embedder = self.source.load().await?;
        *loaded = Some(Arc::downgrade(&embedder));
        Ok(embedder)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    #[derive(Debug)]
    struct Nothing;

    #[async_trait]
    impl Embedder for Nothing {
        fn id(&self) -> &'static str {
            "nothing"
        }

        fn dimension(&self) -> usize {
            1
        }

        fn middle(&self) -> &[f32] {
            &[0.0]
        }

        async fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            Ok(vec![vec![1.0]; texts.len()])
        }

        async fn query(&self, _text: &str) -> Result<Vec<f32>> {
            Ok(vec![1.0])
        }
    }

    #[async_trait]
    impl EmbedderSource for Counting {
        fn id(&self) -> Option<String> {
            Some("nothing".to_owned())
        }

        async fn load(&self) -> Result<Arc<dyn Embedder>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(Nothing))
        }
    }

    #[tokio::test]
    async fn it_is_loaded_once_while_somebody_holds_it() {
        let counting = Arc::new(Counting::default());
        let shared = SharedSource::new(Arc::clone(&counting) as Arc<dyn EmbedderSource>);
        let (one, two) = tokio::join!(shared.load(), shared.load());
        assert!(Arc::ptr_eq(&one.unwrap(), &two.unwrap()));
        assert_eq!(counting.0.load(Ordering::Relaxed), 1);
        drop(shared.load().await.unwrap());
        assert_eq!(counting.0.load(Ordering::Relaxed), 2, "nobody had it any more");
    }
}
