//! Working off what is to be inferred.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use afterword_store::contract::{
    Change, FactChange, KeptFact, ReceiptLine, ReceiptOutcome, ReceiptStatus,
};
use serde_json::Value;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::infer::InferRequest;
use crate::worker::rest;
use crate::{Engine, Error, Result};

/// How long the worker waits after the store itself failed.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// Milliseconds before a request is tried again that failed at no fault of its own.
const RETRY_MS: i64 = 5_000;

/// How often somebody who waits looks for what another server made of a request.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Requests to add memories that wait, for whoever works on them and whoever waits for them.
#[derive(Debug, Default)]
pub(crate) struct Adding {
    /// Something waits.
    pub(super) work: Notify,
    /// Something is done.
    done: Notify,
    /// Requests that somebody worked on who went away.
    left: Mutex<Vec<Uuid>>,
}

/// Gives a request back to the background where it is not worked on to its end.
struct InHand<'e> {
    adding: &'e Adding,
    uid: Option<Uuid>,
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        if let Some(uid) = self.uid {
            self.adding.left.lock().unwrap_or_else(PoisonError::into_inner).push(uid);
            self.adding.work.notify_one();
        }
    }
}

impl Engine {
    /// Works off requests to add memories until `stop` turns true; sleeps until one comes or is due.
    /// Those that an earlier process left are taken up first.
    pub(crate) async fn run_adding(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut left_claimed = true;
        while !*stop.borrow() {
            let pause = match self.work_off(&mut left_claimed).await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(%error, "requests to add memories cannot be worked on");
                    Some(STORE_PAUSE)
                }
            };
            rest(&self.adding.work, pause, &mut stop).await;
        }
    }

    /// Works on everything that is due; how long until more is.
    async fn work_off(&self, left_claimed: &mut bool) -> Result<Option<Duration>> {
        if *left_claimed {
            self.store.release_receipts().await?;
            *left_claimed = false;
        }
        loop {
            self.take_back().await?;
            let Some((uid, asked)) = self.store.claim_receipt(None, self.clock.now()).await? else {
                break;
            };
            self.work_now(uid, asked).await?;
        }
        Ok(self.store.next_receipt_at().await?.map(|at| self.until(at)))
    }

    /// Lets requests wait again that somebody went away from.
    async fn take_back(&self) -> Result<()> {
        let left = || self.adding.left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(uid) = left() {
            let now = self.clock.now();
            let again = ReceiptOutcome::Again("whoever waited for it went away".to_owned(), now);
            if let Err(error) = self.store.settle_receipt(uid, again, now).await {
                self.adding.left.lock().unwrap_or_else(PoisonError::into_inner).push(uid);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Works on a claimed request. What fails at no fault of its own waits again, or is noted as
    /// failed; errors only where that cannot be noted.
    pub(super) async fn work_now(&self, uid: Uuid, asked: Value) -> Result<()> {
        let _busy = self.live.begin_work();
        let mut hand = InHand { adding: &self.adding, uid: Some(uid) };
        let outcome = match serde_json::from_value::<InferRequest>(asked) {
            Err(error) => Err(Error::Invalid(format!("the request cannot be read: {error}"))),
            Ok(request) => self.infer(&request).await.map(|inferred| inferred.facts),
        };
        let now = self.clock.now();
        let (outcome, facts) = match outcome {
            Ok(facts) => (ReceiptOutcome::Done(facts.iter().map(line).collect()), facts),
            Err(Error::Store(error)) => {
                tracing::warn!(%error, "a request to add memories is tried again");
                let retry_at = now.plus_millis(RETRY_MS);
                (ReceiptOutcome::Again(error.to_string(), retry_at), Vec::new())
            }
            Err(error) => (ReceiptOutcome::Failed(error.to_string()), Vec::new()),
        };
        let settled = self.store.settle_receipt(uid, outcome, now).await?;
        if !settled {
            self.undo(&facts).await?;
        }
        hand.uid = None;
        self.adding.work.notify_one();
        self.adding.done.notify_waiters();
        Ok(())
    }

    /// Forgets what came of a request that was dropped while it was worked on.
    async fn undo(&self, facts: &[KeptFact]) -> Result<()> {
        let new = facts.iter().filter(|fact| fact.change != FactChange::Repeated);
        let uids: Vec<Uuid> = new.map(|fact| fact.memory.uid).collect();
        self.delete_memories(&uids).await.map(drop)
    }

    /// Waits until a request is done or has failed, whoever works on it.
    pub(super) async fn wait_for(&self, uid: Uuid) -> Result<()> {
        loop {
            let done = self.adding.done.notified();
            let receipt = self.store.receipt(uid).await?;
            let waits = receipt.is_some_and(|receipt| {
                matches!(receipt.status, ReceiptStatus::Pending | ReceiptStatus::Running)
            });
            if !waits {
                return Ok(());
            }
            // Another server tells nobody here.
            let _ = tokio::time::timeout(LOOK_AGAIN, done).await;
        }
    }
}

fn line(fact: &KeptFact) -> ReceiptLine {
    ReceiptLine {
        memory: fact.memory.uid,
        change: match fact.change {
            FactChange::Added => Change::Add,
            FactChange::Superseded => Change::Update,
            FactChange::Repeated => Change::None,
        },
        superseded: fact.superseded.iter().map(|memory| memory.uid).collect(),
    }
}
