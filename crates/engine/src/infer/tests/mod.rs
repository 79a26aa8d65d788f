//! Messages in, memories out: with a model that follows a script, by rules, and after a crash.

mod anything;
mod by_model;
mod by_rules;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use afterword_domain::memory::Memory;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use afterword_domain::{Clock, Secret, Time};
use afterword_store::Store;
use afterword_store::contract::SpendLimits;
use afterword_store::sqlite::SqliteStore;
use afterword_testkit::ProviderStub;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::distill::model::Model;
use crate::ledger::{Ledger, NoPrices};
use crate::provider::{ClaudeSettings, ProviderKind, ProviderSettings, open};
use crate::{Engine, Extras, testing};

/// Wednesday, 4 March 2026, ten o'clock.
const NOW: &str = "2026-03-04T10:00:00Z";

/// An engine, a stub for its model, and the folder of its data.
struct Stage {
    folder: tempfile::TempDir,
    stub: ProviderStub,
    engine: Arc<Engine>,
    ids: Mutex<u128>,
}

impl Stage {
    fn with_limits(limits: SpendLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stub = ProviderStub::start();
        let engine = engine(folder.path(), Some(&stub), limits);
        Self { folder, stub, engine, ids: Mutex::new(0) }
    }

    fn new() -> Self {
        Self::with_limits(SpendLimits::default())
    }

    fn without_model() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path(), None, SpendLimits::default());
        Self { folder, stub: ProviderStub::start(), engine, ids: Mutex::new(0) }
    }

    /// The same data in a new process.
    fn restart(self) -> Self {
        let Self { folder, stub, engine: old, ids } = self;
        drop(old);
        let engine = engine(folder.path(), Some(&stub), SpendLimits::default());
        Self { folder, stub, engine, ids }
    }

    fn request(&self, messages: Vec<Message>) -> InferRequest {
        let mut ids = self.ids.lock().unwrap();
        *ids += 1;
        InferRequest {
            id: Uuid::from_u128(*ids),
            messages,
            project: ProjectRef::named("shop"),
            metadata: json!({"user_id": "ada", "topic": "t"}),
            ..InferRequest::default()
        }
    }

    async fn says(&self, text: &str) -> Inferred {
        self.engine.infer(&self.request(vec![says(text)])).await.unwrap()
    }

    async fn memories(&self) -> Vec<Memory> {
        let mut all = self.engine.store().list_memories(Scope::All, 99).await.unwrap();
        all.sort_by_key(|memory| memory.id);
        all
    }

    async fn spent(&self) -> u64 {
        let day = self.engine.store().spend_day(at(NOW)).await.unwrap();
        let lines = self.engine.store().spend_lines(SpendBy::Purpose, day, day).await.unwrap();
        assert!(lines.iter().all(|line| line.name == "infer"), "{lines:?}");
        lines.iter().map(SpendLine::tokens).sum()
    }
}

fn engine(folder: &Path, stub: Option<&ProviderStub>, limits: SpendLimits) -> Arc<Engine> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.join("a.db")).unwrap());
    let clock: Arc<dyn Clock> = Arc::new(FixedClock(at(NOW)));
    let ledger = Ledger::new(Arc::clone(&store), Arc::clone(&clock), limits, Arc::new(NoPrices));
    let settings = testing::settings();
    let model = stub.map(|stub| {
        let settings = ProviderSettings {
            kind: ProviderKind::OpenAi,
            url: Some(stub.url()),
            api_key: Secret::new("k"),
            model: Some("small-1".to_owned()),
            timeout: Duration::from_secs(30),
            proxy: None,
            claude: ClaudeSettings::default(),
        };
        Model::new(open(&settings).unwrap())
    });
    Engine::with(
        store,
        clock,
        settings,
        Extras { model, ledger: Some(ledger), ..Extras::default() },
    )
}

fn at(text: &str) -> Time {
    text.parse().unwrap()
}

fn says(text: &str) -> Message {
    Message { content: text.to_owned(), ..Message::default() }
}

fn named(name: &str, text: &str) -> Message {
    Message { name: Some(name.to_owned()), ..says(text) }
}

/// Text, what was done, and how many gave way.
fn told(inferred: &Inferred) -> Vec<(&str, FactChange, usize)> {
    let facts = inferred.facts.iter();
    facts.map(|f| (f.memory.text.as_str(), f.change, f.superseded.len())).collect()
}

fn about(memory: &Memory, field: &str) -> Value {
    memory.metadata[ABOUT][field].clone()
}
