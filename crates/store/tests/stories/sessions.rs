use afterword_domain::event::StartSource;
use afterword_domain::scope::Scope;
use afterword_domain::session::SessionStatus;
use afterword_domain::{Kind, PublicId};
use afterword_store::Error;
use afterword_store::contract::SessionName;

use super::build::{AGENT, Any, end, event, prompt, start, stored, t, tool};

pub(crate) async fn lists_are_newest_first(store: Any) {
    let (_, a) = stored(&store, event("a", 0, tool("Bash"))).await;
    let (_, b) = stored(&store, event("b", 5, tool("Bash"))).await;
    stored(&store, event("a", 9, tool("Bash"))).await;
    let ids: Vec<i64> =
        store.list_sessions(Scope::All, 10).await.unwrap().into_iter().map(|s| s.id).collect();
    assert_eq!(ids, [a.session_id, b.session_id]);
    let session = store.get_session(a.session_id).await.unwrap();
    assert_eq!((session.started_at, session.last_event_at), (t(0), t(9)));
    let scope = Scope::Project(session.project_id + 1);
    assert!(store.list_sessions(scope, 10).await.unwrap().is_empty());
    assert_eq!(store.find_session(AGENT, "b").await.unwrap().unwrap().id, b.session_id);
    assert_eq!(store.find_session("codex", "b").await.unwrap(), None);
    assert!(matches!(store.get_session(999).await, Err(Error::NotFound("session"))));
}

pub(crate) async fn agents_are_listed_once(store: Any) {
    assert!(store.agents().await.unwrap().is_empty());
    for (agent, session) in [("zed", "a"), (AGENT, "b"), (AGENT, "c")] {
        let mut event = event(session, 0, tool("Bash"));
        agent.clone_into(&mut event.event.agent);
        stored(&store, event).await;
    }
    assert_eq!(store.agents().await.unwrap(), [AGENT, "zed"]);
}

pub(crate) async fn idle_sessions_end_and_come_back(store: Any) {
    let (_, old) = stored(&store, event("old", 0, prompt("one"))).await;
    let (_, new) = stored(&store, event("new", 500, prompt("two"))).await;
    let before = store.counts().await.unwrap();
    assert_eq!(store.complete_idle_sessions(t(500)).await.unwrap(), [old.session_id]);
    let session = store.get_session(old.session_id).await.unwrap();
    assert_eq!(session.status, SessionStatus::Completed);
    assert_eq!(session.end_reason.as_deref(), Some("idle"));
    assert_eq!(store.counts().await.unwrap().waiting, before.waiting, "work that waits stays");
    assert_eq!(store.complete_idle_sessions(t(500)).await.unwrap(), [0_i64; 0]);
    stored(&store, event("old", 900, tool("Bash"))).await;
    let session = store.get_session(old.session_id).await.unwrap();
    assert_eq!((session.status, session.end_reason), (SessionStatus::Active, None));
    assert_eq!(store.get_session(new.session_id).await.unwrap().status, SessionStatus::Active);
}

pub(crate) async fn o5_a_late_end_does_not_end_a_resumed_session(store: Any) {
    let (_, turn) = stored(&store, event("s", 0, start(StartSource::Startup))).await;
    let status = || async { store.get_session(turn.session_id).await.unwrap().status };
    stored(&store, event("s", 10, end("other"))).await;
    assert_eq!(status().await, SessionStatus::Completed);
    stored(&store, event("s", 11, tool("Late"))).await;
    assert_eq!(status().await, SessionStatus::Completed, "an ended session stays ended");
    stored(&store, event("s", 100, start(StartSource::Resume))).await;
    assert_eq!(status().await, SessionStatus::Active);
    stored(&store, event("s", 50, end("spooled"))).await;
    assert_eq!(status().await, SessionStatus::Active, "the end is older than the resume");
    stored(&store, event("s", 100, start(StartSource::Resume))).await;
    stored(&store, event("s", 200, end("logout"))).await;
    let session = store.get_session(turn.session_id).await.unwrap();
    assert_eq!(
        (session.completed_at, session.end_reason.as_deref()),
        (Some(t(200)), Some("logout"))
    );
}

fn named(agent_session_id: &str) -> SessionName {
    SessionName { agent: AGENT.into(), agent_session_id: agent_session_id.into() }
}

pub(crate) async fn what_was_given_is_remembered(store: Any) {
    stored(&store, event("a", 0, prompt("one"))).await;
    // Nothing is stored of the other one.
    let (a, b) = (named("a"), named("b"));
    let id = |text: &str| text.parse::<PublicId>().unwrap();
    assert_eq!(store.given(&a).await.unwrap(), []);
    store.note_given(&a, &[id("o1"), id("m2")], true).await.unwrap();
    store.note_given(&a, &[id("m2"), id("s3")], false).await.unwrap();
    store.note_given(&b, &[id("o9")], false).await.unwrap();
    assert_eq!(store.given(&a).await.unwrap(), [id("o1"), id("m2"), id("s3")]);
    let other = SessionName { agent: "codex".into(), ..a.clone() };
    assert_eq!(store.given(&other).await.unwrap(), []);
    store.note_given(&a, &[id("o4")], true).await.unwrap();
    assert_eq!(store.given(&a).await.unwrap(), [id("o4")]);
    let many: Vec<PublicId> = (0..20_000).map(|n| PublicId::new(Kind::Summary, n)).collect();
    store.note_given(&b, &many, false).await.unwrap();
    assert_eq!(store.given(&b).await.unwrap(), many);
    assert_eq!(store.given(&a).await.unwrap(), [], "the oldest go first");
}

pub(crate) async fn a_session_is_told_of_a_file_once(store: Any) {
    let (a, b) = (named("a"), named("b"));
    let rows = ["o1".parse::<PublicId>().unwrap()];
    assert!(!store.file_given(&a, "src/a.rs").await.unwrap());
    let (one, two) = tokio::join!(
        store.note_file_given(&a, "src/a.rs", &rows),
        store.note_file_given(&a, "src/a.rs", &rows)
    );
    assert!(one.unwrap() ^ two.unwrap(), "two calls at one time");
    assert!(store.file_given(&a, "src/a.rs").await.unwrap());
    assert!(!store.file_given(&a, "src/b.rs").await.unwrap());
    assert!(!store.file_given(&b, "src/a.rs").await.unwrap());
    assert_eq!(store.given(&a).await.unwrap(), rows, "the rows are given, a file is no row");
    store.note_given(&a, &rows, true).await.unwrap();
    assert!(!store.file_given(&a, "src/a.rs").await.unwrap(), "a new block begins anew");
}
