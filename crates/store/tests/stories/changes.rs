use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::scope::Scope;
use afterword_domain::summary::{SummaryContent, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use afterword_store::Error;
use afterword_store::contract::{
    IndexDoc, KeywordQuery, ModelObservation, ModelOutcome, ModelWish, NewContent, Revised,
    RowBody, RowChange, SessionChange, What,
};

use super::build::{
    Any, claimed_turn, end, event, finding, outcome, prompt, remember, stored, stored_project,
    summary, t, tool,
};

fn id(text: &str) -> PublicId {
    text.parse().unwrap()
}

/// What happened after a place in the log, as words.
async fn told(store: &Any, after: i64) -> Vec<String> {
    let log = store.live_changes(Some(after), 99).await.unwrap();
    assert!(!log.lost);
    let words = log.changes.iter().map(|change| match change.what {
        What::Row(id, change) => format!("{id} {}", change.word()),
        What::Session(id, change) => format!("session {id} {}", change.word()),
    });
    words.collect()
}

async fn last(store: &Any) -> i64 {
    store.live_changes(None, 9).await.unwrap().last
}

fn revised(row: &str, content: NewContent) -> Revised {
    let index = match &content {
        NewContent::Observation(o) => o.title.clone(),
        NewContent::Summary(s) => s.request.clone(),
        NewContent::Memory { text, .. } => text.clone(),
    };
    let index = IndexDoc { text: index, ..IndexDoc::default() };
    Revised { id: id(row), content, takes_in: Vec::new(), index, at: t(50_000) }
}

fn observation(title: &str) -> NewContent {
    NewContent::Observation(ObservationContent {
        r#type: "decision".to_owned(),
        title: title.to_owned(),
        ..ObservationContent::default()
    })
}

fn memory(text: &str) -> NewContent {
    NewContent::Memory {
        title: String::new(),
        text: text.to_owned(),
        text_key: text.to_lowercase(),
        files: Vec::new(),
    }
}

pub(crate) async fn changes_are_told_in_order_and_their_numbers_stay(store: Any) {
    let empty = store.live_changes(Some(0), 9).await.unwrap();
    assert_eq!((empty.last, empty.lost, empty.changes.len()), (0, false, 0));
    stored(&store, event("s", 1, prompt("do it"))).await;
    let (last_event, turn) = stored(&store, event("s", 2, tool("Bash"))).await;
    let job = store.claim_job(t(10_000)).await.unwrap().unwrap();
    let mut saved = outcome(&job, last_event, vec![finding("a", "alpha", &[last_event])]);
    saved.turn_summary = Some(summary("turn"));
    store.save_turn(saved.clone()).await.unwrap();
    let session = turn.session_id;
    assert_eq!(
        told(&store, 0).await,
        [format!("session {session} started").as_str(), "p1 new", "o1 new", "s1 new"]
    );
    let place = last(&store).await;
    // The same again is no change; other words are one.
    stored(&store, event("s", 20, tool("Edit"))).await;
    let mut again = saved;
    again.job = store.claim_job(t(20_000)).await.unwrap().unwrap();
    again.turn_summary = Some(summary("another turn"));
    store.save_turn(again).await.unwrap();
    assert_eq!(told(&store, place).await, ["s1 changed"]);
    stored(&store, event("s", 30, end("other"))).await;
    stored(&store, event("s", 40, prompt("go on"))).await;
    let log = store.live_changes(Some(place), 99).await.unwrap();
    let sessions: Vec<_> = log
        .changes
        .iter()
        .filter_map(|c| match c.what {
            What::Session(_, change) => Some(change),
            What::Row(..) => None,
        })
        .collect();
    assert_eq!(sessions, [SessionChange::Completed, SessionChange::Resumed]);
    assert!(log.changes.windows(2).all(|pair| pair[0].id < pair[1].id));
    assert!(log.changes.iter().all(|c| c.session_id == Some(session) && c.project_id > 0));
    let part = store.live_changes(Some(place), 2).await.unwrap();
    assert_eq!(part.changes[..], log.changes[..2]);
    assert_eq!(part.last, log.changes.last().unwrap().id);
}

pub(crate) async fn what_went_is_told_as_forgotten_or_replaced(store: Any) {
    let (job, last_event) = claimed_turn(&store, "s").await;
    let both = vec![finding("a", "alpha", &[last_event]), finding("b", "beta", &[last_event])];
    store.save_turn(outcome(&job, last_event, both)).await.unwrap();
    let place = last(&store).await;
    store.forget(Scope::All, &[id("o1"), id("p1")], t(1)).await.unwrap();
    let (later, _) = stored(&store, event("s", 20, tool("Edit"))).await;
    let job = store.claim_job(t(20_000)).await.unwrap().unwrap();
    store.save_turn(outcome(&job, later, Vec::new())).await.unwrap();
    assert_eq!(told(&store, place).await, ["o1 forgotten", "p1 forgotten", "o2 replaced"]);
}

pub(crate) async fn an_old_place_in_the_log_is_lost(store: Any) {
    let p = stored_project(&store, "p").await;
    remember(&store, p.id, "one", 1).await;
    let here = last(&store).await;
    let log = store.live_changes(Some(here), 9).await.unwrap();
    assert_eq!((log.lost, log.changes.len()), (false, 0));
    let log = store.live_changes(Some(here + 1), 9).await.unwrap();
    assert!(log.lost && log.changes.is_empty(), "of another database");
    assert!(store.live_changes(Some(-1), 9).await.unwrap().lost);
}

pub(crate) async fn i12_a_persons_words_outlive_rules_and_model(store: Any) {
    let (job, last_event) = claimed_turn(&store, "s").await;
    let mut read = outcome(&job, last_event, vec![finding("work", "by rules", &[last_event])]);
    read.turn_summary = Some(summary("by rules"));
    read.model = Some(ModelWish { turn: Some(t(100)), session: t(900_000) });
    store.save_turn(read.clone()).await.unwrap();
    let row = store.revise(revised("o1", observation("by hand"))).await.unwrap();
    let RowBody::Observation(row) = row.body else { panic!("{row:?}") };
    assert_eq!((row.content.title.as_str(), row.source), ("by hand", Source::Person));
    let content = SummaryContent { request: "mine".to_owned(), ..SummaryContent::default() };
    store.revise(revised("s1", NewContent::Summary(content))).await.unwrap();
    assert_eq!(store.evidence(1).await.unwrap().len(), 1, "what is behind it stays");

    let model = store.claim_model_job(t(10_000), 0).await.unwrap().unwrap();
    assert!(store.begin_model_try(&model).await.unwrap());
    let mut by_model = finding("model:1:change", "by the model", &[last_event]);
    by_model.source = Source::Provider;
    let mut told_by_model = summary("by the model");
    told_by_model.source = Source::Provider;
    let answer = ModelOutcome {
        job: model,
        seen_event_id: last_event,
        observations: vec![ModelObservation { row: by_model, takes_over: Some("work".to_owned()) }],
        keep: Vec::new(),
        turn_summary: Some(told_by_model),
        session_summary: None,
        now: t(11_000),
    };
    store.save_model_turn(answer).await.unwrap();
    let (later, _) = stored(&store, event("s", 20, tool("Edit"))).await;
    read.job = store.claim_job(t(20_000)).await.unwrap().unwrap();
    read.seen_event_id = later;
    read.model = None;
    store.save_turn(read).await.unwrap();

    let rows = store.recent_observations(Scope::All, 9, true).await.unwrap();
    let titles: Vec<_> = rows.iter().map(|row| row.content.title.as_str()).collect();
    assert_eq!(titles, ["by hand"]);
    let turns = store.recent_summaries(Scope::All, SummaryLevel::Turn, 9).await.unwrap();
    assert_eq!(turns[0].content.request, "mine");
    let query = |term: &str| KeywordQuery {
        terms: vec![term.to_owned()],
        limit: 9,
        ..KeywordQuery::default()
    };
    // The index follows: the stories index whole titles as one token each.
    assert_eq!(store.keyword(query("hand")).await.unwrap().total, 1);
    assert_eq!(store.keyword(query("model")).await.unwrap().total, 0);
}

pub(crate) async fn a_persons_session_summary_gives_way_to_later_work(store: Any) {
    let (job, last_event) = claimed_turn(&store, "s").await;
    let mut read = outcome(&job, last_event, Vec::new());
    read.session_summary = Some(summary("by rules"));
    store.save_turn(read.clone()).await.unwrap();
    let content = SummaryContent { request: "mine".to_owned(), ..SummaryContent::default() };
    store.revise(revised("s1", NewContent::Summary(content))).await.unwrap();
    let said = async || {
        let rows = store.recent_summaries(Scope::All, SummaryLevel::Session, 9).await.unwrap();
        rows.into_iter().map(|row| row.content.request).collect::<Vec<_>>()
    };
    for (at, later, request) in [(20, 0, "mine"), (30, 5, "by rules")] {
        let (seen, _) = stored(&store, event("s", at, tool("Edit"))).await;
        read.job = store.claim_job(t(20_000 + at)).await.unwrap().unwrap();
        read.seen_event_id = seen;
        let mut next = summary("by rules");
        next.created_at = t(20 + later);
        read.session_summary = Some(next);
        store.save_turn(read.clone()).await.unwrap();
        assert_eq!(said().await, [request]);
    }
}

pub(crate) async fn an_edited_memory_keeps_its_history(store: Any) {
    let p = stored_project(&store, "p").await;
    let first = remember(&store, p.id, "Use tabs", 1).await;
    let place = last(&store).await;
    let row = store.revise(revised("m1", memory("Use spaces"))).await.unwrap();
    let RowBody::Memory(now) = row.body else { panic!("{row:?}") };
    assert_eq!((now.text.as_str(), now.uid, now.id), ("Use spaces", first.uid, first.id));
    assert_eq!((now.created_at, now.updated_at), (t(1), t(50_000)));
    assert_eq!(now.metadata, first.metadata);
    assert!(told(&store, place).await.iter().all(|line| line == "m1 changed"));
    assert_ne!(last(&store).await, place);
    let revisions = store.revisions(id("m1")).await.unwrap();
    assert_eq!(revisions.len(), 1);
    assert_eq!((revisions[0].change.as_str(), revisions[0].at), ("edited", t(50_000)));
    assert_eq!(revisions[0].before["text"], "Use tabs");
    assert_eq!(revisions[0].before["files"][0], "src/a.rs");
    assert_eq!(
        remember(&store, p.id, "use SPACES", 60_000).await.id,
        first.id,
        "known by its words"
    );
    assert_ne!(remember(&store, p.id, "use tabs", 60_000).await.id, first.id);
    store.forget(Scope::All, &[id("m1")], t(3)).await.unwrap();
    assert_eq!(store.revisions(id("m1")).await.unwrap(), [], "what is forgotten has no past");
}

pub(crate) async fn g7_merged_rows_become_one_with_all_evidence(store: Any) {
    let (job, last_event) = claimed_turn(&store, "s").await;
    let (other, _) = stored(&store, event("s", 20, tool("Edit"))).await;
    let found = vec![finding("a", "alpha", &[last_event]), finding("b", "beta", &[other])];
    store.save_turn(outcome(&job, other, found.clone())).await.unwrap();
    let mut merge = revised("o1", observation("alpha and beta"));
    merge.takes_in = vec![id("o2"), id("o1")];
    let place = last(&store).await;
    store.revise(merge).await.unwrap();
    assert!(told(&store, place).await.contains(&"o2 forgotten".to_owned()));
    let evidence = store.evidence(1).await.unwrap();
    assert_eq!(evidence.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [last_event, other]);
    let revision = store.revisions(id("o1")).await.unwrap().remove(0);
    assert_eq!(revision.change, "merged");
    assert_eq!(revision.before["title"], "alpha");
    assert_eq!(revision.before["took_in"][0]["title"], "beta");
    assert_eq!(revision.before["took_in"][0]["id"], "o2");
    // Distilled again, neither comes back.
    let (later, _) = stored(&store, event("s", 30, tool("Edit"))).await;
    let job = store.claim_job(t(30_000)).await.unwrap().unwrap();
    store.save_turn(outcome(&job, later, found)).await.unwrap();
    let rows = store.recent_observations(Scope::All, 9, true).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].content.title, "alpha and beta");
}

pub(crate) async fn what_cannot_be_revised_changes_nothing(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    remember(&store, p.id, "one", 1).await;
    remember(&store, p.id, "two", 2).await;
    remember(&store, q.id, "elsewhere", 3).await;
    let place = last(&store).await;
    let taken = store.revise(revised("m1", memory("TWO"))).await.unwrap_err();
    assert!(matches!(taken, Error::Conflict(_)), "{taken}");
    let mut merge = revised("m1", memory("one and two"));
    merge.takes_in = vec![id("m2"), id("m3")];
    let missing = store.revise(merge.clone()).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)), "of another project: {missing}");
    let unknown = store.revise(revised("m99", memory("x"))).await.unwrap_err();
    assert!(matches!(unknown, Error::NotFound(_)));
    let other_kind = store.revise(revised("m1", observation("x"))).await.unwrap_err();
    assert!(matches!(other_kind, Error::NotFound(_)));
    assert_eq!(last(&store).await, place);
    assert_eq!(store.revisions(id("m1")).await.unwrap(), []);
    let texts = |rows: Vec<afterword_domain::memory::Memory>| {
        rows.into_iter().map(|m| m.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(store.list_memories(Scope::Project(p.id), 9).await.unwrap()), ["two", "one"]);
    merge.takes_in = vec![id("m2")];
    store.revise(merge).await.unwrap();
    assert_eq!(texts(store.list_memories(Scope::Project(p.id), 9).await.unwrap()), ["one and two"]);
    let counts = store.count_rows(Scope::Project(p.id)).await.unwrap();
    assert_eq!(counts[3], (Kind::Memory, 1));
    let changes = store.live_changes(Some(place), 9).await.unwrap().changes;
    assert!(changes.iter().any(|c| c.what == What::Row(id("m2"), RowChange::Forgotten)));
}
