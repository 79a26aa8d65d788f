//! When calls may be made, in which order, and what is set aside for them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use afterword_domain::Clock as _;
use afterword_store::contract::{NewAnswer, SpendLimits};
use async_trait::async_trait;

use super::play::{Act, Play};
use crate::Result;
use crate::distill::model::budget::{Budget, Call, Charge, Over, Purpose, Reservation};
use crate::model_worker::run::{DRAIN_MS, LIVES_MS};
use crate::provider::{Refusal, RefusalKind};

#[tokio::test]
async fn sessions_are_served_in_turn() {
    let play = Play::new();
    for n in 0..4 {
        play.turn("long", &format!("src/long{n}.rs")).await;
    }
    play.turn("other", "src/other1.rs").await;
    play.turn("other", "src/other2.rs").await;
    play.turn("third", "src/third1.rs").await;
    play.work().await;
    let order: Vec<String> = play
        .script
        .asks()
        .iter()
        .map(|ask| ask.prompt.split("make src/").nth(1).unwrap()[..6].to_owned())
        .collect();
    assert_eq!(order, ["long0.", "other1", "third1", "long1.", "other2", "long2.", "long3."]);
}

#[tokio::test]
async fn b3_nothing_is_sent_when_no_session_lives() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.end("a").await;
    play.rules().await;
    play.pass(DRAIN_MS + 60_000);
    play.work().await;
    assert_eq!(play.script.calls(), 0, "the last session ended long ago");
    play.prompt("b", "Good morning, where were we?").await;
    play.work().await;
    assert_eq!(play.script.calls(), 1, "a session lives");

    let play = Play::new();
    play.turn("killed", "src/a.rs").await;
    play.rules().await;
    play.pass(LIVES_MS + 60_000);
    play.work().await;
    assert_eq!(play.script.calls(), 0, "a session that nobody ended does not live for ever");
}

/// Six sessions that ended long ago.
async fn left_behind(limits: SpendLimits) -> Play {
    let play = Play::within(limits);
    for n in 0..6 {
        play.turn(&format!("s{n}"), "src/a.rs").await;
        play.end(&format!("s{n}")).await;
    }
    play.rules().await;
    play.pass(LIVES_MS + 60_000);
    play
}

fn backlog(tokens: u64) -> SpendLimits {
    SpendLimits { backlog_tokens: tokens, ..SpendLimits::default() }
}

/// About what one call sets aside.
const CALL: u64 = 2_500 + 3_000;

#[tokio::test]
async fn b3_backlog_is_worked_off_within_its_budget() {
    let calls = |tokens: u64| async move {
        let play = left_behind(backlog(tokens)).await;
        play.script.tells_no_use.store(true, Ordering::SeqCst);
        play.work().await;
        play.work().await;
        let today = play.script.calls();
        play.pass(24 * 60 * 60_000);
        play.work().await;
        (today, play.script.calls())
    };
    let (today, tomorrow) = calls(2 * CALL).await;
    assert!((1..=3).contains(&today), "{today}");
    assert!(tomorrow > today && tomorrow <= 2 * today.max(2) + 1, "{today} {tomorrow}");
    assert_eq!(calls(1_000_000).await, (6, 6));
    assert_eq!(calls(10).await, (0, 0));
}

#[tokio::test]
async fn b3_what_the_backlog_has_no_room_for_goes_when_a_session_lives() {
    let play = left_behind(backlog(10)).await;
    play.work().await;
    assert_eq!(play.script.calls(), 0);
    let jobs = play.engine.jobs().await.unwrap().jobs;
    assert!(jobs.iter().all(|job| job.due <= play.clock.now()), "{jobs:?}");
    play.prompt("new", "Good morning, where were we?").await;
    play.work().await;
    assert_eq!(play.script.calls(), 6, "paid out of the day now");
    let model = play.engine.status().await.unwrap().model;
    assert_eq!((model.kept_back, model.held), (0, None));
}

#[tokio::test]
async fn a_raised_cap_frees_what_waits_at_once() {
    let low = SpendLimits { tokens: 900, ..SpendLimits::default() };
    let play = Play::within(low);
    for session in ["a", "b", "c"] {
        play.turn(session, "src/a.rs").await;
    }
    play.work().await;
    assert_eq!(play.script.calls(), 0);
    let status = play.engine.status().await.unwrap();
    assert!(status.spend.stopped.is_some() && status.model.held.is_some());
    let play = play.restart_within(low);
    assert!(play.engine.status().await.unwrap().spend.stopped.is_some(), "it still holds");
    let play = play.restart_within(SpendLimits::default());
    assert_eq!(play.engine.status().await.unwrap().spend.stopped, None, "made under other caps");
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 3);
}

#[tokio::test]
async fn a_session_with_its_share_is_told_and_freed_by_a_retry_or_a_raise() {
    let share = SpendLimits { session_tokens: 100, ..SpendLimits::default() };
    let play = Play::within(share);
    for n in 0..3 {
        play.turn("greedy", &format!("src/{n}.rs")).await;
    }
    play.turn("other", "src/o.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 2, "one of each");
    let status = play.engine.status().await.unwrap();
    assert_eq!((status.model.kept_back, status.model.held), (2, None));
    assert_eq!(play.engine.retry_jobs(&[]).await.unwrap().len(), 2);
    play.work().await;
    assert_eq!(play.script.calls(), 2, "its share is what it was");
    assert_eq!(play.engine.status().await.unwrap().model.kept_back, 2);
    let play = play.restart_within(SpendLimits::default());
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 4);
}

/// A budget that writes down what it is asked, and has room for so many calls.
#[derive(Debug, Default)]
struct Ledger {
    room: Mutex<usize>,
    lines: Mutex<Vec<String>>,
    clock: Mutex<Option<Arc<super::play::Hands>>>,
}

#[async_trait]
impl Budget for Ledger {
    async fn reserve(&self, call: &Call) -> Result<Reservation, Over> {
        let mut room = self.room.lock().unwrap();
        let mut lines = self.lines.lock().unwrap();
        if *room == 0 {
            let now = self.clock.lock().unwrap().as_ref().unwrap().now();
            lines.push("over".into());
            return Err(Over::Day { until: now.plus_millis(3_600_000), fits: true });
        }
        *room -= 1;
        assert!(call.input_tokens > 500 && call.max_output_tokens >= 1_000, "{call:?}");
        assert_eq!((call.provider.as_str(), call.model.as_str()), ("script", "m1"));
        assert!(call.project_id.is_some() && call.session_id.is_some());
        lines.push(format!("reserve {}", call.purpose.word()));
        Ok(Reservation(i64::try_from(lines.len()).unwrap()))
    }

    async fn settle(&self, reservation: Reservation, charge: Charge) -> Result<()> {
        let told = match charge {
            Charge::Used(usage) => format!("used {}", usage.total()),
            Charge::Unknown => "unknown".into(),
            Charge::Nothing => "nothing".into(),
        };
        self.lines.lock().unwrap().push(format!("settle {} {told}", reservation.0));
        Ok(())
    }

    async fn settle_keeping(
        &self,
        reservation: Reservation,
        charge: Charge,
        _: NewAnswer,
    ) -> Result<()> {
        self.settle(reservation, charge).await
    }
}

#[tokio::test]
async fn every_call_is_set_aside_before_and_settled_after() {
    let ledger = Arc::new(Ledger { room: Mutex::new(5), ..Ledger::default() });
    let budget = Arc::clone(&ledger);
    let play = Play::with(move |model| model.budget = budget);
    *ledger.clock.lock().unwrap() = Some(Arc::clone(&play.clock));
    play.turn("a", "src/a.rs").await;
    play.script.then(Act::Refuse(Refusal::new(RefusalKind::RateLimited, "x").with_status(429)));
    play.script.then(Act::Refuse(Refusal::new(RefusalKind::Unavailable, "x")));
    for _ in 0..4 {
        play.work().await;
        play.pass(60_000);
    }
    assert_eq!(
        *ledger.lines.lock().unwrap(),
        [
            "reserve turn",
            "settle 1 nothing",
            "reserve turn",
            "settle 3 unknown",
            "reserve turn",
            "settle 5 used 110"
        ]
    );
}

#[tokio::test]
async fn at_the_cap_the_queue_waits_and_the_rules_serve() {
    let ledger = Arc::new(Ledger { room: Mutex::new(1), ..Ledger::default() });
    let budget = Arc::clone(&ledger);
    let play = Play::with(move |model| model.budget = budget);
    *ledger.clock.lock().unwrap() = Some(Arc::clone(&play.clock));
    for session in ["a", "b", "c"] {
        play.turn(session, "src/a.rs").await;
    }
    for _ in 0..5 {
        play.work().await;
    }
    assert_eq!(play.script.calls(), 1);
    assert_eq!(*ledger.lines.lock().unwrap(), ["reserve turn", "settle 1 used 110", "over"]);
    let jobs = play.engine.jobs().await.unwrap();
    assert!(jobs.held.unwrap().contains("cap of the day"));
    assert_eq!(play.observations().await.len(), 3, "every turn is told");
    *ledger.room.lock().unwrap() = 9;
    play.pass(3_600_000);
    play.prompt("d", "The next day").await;
    play.work().await;
    assert_eq!(play.script.calls(), 3);
    assert_eq!(Purpose::Turn.word(), "turn");
}
