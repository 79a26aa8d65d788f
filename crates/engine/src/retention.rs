//! What stays of raw payloads. Distilled rows stay for ever; the payloads behind them, which are
//! most of the bytes, stay within an age and a size.

use std::sync::atomic::{AtomicI64, Ordering};

use afterword_domain::Time;
use afterword_store::contract::{PayloadLimits, Trimmed};

use crate::{Engine, Result};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// How often payloads that grow old are looked for, in milliseconds.
const AGE_EVERY_MS: i64 = 60 * 60 * 1000;

/// Days for which payloads stay beyond the limits because a model has not read their turn.
const HELD_DAYS: i64 = 7;

/// Payloads that one transaction takes away: hooks wait for it.
const AT_ONCE: usize = 200;

/// Limits of raw payloads; a zero is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days that a payload is kept.
    pub days: u32,
    /// Megabytes (of 1,000,000 bytes) of payloads that are kept, the newest of them.
    pub megabytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 90, megabytes: 512 }
    }
}

impl Retention {
    fn limits(self, now: Time) -> PayloadLimits {
        let days = (self.days > 0).then(|| now.plus_millis(-i64::from(self.days) * DAY_MS));
        let bytes = (self.megabytes > 0).then(|| self.megabytes.saturating_mul(1_000_000));
        let held_since = Some(now.plus_millis(-HELD_DAYS * DAY_MS));
        PayloadLimits { before: days, bytes, held_since, most: AT_ONCE }
    }
}

/// When payloads were last looked through for their age.
#[derive(Debug)]
pub(crate) struct Tidied(AtomicI64);

impl Default for Tidied {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Tidied {
    /// Whether it is time again; notes that it was done.
    fn is_due(&self, now: Time) -> bool {
        let last = self.0.load(Ordering::Relaxed);
        let due = now.millis().saturating_sub(last) >= AGE_EVERY_MS;
        if due {
            self.0.store(now.millis(), Ordering::Relaxed);
        }
        due
    }
}

impl Engine {
    /// Deletes raw payloads that are too old, or too many, oldest first; distilled rows and counts
    /// stay. Age is looked at once an hour, size whenever this is called.
    ///
    /// Also called between turns, so that a queue that never empties cannot outgrow the limits.
    pub async fn trim_payloads(&self) -> Result<Trimmed> {
        let now = self.clock.now();
        let mut limits = self.settings.retention.limits(now);
        if !self.tidied.is_due(now) {
            limits.before = None;
        }
        let mut all = Trimmed::default();
        loop {
            let step = self.store.trim_payloads(limits).await?;
            all.events += step.events;
            all.bytes += step.bytes;
            all.left = step.left;
            if step.events < AT_ONCE as u64 {
                break;
            }
        }
        if all.events > 0 {
            tracing::info!(events = all.events, bytes = all.bytes, "raw payloads were deleted");
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e9_a_zero_is_no_limit_and_age_is_looked_at_once_an_hour() {
        let now = Time::from_millis(100 * DAY_MS);
        let none = Retention { days: 0, megabytes: 0 }.limits(now);
        assert_eq!((none.before, none.bytes), (None, None));
        let some = Retention { days: 90, megabytes: 2 }.limits(now);
        assert_eq!(some.before, Some(Time::from_millis(10 * DAY_MS)));
        assert_eq!(some.bytes, Some(2_000_000));
        let tidied = Tidied::default();
        assert!(tidied.is_due(now));
        assert!(!tidied.is_due(now.plus_millis(AGE_EVERY_MS - 1)));
        assert!(tidied.is_due(now.plus_millis(AGE_EVERY_MS)));
    }
}
