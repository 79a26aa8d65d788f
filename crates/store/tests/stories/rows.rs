use afterword_domain::day::Day;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{KeywordQuery, RowBody};

use super::build::{
    AGENT, Any, claimed_turn, event, finding, outcome, prompt, remember, stored, stored_project,
    summary, t,
};

fn id(text: &str) -> PublicId {
    text.parse().unwrap()
}

pub(crate) async fn rows_come_in_the_order_asked(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut all = outcome(&job, last, vec![finding("a", "alpha", &[])]);
    all.turn_summary = Some(summary("turn"));
    store.save_turn(all).await.unwrap();
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "a memory", 5).await;
    let asked = ["m1", "o1", "p1", "o77", "s1"].map(id);
    let rows = store.rows(Scope::Project(project.id), &asked).await.unwrap();
    let ids: Vec<_> = rows.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids, ["m1", "o1", "p1", "s1"]);
    assert!(rows.iter().all(|row| row.project == "p" && row.project_id == project.id));
    assert_eq!((rows[0].session.as_str(), rows[0].session_id), ("", None));
    assert_eq!((rows[1].session.as_str(), rows[1].session_id), ("s", Some(job.turn.session_id)));
    assert!(matches!(&rows[1].body, RowBody::Observation(o)
        if o.content.facts == ["a fact"] && o.content.files_modified == ["src/a.rs"]));
    assert!(store.rows(Scope::Project(project.id + 1), &asked).await.unwrap().is_empty());
}

pub(crate) async fn recent_rows_are_newest_first(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut old = finding("old", "old", &[]);
    old.created_at = t(1);
    let mut new = finding("new", "new", &[]);
    new.created_at = t(9);
    let mut twin = finding("twin", "twin", &[]);
    twin.created_at = t(9);
    let mut sub = finding("sub", "sub", &[]);
    sub.created_at = t(20);
    sub.subagent = Some("sub-1".to_owned());
    let mut all = outcome(&job, last, vec![new, old, twin, sub]);
    all.turn_summary = Some(summary("turn"));
    all.session_summary = Some(summary("session"));
    store.save_turn(all).await.unwrap();
    let titles = |rows: Vec<afterword_domain::observation::Observation>| {
        rows.into_iter().map(|row| row.content.title).collect::<Vec<_>>()
    };
    let main = store.recent_observations(Scope::All, 10, false).await.unwrap();
    assert_eq!(titles(main), ["twin", "new", "old"], "j7: without sub-agents; ties by id");
    let all = store.recent_observations(Scope::Project(job.project_id), 2, true).await.unwrap();
    assert_eq!(titles(all), ["sub", "twin"]);
    let turns = store.recent_summaries(Scope::All, SummaryLevel::Turn, 10).await.unwrap();
    assert_eq!(turns.len(), 1);
    assert_eq!((turns[0].level, turns[0].prompt_number), (SummaryLevel::Turn, 1));
    assert_eq!(turns[0].content.request, "turn");
    let none = store.recent_prompts(Scope::Project(job.project_id + 1), 10).await.unwrap();
    assert!(none.is_empty());
}

pub(crate) async fn forgetting_leaves_nothing_to_read(store: Any) {
    let project = stored_project(&store, "p").await;
    let kept = remember(&store, project.id, "kept words", 1).await;
    let gone = remember(&store, project.id, "gone words", 2).await;
    let gone_id = PublicId::new(Kind::Memory, gone.id);
    let other = Scope::Project(project.id + 1);
    assert!(store.forget(other, &[gone_id], t(3)).await.unwrap().is_empty(), "out of scope");
    let asked = [id("o5"), gone_id, gone_id];
    assert_eq!(store.forget(Scope::All, &asked, t(3)).await.unwrap(), [gone_id]);
    assert!(store.rows(Scope::All, &[gone_id]).await.unwrap().is_empty());
    assert_eq!(store.list_memories(Scope::All, 9).await.unwrap(), std::slice::from_ref(&kept));
    let query = |term: &str| KeywordQuery {
        terms: vec![term.to_owned()],
        limit: 9,
        ..KeywordQuery::default()
    };
    assert_eq!(store.keyword(query("gone")).await.unwrap().total, 0);
    assert_eq!(store.keyword(query("words")).await.unwrap().total, 1);
    assert_eq!(store.newest(Scope::All, None, None, None, 9).await.unwrap().len(), 1);
    assert_eq!(store.indexed_rows().await.unwrap(), 1);
    assert_eq!(store.count_rows(Scope::Project(project.id)).await.unwrap()[3], (Kind::Memory, 1));
    let again = remember(&store, project.id, "gone words", 4).await;
    assert!(again.id > gone.id, "what is said again on purpose is kept, under an id of its own");
}

pub(crate) async fn k11_a_forgotten_prompt_leaves_its_event_empty(store: Any) {
    let (_, turn) = stored(&store, event("s", 0, prompt("canary words"))).await;
    let forgotten = store.forget(Scope::All, &[id("p1")], t(1)).await.unwrap();
    assert_eq!(forgotten, [id("p1")]);
    assert_eq!(store.get_session(turn.session_id).await.unwrap().first_prompt, None);
    let digests = store.turn_digests(turn, 9, 9).await.unwrap();
    assert_eq!(digests.len(), 1, "the event itself stays counted");
    assert_eq!(digests[0].digest, afterword_store::contract::Digest::default());
    let job = store.claim_job(t(1000)).await.unwrap().unwrap();
    let saved = store
        .save_turn(outcome(&job, i64::MAX, vec![finding("a", "a", &[digests[0].event_id])]))
        .await
        .unwrap();
    let evidence = store.evidence(saved.new_observations[0]).await.unwrap();
    assert!(!format!("{evidence:?}").contains("canary"));
}

pub(crate) async fn neighbours_stand_by_time_on_both_sides(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut all = outcome(&job, last, vec![finding("a", "alpha", &[]), finding("b", "beta", &[])]);
    all.turn_summary = Some(summary("turn"));
    store.save_turn(all).await.unwrap();
    let p = Scope::Project(job.project_id);
    for (n, text) in [(-5, "early"), (10, "same time"), (40, "late"), (50, "latest")] {
        remember(&store, job.project_id, text, n).await;
    }
    let other = stored_project(&store, "q").await;
    remember(&store, other.id, "elsewhere", 10).await;
    let ids = |rows: Vec<afterword_store::contract::Row>| {
        rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>()
    };
    // m1 -5, p1 0, then at 10: m2, o1, o2; s1 20, m3 40, m4 50.
    let found = store.around(p.clone(), t(10), Some(id("o1")), 2, 3).await.unwrap();
    assert_eq!(ids(found.before), ["p1", "m2"]);
    assert_eq!(ids(found.after), ["o2", "s1", "m3"]);
    let found = store.around(p.clone(), t(10), None, 9, 1).await.unwrap();
    assert_eq!(
        (ids(found.before), ids(found.after)),
        (vec!["m1".into(), "p1".into()], vec!["m2".into()])
    );
    let found = store.around(p, t(1_000), None, 2, 9).await.unwrap();
    assert_eq!((ids(found.before), ids(found.after)), (vec!["m3".into(), "m4".into()], vec![]));
    let found = store.around(Scope::All, t(10), Some(id("m2")), 0, 2).await.unwrap();
    assert_eq!((ids(found.before), ids(found.after)), (vec![], vec!["m5".into(), "o1".into()]));
    let nowhere = store.around(Scope::Project(99), t(10), None, 9, 9).await.unwrap();
    assert_eq!(nowhere, afterword_store::contract::Around::default());
}

pub(crate) async fn rows_of_a_session_come_in_order(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut all = outcome(&job, last, vec![finding("a", "alpha", &[]), finding("b", "beta", &[])]);
    all.turn_summary = Some(summary("turn"));
    store.save_turn(all).await.unwrap();
    stored(&store, event("other", 5, prompt("elsewhere"))).await;
    remember(&store, job.project_id, "of no session", 5).await;
    let ids = |rows: Vec<afterword_store::contract::Row>| {
        rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>()
    };
    let session = job.turn.session_id;
    let rows = store.session_rows(session, 99).await.unwrap();
    assert!(rows.iter().all(|row| row.session == "s" && row.project == "p"));
    assert_eq!(ids(rows), ["p1", "o1", "o2", "s1"]);
    assert_eq!(ids(store.session_rows(session, 2).await.unwrap()), ["p1", "o1"]);
    assert!(store.session_rows(99, 9).await.unwrap().is_empty());
}

pub(crate) async fn rows_are_counted_by_day(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    let day_ms = 86_400_000;
    for (n, text) in [(0, "one"), (1, "two"), (day_ms, "three"), (9 * day_ms, "four")] {
        remember(&store, p.id, text, n).await;
    }
    remember(&store, q.id, "elsewhere", day_ms).await;
    stored(&store, event("s", 0, prompt("do it"))).await;
    let first = Day::of(t(0));
    let count = async |scope, to| store.count_rows_by_day(scope, first, to).await.unwrap();
    assert_eq!(
        count(Scope::Project(p.id), first.plus(1)).await,
        [(first, Kind::Prompt, 1), (first, Kind::Memory, 2), (first.plus(1), Kind::Memory, 1)]
    );
    let all = count(Scope::All, first.plus(9)).await;
    assert_eq!(all[2..], [(first.plus(1), Kind::Memory, 2), (first.plus(9), Kind::Memory, 1)]);
    assert_eq!(count(Scope::Project(99), first).await, []);
}

pub(crate) async fn rows_of_a_kind_come_page_by_page(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let findings = (0..5).map(|n| {
        let mut new = finding(&n.to_string(), &n.to_string(), &[]);
        new.created_at = t(n);
        new
    });
    store.save_turn(outcome(&job, last, findings.collect())).await.unwrap();
    remember(&store, job.project_id, "a memory", 5).await;
    let agent = Some(AGENT.to_owned());
    let page = async |kind, agent, offset, limit| {
        let rows = store.page(Scope::All, kind, agent, offset, limit).await.unwrap();
        rows.into_iter().map(|row| row.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(page(Kind::Observation, None, 0, 2).await, ["o5", "o4"]);
    assert_eq!(page(Kind::Observation, agent.clone(), 3, 9).await, ["o2", "o1"]);
    assert!(page(Kind::Observation, None, 5, 9).await.is_empty());
    assert!(page(Kind::Observation, Some("nobody\0".to_owned()), 0, 9).await.is_empty());
    assert_eq!(page(Kind::Prompt, agent.clone(), 0, 9).await, ["p1"]);
    assert_eq!(page(Kind::Memory, None, 0, 9).await, ["m1"]);
    assert!(page(Kind::Memory, agent, 0, 9).await.is_empty(), "a memory is of no session");
    let elsewhere = Scope::Project(job.project_id + 1);
    assert!(store.page(elsewhere, Kind::Observation, None, 0, 9).await.unwrap().is_empty());
}
