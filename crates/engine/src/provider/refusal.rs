//! Why there is no answer, by what is to be done about it.

use std::time::Duration;

use super::contract::Usage;

/// Longest message that is kept of a provider's own words, in characters.
const LONGEST: usize = 200;

/// A call without a usable answer.
///
/// The message is one clean line for a person; it never holds the key, nor what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is to be done.
    pub kind: RefusalKind,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What happened.
    pub message: String,
    /// How long the provider wants not to be asked.
    pub retry_after: Option<Duration>,
    /// What the provider says the call cost all the same.
    pub usage: Option<Usage>,
    /// The question never left: nobody can charge for it.
    pub unsent: bool,
    /// What a person does about it, where that is not what the kind says.
    pub remedy: Option<&'static str>,
}

/// Classes of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The key is missing, wrong or not allowed to do this (401, 403): stop and tell.
    Auth,
    /// Nothing is left to pay with (402, exhausted quota): stop and tell.
    Payment,
    /// Asked too often (429): wait for `retry_after`, or back off.
    RateLimited,
    /// The question is too long for the model: cut it and ask once more.
    Overflow,
    /// Server trouble, overload, a time limit or no connection: back off.
    Unavailable,
    /// The model, or a filter around it, will not answer this: the same question is refused again.
    Refused,
    /// Unknown model, no API at the address, a request it does not understand: stop and tell.
    Misconfigured,
    /// An answer came that nobody can read: empty, garbage, torn or too large.
    Unusable,
}

impl RefusalKind {
    /// A word for logs and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Payment => "payment",
            Self::RateLimited => "rate-limited",
            Self::Overflow => "overflow",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Misconfigured => "misconfigured",
            Self::Unusable => "unusable",
        }
    }

    /// Whether every further question ends the same way until a person does something.
    pub const fn needs_a_person(self) -> bool {
        matches!(self, Self::Auth | Self::Payment | Self::Misconfigured)
    }

    /// What a person does about it; empty where waiting is all there is to do.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Auth => "set a key that works: api_key or api_key_env in [provider]",
            Self::Payment => "add credit at the provider, or choose another one in [provider]",
            Self::Misconfigured => "correct kind, url and model in [provider] of config.toml",
            Self::Overflow => "choose a model with a longer context in [provider]",
            Self::Refused | Self::Unusable => "try another model in [provider]",
            Self::RateLimited | Self::Unavailable => "",
        }
    }
}

impl Refusal {
    /// A refusal of this kind; the message is made one clean line.
    pub fn new(kind: RefusalKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            status: None,
            message: one_line(message.as_ref()),
            retry_after: None,
            usage: None,
            unsent: false,
            remedy: None,
        }
    }

    /// With the status of the HTTP answer.
    #[must_use]
    pub const fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// With the time that the provider wants to be left alone.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// With what the call cost all the same.
    #[must_use]
    pub const fn with_usage(mut self, usage: Option<Usage>) -> Self {
        self.usage = usage;
        self
    }

    /// With what a person does about it.
    #[must_use]
    pub const fn with_remedy(mut self, remedy: &'static str) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// What a person does about it; empty where waiting is all there is to do.
    pub const fn remedy(&self) -> &'static str {
        match self.remedy {
            Some(remedy) => remedy,
            None => self.kind.remedy(),
        }
    }

    /// Of a question that never left this machine.
    #[must_use]
    pub const fn before_sending(mut self) -> Self {
        self.unsent = true;
        self
    }

    /// Whether the provider may charge for this call. Without [usage](Self::usage) its reservation
    /// then counts as spent; otherwise it is given back.
    pub const fn may_cost(&self) -> bool {
        if self.unsent {
            return false;
        }
        if self.usage.is_some() {
            return true;
        }
        // Providers charge for tokens they made: not for requests that they turn away with a 4xx.
        match (self.kind, self.status) {
            (RefusalKind::Refused, status) => !matches!(status, Some(400..=499)),
            (RefusalKind::Unusable, _) => true,
            (RefusalKind::Unavailable, status) => !matches!(status, Some(400..=499 | 529)),
            _ => false,
        }
    }
}

/// A foreign text as one line without control characters, cut to [`LONGEST`].
pub(super) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = clean.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_clean_line() {
        let refusal = Refusal::new(RefusalKind::Auth, "bad\r\n\u{1b}[31mkey\t ");
        assert_eq!(refusal.to_string(), "bad [31mkey");
        let long = Refusal::new(RefusalKind::Unusable, "字".repeat(5_000));
        assert_eq!(long.message.chars().count(), LONGEST + 1);
    }

    #[test]
    fn what_was_turned_away_costs_nothing_and_what_may_have_run_does() {
        let of = |kind| Refusal::new(kind, "x");
        assert!(!of(RefusalKind::RateLimited).with_status(429).may_cost());
        assert!(!of(RefusalKind::Overflow).with_status(400).may_cost());
        assert!(!of(RefusalKind::Unavailable).before_sending().may_cost());
        assert!(!of(RefusalKind::Unavailable).with_status(529).may_cost());
        assert!(of(RefusalKind::Unavailable).may_cost(), "a time limit met: it may have run");
        assert!(of(RefusalKind::Unavailable).with_status(502).may_cost());
        assert!(of(RefusalKind::Unusable).with_status(200).may_cost());
        assert!(of(RefusalKind::Refused).with_status(200).may_cost(), "the model's own refusal");
        assert!(!of(RefusalKind::Refused).with_status(400).may_cost());
        let reported = of(RefusalKind::RateLimited).with_usage(Some(Usage::default()));
        assert!(reported.may_cost());
    }
}
