//! What a call without an answer means for the provider as a whole, whoever asked.

use crate::distill::model::Model;
use crate::distill::model::answer::Prose;
use crate::provider::{Refusal, RefusalKind};
use crate::{Engine, Result};

use super::hold::{outage, spread, wait};

/// How long the provider is left alone that says in prose that an account is used up, or may not
/// be used, in milliseconds.
const PROSE_MS: i64 = 30 * 60_000;

/// The shortest wait after a provider was asked too often and did not say how long, in milliseconds.
const PAUSE_MS: i64 = 30_000;

/// A quarter of this is the most by which a wait that the provider asks for is made longer.
const SPREAD_MS: f64 = 8_000.0;

/// Questions in a row that are turned away with the same words, after which it is no question that
/// is at fault.
const SAME_IN_A_ROW: u32 = 3;

/// Calls in a row that came too often, after which the provider counts as one that does not work.
const LIMITED_IN_A_ROW: i32 = 3;

/// What it means for the question itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heeded {
    /// Milliseconds for which the provider is left alone.
    pub(crate) after_ms: i64,
    /// Whether the question has lost a try.
    pub(crate) counts: bool,
}

impl Engine {
    /// Leaves the provider alone as long as a refusal wants it, and stops it where only a person can
    /// help.
    pub(crate) async fn heed(&self, model: &Model, refusal: &Refusal) -> Result<Heeded> {
        let hold = &self.model_work.hold;
        let now = self.clock.now();
        let told =
            format!("{}: {} ({})", model.provider.name(), refusal.message, refusal.kind.name());
        let asked = refusal.retry_after.and_then(|w| i64::try_from(w.as_millis()).ok());
        let mut heeded = Heeded { after_ms: 0, counts: true };
        match refusal.kind {
            RefusalKind::Auth | RefusalKind::Payment | RefusalKind::Misconfigured => {
                heeded.counts = false;
                self.stop_provider(&told, refusal.remedy());
            }
            RefusalKind::RateLimited => {
                heeded.counts = false;
                let in_a_row = hold.failed();
                let own = spread(wait(in_a_row), (model.chance)());
                if in_a_row >= LIMITED_IN_A_ROW {
                    hold.note_failing(now, &told, false);
                }
                // Never earlier than the provider wants it, and then not all at once; and later
                // every time, whatever it says.
                let more = spread(SPREAD_MS, (model.chance)()) - spread(SPREAD_MS, 0.0);
                let wanted = asked.map_or(PAUSE_MS, |ms| ms.saturating_add(more));
                heeded.after_ms = own.max(wanted);
                self.hold_until(model, now.plus_millis(heeded.after_ms), told).await?;
            }
            RefusalKind::Unavailable => {
                let in_a_row = hold.failed();
                // An outage parks nothing: what never ran costs no try, and what may have run costs
                // one only where the provider has answered others since.
                heeded.counts = refusal.may_cost() && in_a_row == 1;
                let own = if refusal.may_cost() { outage(in_a_row) } else { wait(in_a_row) };
                heeded.after_ms = spread(own, (model.chance)()).max(asked.unwrap_or(0));
                hold.note_failing(now, &told, false);
                hold.pause(now.plus_millis(heeded.after_ms), told);
            }
            RefusalKind::Refused if matches!(refusal.status, Some(400..=499)) => {
                if hold.turned_away(&refusal.message) >= SAME_IN_A_ROW {
                    self.stop_provider(&told, RefusalKind::Misconfigured.remedy());
                }
            }
            RefusalKind::Overflow | RefusalKind::Refused | RefusalKind::Unusable => {}
        }
        Ok(heeded)
    }

    fn stop_provider(&self, told: &str, remedy: &str) {
        self.model_work.hold.stop(format!(
            "{told}; {remedy}, then run 'afterword daemon restart', or 'afterword jobs retry' where \
             no setting was changed"
        ));
    }

    /// The same for an answer in prose: how long the provider is left alone, where it is. The try
    /// counts: what a turn is about may sound like it.
    pub(crate) async fn heed_prose(&self, model: &Model, prose: Prose) -> Result<Option<i64>> {
        let error = match prose {
            Prose::Quota => QUOTA,
            Prose::Auth => AUTH,
            Prose::Noise | Prose::Overflow | Prose::Refusal => return Ok(None),
        };
        let now = self.clock.now();
        let told = format!("{}: {error}", model.provider.name());
        self.model_work.hold.note_failing(now, &told, prose == Prose::Auth);
        self.hold_until(model, now.plus_millis(PROSE_MS), told).await?;
        Ok(Some(PROSE_MS))
    }
}

/// What such an answer says.
pub(super) const QUOTA: &str = "the model's account is used up, by its own words";
pub(super) const AUTH: &str = "the model's account may not be used, by its own words";
