use afterword_domain::event::{EventBody, StartSource};
use afterword_domain::wire::events::SkipReason;
use afterword_domain::wire::status::Silence;

use super::build::{Any, claimed_turn, event, outcome, remember, stored, stored_project, t, tool};

pub(crate) async fn values_are_kept(store: Any) {
    assert_eq!(store.setting("x").await.unwrap(), None);
    store.set_setting("x", "1").await.unwrap();
    store.set_setting("x", "2").await.unwrap();
    assert_eq!(store.setting("x").await.unwrap().as_deref(), Some("2"));
}

pub(crate) async fn stages_add_up(store: Any) {
    let (job, last) = claimed_turn(&store, "a").await;
    store.save_turn(outcome(&job, last, vec![])).await.unwrap();
    let (job, _) = claimed_turn(&store, "b").await;
    for _ in 0..3 {
        store.fail_job(&job, "no", t(0)).await.unwrap();
    }
    stored(&store, event("c", 40, tool("x"))).await;
    store.count_skipped(SkipReason::Machine, 3).await.unwrap();
    store.count_skipped(SkipReason::Machine, 1).await.unwrap();
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "m", 0).await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.received, counts.stored), (5, 5));
    assert_eq!((counts.distilled, counts.parked, counts.waiting), (2, 2, 1));
    assert_eq!(counts.skipped.into_iter().collect::<Vec<_>>(), [("machine".to_owned(), 4)]);
    assert_eq!((counts.projects, counts.sessions, counts.indexed), (1, 3, 3));
    assert_eq!((counts.rows["memory"], counts.rows["prompt"], counts.rows["snapshot"]), (1, 2, 0));
    assert_eq!((counts.last_stored_at, counts.last_distilled_at), (Some(t(40)), Some(t(30_000))));
    assert_eq!((counts.spooled, counts.spool_bad), (0, 0));
    assert!(counts.database_bytes > 0);
}

pub(crate) async fn sessions_that_bring_nothing_are_counted_until_something_comes(store: Any) {
    let start =
        || EventBody::SessionStart { source: StartSource::Startup, changed_files: Vec::new() };
    stored(&store, event("a", 10, start())).await;
    stored(&store, event("b", 20, start())).await;
    assert_eq!(store.counts().await.unwrap().silence, None, "nothing had come before");
    stored(&store, event("b", 30, tool("x"))).await;
    for (session, at) in [("c", 40), ("d", 50), ("e", 60)] {
        stored(&store, event(session, at, start())).await;
    }
    let silence = Silence { since: t(30), began_at: t(40), sessions: 3 };
    assert_eq!(store.counts().await.unwrap().silence, Some(silence));
    store.note_sign_of_life().await.unwrap();
    assert_eq!(store.counts().await.unwrap().silence, None);
    stored(&store, event("f", 70, start())).await;
    let silence = Silence { since: t(60), began_at: t(70), sessions: 1 };
    assert_eq!(store.counts().await.unwrap().silence, Some(silence));
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

pub(crate) async fn a_healthy_store_has_no_problems(store: Any) {
    claimed_turn(&store, "a").await;
    assert_eq!(store.check().await.unwrap(), [""; 0]);
    store.checkpoint().await.unwrap();
    claimed_turn(&store, "b").await;
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}
