//! What an engine is made of.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Clock;
use afterword_engine::distill::model::Model;
use afterword_engine::vectors::{ApiKey, EmbedderSource, Embeddings, InstalledModel, RemoteModel};
use afterword_engine::{Extras, NoModel, Retention, Settings};
use afterword_store::Store;

use super::{ledger, model};
use crate::config::{self, Config};

/// What makes the engine of a store better, as far as the settings have it: a model that distils,
/// the ledger that bounds it, and an embedder. What cannot be had is told of in the log.
pub fn extras(config: &Config, store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Extras {
    let ledger = ledger::ledger_on(store, config, clock);
    let (model, no_model) = distilling(config);
    let embeddings = embeddings(config);
    let settings_mark = super::settings_mark(config);
    Extras { embeddings, model, no_model, settings_mark, ledger: Some(ledger), program: None }
}

/// The model that reads what the rules have read. One that cannot be had is told of in the log, by
/// `status`, by `doctor` and by `provider`; rules serve.
fn distilling(config: &Config) -> (Option<Model>, Option<NoModel>) {
    match super::open_provider(config) {
        Ok(provider) => {
            let model = provider.map(|provider| model::model(config, provider));
            if let Some(problem) = model.as_ref().and_then(|model| model.mode_problem.as_ref()) {
                tracing::warn!("{problem}");
            }
            (model, None)
        }
        Err(refusal) => {
            let remedy = refusal.remedy().to_owned();
            tracing::warn!(%refusal, "no model is asked: {remedy}");
            let told = config::provider::resolve(config);
            let provider = told.map_or_else(String::new, |told| told.kind);
            (None, Some(NoModel { provider, why: refusal.message, remedy }))
        }
    }
}

/// How an engine is told to work.
pub fn settings(config: &Config) -> Settings {
    Settings {
        skip_tools: config.file.capture.skip_tools.iter().cloned().collect(),
        session_context: config.file.recall.session_start,
        prompt_recall: config.prompt_recall(),
        file_recall: config.file_recall(),
        retention: Retention {
            days: config.file.retention.raw_events_days,
            megabytes: config.file.retention.raw_events_mb,
        },
    }
}

/// A service where one is set, else whatever model is or will be installed.
pub fn embeddings(config: &Config) -> Embeddings {
    let told = config.embeddings();
    let set = |value: String| Some(value).filter(|value| !value.is_empty());
    let source: Arc<dyn EmbedderSource> = match set(told.url) {
        Some(url) => {
            Arc::new(RemoteModel { url, model: told.model, api_key: set(told.api_key).map(ApiKey) })
        }
        None => Arc::new(InstalledModel::new(config.home.models(), set(told.model))),
    };
    Embeddings { source: Some(source), idle: Duration::from_secs(told.idle_minutes * 60) }
}
