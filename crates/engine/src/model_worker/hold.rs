//! When and why the provider is left alone.

use std::sync::{Mutex, PoisonError};

use afterword_domain::Time;

use crate::distill::model::Model;
use crate::{Engine, Result};

/// The setting under which the end of a hold outlives the process.
const KEPT: &str = "model.held_until";

/// First and longest wait after a failure, in milliseconds.
const FIRST_MS: f64 = 2_000.0;
const LONGEST_MS: f64 = 600_000.0;

/// The first wait once the provider has answered nobody [`OUTAGE`] times in a row, in milliseconds:
/// each of these calls may be charged.
const OUTAGE_MS: f64 = 60_000.0;
const OUTAGE: i32 = 3;

/// How long the provider may answer nobody before a person is told, in milliseconds.
const FAILING_LIMIT_MS: i64 = 10 * 60_000;

/// Why and until when the provider is left alone.
#[derive(Debug, Default)]
pub(crate) struct Hold(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    held: Option<Held>,
    /// Calls in a row that the provider did not answer.
    failures: i32,
    /// Questions in a row that were turned away in the same words, and those words.
    turned_away: (u32, String),
    /// Until then nothing is sent while no session lives: the budget for it is used up.
    backlog_rests: Option<Time>,
    /// What came instead of an answer since the last one.
    failing: Option<Failing>,
}

/// What comes instead of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failing {
    /// When that began.
    pub(super) since: Time,
    /// What came last, for people.
    pub(super) why: String,
    /// Whether only a person can mend it.
    pub(super) needs_a_person: bool,
}

impl Failing {
    /// For people.
    pub(super) fn told(&self) -> String {
        format!("{}; no answer since {}", self.why, self.since.rfc3339())
    }

    /// Whether a person is to be told without asking.
    pub(super) fn lasts(&self, now: Time) -> bool {
        self.needs_a_person || now.millis() - self.since.millis() > FAILING_LIMIT_MS
    }
}

#[derive(Clone, Debug)]
struct Held {
    /// Until then; none: until a person does something.
    until: Option<Time>,
    reason: String,
}

impl Hold {
    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// None when the provider may be asked at `now`; else until when not, if time ends it.
    #[expect(clippy::option_option, reason = "held or not, and with or without an end")]
    pub(super) fn until(&self, now: Time) -> Option<Option<Time>> {
        self.with(|state| {
            let held = state.held.as_ref()?;
            if held.until.is_some_and(|until| until <= now) {
                state.held = None;
                return None;
            }
            Some(held.until)
        })
    }

    /// What holds the provider back at `now`, for people.
    pub(crate) fn told(&self, now: Time) -> Option<String> {
        self.with(|state| {
            let held = state.held.as_ref()?;
            match held.until {
                None => Some(held.reason.clone()),
                Some(until) if until > now => {
                    Some(format!("{}; asked again at {}", held.reason, until.rfc3339()))
                }
                Some(_) => None,
            }
        })
    }

    /// Whether only a person can end it.
    pub(super) fn needs_a_person(&self, now: Time) -> bool {
        self.until(now) == Some(None)
    }

    /// Holds the provider until a person does something.
    pub(super) fn stop(&self, reason: String) {
        tracing::warn!(reason, "the model is not asked any more");
        self.with(|state| state.held = Some(Held { until: None, reason }));
    }

    /// Holds the provider until then.
    pub(super) fn pause(&self, until: Time, reason: String) {
        self.with(|state| state.held = Some(Held { until: Some(until), reason }));
    }

    /// Sends nothing until then while no session lives.
    pub(super) fn rest_backlog(&self, until: Time) {
        self.with(|state| state.backlog_rests = Some(until));
    }

    /// Until when nothing is sent at `now` while no session lives; none where something may be.
    pub(super) fn backlog_rests(&self, now: Time) -> Option<Time> {
        self.with(|state| state.backlog_rests.filter(|until| now < *until))
    }

    /// Notes a call that the provider did not answer; how many were in a row.
    pub(super) fn failed(&self) -> i32 {
        self.with(|state| {
            state.failures = state.failures.saturating_add(1);
            state.failures
        })
    }

    /// Notes what came instead of an answer.
    pub(super) fn note_failing(&self, now: Time, why: &str, needs_a_person: bool) {
        self.with(|state| {
            let since = state.failing.as_ref().map_or(now, |failing| failing.since);
            state.failing = Some(Failing { since, why: why.to_owned(), needs_a_person });
        });
    }

    /// What comes instead of answers; none where the last call was answered.
    pub(super) fn failing(&self) -> Option<Failing> {
        self.with(|state| state.failing.clone())
    }

    /// Notes a question that was turned away as one that cannot be answered; how many were in a row,
    /// in the same words but for numbers.
    pub(super) fn turned_away(&self, message: &str) -> u32 {
        let words: String = message.chars().filter(|c| !c.is_ascii_digit()).collect();
        self.with(|state| {
            let (times, known) = &mut state.turned_away;
            *times = if *known == words { times.saturating_add(1) } else { 1 };
            *known = words;
            *times
        })
    }

    /// Notes a call that was answered.
    pub(crate) fn answered(&self) {
        self.with(|state| {
            state.failures = 0;
            state.failing = None;
            state.turned_away = (0, String::new());
        });
    }
}

/// Whom a hold is about.
fn asked(model: &Model) -> String {
    format!("{} {}", model.provider.name(), model.provider.model())
}

/// Milliseconds to wait after so many failures in a row.
pub(super) fn wait(failures: i32) -> f64 {
    (FIRST_MS * 2_f64.powi(failures.clamp(1, 20) - 1)).min(LONGEST_MS)
}

/// Milliseconds to wait after so many failures in a row of calls that may be charged.
pub(super) fn outage(failures: i32) -> f64 {
    let doubled = OUTAGE_MS * 2_f64.powi(failures.clamp(OUTAGE, 20) - OUTAGE);
    if failures < OUTAGE { wait(failures) } else { doubled.min(LONGEST_MS) }
}

/// A wait made longer by up to a quarter.
#[expect(clippy::cast_possible_truncation, reason = "whole milliseconds are enough")]
pub(super) fn spread(ms: f64, chance: f64) -> i64 {
    (ms * (1.0 + chance.clamp(0.0, 1.0) / 4.0)) as i64
}

impl Engine {
    /// Leaves the provider alone until then, over a restart too.
    pub(super) async fn hold_until(&self, model: &Model, until: Time, why: String) -> Result<()> {
        tracing::info!(why, until = until.rfc3339(), "the model is left alone");
        self.model_work.hold.pause(until, why);
        let kept = format!("{} {}", until.millis(), asked(model));
        Ok(self.store.set_setting(KEPT, &kept).await?)
    }

    /// Takes up the hold of an earlier process, when it was of the same provider and model.
    pub(super) async fn recall_hold(&self, model: &Model) -> Result<()> {
        let kept = self.store.setting(KEPT).await?.unwrap_or_default();
        let until = kept.split_once(' ').filter(|(_, of)| *of == asked(model));
        let until = until.and_then(|(ms, _)| ms.parse().ok()).map(Time::from_millis);
        if let Some(until) = until.filter(|until| *until > self.clock.now()) {
            self.model_work.hold.pause(until, "the provider asked to be left alone".into());
        }
        Ok(())
    }

    /// Ends every hold.
    pub(super) async fn let_go(&self) -> Result<()> {
        self.model_work.hold.with(|state| *state = State::default());
        if self.store.setting(KEPT).await?.is_some_and(|kept| !kept.is_empty()) {
            self.store.set_setting(KEPT, "").await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_ten_minutes_and_are_spread() {
        let waits: Vec<f64> = [1, 2, 3, 10, 1_000].map(wait).to_vec();
        assert_eq!(waits, [2_000.0, 4_000.0, 8_000.0, 600_000.0, 600_000.0]);
        let waits: Vec<f64> = [1, 2, 3, 4, 1_000].map(outage).to_vec();
        assert_eq!(waits, [2_000.0, 4_000.0, 60_000.0, 120_000.0, 600_000.0], "in an outage");
        assert_eq!(spread(1_000.0, 0.0), 1_000);
        assert_eq!(spread(1_000.0, 1.0), 1_250);
    }

    #[test]
    fn a_pause_ends_by_itself_and_a_stop_does_not() {
        let hold = Hold::default();
        let at = Time::from_millis;
        assert_eq!(hold.until(at(0)), None);
        hold.pause(at(10), "busy".into());
        assert_eq!(hold.until(at(9)), Some(Some(at(10))));
        assert!(hold.told(at(9)).unwrap().contains("busy"));
        assert_eq!((hold.told(at(10)), hold.until(at(10))), (None, None));
        hold.stop("no key".into());
        assert_eq!(hold.until(at(1_000_000)), Some(None));
        assert!(hold.needs_a_person(at(1_000_000)));
    }
}
