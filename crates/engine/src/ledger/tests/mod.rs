mod whole;

use std::path::Path;
use std::sync::{Arc, Mutex};

use afterword_domain::day::Day;
use afterword_domain::wire::spend::SpendBy;
use afterword_domain::wire::status::Stopped;
use afterword_domain::{Clock, Time};
use afterword_store::sqlite::SqliteStore;

use super::{Ledger, NoPrices, PriceList, SpendLimits};
use crate::distill::model::budget::{Budget as _, Call, Charge, Over, Purpose, Reservation};
use crate::provider::Usage;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Noon of some day.
const NOON: i64 = 20_787 * DAY_MS + DAY_MS / 2;

/// A clock that a test sets.
#[derive(Debug)]
struct Hands(Mutex<Time>);

impl Hands {
    fn set(&self, ms: i64) {
        *self.0.lock().unwrap() = Time::from_millis(ms);
    }
}

impl Clock for Hands {
    fn now(&self) -> Time {
        *self.0.lock().unwrap()
    }
}

#[derive(Debug)]
struct OnePrice;

impl PriceList for OnePrice {
    fn bound(&self, _: &str, model: &str, input: u64, output: u64) -> Option<u64> {
        (model == "priced").then_some(input + 5 * output)
    }

    fn cost(&self, _: &str, model: &str, usage: &Usage) -> Option<u64> {
        (model == "priced").then_some(usage.input_tokens + 5 * usage.output_tokens)
    }
}

fn ledger(path: &Path, limits: SpendLimits) -> (Arc<Ledger>, Arc<Hands>) {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    let clock = Arc::new(Hands(Mutex::new(Time::from_millis(NOON))));
    let prices: Arc<dyn PriceList> =
        if limits.cost.is_some() { Arc::new(OnePrice) } else { Arc::new(NoPrices) };
    (Ledger::new(store, Arc::clone(&clock) as Arc<dyn Clock>, limits, prices), clock)
}

fn limits(tokens: u64) -> SpendLimits {
    SpendLimits { tokens, session_tokens: tokens, ..SpendLimits::default() }
}

fn call(input_tokens: u64, max_output_tokens: u64) -> Call {
    Call {
        provider: "anthropic".to_owned(),
        model: "priced".to_owned(),
        purpose: Purpose::Turn,
        project_id: None,
        session_id: None,
        input_tokens,
        max_output_tokens,
        backlog: false,
    }
}

fn used(input_tokens: u64, output_tokens: u64) -> Charge {
    Charge::Used(Usage { input_tokens, output_tokens, ..Usage::default() })
}

fn midnight() -> Time {
    Day::of(Time::from_millis(NOON)).plus(1).begins()
}

#[tokio::test]
async fn at_the_cap_calls_wait_until_the_next_day_and_the_person_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let (ledger, clock) = self::ledger(&path, limits(1_000));
    let first = ledger.reserve(&call(600, 300)).await.unwrap();
    ledger.settle(first, used(500, 100)).await.unwrap();
    let Err(Over::Day { until, .. }) = ledger.reserve(&call(300, 101)).await else { panic!() };
    assert_eq!(until, midnight());
    let today = ledger.today().await.unwrap();
    assert_eq!((today.tokens_today, today.open_tokens), (600, 0));
    assert_eq!(today.models[0].name, "anthropic/priced");
    let stopped = today.stopped.unwrap();
    assert_eq!(stopped.until, Some(until));
    assert!(stopped.why.contains("the cap of 1,000 tokens a day is reached"), "{stopped:?}");
    assert!(ledger.tell(&stopped.why).await.unwrap());
    assert!(!ledger.tell(&stopped.why).await.unwrap(), "once");
    drop(ledger);
    let (ledger, again) = self::ledger(&path, limits(1_000));
    assert_eq!(ledger.stopped().await.unwrap().as_ref(), Some(&stopped), "after a restart, too");
    assert!(!ledger.tell(&stopped.why).await.unwrap());
    again.set(NOON + DAY_MS / 2 - 1);
    assert!(ledger.stopped().await.unwrap().is_some());
    again.set(NOON + DAY_MS / 2);
    assert_eq!(ledger.stopped().await.unwrap(), None, "the next day has begun");
    ledger.reserve(&call(1_000, 0)).await.unwrap();
    assert!(ledger.reserve(&call(1, 0)).await.is_err());
    let stopped = ledger.stopped().await.unwrap().unwrap();
    assert!(ledger.tell(&stopped.why).await.unwrap(), "another day is told again");
    drop(clock);
}

#[tokio::test]
async fn a_call_that_is_let_through_ends_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _clock) = ledger(&folder.path().join("afterword.db"), limits(1_000));
    assert!(matches!(ledger.reserve(&call(2_000, 0)).await, Err(Over::Day { .. })));
    let stopped = ledger.stopped().await.unwrap().unwrap();
    assert!(stopped.why.contains("one call may use 2,000 tokens"), "{stopped:?}");
    assert!(stopped.remedy.contains("daily_tokens"));
    ledger.reserve(&call(10, 0)).await.unwrap();
    assert_eq!(ledger.stopped().await.unwrap(), None);
    let refused = Stopped { why: "the key is wrong".to_owned(), ..Stopped::default() };
    ledger.note_stopped(refused.clone()).await.unwrap();
    assert_eq!(ledger.stopped().await.unwrap(), Some(refused));
    ledger.reserve(&call(10, 0)).await.unwrap();
    assert_eq!(ledger.stopped().await.unwrap(), None);
}

#[tokio::test]
async fn a_cap_of_cost_is_kept_or_said_to_be_impossible() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SpendLimits { cost: Some(1_000), ..limits(1_000_000) };
    let (ledger, _clock) = ledger(&folder.path().join("afterword.db"), limits);
    let unknown = Call { model: "who".to_owned(), ..call(1, 1) };
    let Err(Over::Price { model }) = ledger.reserve(&unknown).await else { panic!() };
    assert_eq!(model, "who");
    let stopped = ledger.stopped().await.unwrap().unwrap();
    assert_eq!(stopped.until, None, "nothing but a person ends it");
    assert!(stopped.why.contains("'who'") && stopped.remedy.contains("prices.toml"));
    let first = ledger.reserve(&call(500, 100)).await.unwrap();
    let Err(Over::Day { until, .. }) = ledger.reserve(&call(1, 0)).await else { panic!() };
    assert_eq!(until, midnight());
    let stopped = ledger.stopped().await.unwrap().unwrap();
    assert!(stopped.why.contains("the cap of $0.001 a day is reached"), "{stopped:?}");
    ledger.settle(first, Charge::Nothing).await.unwrap();
    let second = ledger.reserve(&call(500, 100)).await.unwrap();
    assert_eq!(ledger.today().await.unwrap().cost_today_micros, 1_000);
    let cached =
        Usage { input_tokens: 100, cache_read_tokens: 300, output_tokens: 2, ..Usage::default() };
    ledger.settle(second, Charge::Used(cached)).await.unwrap();
    let today = ledger.today().await.unwrap();
    assert_eq!((today.cost_today_micros, today.tokens_today), (110, 402));
}

#[tokio::test]
async fn a_session_and_a_backlog_wait_alone_and_stop_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let limits = SpendLimits { backlog_tokens: 50, ..limits(1_000) };
    let (ledger, _clock) = ledger(&folder.path().join("afterword.db"), limits);
    let backlog = Call { backlog: true, ..call(51, 0) };
    let Err(Over::Backlog { until }) = ledger.reserve(&backlog).await else { panic!() };
    assert_eq!(until, midnight());
    assert_eq!(ledger.stopped().await.unwrap(), None);
    ledger.reserve(&call(51, 0)).await.unwrap();
}

#[tokio::test]
async fn a_count_that_cannot_be_is_none_and_one_above_is_charged() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _clock) = ledger(&folder.path().join("afterword.db"), limits(1_000));
    for (charge, left) in [
        (used(0, 0), 900),
        (Charge::Unknown, 800),
        (Charge::Nothing, 800),
        (used(400, 0), 400),
        (used(u64::MAX, u64::MAX), 0),
    ] {
        let reservation = ledger.reserve(&call(60, 40)).await.unwrap();
        ledger.settle(reservation, charge).await.unwrap();
        let tokens = ledger.today().await.unwrap().tokens_today;
        assert_eq!(1_000_u64.saturating_sub(tokens), left, "{charge:?}");
    }
    assert!(matches!(ledger.reserve(&call(1, 0)).await, Err(Over::Day { .. })));
    ledger.settle(Reservation(1), Charge::Nothing).await.unwrap();
    assert!(ledger.today().await.unwrap().tokens_today > 1_000, "settled once");
}

#[tokio::test]
async fn a_report_goes_back_over_days() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, clock) = ledger(&folder.path().join("afterword.db"), limits(10_000));
    for day in 0..5 {
        clock.set(NOON + day * DAY_MS);
        ledger.reserve(&call(100, 0)).await.unwrap();
    }
    for (days, calls) in [(0, 1), (1, 1), (3, 3), (u32::MAX, 5_usize)] {
        let report = ledger.report(SpendBy::Day, days).await.unwrap();
        assert_eq!((report.total.calls, report.lines.len()), (calls as u64, calls), "{days}");
        assert_eq!(report.to, Day::of(clock.now()));
    }
}
