//! A recorded session, played through adapter, intake and distilling.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use afterword::config::file::SKIP_TOOLS;
use afterword::hook::agents::{Reading, by_name};
use afterword_domain::event::Event;
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::spend::SpendBy;
use afterword_domain::{Clock, Time};
use afterword_engine::distill::model::Model;
use afterword_engine::ledger::{Ledger, NoPrices, SpendLimits};
use afterword_engine::{Engine, Extras, Retention, Settings};
use afterword_store::Store;
use afterword_store::sqlite::SqliteStore;
use uuid::Uuid;

use crate::Cost;
use crate::recorded::{Call, Recorded};

/// A clock that goes with the recording.
#[derive(Debug)]
struct Hands(Mutex<Time>);

impl Clock for Hands {
    fn now(&self) -> Time {
        *self.0.lock().expect("nobody panics with it")
    }
}

/// What is spent on a session, with a model or without one.
pub(crate) fn play(session: &Recorded, model: Option<Model>) -> Result<Cost, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("afterword.db");
        let store = SqliteStore::open(&path).map_err(|error| error.to_string())?;
        let store: Arc<dyn Store> = Arc::new(store);
        let hands = Arc::new(Hands(Mutex::default()));
        let clock = Arc::clone(&hands) as Arc<dyn Clock>;
        let settings = Settings {
            skip_tools: SKIP_TOOLS.map(str::to_owned).into_iter().collect::<HashSet<_>>(),
            session_context: true,
            prompt_recall: true,
            file_recall: true,
            retention: Retention::default(),
        };
        // What it takes is to be seen, not what a cap leaves of it.
        let limits = SpendLimits {
            tokens: u64::MAX,
            cost: None,
            session_tokens: u64::MAX,
            backlog_tokens: u64::MAX,
        };
        let ledger =
            Ledger::new(Arc::clone(&store), Arc::clone(&clock), limits, Arc::new(NoPrices));
        let extras = Extras { model, ledger: Some(ledger), ..Extras::default() };
        let engine = Engine::with(store, clock, settings, extras);
        run(&engine, &hands, session).await.map_err(|error| error.to_string())
    })
}

async fn run(
    engine: &Engine,
    clock: &Hands,
    session: &Recorded,
) -> Result<Cost, afterword_engine::Error> {
    let set = |at: Time| *clock.0.lock().expect("nobody panics with it") = at;
    let mut last = Time::default();
    for call in &session.calls {
        last = last.max(call.at);
        set(last);
        if let Some(event) = event(call) {
            engine.hook_event(event, afterword_engine::Asked::default()).await?;
        }
        engine.distill_due().await?;
        engine.read_by_model().await?;
    }
    // Until what a quiet hour brings is done, too.
    for _ in 0..60 {
        last = last.plus_millis(60_000);
        set(last);
        engine.distill_due().await?;
        engine.read_by_model().await?;
    }
    let spent = engine.ledger().report(SpendBy::Day, 3_650).await?.total;
    Ok(Cost { calls: spent.calls, input: spent.input_tokens, output: spent.output_tokens })
}

/// The event that the hook would hand over.
fn event(call: &Call) -> Option<Event> {
    let adapter = by_name("claude-code")?;
    let moment = adapter.moment(&call.payload)?;
    let Reading::Keep(draft) = adapter.read(moment, call.payload.clone(), Instant::now()) else {
        return None;
    };
    Some(Event {
        uid: Uuid::new_v4(),
        at: call.at,
        agent: adapter.name().to_owned(),
        agent_session_id: draft.session_id,
        project: ProjectRef::named("recorded"),
        cwd: draft.cwd,
        turn_id: draft.turn_id,
        subagent: draft.subagent,
        model: draft.model,
        transcript_path: draft.transcript_path,
        body: draft.body,
    })
}
