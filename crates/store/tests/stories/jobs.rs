use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::{Kind, PublicId};

use super::build::{
    Any, claimed_turn, end, event, finding, outcome, prompt, stop, stored, summary, t, tool,
};

pub(crate) async fn a_burst_gathers_and_a_stop_is_due_at_once(store: Any) {
    assert_eq!(store.next_job_at().await.unwrap(), None);
    stored(&store, event("s", 0, prompt("go"))).await;
    stored(&store, event("s", 100, tool("Bash"))).await;
    assert_eq!(store.next_job_at().await.unwrap(), Some(t(250)));
    assert_eq!(store.claim_job(t(249)).await.unwrap(), None);
    stored(&store, event("s", 120, stop())).await;
    assert_eq!(store.next_job_at().await.unwrap(), Some(t(120)));
    assert!(store.claim_job(t(120)).await.unwrap().is_some());
}

pub(crate) async fn the_next_prompt_closes_the_turn(store: Any) {
    stored(&store, event("s", 0, prompt("one"))).await;
    stored(&store, event("s", 50, prompt("two"))).await;
    let job = store.claim_job(t(50)).await.unwrap().unwrap();
    assert_eq!(job.turn.prompt_number, 1);
    assert_eq!(store.claim_job(t(50)).await.unwrap(), None);
    stored(&store, event("s", 60, end("other"))).await;
    assert_eq!(store.claim_job(t(60)).await.unwrap().unwrap().turn.prompt_number, 2);
}

pub(crate) async fn a_job_is_claimed_once(store: Any) {
    let (job, _) = claimed_turn(&store, "s").await;
    assert_eq!(store.claim_job(t(20_000)).await.unwrap(), None);
    assert_eq!(store.next_job_at().await.unwrap(), None);
    assert_eq!(store.release_claimed_jobs().await.unwrap(), 1);
    assert_eq!(store.claim_job(t(20_000)).await.unwrap(), Some(job));
}

pub(crate) async fn later_events_make_it_wait_again(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    stored(&store, event("s", 40, tool("Bash"))).await;
    let saved = store.save_turn(outcome(&job, last, vec![])).await.unwrap();
    assert!(saved.waits_again);
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.distilled, counts.waiting), (2, 1));
    let again = store.claim_job(t(30_000)).await.unwrap().unwrap();
    assert_eq!(again.turn, job.turn);
    let saved = store.save_turn(outcome(&again, i64::MAX, vec![])).await.unwrap();
    assert!(!saved.waits_again);
    assert_eq!(store.next_job_at().await.unwrap(), None);
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.distilled, counts.waiting, counts.stored), (3, 0, 3));
    assert_eq!(counts.last_distilled_at, Some(t(30_000)));
}

pub(crate) async fn g3_a_turn_saved_again_is_updated(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut first =
        outcome(&job, last, vec![finding("a", "alpha", &[last]), finding("b", "beta", &[last])]);
    first.turn_summary = Some(summary("turn one"));
    first.session_summary = Some(summary("session so far"));
    let saved = store.save_turn(first.clone()).await.unwrap();
    assert_eq!(saved.new_observations.len(), 2);
    let (turn_id, session_id) = (saved.turn_summary.unwrap(), saved.session_summary.unwrap());

    let unchanged = store.save_turn(first.clone()).await.unwrap();
    assert_eq!(unchanged.new_observations, [0_i64; 0]);
    assert_eq!((unchanged.turn_summary, unchanged.session_summary), (None, None));

    let mut second = first;
    second.observations = vec![finding("a", "alpha revised", &[last])];
    second.session_summary = Some(summary("session goes on"));
    let saved = store.save_turn(second).await.unwrap();
    assert_eq!((saved.turn_summary, saved.session_summary), (None, Some(session_id)));
    let rows = store.recent_observations(Scope::All, 10, true).await.unwrap();
    assert_eq!(rows.len(), 1, "a finding that is not made any more goes");
    assert_eq!(rows[0].content.title, "alpha revised");
    for _ in 0..20 {
        let mut more = outcome(&job, last, vec![]);
        more.session_summary = Some(summary("session goes on"));
        more.turn_summary = Some(summary("turn one"));
        store.save_turn(more).await.unwrap();
    }
    let session = store.recent_summaries(Scope::All, SummaryLevel::Session, 9).await.unwrap();
    assert_eq!(session.iter().map(|s| s.id).collect::<Vec<_>>(), [session_id]);
    let turns = store.turn_summaries(job.turn.session_id, None, 9).await.unwrap();
    assert_eq!(turns.iter().map(|s| s.id).collect::<Vec<_>>(), [turn_id]);
    store.save_turn(outcome(&job, last, vec![])).await.unwrap();
    assert!(store.turn_summaries(job.turn.session_id, None, 9).await.unwrap().is_empty());
}

pub(crate) async fn of_many_turns_the_first_and_the_newest_are_given(store: Any) {
    let mut session_id = 0;
    for n in 1..=6 {
        let (last, turn) = stored(&store, event("s", n, prompt(&format!("prompt {n}")))).await;
        session_id = turn.session_id;
        let job = store.claim_job(t(90_000)).await.unwrap().unwrap();
        let mut told = outcome(&job, last, vec![]);
        told.turn_summary = Some(summary(&format!("turn {n}")));
        store.save_turn(told).await.unwrap();
    }
    let turns = async |before, newest| -> Vec<i64> {
        let turns = store.turn_summaries(session_id, before, newest).await.unwrap();
        turns.iter().map(|turn| turn.prompt_number).collect()
    };
    assert_eq!(turns(None, 9).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(turns(None, 6).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(turns(None, 2).await, [1, 5, 6]);
    assert_eq!(turns(Some(4), 2).await, [1, 2, 3]);
    assert_eq!(turns(Some(4), 1).await, [1, 3]);
    assert_eq!(turns(Some(1), 9).await, [0_i64; 0]);
}

pub(crate) async fn forgotten_findings_stay_forgotten(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut all = outcome(&job, last, vec![finding("a", "alpha", &[]), finding("b", "beta", &[])]);
    all.session_summary = Some(summary("session"));
    all.turn_summary = Some(summary("turn"));
    let saved = store.save_turn(all.clone()).await.unwrap();
    let ids = [
        PublicId::new(Kind::Observation, saved.new_observations[0]),
        PublicId::new(Kind::Summary, saved.session_summary.unwrap()),
        PublicId::new(Kind::Summary, saved.turn_summary.unwrap()),
    ];
    assert_eq!(store.forget(Scope::All, &ids, t(1)).await.unwrap(), ids);
    let saved = store.save_turn(all).await.unwrap();
    assert_eq!(saved, afterword_store::contract::SavedTurn::default());
    let rows = store.recent_observations(Scope::All, 10, true).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].content.title, "beta");
    let counts = store.counts().await.unwrap();
    assert_eq!(counts.rows["summary"], 0);
    assert_eq!(counts.indexed, 2, "the prompt and one observation");
}

pub(crate) async fn provider_rows_outlive_the_rules(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let mut kept = finding("p", "from the provider", &[]);
    kept.source = Source::Provider;
    store.save_turn(outcome(&job, last, vec![kept])).await.unwrap();
    store.save_turn(outcome(&job, last, vec![finding("r", "by rules", &[])])).await.unwrap();
    assert_eq!(store.recent_observations(Scope::All, 9, true).await.unwrap().len(), 2);
}

pub(crate) async fn i4_the_third_failure_parks(store: Any) {
    let (mut job, last) = claimed_turn(&store, "s").await;
    for attempt in 1..=3 {
        let at = t(20_000 + attempt * 1000);
        let parked = store.fail_job(&job, "no answer", at).await.unwrap();
        assert_eq!(parked, attempt == 3);
        let counts = store.counts().await.unwrap();
        assert_eq!(counts.parked, if parked { 2 } else { 0 });
        assert_eq!(counts.stored, counts.distilled + counts.waiting + counts.parked);
        if !parked {
            assert_eq!(store.next_job_at().await.unwrap(), Some(at));
            assert_eq!(store.claim_job(t(20_000)).await.unwrap(), None, "not before its time");
            job = store.claim_job(at).await.unwrap().unwrap();
            assert_eq!(job.attempts, attempt);
        }
    }
    assert_eq!(store.claim_job(t(90_000)).await.unwrap(), None);
    assert_eq!(store.retry_parked_jobs(t(90_000)).await.unwrap(), 1);
    let job = store.claim_job(t(90_000)).await.unwrap().unwrap();
    assert_eq!(job.attempts, 0);
    store.save_turn(outcome(&job, last, vec![])).await.unwrap();
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.distilled, counts.parked), (2, 0));
}

pub(crate) async fn a_parked_turn_wakes_with_a_new_event(store: Any) {
    let (job, _) = claimed_turn(&store, "s").await;
    for _ in 0..3 {
        store.fail_job(&job, "no answer", t(0)).await.unwrap();
    }
    stored(&store, event("s", 50, tool("Bash"))).await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.waiting, counts.parked), (3, 0));
    let job = store.claim_job(t(60_000)).await.unwrap().unwrap();
    assert_eq!(job.attempts, 0);
    assert!(!store.save_turn(outcome(&job, i64::MAX, vec![])).await.unwrap().waits_again);
}

pub(crate) async fn evidence_leads_back_to_events(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let seen = finding("a", "alpha", &[last, last, 424_242]);
    let saved = store.save_turn(outcome(&job, last, vec![seen])).await.unwrap();
    let evidence = store.evidence(saved.new_observations[0]).await.unwrap();
    assert_eq!(evidence.len(), 1, "each event once, and none that does not exist");
    assert_eq!(evidence[0].0, last);
    assert_eq!(evidence[0].1.at, t(10));
    store.save_turn(outcome(&job, last, vec![finding("a", "alpha", &[])])).await.unwrap();
    assert!(store.evidence(saved.new_observations[0]).await.unwrap().is_empty());
}

pub(crate) async fn i9_many_waiting_turns_slow_nothing(store: Any) {
    for batch in 0..20 {
        let events = (0..250).map(|n| event(&format!("s{}", batch * 250 + n), 0, tool("x")));
        store.record(events.collect()).await.unwrap();
    }
    let mut sessions = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let job = store.claim_job(t(1000)).await.unwrap().unwrap();
        assert!(sessions.insert(job.turn.session_id), "claimed twice");
        store.save_turn(outcome(&job, i64::MAX, vec![])).await.unwrap();
    }
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.distilled, counts.waiting, counts.sessions), (100, 4900, 5000));
}

pub(crate) async fn p2_a_session_with_many_turns_keeps_no_other_waiting(store: Any) {
    for n in 0..40 {
        stored(&store, event("hot", n, prompt("again"))).await;
    }
    for name in ["b", "c"] {
        stored(&store, event(name, 100, prompt("one"))).await;
        stored(&store, event(name, 101, prompt("two"))).await;
    }
    stored(&store, event("later", 90_000, tool("Bash"))).await;
    let mut order = Vec::new();
    while let Some(job) = store.claim_job(t(10_000)).await.unwrap() {
        order.push(store.get_session(job.turn.session_id).await.unwrap().agent_session_id);
    }
    assert_eq!(order[..8], ["hot", "b", "hot", "c", "hot", "b", "hot", "c"]);
    assert_eq!(order.len(), 44, "what is not due stays");
}
