//! The process ends between an answer's charge and its use.

use std::sync::{Arc, OnceLock};

use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_store::contract::NewAnswer;
use async_trait::async_trait;
use tokio::sync::Notify;

use super::play::{Play, answer};
use crate::Result;
use crate::distill::model::budget::{Budget, Call, Charge, Over, Reservation};
use crate::ledger::Ledger;
use crate::model_worker::IDLE_MS;
use crate::model_worker::run::{DRAIN_MS, LIVES_MS};

/// A ledger whose process ends as soon as an answer is charged.
#[derive(Debug, Default)]
struct Ends {
    ledger: OnceLock<Arc<Ledger>>,
    charged: Notify,
}

impl Ends {
    fn ledger(&self) -> &Ledger {
        self.ledger.get().unwrap()
    }
}

#[async_trait]
impl Budget for Ends {
    async fn reserve(&self, call: &Call) -> Result<Reservation, Over> {
        self.ledger().reserve(call).await
    }

    async fn settle(&self, reservation: Reservation, charge: Charge) -> Result<()> {
        self.ledger().settle(reservation, charge).await
    }

    async fn settle_keeping(
        &self,
        reservation: Reservation,
        charge: Charge,
        answer: NewAnswer,
    ) -> Result<()> {
        self.ledger().settle_keeping(reservation, charge, answer).await?;
        self.charged.notify_one();
        std::future::pending().await
    }
}

/// A play whose process ends after the first answer.
fn ending() -> (Play, Arc<Ends>) {
    let ends = Arc::new(Ends::default());
    let budget = Arc::clone(&ends);
    let play = Play::with(move |model| model.budget = budget);
    ends.ledger.set(Arc::clone(play.engine.ledger())).unwrap();
    (play, ends)
}

impl Play {
    async fn work_until_it_ends(&self, ends: &Ends) {
        tokio::select! {
            () = self.work_as_a_process() => panic!("it ends before"),
            () = ends.charged.notified() => {}
        }
    }

    async fn tokens(&self) -> u64 {
        self.engine.ledger().today().await.unwrap().tokens_today
    }
}

#[tokio::test]
async fn i12_the_next_process_saves_what_was_paid_for() {
    let (play, ends) = ending();
    play.turn("a", "src/a.rs").await;
    play.rules().await;
    play.script.say(&answer("Paid once", "2", "feature"));
    play.work_until_it_ends(&ends).await;
    assert!(play.observations().await.iter().all(|row| row.source == Source::Rules));
    drop(ends);
    let play = play.restart();
    // More of the turn comes that the answer knows nothing of, and nobody works any more.
    play.edit("a", "src/late.rs").await;
    play.rules().await;
    play.pass(LIVES_MS + DRAIN_MS);
    play.work_as_a_process().await;
    play.rules().await;
    assert_eq!((play.script.calls(), play.tokens().await), (1, 110));
    let rows = play.observations().await;
    let paid = rows.iter().find(|row| row.content.title == "Paid once").unwrap();
    assert_eq!(paid.source, Source::Provider);
    assert!(paid.content.files_modified.contains(&"src/a.rs".to_owned()), "its evidence is known");
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 1);
    let late = rows.iter().any(|row| row.content.files_modified == ["src/late.rs"]);
    assert!(late, "what came later is told by rules: {:?}", play.titles().await);
}

#[tokio::test]
async fn i12_a_session_too() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.turn("a", "src/b.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 2);
    let ends = Arc::new(Ends::default());
    let budget = Arc::clone(&ends);
    let play = play.restart_with(move |model| model.budget = budget);
    ends.ledger.set(Arc::clone(play.engine.ledger())).unwrap();
    play.pass(IDLE_MS);
    play.script.say("<summary><request>All of it</request><completed>two</completed></summary>");
    play.work_until_it_ends(&ends).await;
    drop(ends);
    let play = play.restart();
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 3);
    let session = play.engine.store().recent_summaries(Scope::All, SummaryLevel::Session, 1);
    assert_eq!(session.await.unwrap()[0].content.request, "All of it");
}

#[tokio::test]
async fn i12_garbage_that_was_paid_for_costs_its_try_and_no_more() {
    let (play, ends) = ending();
    play.turn("a", "src/a.rs").await;
    play.rules().await;
    play.script.say("lorem ipsum");
    play.work_until_it_ends(&ends).await;
    drop(ends);
    let play = play.restart();
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 1);
    let jobs = play.engine.jobs().await.unwrap().jobs;
    let job = jobs.iter().find(|job| job.error.is_some()).unwrap();
    assert_eq!((job.attempts, job.state.as_str()), (1, "waiting"));
    play.pass(60_000);
    play.work_as_a_process().await;
    assert_eq!(play.script.calls(), 2, "as after any garbage");
}
