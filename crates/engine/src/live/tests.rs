use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, ToolClass, ToolUse};
use afterword_domain::memory::Origin;
use afterword_domain::project::ProjectRef;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::live::LiveMessage;
use afterword_domain::wire::memory::RememberRequest;
use afterword_store::sqlite::SqliteStore;

use super::{Follower, LiveEvent, Place};
use crate::{Engine, testing};

const NOW: i64 = 1_772_323_200_000;

fn engine(path: &Path) -> Arc<Engine> {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    let settings = testing::settings();
    Engine::new(store, Arc::new(FixedClock(Time::from_millis(NOW + 60_000))), settings)
}

fn event(ms: i64, body: EventBody) -> Event {
    testing::event("s", Time::from_millis(NOW + ms), body)
}

fn prompt(ms: i64, text: &str) -> Event {
    event(ms, EventBody::Prompt { text: text.into(), private: false })
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

async fn remember(engine: &Arc<Engine>, text: &str) {
    let request = RememberRequest {
        text: text.into(),
        project: ProjectRef::named("shop"),
        ..RememberRequest::default()
    };
    engine.remember(request, Origin::Told).await.unwrap();
}

async fn next(follower: &mut Follower) -> LiveEvent {
    let patience = Duration::from_secs(30);
    tokio::time::timeout(patience, follower.next()).await.expect("something happens").unwrap()
}

/// The next message of a kept event.
async fn kept(follower: &mut Follower) -> (i64, LiveMessage) {
    loop {
        let event = next(follower).await;
        if let Some(id) = event.id {
            return (id, event.message);
        }
    }
}

async fn names(follower: &mut Follower, n: usize) -> Vec<String> {
    let mut names = Vec::new();
    for _ in 0..n {
        let (_, message) = kept(follower).await;
        let row = message.entry().map_or_else(String::new, |entry| format!(" {}", entry.id));
        names.push(format!("{}{row}", message.name()));
    }
    names
}

#[tokio::test]
async fn a_watcher_hears_of_everything_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    let mut follower = engine.follow(Place::Now).await.unwrap();
    assert_eq!(
        next(&mut follower).await.message,
        LiveMessage::Connected { timestamp: NOW + 60_000 }
    );
    let LiveMessage::InitialLoad { projects, .. } = next(&mut follower).await.message else {
        panic!("what there is to choose from comes second")
    };
    assert!(projects.is_empty());
    engine.intake(vec![prompt(0, "Cap the retry queue"), edit(10)]).await.unwrap();
    engine
        .intake(vec![event(20, EventBody::Stop { answer: Some("Done.".into()), error: None })])
        .await
        .unwrap();
    engine.distill_due().await.unwrap();
    remember(&engine, "Use tabs").await;
    engine.forget(&["m1".parse().unwrap()]).await.unwrap();
    engine.intake(vec![event(30, EventBody::SessionEnd { reason: "other".into() })]).await.unwrap();
    assert_eq!(
        names(&mut follower, 7).await,
        [
            "session_started",
            "new_prompt p1",
            "new_observation o1",
            "new_summary s1",
            "new_summary s2",
            "forgotten",
            "session_completed",
        ],
        "a memory that was gone before it could be told of is told of as gone only"
    );
}

#[tokio::test]
async fn ids_outlive_a_restart_and_what_was_missed_is_told_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let first = engine(&path);
    remember(&first, "one").await;
    let mut follower = first.follow(Place::After(0)).await.unwrap();
    let (seen, _) = kept(&mut follower).await;
    remember(&first, "two").await;
    drop((follower, first));
    // Nobody watched, and the process is another one.
    let second = engine(&path);
    remember(&second, "three").await;
    let mut follower = second.follow(Place::After(seen)).await.unwrap();
    assert_eq!(names(&mut follower, 2).await, ["new_memory m2", "new_memory m3"]);
    remember(&second, "four").await;
    let (id, message) = kept(&mut follower).await;
    assert!(id > seen);
    assert_eq!(message.entry().unwrap().title, "four");
}

#[tokio::test]
async fn what_cannot_be_told_again_is_said_to_be_missed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    remember(&engine, "one").await;
    for (place, after) in
        [(Place::After(999), Some(999)), (Place::After(-5), Some(-5)), (Place::Unknown, None)]
    {
        let mut follower = engine.follow(place).await.unwrap();
        let (id, message) = kept(&mut follower).await;
        assert_eq!(message, LiveMessage::Missed { after, resume_from: id });
        remember(&engine, &format!("then {after:?}")).await;
        let (next, message) = kept(&mut follower).await;
        assert!(next > id && message.name() == "new_memory", "it goes on: {message:?}");
    }
}

#[tokio::test]
async fn a_watcher_who_reads_slowly_holds_nobody_up_and_misses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    let mut slow = engine.follow(Place::Now).await.unwrap();
    // More than is read at a time, while the watcher reads nothing.
    for n in 0..250 {
        remember(&engine, &format!("memory {n}")).await;
    }
    let mut ids = Vec::new();
    for n in 0..250 {
        let (id, message) = kept(&mut slow).await;
        assert_eq!(message.entry().unwrap().title, format!("memory {n}"));
        ids.push(id);
    }
    assert!(ids.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn it_is_said_whether_anything_waits() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    let mut follower = engine.follow(Place::Now).await.unwrap();
    let status = async |follower: &mut Follower| loop {
        let event = next(follower).await;
        if let LiveMessage::ProcessingStatus { is_processing, queue_depth } = event.message {
            assert_eq!(event.id, None, "how things stand is no event");
            return (is_processing, queue_depth);
        }
    };
    assert_eq!(status(&mut follower).await, (false, 0));
    engine.intake(vec![prompt(0, "Cap the retry queue"), edit(10)]).await.unwrap();
    let mut seen = status(&mut follower).await;
    if seen.1 < 2 {
        seen = status(&mut follower).await;
    }
    assert_eq!(seen, (true, 2));
    engine.distill_due().await.unwrap();
    while seen != (false, 0) {
        seen = status(&mut follower).await;
    }
}

#[tokio::test]
async fn a_forgotten_text_is_told_to_nobody_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    remember(&engine, "the canary is yellow").await;
    engine.forget(&["m1".parse().unwrap()]).await.unwrap();
    remember(&engine, "the end").await;
    let mut follower = engine.follow(Place::After(0)).await.unwrap();
    let mut all = String::new();
    for _ in 0..2 {
        all.push_str(&serde_json::to_string(&kept(&mut follower).await.1).unwrap());
    }
    assert!(all.contains("the end") && !all.contains("canary"), "{all}");
}
