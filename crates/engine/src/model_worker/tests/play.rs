//! A provider that follows a script, and an engine that plays turns.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use afterword_domain::event::{EventBody, ToolClass, ToolUse};
use afterword_domain::observation::Observation;
use afterword_domain::scope::Scope;
use afterword_domain::{Clock, Time};
use afterword_store::Store;
use afterword_store::contract::SpendLimits;
use afterword_store::sqlite::SqliteStore;
use async_trait::async_trait;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::distill::model::Model;
use crate::ledger::{Ledger, NoPrices};
use crate::provider::{Answer, Ask, Provider, Refusal, Usage};
use crate::{Engine, Extras, NoModel, testing};

/// What the provider does with a question.
pub(super) enum Act {
    Say(String),
    Refuse(Refusal),
    Hang,
}

#[derive(Default)]
pub(super) struct Script {
    acts: Mutex<VecDeque<Act>>,
    asks: Mutex<Vec<Ask>>,
    /// Answers tell no use: what was set aside is charged.
    pub(super) tells_no_use: AtomicBool,
    pub(super) asked: Notify,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    pub(super) fn then(&self, act: Act) {
        self.acts.lock().unwrap().push_back(act);
    }

    pub(super) fn say(&self, text: &str) {
        self.then(Act::Say(text.to_owned()));
    }

    pub(super) fn asks(&self) -> Vec<Ask> {
        self.asks.lock().unwrap().clone()
    }

    pub(super) fn calls(&self) -> usize {
        self.asks.lock().unwrap().len()
    }
}

#[async_trait]
impl Provider for Script {
    fn name(&self) -> &'static str {
        "script"
    }

    fn model(&self) -> &'static str {
        "m1"
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        self.asks.lock().unwrap().push(ask.clone());
        self.asked.notify_one();
        let act = self.acts.lock().unwrap().pop_front();
        let usage = Some(Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() });
        let usage = usage.filter(|_| !self.tells_no_use.load(Ordering::SeqCst));
        match act.unwrap_or_else(|| Act::Say(answer("Default", "2", "bugfix"))) {
            Act::Say(text) => Ok(Answer { text, usage, cut: false }),
            Act::Refuse(refusal) => Err(refusal),
            Act::Hang => std::future::pending().await,
        }
    }
}

/// An answer with one observation and a summary.
pub(super) fn answer(title: &str, evidence: &str, kind: &str) -> String {
    format!(
        "<observation><type>{kind}</type><title>{title}</title><narrative>It was told.</narrative>
         <evidence>{evidence}</evidence><standing>confirmed</standing></observation>
         <summary><request>{title}: asked</request><completed>{title}: done</completed>
         <next_steps>{title}: next</next_steps></summary>"
    )
}

#[derive(Debug)]
pub(super) struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// An engine with a scripted model.
pub(super) struct Play {
    folder: tempfile::TempDir,
    pub(super) clock: Arc<Hands>,
    pub(super) script: Arc<Script>,
    pub(super) engine: Arc<Engine>,
}

impl Play {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(super) fn with(change: impl FnOnce(&mut Model)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(AtomicI64::new(1_796_000_000_000)));
        let script = Arc::new(Script::default());
        let engine = open(&folder.path().join("afterword.db"), &clock, &script, None, change);
        Self { folder, clock, script, engine }
    }

    /// With caps.
    pub(super) fn within(limits: SpendLimits) -> Self {
        Self::new().restart_within(limits)
    }

    pub(super) fn restart_within(self, limits: SpendLimits) -> Self {
        let Self { folder, clock, script, engine } = self;
        drop(engine);
        let path = folder.path().join("afterword.db");
        let engine = open(&path, &clock, &script, Some(limits), |_| {});
        Self { folder, clock, script, engine }
    }

    /// The same data, as a new process finds it; what the old one had in hand is lost.
    pub(super) fn restart(self) -> Self {
        self.restart_with(|_| {})
    }

    pub(super) fn restart_with(self, change: impl FnOnce(&mut Model)) -> Self {
        let Self { folder, clock, script, engine } = self;
        drop(engine);
        let engine = open(&folder.path().join("afterword.db"), &clock, &script, None, change);
        Self { folder, clock, script, engine }
    }

    /// The same data, as a process finds it whose provider cannot be opened.
    pub(super) fn restart_without_key(self) -> Self {
        let Self { folder, clock, script, engine } = self;
        drop(engine);
        let store = SqliteStore::open(&folder.path().join("afterword.db")).unwrap();
        let no_model = Some(NoModel { why: "no key is set".into(), ..NoModel::default() });
        let extras = Extras { no_model, ..Extras::default() };
        let hands = Arc::clone(&clock) as Arc<dyn Clock>;
        let engine = Engine::with(Arc::new(store), hands, testing::settings(), extras);
        Self { folder, clock, script, engine }
    }

    pub(super) fn pass(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::SeqCst);
    }

    pub(super) async fn happens(&self, session: &str, body: EventBody) {
        self.pass(1_000);
        let event = testing::event(session, self.clock.now(), body);
        self.engine.intake(vec![event]).await.unwrap();
    }

    pub(super) async fn prompt(&self, session: &str, text: &str) {
        self.happens(session, EventBody::Prompt { text: text.into(), private: false }).await;
    }

    pub(super) async fn edit(&self, session: &str, path: &str) {
        let input = serde_json::json!({"old_string": "let a = 1;", "new_string": "let a = 2;"});
        self.tool(session, "Edit", ToolClass::Edit, path, input, "").await;
    }

    pub(super) async fn run(&self, session: &str, command: &str, output: &str) {
        let input = serde_json::json!({ "command": command });
        self.tool(session, "Bash", ToolClass::Shell, "", input, output).await;
    }

    pub(super) async fn look(&self, session: &str, path: &str) {
        let input = serde_json::json!({ "file_path": path });
        self.tool(session, "Read", ToolClass::Read, path, input, "fn parse() {}").await;
    }

    /// A change of so many lines.
    pub(super) async fn rewrite(&self, session: &str, path: &str, lines: usize) {
        let text = |what: &str| format!("let {what} = 1;\n").repeat(lines);
        let input = serde_json::json!({"old_string": text("old"), "new_string": text("new")});
        self.tool(session, "Edit", ToolClass::Edit, path, input, "").await;
    }

    /// A command that failed.
    pub(super) async fn fail(&self, session: &str, command: &str, output: &str) {
        let tool = ToolUse {
            name: "Bash".into(),
            class: ToolClass::Shell,
            call_id: Some(Uuid::now_v7().to_string()),
            input: serde_json::json!({ "command": command }),
            error: Some(output.into()),
            ..ToolUse::default()
        };
        self.happens(session, EventBody::ToolUse { tool }).await;
    }

    async fn tool(
        &self,
        session: &str,
        name: &str,
        class: ToolClass,
        path: &str,
        input: serde_json::Value,
        output: &str,
    ) {
        let tool = ToolUse {
            name: name.into(),
            class,
            call_id: Some(Uuid::now_v7().to_string()),
            input,
            output: output.into(),
            paths: [path].iter().filter(|p| !p.is_empty()).map(|p| (*p).to_owned()).collect(),
            ..ToolUse::default()
        };
        self.happens(session, EventBody::ToolUse { tool }).await;
    }

    pub(super) async fn stop(&self, session: &str, answer: &str) {
        self.happens(session, EventBody::Stop { answer: Some(answer.into()), error: None }).await;
    }

    pub(super) async fn end(&self, session: &str) {
        self.happens(session, EventBody::SessionEnd { reason: "other".into() }).await;
    }

    /// A whole turn: evidence 1 is the request, 2 an edit of `path`, 3 a run, 4 the answer.
    pub(super) async fn turn(&self, session: &str, path: &str) {
        self.prompt(session, &format!("Please make {path} durable and run the tests")).await;
        self.edit(session, path).await;
        self.run(session, "cargo test", "test result: ok. 12 passed").await;
        self.stop(session, &format!("The queue in {path} is durable now.")).await;
    }

    /// Rules, then the model: everything that is due.
    pub(super) async fn work(&self) {
        self.rules().await;
        self.engine.read_by_model().await.unwrap();
        self.rules().await;
    }

    pub(super) async fn rules(&self) {
        self.pass(1_000);
        self.engine.distill_due().await.unwrap();
    }

    pub(super) async fn observations(&self) -> Vec<Observation> {
        self.engine.store().recent_observations(Scope::All, 100, true).await.unwrap()
    }

    /// Titles of all observations, oldest first.
    pub(super) async fn titles(&self) -> Vec<String> {
        let mut rows = self.observations().await;
        rows.reverse();
        rows.into_iter().map(|row| row.content.title).collect()
    }
}

fn open(
    path: &Path,
    clock: &Arc<Hands>,
    script: &Arc<Script>,
    limits: Option<SpendLimits>,
    change: impl FnOnce(&mut Model),
) -> Arc<Engine> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(path).unwrap());
    let ledger = limits.map(|limits| {
        let (store, clock) = (Arc::clone(&store), Arc::clone(clock) as Arc<dyn Clock>);
        Ledger::new(store, clock, limits, Arc::new(NoPrices))
    });
    let settings = testing::settings();
    let mut model = Model::new(Arc::clone(script) as Arc<dyn Provider>);
    model.chance = Box::new(|| 0.0);
    change(&mut model);
    Engine::with(
        store,
        Arc::clone(clock) as Arc<dyn Clock>,
        settings,
        Extras { model: Some(model), ledger, ..Extras::default() },
    )
}
