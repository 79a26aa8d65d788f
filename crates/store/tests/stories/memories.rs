use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_store::Error;
use afterword_store::contract::{IndexDoc, KeywordQuery, NewSnapshot};

use super::build::{Any, doc, event, new_memory, remember, stored, stored_project, t, tool};

pub(crate) async fn g6_the_same_text_is_one_memory(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    let first = remember(&store, p.id, "Use tabs", 1).await;
    assert_eq!((first.text.as_str(), first.updated_at), ("Use tabs", t(1)));
    assert_eq!(first.metadata["by"], "a story");
    let again = remember(&store, p.id, "use TABS", 9).await;
    assert_eq!((again.id, again.uid, again.text.as_str()), (first.id, first.uid, "Use tabs"));
    assert_eq!((again.created_at, again.updated_at), (t(1), t(9)));
    let elsewhere = remember(&store, q.id, "Use tabs", 2).await;
    assert_ne!(elsewhere.id, first.id, "each project remembers for itself");

    let mut retried = new_memory(p.id, "delivered twice", 3);
    let one = store.remember(retried.clone()).await.unwrap();
    "cut differently".clone_into(&mut retried.text_key);
    assert_eq!(store.remember(retried).await.unwrap().id, one.id, "i14: one uid, one row");
}

pub(crate) async fn a_memory_gains_the_files_it_is_told_with(store: Any) {
    let p = stored_project(&store, "p").await;
    let first = remember(&store, p.id, "Use tabs", 1).await;
    let mut again = new_memory(p.id, "use tabs", 9);
    again.files = vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()];
    again.index.files.push_str("src/b.rs");
    let told = store.remember(again.clone()).await.unwrap();
    assert_eq!((told.id, &told.files), (first.id, &again.files));
    assert_eq!(store.remember(again.clone()).await.unwrap().files, again.files, "once");
    for term in ["src/b.rs", "tabs"] {
        let found = store.last_with_token(Scope::Project(p.id), term, 5).await.unwrap();
        assert_eq!(found.len(), 1, "{term}");
    }
}

pub(crate) async fn memories_are_listed_by_last_change(store: Any) {
    let p = stored_project(&store, "p").await;
    for (n, text) in ["one", "two", "three"].into_iter().enumerate() {
        remember(&store, p.id, text, i64::try_from(n).unwrap()).await;
    }
    remember(&store, p.id, "one", 50).await;
    let listed = store.list_memories(Scope::Project(p.id), 2).await.unwrap();
    assert_eq!(listed.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(), ["one", "three"]);
    assert!(store.list_memories(Scope::Project(p.id + 1), 9).await.unwrap().is_empty());
}

pub(crate) async fn snapshots_reach_to_an_event_and_take_a_summary(store: Any) {
    let (last, turn) = stored(&store, event("s", 0, tool("Bash"))).await;
    let new = |text: &str, at: Time| NewSnapshot {
        session_id: turn.session_id,
        up_to_event_id: last,
        trigger: "auto".to_owned(),
        text: text.to_owned(),
        created_at: at,
        index: doc(text),
    };
    assert_eq!(store.last_snapshot(turn.session_id).await.unwrap(), None);
    let none = store.add_agent_summary(turn.session_id, "x", IndexDoc::default()).await.unwrap();
    assert_eq!(none, None);
    store.insert_snapshot(new("first", t(1))).await.unwrap();
    let second = store.insert_snapshot(new("second", t(2))).await.unwrap();
    assert_eq!(store.last_snapshot(turn.session_id).await.unwrap(), Some((second.clone(), last)));
    let id = store
        .add_agent_summary(turn.session_id, "the agent says", doc("second says"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(id.to_string(), format!("n{}", second.id));
    let (newest, _) = store.last_snapshot(turn.session_id).await.unwrap().unwrap();
    assert_eq!(newest.agent_summary.as_deref(), Some("the agent says"));
    let query =
        KeywordQuery { terms: vec!["says".to_owned()], limit: 5, ..KeywordQuery::default() };
    assert_eq!(store.keyword(query).await.unwrap().hits[0].id, id);
    let nowhere = NewSnapshot { session_id: 999, ..new("lost", t(3)) };
    assert!(matches!(store.insert_snapshot(nowhere).await, Err(Error::NotFound("session"))));
}
