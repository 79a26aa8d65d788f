//! What stops all calls: why, until when, and whether the person was told.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use afterword_domain::Time;
use afterword_domain::amounts::{dollars, grouped};
use afterword_domain::day::Day;
use afterword_domain::text::cut_chars;
use afterword_domain::wire::status::Stopped;
use afterword_store::contract::{NewSpend, SpendLimits};

use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::Result;

/// The setting that holds what stops all calls for a time.
const STOPPED: &str = "spend.stopped";

/// The setting that holds what a person was told last, and on which day.
const TOLD: &str = "spend.told";

/// Characters of a reason that are kept.
const WHY_CHARS: usize = 300;

/// What stops all calls, as it is kept.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    #[serde(flatten)]
    stopped: Stopped,
    /// The caps at that time; none where an earlier release noted it.
    #[serde(default)]
    under: Option<Under>,
}

/// Caps that stop calls for a time.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Under {
    tokens: u64,
    cost: Option<u64>,
}

/// The cap of tokens does not let a call through.
pub(super) fn at_tokens(call: &NewSpend, limits: &SpendLimits, until: Time) -> Stopped {
    let cap = grouped(limits.tokens);
    if call.most() > limits.tokens {
        let most = grouped(call.most());
        return Stopped {
            why: format!(
                "one call may use {most} tokens, more than the cap of {cap} a day; rules serve"
            ),
            until: Some(until),
            remedy: "raise daily_tokens in [provider] of config.toml".to_owned(),
        };
    }
    Stopped {
        why: format!("the cap of {cap} tokens a day is reached; {}", rules_serve(until)),
        until: Some(until),
        remedy: String::new(),
    }
}

/// The cap of cost does not let a call through.
pub(super) fn at_cost(call: &NewSpend, limits: &SpendLimits, until: Time) -> Stopped {
    let limit = limits.cost.unwrap_or_default();
    let cap = dollars(limit);
    let most = call.cost.unwrap_or_default();
    if most > limit {
        let most = dollars(most);
        return Stopped {
            why: format!("one call may cost {most}, more than the cap of {cap} a day; rules serve"),
            until: Some(until),
            remedy: "raise daily_cost in [provider] of config.toml".to_owned(),
        };
    }
    Stopped {
        why: format!("the cap of {cap} a day is reached; {}", rules_serve(until)),
        until: Some(until),
        remedy: String::new(),
    }
}

/// A cap of cost cannot be kept.
pub(super) fn without_price(call: &NewSpend) -> Stopped {
    let model = cut_chars(&call.model, 80);
    Stopped {
        why: format!(
            "nobody knows what '{model}' costs, so daily_cost cannot be kept; rules serve"
        ),
        until: None,
        remedy: format!("add '{model}' to prices.toml, or take daily_cost out of config.toml"),
    }
}

fn rules_serve(until: Time) -> String {
    format!("rules serve until {}", until.rfc3339())
}

impl Ledger {
    /// Notes that no model is asked any more, and why: shown until its time has come, or until a
    /// call is let through. What has no time is forgotten with the process.
    pub async fn note_stopped(&self, stopped: Stopped) -> Result<()> {
        let stopped = Stopped { why: cut_chars(&stopped.why, WHY_CHARS), ..stopped };
        self.may_be_stopped.store(true, Ordering::Release);
        if stopped.until.is_none() {
            let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
            *standing = Some(stopped);
            return Ok(());
        }
        let noted = Noted { stopped, under: Some(self.under()) };
        if self.noted().await?.as_ref() != Some(&noted) {
            let text = serde_json::to_string(&noted).expect("plain text and numbers");
            self.store.set_setting(STOPPED, &text).await?;
        }
        Ok(())
    }

    /// What stops all calls now. What was noted under other caps says nothing of these.
    pub async fn stopped(&self) -> Result<Option<Stopped>> {
        let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if standing.is_some() {
            return Ok(standing);
        }
        let now = self.clock.now();
        let noted = self.noted().await?.filter(|noted| noted.under == Some(self.under()));
        let stopped = noted.map(|noted| noted.stopped);
        Ok(stopped.filter(|stopped| stopped.until.is_some_and(|until| now < until)))
    }

    fn under(&self) -> Under {
        Under { tokens: self.limits.tokens, cost: self.limits.cost }
    }

    /// Whether a person is still to be told today why no model is asked; now one is.
    pub async fn tell(&self, why: &str) -> Result<bool> {
        let key = format!("{} {}", Day::of(self.clock.now()), cut_chars(why, WHY_CHARS));
        if self.store.setting(TOLD).await?.as_ref() == Some(&key) {
            return Ok(false);
        }
        self.store.set_setting(TOLD, &key).await?;
        Ok(true)
    }

    pub(super) async fn clear_stopped(&self) -> Result<()> {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if self.noted().await?.is_some() {
            self.store.set_setting(STOPPED, "").await?;
        }
        Ok(())
    }

    async fn noted(&self) -> Result<Option<Noted>> {
        let text = self.store.setting(STOPPED).await?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}
