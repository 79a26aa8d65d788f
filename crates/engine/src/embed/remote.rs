//! A service that embeds: the `embeddings` call of the OpenAI API, which many servers speak.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Embedder, Error, Result};

/// Texts of one call.
const BATCH: usize = 16;

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of an answer at most.
const ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// Characters of an error's text that are shown.
const REASON_CHARS: usize = 200;

/// A service that embeds.
///
/// Texts are sent as they are given, which for remembered rows means that privacy rules have been
/// applied.
pub struct RemoteEmbedder {
    client: reqwest::Client,
    url: String,
    model: String,
    api_key: Option<String>,
    id: String,
    middle: Vec<f32>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    index: usize,
    embedding: Vec<f32>,
}

impl RemoteEmbedder {
    /// The id of the embedder of a service and a model.
    pub fn id_of(url: &str, model: &str) -> String {
        let place = url.split_once("://").map_or(url, |(_, place)| place);
        format!("{model}@{}", place.trim_end_matches('/'))
    }

    /// Asks the service for one vector, which tells its dimension.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] where it does not answer with vectors.
    pub async fn connect(url: &str, model: &str, api_key: Option<&str>) -> Result<Self> {
        let client = crate::http::client_builder()
            .timeout(PATIENCE)
            .build()
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        let mut embedder = Self {
            client,
            url: format!("{}/embeddings", url.trim_end_matches('/')),
            model: model.to_owned(),
            api_key: api_key.map(str::to_owned),
            id: Self::id_of(url, model),
            middle: Vec::new(),
        };
        let dimension = match embedder.call(&["dimension"]).await {
            Ok(vectors) => vectors[0].len(),
            Err(Error::Refused(reason)) => return Err(Error::Unavailable(reason)),
            Err(error) => return Err(error),
        };
        embedder.middle = vec![0.0; dimension];
        Ok(embedder)
    }

    async fn call(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let body = Request { model: &self.model, input: texts, encoding_format: "float" };
        let body = serde_json::to_vec(&body).expect("strings are JSON");
        let mut request = self.client.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.api_key {
            request = request.bearer_auth(key);
        }
        let answer = request.body(body).send().await.map_err(|error| self.failed(&error))?;
        let status = answer.status();
        let bytes = self.read(answer).await?;
        if !status.is_success() {
            let reason: String =
                String::from_utf8_lossy(&bytes).chars().take(REASON_CHARS).collect();
            let reason = format!("{} answers {status}: {}", self.url, reason.trim());
            return Err(match status.as_u16() {
                // These texts are at fault; others may do.
                400 | 413 | 422 => Error::Refused(reason),
                _ => Error::Unavailable(reason),
            });
        }
        let answer: Answer = serde_json::from_slice(&bytes)
            .map_err(|error| self.odd(&format!("is no list of vectors ({error})")))?;
        self.in_order(answer, texts.len())
    }

    async fn read(&self, mut answer: reqwest::Response) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.failed(&error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > ANSWER_BYTES {
                return Err(self.odd("is too long"));
            }
        }
        Ok(bytes)
    }

    /// One vector of length one for each text.
    fn in_order(&self, answer: Answer, texts: usize) -> Result<Vec<Vec<f32>>> {
        let mut vectors = vec![Vec::new(); texts];
        for mut one in answer.data {
            afterword_embed::unit(&mut one.embedding);
            match vectors.get_mut(one.index) {
                Some(place) => *place = one.embedding,
                None => return Err(self.odd("has a vector of no text")),
            }
        }
        let expected = if self.middle.is_empty() { vectors[0].len() } else { self.middle.len() };
        let sound = |vector: &Vec<f32>| {
            vector.len() == expected && expected > 0 && vector.iter().all(|n| n.is_finite())
        };
        if vectors.iter().all(sound) {
            Ok(vectors)
        } else {
            Err(self.odd("lacks vectors, or has some of another dimension"))
        }
    }

    fn failed(&self, error: &reqwest::Error) -> Error {
        let why = if error.is_timeout() {
            "does not answer in time".to_owned()
        } else if error.is_connect() {
            "cannot be reached".to_owned()
        } else {
            format!(
                "fails: {}",
                std::error::Error::source(error)
                    .map_or_else(|| "broken answer".to_owned(), ToString::to_string,)
            )
        };
        Error::Unavailable(format!("{} {why}", self.url))
    }

    fn odd(&self, how: &str) -> Error {
        Error::Unavailable(format!("the answer of {} {how}", self.url))
    }
}

#[async_trait]
impl Embedder for RemoteEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.middle.len()
    }

    fn middle(&self) -> &[f32] {
        &self.middle
    }

    async fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(BATCH) {
            vectors.extend(self.call(texts).await?);
        }
        Ok(vectors)
    }

    async fn query(&self, text: &str) -> Result<Vec<f32>> {
        Ok(self.call(&[text]).await?.swap_remove(0))
    }
}

impl fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEmbedder").field("id", &self.id).finish_non_exhaustive()
    }
}
