//! Memories of owners through the engine: added, found, changed and deleted.

use std::path::Path;
use std::sync::Arc;

use afterword_domain::filter::{Field, Filter, Test};
use afterword_domain::memory::Attributes;
use afterword_domain::owner::{Owner, OwnerKind};
use afterword_domain::time::FixedClock;
use afterword_domain::wire::viewer::{ReviseRequest, RowContent};
use afterword_domain::{Clock, Kind, PublicId, Time};
use afterword_store::Store;
use afterword_store::contract::NewReceipt;
use afterword_store::sqlite::SqliteStore;
use serde_json::{Value, json};
use tokio::sync::watch;
use uuid::Uuid;

use super::*;
use crate::infer::{InferRequest, Message, Speaker};
use crate::{Engine, Error, testing};

const NOW: &str = "2026-03-04T10:00:00Z";

fn at(text: &str) -> Time {
    text.parse().unwrap()
}

fn engine(folder: &Path) -> Arc<Engine> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.join("a.db")).unwrap());
    let clock: Arc<dyn Clock> = Arc::new(FixedClock(at(NOW)));
    Engine::new(store, clock, testing::settings())
}

fn owner(user: &str) -> Owner {
    Owner { user: Some(user.to_owned()), ..Owner::default() }
}

fn says(text: &str) -> Message {
    Message { content: text.to_owned(), ..Message::default() }
}

fn adds(user: &str, texts: &[&str]) -> AddMemories {
    AddMemories {
        id: Uuid::now_v7(),
        messages: texts.iter().map(|text| says(text)).collect(),
        owner: owner(user),
        ..AddMemories::default()
    }
}

fn asks(user: &str, query: &str) -> FindMemories {
    FindMemories {
        query: query.to_owned(),
        filter: Filter::owned(OwnerKind::User, user),
        limit: 10,
        threshold: 0.0,
        with_expired: false,
        at: None,
    }
}

fn everything() -> ListMemories {
    ListMemories {
        filter: Filter::default(),
        with_expired: true,
        page: Page { offset: 0, limit: 100 },
    }
}

async fn found(engine: &Engine, asked: FindMemories) -> Vec<String> {
    let found = engine.find_memories(asked).await.unwrap();
    found.into_iter().map(|found| found.memory.text).collect()
}

fn refused<T: std::fmt::Debug>(outcome: crate::Result<T>, with: &str) {
    let text = match outcome {
        Err(Error::Invalid(text)) => text,
        other => panic!("not refused: {other:?}"),
    };
    assert!(text.contains(with), "{text}");
}

#[tokio::test]
async fn messages_are_kept_as_they_are_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let mut request = adds("ada", &["We deploy on Fridays", "<private>pin 4321</private>"]);
    request.messages.push(Message { speaker: Speaker::Other, ..says("You are helpful") });
    request.messages.push(Message {
        speaker: Speaker::Assistant,
        name: Some("Robo".into()),
        ..says("Noted: Fridays")
    });
    request.metadata = json!({"project": "shop", "type": "note"});
    request.attributes.categories = vec!["work".into(), "work".into()];
    request.created_at = Some(at("2026-03-01"));
    let receipt = engine.add_memories(request.clone()).await.unwrap();
    assert_eq!(receipt.status, ReceiptStatus::Succeeded);
    let told: Vec<_> =
        receipt.results.iter().map(|r| (r.text.as_str(), r.change, r.role.as_str())).collect();
    assert_eq!(
        told,
        [
            ("We deploy on Fridays", Change::Add, "user"),
            ("Noted: Fridays", Change::Add, "assistant")
        ]
    );
    assert_eq!(receipt.results[1].actor, "Robo");
    let memory = engine.memory(receipt.results[0].memory).await.unwrap();
    assert_eq!((memory.created_at, &memory.owner), (at("2026-03-01"), &owner("ada")));
    assert_eq!(memory.attributes.categories, ["work"]);
    let project = engine.store().list_projects().await.unwrap().remove(0);
    assert_eq!((project.name.as_str(), project.id), ("shop", memory.project_id));
    assert_eq!(engine.add_memories(request.clone()).await.unwrap(), receipt, "the same id");
    request.id = Uuid::now_v7();
    let again = engine.add_memories(request.clone()).await.unwrap();
    assert!(again.results.iter().all(|result| result.change == Change::None));
    request.id = Uuid::now_v7();
    request.owner = owner("bo");
    let others = engine.add_memories(request).await.unwrap();
    assert!(others.results.iter().all(|result| result.change == Change::Add));
    let listed = engine.receipts(Page { offset: 0, limit: 2 }).await.unwrap();
    assert_eq!((listed.total, listed.rows[0].id), (3, others.id));
    assert_eq!(engine.list_memories(everything()).await.unwrap().total, 4);
    let owners = engine.owners(Page { offset: 0, limit: 9 }).await.unwrap();
    let names: Vec<_> = owners.rows.iter().map(|o| (o.name.as_str(), o.memories)).collect();
    assert_eq!(names, [("ada", 2), ("bo", 2)]);
}

#[tokio::test]
async fn what_cannot_be_used_is_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let nobody = AddMemories { owner: Owner::default(), ..adds("ada", &["x"]) };
    refused(engine.add_memories(nobody).await, "user_id");
    refused(engine.add_memories(adds("ada", &[])).await, "no messages");
    refused(engine.add_memories(adds("ada", &["<private>a</private>"])).await, "nothing");
    let listed = AddMemories { metadata: json!([1]), ..adds("ada", &["x"]) };
    refused(engine.add_memories(listed).await, "metadata");
    let long = "x".repeat(300 * 1024);
    refused(engine.add_memories(adds("ada", &["fine", &long])).await, "bytes");
    refused(engine.find_memories(asks("ada", "  ")).await, "query");
    refused(engine.find_memories(FindMemories { limit: 0, ..asks("ada", "x") }).await, "limit");
    let threshold = FindMemories { threshold: 1.5, ..asks("ada", "x") };
    refused(engine.find_memories(threshold).await, "threshold");
    refused(engine.delete_owned(OwnerPattern::default()).await, "nothing is deleted");
    let bad = OwnerPattern { user: Some("a b".into()), ..OwnerPattern::default() };
    refused(engine.delete_owned(bad).await, "user_id");
    assert!(matches!(engine.memory(Uuid::nil()).await, Err(Error::NotFound(_))));
    assert!(matches!(engine.memory_history(Uuid::nil()).await, Err(Error::NotFound(_))));
    assert!(matches!(engine.receipt(Uuid::nil()).await, Err(Error::NotFound(_))));
    assert!(matches!(engine.feedback(Uuid::nil(), None, "").await, Err(Error::NotFound(_))));
    assert_eq!(engine.list_memories(everything()).await.unwrap().total, 0, "nothing was kept");
}

#[tokio::test]
async fn a_question_is_answered_by_the_memories_that_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    for n in 0..300 {
        let mut one = adds("ada", &[&format!("We deploy the service number {n} on Fridays")]);
        one.metadata = json!({"type": if n == 7 { "decision" } else { "note" }});
        one.created_at = Some(at("2026-01-01").plus_millis(n * 1_000));
        engine.add_memories(one).await.unwrap();
    }
    engine.add_memories(adds("bo", &["We deploy the service on Mondays"])).await.unwrap();
    let mut expired = adds("ada", &["We deploy the service on holidays"]);
    expired.attributes =
        Attributes { expires: Some("2026-03-03".parse().unwrap()), ..Attributes::default() };
    engine.add_memories(expired).await.unwrap();
    let query = "When do we deploy the service?";
    assert_eq!(found(&engine, asks("bo", query)).await, ["We deploy the service on Mondays"]);
    assert_eq!(found(&engine, asks("cy", query)).await, [""; 0]);
    let of_ada = engine.find_memories(asks("ada", query)).await.unwrap();
    assert_eq!(of_ada.len(), 10);
    assert!(of_ada.iter().all(|found| found.memory.owner == owner("ada")));
    assert!(of_ada.iter().all(|f| f.score > 0.0 && f.score <= 1.0 && f.words > 0.0));
    assert!(!of_ada.iter().any(|found| found.memory.text.contains("holidays")));
    let with = FindMemories { with_expired: true, ..asks("ada", "deploy holidays") };
    assert_eq!(found(&engine, with).await[0], "We deploy the service on holidays");
    let before = FindMemories { at: Some(at("2026-03-03")), ..asks("ada", "deploy holidays") };
    assert_eq!(found(&engine, before).await[0], "We deploy the service on holidays");
    let kind = Filter::Is(Field::Metadata(vec!["type".into()]), Test::Eq(json!("decision")));
    let both = Filter::All(vec![Filter::owned(OwnerKind::User, "ada"), kind]);
    let rare = FindMemories { filter: both, ..asks("ada", query) };
    assert_eq!(found(&engine, rare).await, ["We deploy the service number 7 on Fridays"]);
    let high = FindMemories { threshold: 0.99, ..asks("ada", "something else altogether") };
    assert_eq!(found(&engine, high).await, [""; 0]);
}

#[tokio::test]
async fn a_changed_memory_is_found_by_its_new_words_alone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let receipt = engine.add_memories(adds("ada", &["likes coffee", "likes tea"])).await.unwrap();
    let (coffee, tea) = (receipt.results[0].memory, receipt.results[1].memory);
    let text = |text: &str| MemoryChange { text: Some(text.to_owned()), ..MemoryChange::default() };
    let changed = engine.change_memory(coffee, text("likes cocoa")).await.unwrap();
    assert_eq!((changed.text.as_str(), changed.created_at), ("likes cocoa", at(NOW)));
    assert_eq!(found(&engine, asks("ada", "cocoa")).await, ["likes cocoa"]);
    assert_eq!(found(&engine, asks("ada", "coffee")).await, [""; 0]);
    let conflict = engine.change_memory(coffee, text("Likes  tea")).await;
    assert!(matches!(conflict, Err(Error::Store(afterword_store::Error::Conflict(_)))));
    refused(engine.change_memory(coffee, MemoryChange::default()).await, "nothing to change");
    let both = vec![(tea, text("likes mate")), (Uuid::nil(), text("x"))];
    assert!(matches!(engine.change_memories(both).await, Err(Error::NotFound(_))));
    assert_eq!(engine.memory(tea).await.unwrap().text, "likes tea", "nothing was changed");
    let fields = MemoryChange { metadata: Some(json!({"a": 1})), ..MemoryChange::default() };
    let both = vec![(tea, fields.clone()), (coffee, fields)];
    assert_eq!(engine.change_memories(both).await.unwrap(), 2);
    let mut fixed = adds("ada", &["fixed"]);
    fixed.attributes.immutable = true;
    let fixed = engine.add_memories(fixed).await.unwrap().results[0].memory;
    refused(engine.change_memory(fixed, text("loose")).await, "immutable");
    let edited = |uid, text: &'static str| {
        let engine = &engine;
        async move {
            let id = PublicId::new(Kind::Memory, engine.memory(uid).await.unwrap().id);
            let content = RowContent { text: Some(text.into()), ..RowContent::default() };
            engine.revise(ReviseRequest { id, content }).await
        }
    };
    refused(edited(fixed, "loose").await, "immutable");
    edited(coffee, "likes juice").await.unwrap();
    let again = engine.add_memories(adds("ada", &["likes juice"])).await.unwrap();
    assert_eq!(again.results[0].memory, coffee, "an edited memory stays its owner's");
    assert_eq!(engine.delete_memories(&[fixed]).await.unwrap(), 1);
    let note = engine.feedback(tea, Some(Feedback::Positive), "true").await.unwrap();
    assert_eq!(engine.feedback(tea, Some(Feedback::Negative), "").await.unwrap(), note);
    let history = engine.memory_history(coffee).await.unwrap();
    assert_eq!(history[1].old.as_deref(), Some("likes coffee"));
    assert_eq!(history[1].new.as_deref(), Some("likes cocoa"));
}

#[tokio::test]
async fn what_is_deleted_is_nowhere_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let words = ["xylophone", "quartzite"];
    let one = engine.add_memories(adds("ada", &["the xylophone is out of tune"])).await.unwrap();
    engine.add_memories(adds("ada", &["a quartzite floor"])).await.unwrap();
    engine.add_memories(adds("bo", &["staying put"])).await.unwrap();
    let uid = one.results[0].memory;
    let change =
        MemoryChange { text: Some("the xylophone is tuned".into()), ..MemoryChange::default() };
    engine.change_memory(uid, change).await.unwrap();
    engine.feedback(uid, Some(Feedback::Negative), "no xylophone here").await.unwrap();
    let waiting = AddMemories { infer: true, ..adds("ada", &["I prefer xylophone music."]) };
    let waiting = engine.add_memories(waiting).await.unwrap();
    assert_eq!(waiting.status, ReceiptStatus::Pending);
    let ada = OwnerPattern { user: Some("ada".into()), ..OwnerPattern::default() };
    assert_eq!(engine.delete_owned(ada).await.unwrap(), 2);
    let receipt = engine.receipt(waiting.id).await.unwrap();
    assert_eq!((receipt.status, receipt.results), (ReceiptStatus::Failed, Vec::new()));
    assert_eq!(engine.receipt(one.id).await.unwrap().results[0].text, "");
    while engine.store().sweep_forgotten().await.unwrap() {}
    engine.store().checkpoint().await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for word in words {
            let there = bytes.windows(word.len()).any(|part| part == word.as_bytes());
            assert!(!there, "{word} is left");
        }
    }
    let any = OwnerPattern { user: Some("*".into()), ..OwnerPattern::default() };
    assert_eq!(engine.delete_owned(any).await.unwrap(), 1);
    assert_eq!(engine.list_memories(everything()).await.unwrap().total, 0);
    let history = engine.memory_history(uid).await.unwrap();
    assert_eq!(history.last().unwrap().change, Change::Delete);
}

/// Runs the worker until a request is settled.
async fn settled(engine: &Arc<Engine>, id: Uuid) -> Receipt {
    let (stop, stopping) = watch::channel(false);
    let worker = tokio::spawn(Arc::clone(engine).run_adding(stopping));
    engine.wait_for(id).await.unwrap();
    stop.send(true).unwrap();
    worker.await.unwrap();
    engine.receipt(id).await.unwrap()
}

#[tokio::test]
async fn what_is_inferred_is_durable_before_the_answer_and_done_once() {
    let folder = tempfile::tempdir().unwrap();
    let request = AddMemories {
        infer: true,
        attributes: Attributes { categories: vec!["taste".into()], ..Attributes::default() },
        ..adds("ada", &["I prefer tabs over spaces."])
    };
    let first = engine(folder.path());
    let receipt = first.add_memories(request.clone()).await.unwrap();
    assert_eq!((receipt.status, receipt.results.len()), (ReceiptStatus::Pending, 0));
    // A process that had begun with it is gone.
    first.store().claim_receipt(None, at(NOW)).await.unwrap().unwrap();
    drop(first);
    let second = engine(folder.path());
    let done = settled(&second, request.id).await;
    assert_eq!(done.status, ReceiptStatus::Succeeded, "{}", done.error);
    assert_eq!((done.results.len(), done.results[0].change), (1, Change::Add));
    assert!(done.results[0].text.contains("tabs"), "{done:?}");
    let memory = second.memory(done.results[0].memory).await.unwrap();
    assert_eq!((&memory.owner, memory.attributes.role.as_str()), (&owner("ada"), "user"));
    assert_eq!(memory.attributes.categories, ["taste"]);
    assert_eq!(second.add_memories(request.clone()).await.unwrap(), done);
    assert_eq!(second.add_memories_now(request).await.unwrap(), done, "nothing is done twice");
    let now = AddMemories { infer: true, ..adds("ada", &["I prefer spaces now."]) };
    let now = second.add_memories_now(now).await.unwrap();
    assert_eq!((now.status, now.results[0].change), (ReceiptStatus::Succeeded, Change::Update));
    assert_eq!(now.results[0].previous.as_deref(), Some(memory.text.as_str()));
    assert_eq!(second.list_memories(everything()).await.unwrap().total, 2);
    let history = second.memory_history(memory.uid).await.unwrap();
    assert_eq!(history[1].new.as_deref(), Some(now.results[0].text.as_str()));
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_worked_off_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let asked = InferRequest {
        id: Uuid::now_v7(),
        messages: vec![says("I prefer tabs.")],
        owner: owner("ada"),
        ..InferRequest::default()
    };
    let new = |uid| NewReceipt { uid, owner: owner("ada"), at: at(NOW) };
    let request = serde_json::to_value(&asked).unwrap();
    engine.store().open_receipt(new(asked.id), request.clone(), true).await.unwrap();
    // Dropped before it was polled to its end, as when a caller hangs up.
    {
        let mut working = Box::pin(engine.work_now(asked.id, request));
        let polled = polled_once(&mut working);
        assert!(polled.is_pending(), "the store answers from a thread of its own");
    }
    let done = settled(&engine, asked.id).await;
    assert_eq!((done.status, done.results.len()), (ReceiptStatus::Succeeded, 1), "{}", done.error);
    let broken = Uuid::now_v7();
    engine.store().open_receipt(new(broken), Value::Null, false).await.unwrap();
    let failed = settled(&engine, broken).await;
    assert_eq!(failed.status, ReceiptStatus::Failed);
    assert!(failed.error.contains("cannot be read"), "{}", failed.error);
}

/// Polls once.
fn polled_once<F: Future + Unpin>(future: &mut F) -> std::task::Poll<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    std::pin::Pin::new(future).poll(&mut context)
}

#[test]
fn a_key_names_one_request_of_one_owner() {
    assert_eq!(receipt_id(&owner("ada"), "k"), receipt_id(&owner("ada"), "k"));
    assert_ne!(receipt_id(&owner("ada"), "k"), receipt_id(&owner("bo"), "k"));
    assert_ne!(receipt_id(&owner("ada"), "k"), receipt_id(&owner("ada"), "l"));
}
