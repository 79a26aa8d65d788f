use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::wire::jobs::Queue;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{
    ModelFailure, ModelJob, ModelObservation, ModelOutcome, ModelSubject, ModelWish, SessionAnswer,
};

use super::build::{Any, claimed_turn, event, finding, outcome, prompt, stored, summary, t, tool};

fn wish(turn: i64, session: i64) -> ModelWish {
    ModelWish { turn: Some(t(turn)), session: t(session) }
}

/// A turn that the rules have read, with two findings, and whose model job is due.
async fn wished_turn(store: &Any, session: &str) -> i64 {
    let (job, last) = claimed_turn(store, session).await;
    let mut read = outcome(
        &job,
        last,
        vec![finding("work", "by rules", &[last]), finding("kept", "stays", &[last])],
    );
    read.turn_summary = Some(summary("by rules"));
    read.model = Some(wish(100, 900_000));
    store.save_turn(read).await.unwrap();
    last
}

async fn sent(store: &Any, session: &str) -> (ModelJob, i64) {
    let last = wished_turn(store, session).await;
    let job = store.claim_model_job(t(10_000), 0).await.unwrap().expect("a job is due");
    assert!(store.begin_model_try(&job).await.unwrap());
    (job, last)
}

fn made(job: &ModelJob, seen: i64) -> ModelOutcome {
    let mut row = finding(&format!("model:{seen}:change"), "by the model", &[seen]);
    row.source = Source::Provider;
    let mut told = summary("by the model");
    told.source = Source::Provider;
    ModelOutcome {
        job: job.clone(),
        seen_event_id: seen,
        observations: vec![ModelObservation { row, takes_over: Some("work".to_owned()) }],
        keep: vec!["kept".to_owned()],
        turn_summary: Some(told),
        session_summary: None,
        now: t(11_000),
    }
}

async fn titles(store: &Any) -> Vec<(i64, String)> {
    let mut rows = store.recent_observations(Scope::All, 10, true).await.unwrap();
    rows.sort_by_key(|row| row.id);
    rows.into_iter().map(|row| (row.id, row.content.title)).collect()
}

pub(crate) async fn a_model_job_is_claimed_and_saved_once(store: Any) {
    assert_eq!(store.next_model_job_at().await.unwrap(), None);
    let last = wished_turn(&store, "s").await;
    assert_eq!(store.next_model_job_at().await.unwrap(), Some(t(100)));
    assert_eq!(store.claim_model_job(t(99), 0).await.unwrap(), None);
    let job = store.claim_model_job(t(100), 0).await.unwrap().unwrap();
    assert_eq!((job.attempts, job.forgotten, job.project.as_str()), (0, 0, "p"));
    assert_eq!(store.claim_model_job(t(100), 0).await.unwrap(), None);
    assert!(store.begin_model_try(&job).await.unwrap());
    let before = titles(&store).await;
    store.save_model_turn(made(&job, last)).await.unwrap();
    let after = titles(&store).await;
    let ids = |rows: &[(i64, String)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after), "taken over and kept");
    let names: Vec<_> = after.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(names, ["by the model", "stays"]);
    let again = store.save_model_turn(made(&job, last)).await.unwrap();
    assert_eq!(again.new_observations, [0_i64; 0], "the job is over");
    assert!(!store.begin_model_try(&job).await.unwrap());
}

pub(crate) async fn rules_leave_a_models_rows_alone(store: Any) {
    let (job, last) = sent(&store, "s").await;
    stored(&store, event("s", 40, tool("Bash"))).await;
    let stale = store.claim_job(t(20_000)).await.unwrap().unwrap();
    store.save_model_turn(made(&job, last)).await.unwrap();
    let rules = |job, seen| {
        let mut read = outcome(job, seen, vec![finding("work", "rules again", &[seen])]);
        read.turn_summary = Some(summary("rules again"));
        read
    };
    let saved = store.save_turn(rules(&stale, last + 1)).await.unwrap();
    assert!(saved.waits_again, "the model's rows came in between");
    assert_eq!(titles(&store).await.len(), 2);
    let fresh = store.claim_job(t(40_000)).await.unwrap().unwrap();
    assert_eq!(fresh.model_seen, last);
    store.save_turn(rules(&fresh, last + 1)).await.unwrap();
    let names: Vec<_> = titles(&store).await.into_iter().map(|row| row.1).collect();
    assert_eq!(names, ["by the model", "stays", "rules again"]);
    let turns = store.turn_summaries(fresh.turn.session_id, None, 9).await.unwrap();
    assert_eq!(
        (turns[0].source, turns[0].content.request.as_str()),
        (Source::Provider, "by the model")
    );
}

pub(crate) async fn what_was_forgotten_meanwhile_is_not_told_again(store: Any) {
    let (job, last) = sent(&store, "s").await;
    let id = PublicId::new(Kind::Observation, titles(&store).await[0].0);
    store.forget(Scope::All, &[id], t(10_500)).await.unwrap();
    store.save_model_turn(made(&job, last)).await.unwrap();
    let names: Vec<_> = titles(&store).await.into_iter().map(|row| row.1).collect();
    assert_eq!(names, ["stays"]);
    let counts = store.counts().await.unwrap().model;
    assert_eq!((counts.done, counts.waiting), (1, 1), "the session's summary still waits");
}

pub(crate) async fn a_lost_call_is_a_lost_try(store: Any) {
    let (job, _) = sent(&store, "s").await;
    for tries in 1..=3 {
        assert_eq!(store.release_model_jobs(t(20_000)).await.unwrap(), 1);
        let parked = store.list_jobs(10).await.unwrap();
        let state = parked.iter().find(|row| row.id.queue == Queue::Model).unwrap();
        assert_eq!(state.attempts, tries);
        let again = store.claim_model_job(t(20_000), 0).await.unwrap();
        assert_eq!(again.is_some(), tries < 3, "after {tries}");
        if let Some(again) = again {
            assert_eq!(again.id, job.id);
            assert!(store.begin_model_try(&again).await.unwrap());
        }
    }
    let id = store.list_jobs(10).await.unwrap()[0].id;
    assert_eq!(store.retry_jobs(&[], t(30_000)).await.unwrap(), [id]);
    assert!(store.claim_model_job(t(30_000), 0).await.unwrap().is_some());
    assert_eq!(store.drop_jobs(&[id]).await.unwrap(), [id]);
    let late = ModelFailure {
        error: "x".into(),
        retry_at: t(0),
        counts: true,
        is_final: true,
        kept_back: false,
    };
    assert!(!store.fail_model_job(&job, &late).await.unwrap(), "it stays dropped");
}

pub(crate) async fn a_session_waits_for_its_turns_and_is_opened_again_by_new_ones(store: Any) {
    let last = wished_turn(&store, "s").await;
    let turn = store.claim_model_job(t(2_000_000), 0).await.unwrap().unwrap();
    assert!(matches!(turn.subject, ModelSubject::Turn(_)));
    assert_eq!(store.claim_model_job(t(2_000_000), 0).await.unwrap(), None);
    assert!(store.begin_model_try(&turn).await.unwrap());
    store.save_model_turn(made(&turn, last)).await.unwrap();
    assert_eq!(store.next_model_job_at().await.unwrap(), Some(t(900_000)));
    let job = store.claim_model_job(t(2_000_000), 0).await.unwrap().unwrap();
    assert_eq!(job.subject, ModelSubject::Session(turn.session_id()));
    assert!(store.begin_model_try(&job).await.unwrap());
    let mut told = summary("the whole session");
    told.source = Source::Provider;
    let (again, now) = (t(3_000_000), t(2_000_000));
    let answer = SessionAnswer { job: job.clone(), up_to_prompt: 1, summary: told, again, now };
    let id = store.save_session_answer(answer).await.unwrap().unwrap();
    assert_eq!(store.session_answer(job.session_id()).await.unwrap().unwrap().1, 1);
    assert_eq!(store.next_model_job_at().await.unwrap(), None);

    // The rules do not put theirs in its place for a turn that it tells of.
    stored(&store, event("s", 60, tool("Bash"))).await;
    let late = store.claim_job(t(50_000)).await.unwrap().unwrap();
    let mut read = outcome(&late, last + 1, vec![]);
    read.session_summary = Some(summary("by rules"));
    read.model = Some(ModelWish { turn: None, session: t(4_000_000) });
    store.save_turn(read).await.unwrap();
    let session = store.recent_summaries(Scope::All, SummaryLevel::Session, 1).await.unwrap();
    assert_eq!(session[0].content.request, "the whole session");
    assert_eq!(store.next_model_job_at().await.unwrap(), None);

    stored(&store, event("s", 70, prompt("go on"))).await;
    stored(&store, event("s", 80, tool("Bash"))).await;
    let next = store.claim_job(t(50_000)).await.unwrap().unwrap();
    let mut read = outcome(&next, i64::MAX, vec![]);
    read.model = Some(wish(5_000_000, 4_000_000));
    store.save_turn(read).await.unwrap();
    assert_eq!(store.next_model_job_at().await.unwrap(), Some(t(5_000_000)), "after its turn");

    store.forget(Scope::All, &[PublicId::new(Kind::Summary, id)], t(60_000)).await.unwrap();
    assert_eq!(store.session_answer(job.session_id()).await.unwrap(), None, "forgotten too");
}

pub(crate) async fn a_dropped_job_of_the_rules_leaves_every_count_whole(store: Any) {
    let (job, _) = claimed_turn(&store, "s").await;
    for _ in 0..3 {
        store.fail_job(&job, "no", t(0)).await.unwrap();
    }
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.parked, counts.distilled), (2, 0));
    let ids = store.drop_jobs(&[]).await.unwrap();
    assert_eq!(ids[0].to_string(), format!("rules-{}", job.id));
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.parked, counts.waiting, counts.distilled, counts.stored), (0, 0, 2, 2));
    assert!(store.list_jobs(10).await.unwrap().is_empty());
}

pub(crate) async fn what_a_budget_keeps_back_is_freed_before_its_time(store: Any) {
    let (job, _) = sent(&store, "s").await;
    let later = |kept_back| ModelFailure {
        error: "no room".into(),
        retry_at: t(9_000_000),
        counts: false,
        is_final: false,
        kept_back,
    };
    store.fail_model_job(&job, &later(true)).await.unwrap();
    assert_eq!(store.counts().await.unwrap().model.kept_back, 1);
    assert_eq!(store.claim_model_job(t(20_000), 0).await.unwrap(), None);
    assert_eq!(store.drop_jobs(&[]).await.unwrap(), [], "it has not failed");
    assert_eq!(store.free_kept_back(t(20_000)).await.unwrap(), 1);
    assert_eq!(store.counts().await.unwrap().model.kept_back, 0);
    let again = store.claim_model_job(t(20_000), 0).await.unwrap().expect("it is due");
    assert_eq!(again.attempts, 0, "no try was lost");
    store.fail_model_job(&again, &later(true)).await.unwrap();
    assert_eq!(store.retry_jobs(&[], t(30_000)).await.unwrap().len(), 1);
    let again = store.claim_model_job(t(30_000), 0).await.unwrap().expect("it is due");
    store.fail_model_job(&again, &later(false)).await.unwrap();
    assert_eq!(store.free_kept_back(t(40_000)).await.unwrap(), 0, "it waits for itself");
}
