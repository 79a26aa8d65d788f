use std::path::Path;
use std::sync::Arc;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, StartSource, ToolClass, ToolUse};
use afterword_domain::reply::Reply;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::events::Outcome;
use afterword_store::sqlite::SqliteStore;
use afterword_store::sqlite::faults::Faults;
use uuid::Uuid;

use super::Asked;
use crate::{Engine, testing};

fn at(ms: i64) -> Time {
    Time::from_millis(1_772_323_200_000 + ms)
}

fn engine(path: &Path) -> Arc<Engine> {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    let settings = testing::settings();
    Engine::new(store, Arc::new(FixedClock(at(1_000_000))), settings)
}

fn event(ms: i64, body: EventBody) -> Event {
    testing::event("s", at(ms), body)
}

fn edit(ms: i64) -> Event {
    let tool = ToolUse {
        name: "Edit".into(),
        class: ToolClass::Edit,
        call_id: Some(format!("c{ms}")),
        paths: vec!["src/queue.rs".into()],
        ..ToolUse::default()
    };
    event(ms, EventBody::ToolUse { tool })
}

fn prompt(ms: i64) -> Event {
    event(ms, EventBody::Prompt { text: "Make the queue durable".into(), private: false })
}

fn compacts(ms: i64) -> Event {
    event(ms, EventBody::PreCompact { trigger: "auto".into(), instructions: None })
}

#[tokio::test]
async fn o2_a_snapshot_that_fails_fails_no_intake_and_is_made_up_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let engine = self::engine(&path);
    engine.intake(vec![prompt(0), edit(1)]).await.unwrap();
    Faults::of(&path).drop_column("snapshots", "trigger");
    let told = engine.hook_event(compacts(2), Asked::default()).await.unwrap();
    assert!(matches!(told.outcome, Outcome::Stored { .. }), "{told:?}");
    assert!(engine.follow_up_due().await.is_err(), "still owed");
    engine.intake(vec![edit(3)]).await.unwrap();
    drop(engine);
    let engine = self::engine(&path);
    assert_eq!(engine.follow_up_due().await.unwrap(), 1);
    assert_eq!(engine.follow_up_due().await.unwrap(), 0);
    let (snapshot, up_to) = engine.store().last_snapshot(1).await.unwrap().unwrap();
    assert!(snapshot.text.contains("src/queue.rs"), "{}", snapshot.text);
    assert_eq!((snapshot.trigger.as_str(), up_to), ("auto", 3), "nothing that came later");
    assert_eq!(snapshot.created_at, at(2));
}

#[tokio::test]
async fn j2_a_compaction_is_known_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let engine = self::engine(&path);
    engine.intake(vec![prompt(0), edit(1), compacts(2)]).await.unwrap();
    engine.distill_due().await.unwrap();
    drop(engine);
    let engine = self::engine(&path);
    let answer = engine.hook_event(prompt(60_000), Asked::default()).await.unwrap();
    assert!(matches!(answer.reply, Reply::Context { .. }), "{answer:?}");
    let answer = engine.hook_event(prompt(120_000), Asked::default()).await.unwrap();
    assert_eq!(answer.reply, Reply::None, "once");
}

#[tokio::test]
async fn g2_a_report_that_comes_again_is_answered_and_a_second_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let engine = self::engine(&folder.path().join("afterword.db"));
    engine.intake(vec![prompt(0), edit(1)]).await.unwrap();
    engine.distill_due().await.unwrap();
    let mut start = event(
        500_000,
        EventBody::SessionStart { source: StartSource::Startup, changed_files: Vec::new() },
    );
    start.agent_session_id = "next".into();
    let first = engine.hook_event(start.clone(), Asked::default()).await.unwrap();
    assert!(matches!(first.reply, Reply::Context { .. }), "{first:?}");
    let again = engine.hook_event(start.clone(), Asked::default()).await.unwrap();
    assert_eq!(again.reply, first.reply, "its answer was lost on the way");
    start.uid = Uuid::now_v7();
    let twin = engine.hook_event(start, Asked::default()).await.unwrap();
    assert!(matches!(twin.outcome, Outcome::Duplicate { .. }), "{twin:?}");
    assert_eq!(twin.reply, Reply::None);
}
