//! A day of work with a provider that does its worst, through intake, rules and worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use afterword_domain::event::{Event, EventBody, ToolClass, ToolUse};
use afterword_store::Store;
use async_trait::async_trait;

use super::*;
use crate::distill::model::Model;
use crate::provider::{Answer, Ask, Provider, Refusal, RefusalKind};
use crate::{Engine, Extras, testing};

/// Answers well, badly, not at all, with and without a count; never with more than it was asked
/// for.
#[derive(Debug, Default)]
struct Hostile {
    calls: AtomicU64,
    used: AtomicU64,
}

#[async_trait]
impl Provider for Hostile {
    fn name(&self) -> &'static str {
        "hostile"
    }

    fn model(&self) -> &'static str {
        "h1"
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let n = self.calls.fetch_add(1, Ordering::SeqCst);
        let usage = Usage {
            input_tokens: (1 + n * 7_919 % self.input_bound(ask)).max(self.input_bound(ask) / 2),
            output_tokens: n * 101 % u64::from(ask.max_output_tokens),
            ..Usage::default()
        };
        let refusal = |kind| Refusal::new(kind, "no");
        let (cost, outcome) = match n % 7 {
            0 => (true, Ok(Answer { text: "<observation".into(), usage: Some(usage), cut: true })),
            1 => (true, Ok(Answer { text: "lorem ipsum".into(), usage: None, cut: false })),
            2 => (true, Err(refusal(RefusalKind::Unavailable))),
            3 => (false, Err(refusal(RefusalKind::RateLimited).with_status(429))),
            4 => (true, Err(refusal(RefusalKind::Unusable).with_usage(Some(usage)))),
            5 => (false, Err(refusal(RefusalKind::Overflow).with_status(400))),
            _ => (
                true,
                Ok(Answer {
                    text: "<summary><request>it</request><completed>all</completed></summary>"
                        .into(),
                    usage: Some(usage),
                    cut: false,
                }),
            ),
        };
        if cost {
            self.used.fetch_add(usage.total(), Ordering::SeqCst);
        }
        outcome
    }
}

fn happening(clock: &Hands, turn: usize, body: EventBody) -> Event {
    let at = clock.now().plus_millis(10);
    clock.set(at.millis());
    testing::event(&format!("s{}", turn % 5), at, body)
}

/// A turn of ten tool uses, rules and worker behind it.
async fn turn(engine: &Arc<Engine>, clock: &Hands, n: usize) {
    let prompt = EventBody::Prompt { text: format!("Fix queue {n}, please"), private: false };
    let mut events = vec![happening(clock, n, prompt)];
    for step in 0..10 {
        let tool = ToolUse {
            name: "Bash".into(),
            class: ToolClass::Shell,
            call_id: Some(format!("c{n}-{step}")),
            input: serde_json::json!({ "command": format!("cargo test queue{n}::case{step}") }),
            output: format!("test result: ok. {step} passed").into(),
            ..ToolUse::default()
        };
        events.push(happening(clock, n, EventBody::ToolUse { tool }));
    }
    let said = format!("Queue {n} is durable now.");
    events.push(happening(clock, n, EventBody::Stop { answer: Some(said), error: None }));
    engine.intake(events).await.unwrap();
    clock.set(clock.now().millis() + 60_000);
    engine.distill_due().await.unwrap();
    engine.read_by_model().await.unwrap();
}

#[tokio::test]
async fn i1_two_thousand_tool_uses_with_a_hostile_provider_keep_the_cap() {
    const CAP: u64 = 60_000;
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(&folder.path().join("afterword.db")).unwrap());
    // Just after midnight, so that the whole run is one day.
    let clock = Arc::new(Hands(Mutex::new(midnight())));
    let time = Arc::clone(&clock) as Arc<dyn Clock>;
    let provider = Arc::new(Hostile::default());
    let ledger =
        Ledger::new(Arc::clone(&store), Arc::clone(&time), limits(CAP), Arc::new(NoPrices));
    let settings = testing::settings();
    let model = Model::new(Arc::clone(&provider) as Arc<dyn Provider>);
    let extras = Extras { model: Some(model), ledger: Some(ledger), ..Extras::default() };
    let engine = Engine::with(store, time, settings, extras);
    for n in 0..200 {
        turn(&engine, &clock, n).await;
        let charged = engine.ledger().today().await.unwrap().tokens_today;
        let used = provider.used.load(Ordering::SeqCst);
        assert!(used <= charged && charged <= CAP, "{used} used, {charged} charged after {n}");
    }
    let calls = provider.calls.load(Ordering::SeqCst);
    let status = engine.status().await.unwrap();
    assert!(status.spend.tokens_today * 2 > CAP, "the cap was reached: {:?}", status.spend);
    assert!(status.spend.stopped.is_some() && status.model.waiting > 0, "the queue waits");
    assert_eq!((status.stored, status.distilled), (2_400, 2_400), "and rules serve");
    assert!(status.rows["summary"] >= 200, "{:?}", status.rows);
    clock.set(midnight().millis() + DAY_MS);
    turn(&engine, &clock, 200).await;
    assert!(provider.calls.load(Ordering::SeqCst) > calls, "the next day it goes on");
    let next = engine.ledger().today().await.unwrap();
    assert!((1..=CAP).contains(&next.tokens_today) && next.day > status.spend.day);
}
