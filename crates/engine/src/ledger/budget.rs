//! The ledger as the model's worker asks it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use afterword_domain::Clock;
use afterword_domain::day::Day;
use afterword_domain::wire::status::Stopped;
use afterword_store::Store;
use afterword_store::contract::{Limit, NewAnswer, NewSpend, Reserved, Settled, SpendLimits};
use async_trait::async_trait;

use super::prices::PriceList;
use super::stop;
use crate::distill::model::budget::{Budget, Call, Charge, Over, Purpose, Reservation};

/// Keeps the caps, and the count of what was spent.
///
/// The caps hold over restarts and over any number of processes on one store. They are passed only
/// by a provider that says it used more than it was asked for; that is charged, too.
#[derive(Debug)]
pub struct Ledger {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) limits: SpendLimits,
    prices: Arc<dyn PriceList>,
    /// Provider and model of calls that are out.
    out: Mutex<HashMap<i64, (String, String)>>,
    /// What stops all calls until a person does something; gone with the process.
    pub(super) standing: Mutex<Option<Stopped>>,
    /// Whether something may be noted as stopping all calls.
    pub(super) may_be_stopped: AtomicBool,
}

impl Ledger {
    /// A ledger on a store.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        limits: SpendLimits,
        prices: Arc<dyn PriceList>,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            limits,
            prices,
            out: Mutex::default(),
            standing: Mutex::new(None),
            may_be_stopped: AtomicBool::new(true),
        })
    }

    /// What may be spent.
    pub const fn limits(&self) -> &SpendLimits {
        &self.limits
    }

    /// Whether the cost of calls to a model can be kept within a cap.
    pub fn knows_price(&self, provider: &str, model: &str) -> bool {
        self.prices.bound(provider, model, 1, 1).is_some()
    }

    fn new_spend(&self, call: &Call) -> NewSpend {
        NewSpend {
            at: self.clock.now(),
            provider: call.provider.clone(),
            model: call.model.clone(),
            purpose: call.purpose.word().to_owned(),
            project_id: call.project_id,
            session_id: call.session_id,
            input_tokens: call.input_tokens,
            output_tokens: call.max_output_tokens,
            cost: self.prices.bound(
                &call.provider,
                &call.model,
                call.input_tokens,
                call.max_output_tokens,
            ),
            backlog: call.backlog,
        }
    }

    /// Notes what stops all calls, and says no.
    async fn refuse(&self, new: &NewSpend, limit: Limit, day: Day) -> Over {
        let until = day.plus(1).begins();
        let stopped = match limit {
            Limit::Session => return Over::Session { until },
            Limit::Backlog => return Over::Backlog { until },
            Limit::Tokens => stop::at_tokens(new, &self.limits, until),
            Limit::Cost => stop::at_cost(new, &self.limits, until),
            Limit::Price => stop::without_price(new),
        };
        if let Err(error) = self.note_stopped(stopped).await {
            tracing::warn!(%error, "what stops the model cannot be noted");
        }
        match limit {
            Limit::Price => Over::Price { model: new.model.clone() },
            Limit::Cost => {
                let fits = new.cost.unwrap_or_default() <= self.limits.cost.unwrap_or_default();
                Over::Day { until, fits }
            }
            _ => Over::Day { until, fits: new.most() <= self.limits.tokens },
        }
    }
}

#[async_trait]
impl Budget for Ledger {
    async fn reserve(&self, call: &Call) -> Result<Reservation, Over> {
        let new = self.new_spend(call);
        let reserved = self.store.reserve_spend(&new, &self.limits).await;
        match reserved.map_err(|error| Over::Unwritten(error.into()))? {
            Reserved::Over { limit, day } => Err(self.refuse(&new, limit, day).await),
            Reserved::Within(id) => {
                // A small test fits where the calls that stopped do not.
                if call.purpose != Purpose::Test
                    && self.may_be_stopped.swap(false, Ordering::AcqRel)
                    && let Err(error) = self.clear_stopped().await
                {
                    self.may_be_stopped.store(true, Ordering::Release);
                    tracing::warn!(%error, "what stopped the model cannot be cleared");
                }
                let named = (new.provider, new.model);
                self.out.lock().unwrap_or_else(PoisonError::into_inner).insert(id, named);
                Ok(Reservation(id))
            }
        }
    }

    async fn settle(&self, reservation: Reservation, charge: Charge) -> crate::Result<()> {
        let settled = self.settled(&reservation, charge);
        let first = self.store.settle_spend(reservation.0, settled).await?;
        warn_unless(first, reservation.0);
        Ok(())
    }

    async fn settle_keeping(
        &self,
        reservation: Reservation,
        charge: Charge,
        answer: NewAnswer,
    ) -> crate::Result<()> {
        let settled = self.settled(&reservation, charge);
        let first = self.store.settle_with_answer(reservation.0, settled, answer).await?;
        warn_unless(first, reservation.0);
        Ok(())
    }
}

impl Ledger {
    fn settled(&self, reservation: &Reservation, charge: Charge) -> Settled {
        let named = self.out.lock().unwrap_or_else(PoisonError::into_inner).remove(&reservation.0);
        match charge {
            Charge::Unknown => Settled::Unknown,
            // No request is read for nothing: such a count is none.
            Charge::Used(usage) if usage.input_total() == 0 => Settled::Unknown,
            Charge::Used(usage) => Settled::Used {
                input_tokens: usage.input_total(),
                output_tokens: usage.output_tokens,
                cost: named.and_then(|(by, model)| self.prices.cost(&by, &model, &usage)),
            },
            Charge::Nothing => Settled::Nothing,
        }
    }
}

fn warn_unless(first: bool, reservation: i64) {
    if !first {
        tracing::warn!(reservation, "a call was settled before");
    }
}
