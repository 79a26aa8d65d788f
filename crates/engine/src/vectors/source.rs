//! Where an embedder comes from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::embed::{CARD_FILE, Embedder, LocalEmbedder, Model, RemoteEmbedder, Result};

/// Time without a question or a new row after which the model is given up.
const IDLE: Duration = Duration::from_mins(10);

/// How rows are embedded.
#[derive(Clone, Debug)]
pub struct Embeddings {
    /// Where the embedder comes from; none: everything works on keywords.
    pub source: Option<Arc<dyn EmbedderSource>>,
    /// How long the embedder and the vectors stay in memory after they were last used.
    pub idle: Duration,
}

impl Default for Embeddings {
    fn default() -> Self {
        Self { source: None, idle: IDLE }
    }
}

/// Gives an embedder when one is wanted.
#[async_trait]
pub trait EmbedderSource: Send + Sync + fmt::Debug {
    /// The id that the embedder would have; none where there is none to be had now. Cheap: asked
    /// with every search and every new row.
    fn id(&self) -> Option<String>;

    /// Makes the embedder ready.
    ///
    /// # Errors
    ///
    /// As [`Model::load`], or [`Unavailable`](crate::embed::Error::Unavailable) where a service
    /// does not answer.
    async fn load(&self) -> Result<Arc<dyn Embedder>>;
}

/// The model that `afterword model pull` put into the folder of models.
#[derive(Clone, Debug)]
pub struct InstalledModel {
    models: PathBuf,
    name: Option<String>,
}

impl InstalledModel {
    /// The model of a name, or the first one that is installed.
    pub fn new(models: PathBuf, name: Option<String>) -> Self {
        Self { models, name }
    }

    fn folder(&self) -> Option<PathBuf> {
        let has_card = |folder: &Path| folder.join(CARD_FILE).is_file();
        if let Some(name) = &self.name {
            return Some(self.models.join(name)).filter(|folder| has_card(folder));
        }
        let entries = std::fs::read_dir(&self.models).ok()?;
        let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
        // A folder with an ending is still being put together.
        let whole = |folder: &PathBuf| folder.extension().is_none() && has_card(folder);
        folders.filter(whole).min()
    }
}

#[async_trait]
impl EmbedderSource for InstalledModel {
    fn id(&self) -> Option<String> {
        Model::id_in(&self.folder()?)
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        let folder = self.folder().unwrap_or_else(|| self.models.clone());
        let loading = tokio::task::spawn_blocking(move || Model::load(&folder));
        let model = loading.await.map_err(|error| std::io::Error::other(error.to_string()))??;
        Ok(Arc::new(LocalEmbedder::new(model)?))
    }
}

/// The model of a service that speaks the API of OpenAI.
#[derive(Clone, Debug)]
pub struct RemoteModel {
    /// Its address, to which `/embeddings` is added.
    pub url: String,
    /// The model it is asked for.
    pub model: String,
    /// What it is shown as a bearer token.
    pub api_key: Option<ApiKey>,
}

/// A key that no log shows.
#[derive(Clone)]
pub struct ApiKey(pub String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

#[async_trait]
impl EmbedderSource for RemoteModel {
    fn id(&self) -> Option<String> {
        Some(RemoteEmbedder::id_of(&self.url, &self.model))
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        let key = self.api_key.as_ref().map(|key| key.0.as_str());
        Ok(Arc::new(RemoteEmbedder::connect(&self.url, &self.model, key).await?))
    }
}
