//! What comes instead of an answer.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::observation::Source;
use afterword_domain::wire::jobs::{JobRow, Queue};
use tokio::sync::watch;

use super::play::{Act, Play, answer};
use crate::Place;
use crate::provider::{Refusal, RefusalKind};

fn refuse(kind: RefusalKind) -> Act {
    Act::Refuse(Refusal::new(kind, "no"))
}

impl Play {
    async fn parked(&self) -> Vec<JobRow> {
        let mut jobs = self.engine.jobs().await.unwrap().jobs;
        jobs.retain(|job| job.state == "parked");
        jobs
    }

    async fn held(&self) -> Option<String> {
        self.engine.jobs().await.unwrap().held
    }

    /// Lets time pass and works, so often.
    async fn go_on(&self, times: usize, ms: i64) {
        for _ in 0..times {
            self.pass(ms);
            self.work().await;
        }
    }
}

#[tokio::test]
async fn i6_what_needs_a_person_stops_the_provider_and_costs_no_try() {
    for kind in [RefusalKind::Auth, RefusalKind::Payment, RefusalKind::Misconfigured] {
        let play = Play::new();
        play.turn("a", "src/a.rs").await;
        play.turn("b", "src/b.rs").await;
        play.script.then(refuse(kind));
        play.work().await;
        play.go_on(5, 60_000).await;
        assert_eq!(play.script.calls(), 1, "{kind:?}");
        assert!(play.held().await.unwrap().contains("jobs retry"), "{kind:?}");
        let status = play.engine.status().await.unwrap();
        assert!(status.model.stopped && status.model.parked == 0);
        assert!(play.observations().await.iter().all(|row| row.source == Source::Rules));
        assert_eq!(play.engine.retry_jobs(&[]).await.unwrap(), []);
        play.work().await;
        assert_eq!(play.script.calls(), 3, "a person has done something");
        assert!(play.parked().await.is_empty() && play.held().await.is_none());
    }
}

#[tokio::test]
async fn i6_questions_that_are_all_turned_away_alike_stop_the_provider() {
    let play = Play::new();
    for n in 0..6 {
        play.turn(&format!("s{n}"), "src/a.rs").await;
    }
    let told = |n| format!("answered 400: no such thing as small-9 (request {n})");
    for n in 0..3 {
        let refusal = Refusal::new(RefusalKind::Refused, told(n)).with_status(400);
        play.script.then(Act::Refuse(refusal));
    }
    play.work().await;
    play.go_on(3, 60_000).await;
    assert_eq!(play.script.calls(), 3, "three are enough");
    let held = play.held().await.unwrap();
    assert!(held.contains("small-9") && held.contains("correct kind, url and model"), "{held}");
    assert!(play.engine.status().await.unwrap().model.stopped);
    assert_eq!(play.engine.retry_jobs(&[]).await.unwrap().len(), 3);
    play.work().await;
    assert_eq!(play.script.calls(), 9);
    assert!(play.parked().await.is_empty());

    // One question that a filter stops, and answers between, stop nobody.
    let play = Play::new();
    for n in 0..4 {
        play.turn(&format!("s{n}"), "src/a.rs").await;
        let refusal = Refusal::new(RefusalKind::Refused, "filtered").with_status(400);
        play.script.then(Act::Refuse(refusal));
        play.script.say(&answer("Fine", "2", "feature"));
    }
    play.work().await;
    assert_eq!((play.script.calls(), play.held().await), (4, None));
}

#[tokio::test]
async fn a_provider_that_says_wait_no_time_is_left_alone_longer_every_time() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    for _ in 0..9 {
        let refusal = Refusal::new(RefusalKind::RateLimited, "now!");
        play.script.then(Act::Refuse(refusal.with_retry_after(Some(Duration::ZERO))));
    }
    play.work().await;
    // Three minutes, looked at every three seconds.
    play.go_on(60, 1_000).await;
    assert!(play.script.calls() <= 8, "{}", play.script.calls());
}

#[tokio::test]
async fn i6_a_provider_that_is_asked_too_often_is_left_alone_as_long_as_it_wants() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.turn("b", "src/b.rs").await;
    for _ in 0..4 {
        let refusal = Refusal::new(RefusalKind::RateLimited, "slow down");
        play.script.then(Act::Refuse(refusal.with_retry_after(Some(Duration::from_mins(2)))));
    }
    play.work().await;
    for call in 1..4 {
        play.pass(110_000);
        play.work().await;
        assert_eq!(play.script.calls(), call, "not before");
        play.pass(10_000);
        play.work().await;
        assert_eq!(play.script.calls(), call + 1);
    }
    let play = play.restart();
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 4, "over a restart too");
    play.pass(120_000);
    play.work().await;
    assert_eq!(play.script.calls(), 6, "it costs no try");
    assert!(play.parked().await.is_empty());
}

#[tokio::test]
async fn an_outage_backs_off_for_minutes_parks_nothing_and_is_told() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    for _ in 0..5 {
        play.script.then(refuse(RefusalKind::Unavailable));
    }
    play.work().await;
    play.engine.read_by_model().await.unwrap();
    assert_eq!(play.script.calls(), 1, "not at once");
    let model = play.engine.status().await.unwrap().model;
    assert!(model.failing.unwrap().starts_with("script: no (unavailable); no answer since "));
    assert!(!model.lasts, "a moment is no trouble");
    play.go_on(1, 2_000).await;
    assert_eq!(play.script.calls(), 2);
    play.go_on(1, 1_000).await;
    assert_eq!(play.script.calls(), 2, "longer every time");
    play.go_on(1, 3_000).await;
    assert_eq!(play.script.calls(), 3);
    play.go_on(5, 9_000).await;
    assert_eq!(play.script.calls(), 3, "then for a minute and more");
    play.go_on(20, 30_000).await;
    let status = play.engine.status().await.unwrap();
    assert_eq!((play.script.calls(), status.model.parked), (6, 0));
    assert_eq!((status.model.failing, status.model.done), (None, 1), "read when it is over");
}

#[tokio::test]
async fn an_outage_that_lasts_is_told_without_asking() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    for _ in 0..20 {
        let refusal = Refusal::new(RefusalKind::Unavailable, "nobody there").before_sending();
        play.script.then(Act::Refuse(refusal));
    }
    play.go_on(12, 60_000).await;
    let status = play.engine.status().await.unwrap();
    assert!(status.model_stopped().is_some_and(|why| why.contains("nobody there")), "{status:?}");
    assert_eq!(play.engine.retry_jobs(&[]).await.unwrap(), []);
    assert_eq!(play.engine.status().await.unwrap().model_stopped(), None);

    // An account that may not be used is told at once, whatever its status.
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.script.say("Invalid API key · Please run /login");
    play.work().await;
    let status = play.engine.status().await.unwrap();
    assert!(status.model_stopped().is_some_and(|why| why.contains("account")), "{status:?}");
}

#[tokio::test]
async fn turns_made_while_no_provider_could_be_opened_are_read_when_it_can() {
    let play = Play::new().restart_without_key();
    play.turn("a", "src/a.rs").await;
    play.work().await;
    let status = play.engine.status().await.unwrap();
    assert_eq!(status.model.waiting, 2, "the turn and its session");
    assert_eq!(status.model_stopped(), Some("no key is set"));
    let play = play.restart();
    play.work().await;
    assert_eq!(play.script.calls(), 1);
}

#[tokio::test]
async fn a_question_that_alone_gets_no_answer_is_parked_after_three_tries() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.script.then(refuse(RefusalKind::Unavailable));
    play.work().await;
    for other in ["b", "c"] {
        assert!(play.parked().await.is_empty());
        play.script.say(&answer("Fine", "2", "feature"));
        play.script.then(refuse(RefusalKind::Unavailable));
        play.turn(other, "src/b.rs").await;
        play.go_on(1, 2_000).await;
    }
    let parked = play.parked().await;
    assert_eq!((parked.len(), parked[0].id.queue), (1, Queue::Model));
    assert_eq!(parked[0].error.as_deref(), Some("no (unavailable)"));
    let rows = play.observations().await;
    let of_rules =
        rows.iter().find(|row| row.source == Source::Rules).expect("the rules' rows serve");
    let evidence = play.engine.store().evidence(of_rules.id).await.unwrap();
    assert!(!evidence.is_empty(), "the raw events are kept");
}

#[tokio::test]
async fn i4_poison_is_parked_and_keeps_nobody_waiting() {
    let play = Play::new();
    for session in ["a", "b", "c"] {
        play.turn(session, &format!("src/{session}.rs")).await;
    }
    play.rules().await;
    play.script.say("Sure, here is what I think about it.");
    play.script.say(&answer("B", "2", "feature"));
    play.script.say(&answer("C", "2", "feature"));
    play.script.say("{\"garbage\": 1}");
    play.script.say("ok");
    play.work().await;
    assert_eq!(play.script.calls(), 3);
    play.go_on(10, 60_000).await;
    assert_eq!(play.script.calls(), 5, "three tries for the first one");
    let parked = play.parked().await;
    assert_eq!((parked.len(), parked[0].session.as_str(), parked[0].attempts), (1, "a", 3));
    let sources: Vec<_> = play.observations().await.iter().map(|row| row.source).collect();
    assert_eq!(sources.iter().filter(|s| **s == Source::Provider).count(), 2);
    assert_eq!(sources.iter().filter(|s| **s == Source::Rules).count(), 1);

    let id = parked[0].id;
    assert_eq!(play.engine.retry_jobs(&[id]).await.unwrap(), [id]);
    play.script.say(&answer("A", "2", "feature"));
    play.work().await;
    assert_eq!(play.script.calls(), 6);
    assert!(play.titles().await.contains(&"A".to_owned()));
}

#[tokio::test]
async fn a_dropped_job_is_never_sent_again() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    for _ in 0..3 {
        play.script.say("noise");
    }
    play.go_on(10, 60_000).await;
    let parked = play.parked().await.remove(0);
    assert_eq!(play.engine.drop_jobs(&[]).await.unwrap(), [parked.id]);
    assert_eq!(play.engine.retry_jobs(&[parked.id]).await.unwrap(), []);
    play.edit("a", "src/late.rs").await;
    play.go_on(3, 60_000).await;
    assert_eq!(play.script.calls(), 3);
    assert_eq!(play.engine.status().await.unwrap().model.parked, 0);
}

#[tokio::test]
async fn i5_a_question_that_is_too_long_is_cut_and_asked_once_more() {
    let play = Play::new();
    play.prompt("a", "Do a lot").await;
    for n in 0..120 {
        play.run("a", &format!("tool-{n} --all"), &"line of output\n".repeat(60)).await;
    }
    play.stop("a", "All done.").await;
    play.script.then(refuse(RefusalKind::Overflow));
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 2);
    assert!(asks[0].prompt.len() < 18_000, "{}", asks[0].prompt.len());
    assert!(asks[1].prompt.len() < asks[0].prompt.len() / 2);
    for ask in &asks {
        assert!(ask.prompt.contains("Do a lot") && ask.prompt.contains("All done."));
        assert!(ask.prompt.contains("left out …]"), "a cut leaves a mark");
    }
    assert!(play.parked().await.is_empty());

    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.script.then(refuse(RefusalKind::Overflow));
    play.script.say("Prompt is too long");
    play.go_on(3, 60_000).await;
    assert_eq!(play.script.calls(), 2);
    assert_eq!(play.parked().await.len(), 1);
}

#[tokio::test]
async fn prose_is_treated_by_what_it_means() {
    for (prose, calls, parked) in [
        ("You've hit your limit · resets 5pm", 1, 0),
        ("Invalid API key · Please run /login", 1, 0),
        ("I'm sorry, but I can't help with that.", 1, 1),
        ("The rate limit of the gateway was fixed.", 3, 1),
    ] {
        let play = Play::new();
        play.turn("a", "src/a.rs").await;
        for _ in 0..3 {
            play.script.say(prose);
        }
        play.work().await;
        play.go_on(6, 60_000).await;
        assert_eq!((play.script.calls(), play.parked().await.len()), (calls, parked), "{prose}");
    }
}

impl Play {
    /// Works as the worker does from its start until it has nothing to do.
    pub(super) async fn work_as_a_process(&self) {
        let Some(model) = &self.engine.model else { return };
        self.engine.read_what_is_due(model, &mut true).await.unwrap();
    }
}

#[tokio::test]
async fn a_crash_costs_a_try_and_no_more_than_three() {
    let mut play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.rules().await;
    for tries in 1..=3 {
        play.script.then(Act::Hang);
        let working = play.work_as_a_process();
        tokio::select! {
            () = working => panic!("it hangs"),
            () = play.script.asked.notified() => {}
        }
        assert_eq!(play.script.calls(), tries);
        play = play.restart();
    }
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 3);
    let parked = play.parked().await.remove(0);
    assert_eq!(parked.error.as_deref(), Some("the daemon ended before the answer came"));
}

#[tokio::test]
async fn the_worker_wakes_by_itself() {
    let play = Play::new();
    let (stop, stopping) = watch::channel(false);
    let rules = tokio::spawn(Arc::clone(&play.engine).run_worker(stopping.clone()));
    let model = tokio::spawn(Arc::clone(&play.engine).run_model_worker(stopping));
    play.turn("a", "src/a.rs").await;
    let patience = Duration::from_secs(30);
    tokio::time::timeout(patience, play.script.asked.notified()).await.unwrap();
    let mut live = play.engine.follow(Place::Now).await.unwrap();
    while play.observations().await.iter().all(|row| row.source == Source::Rules) {
        drop(tokio::time::timeout(Duration::from_millis(500), live.next()).await);
    }
    stop.send(true).unwrap();
    tokio::time::timeout(patience, rules).await.unwrap().unwrap();
    tokio::time::timeout(patience, model).await.unwrap().unwrap();
}
