//! What a provider answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Tokens that a usage block reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// All input, what is cached included.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// The part of the input that was cached.
    pub cached: u64,
}

/// One answer, in whatever dialect it is asked for.
#[derive(Clone)]
pub struct Reply {
    pub(super) what: What,
    pub(super) tokens: Option<Tokens>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) pace: Pace,
    before: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// The kinds of answers.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A message of the model; the dialects say in their own way that it was cut or refused.
    Says { text: String, thinking: String, end: End },
    /// An error in the dialect's own shape.
    Error { status: u16, code: String, message: String },
    /// Any body at all.
    Body { status: u16, kind: String, body: Vec<u8> },
    /// Nothing, ever: the connection stays open.
    Hangs,
    /// The connection is closed before a byte is sent.
    Closes,
}

/// Why a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    Cut,
    Refused,
}

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    AtOnce,
    /// One byte in this time.
    Drips(Duration),
    /// The connection breaks after this part of the bytes, in hundredths.
    Torn(usize),
}

impl Reply {
    /// The model says this; 100 tokens in, 20 out.
    pub fn text(text: &str) -> Self {
        let end = End::Whole;
        Self::new(What::Says { text: text.to_owned(), thinking: String::new(), end })
    }

    /// The model says this and meets its limit.
    pub fn cut(text: &str) -> Self {
        let end = End::Cut;
        Self::new(What::Says { text: text.to_owned(), thinking: String::new(), end })
    }

    /// The model, or a filter around it, refuses to answer.
    pub fn refused() -> Self {
        let end = End::Refused;
        Self::new(What::Says { text: String::new(), thinking: String::new(), end })
    }

    /// An error of this status, with a code as `error.code` or `error.type` and a message.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let (code, message) = (code.to_owned(), message.to_owned());
        Self::new(What::Error { status, code, message })
    }

    /// Any body, with the status and content type of a good answer.
    pub fn garbage(body: impl Into<Vec<u8>>) -> Self {
        Self::body(200, "application/json", body)
    }

    /// Any body with any status and content type.
    pub fn body(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(What::Body { status, kind: kind.to_owned(), body: body.into() })
    }

    /// Sends the caller elsewhere.
    pub fn redirect(to: &str) -> Self {
        Self::body(307, "text/plain", "").with_header("location", to)
    }

    /// No answer as long as the caller waits.
    pub fn hangs() -> Self {
        Self::new(What::Hangs)
    }

    /// The connection is closed without a word.
    pub fn closes() -> Self {
        Self::new(What::Closes)
    }

    fn new(what: What) -> Self {
        let tokens = Some(Tokens { input: 100, output: 20, cached: 0 });
        Self { what, tokens, headers: Vec::new(), pace: Pace::AtOnce, before: None }
    }

    /// Reports these tokens.
    #[must_use]
    pub const fn costing(mut self, input: u64, output: u64) -> Self {
        self.tokens = Some(Tokens { input, output, cached: 0 });
        self
    }

    /// Reports that a part of the input was cached.
    #[must_use]
    pub fn of_which_cached(mut self, cached: u64) -> Self {
        if let Some(tokens) = &mut self.tokens {
            tokens.cached = cached;
        }
        self
    }

    /// Reports no tokens.
    #[must_use]
    pub const fn without_usage(mut self) -> Self {
        self.tokens = None;
        self
    }

    /// Thinks first, in the dialect's own way.
    #[must_use]
    pub fn after_thinking(mut self, thought: &str) -> Self {
        if let What::Says { thinking, .. } = &mut self.what {
            thought.clone_into(thinking);
        }
        self
    }

    /// Asks to be left alone for so many seconds.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.with_header("retry-after", &seconds.to_string())
    }

    /// Sends a further header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Comes one byte at a time.
    #[must_use]
    pub const fn dripping(mut self, each: Duration) -> Self {
        self.pace = Pace::Drips(each);
        self
    }

    /// The connection breaks in the middle of the answer.
    #[must_use]
    pub const fn torn(mut self) -> Self {
        self.pace = Pace::Torn(60);
        self
    }

    /// Does something when the question is there, before it is answered: the caller waits meanwhile.
    #[must_use]
    pub fn after(mut self, act: impl Fn() + Send + Sync + 'static) -> Self {
        self.before = Some(Arc::new(act));
        self
    }

    pub(super) fn prepare(&self) {
        if let Some(act) = &self.before {
            act();
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("what", &self.what).finish_non_exhaustive()
    }
}
