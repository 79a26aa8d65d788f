//! From an HTTP answer that is no good to what is to be done about it.

use std::time::Duration;

use afterword_domain::Secret;
use serde_json::Value;

use crate::provider::refusal::{Refusal, RefusalKind};

/// Longest wait that a provider may ask for; beyond it the question is asked again all the same.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// An answer as it came.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) is_html: bool,
    pub(super) body: Vec<u8>,
}

/// Reads `Retry-After`: seconds, or a date, which counts from the answer's own `Date`, so that no
/// clocks need to agree (RFC 9110, 10.2.3).
pub(super) fn retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return wait(seconds);
    }
    let read = |text: &str| jiff::fmt::rfc2822::parse(text.trim()).ok();
    let seconds = read(value)?.timestamp().as_second() - read(date?)?.timestamp().as_second();
    Some(LONGEST_WAIT.min(Duration::from_secs(u64::try_from(seconds).unwrap_or(0))))
}

fn wait(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64())).ok()
}

/// What providers say when a question is too long.
const OVERFLOW: [&str; 11] = [
    "context_length_exceeded",
    "prompt is too long",
    "maximum context length",
    "context window",
    "context size",
    "context length",
    "exceeds the maximum number of tokens",
    "input is too long",
    "too many tokens",
    "reduce the length",
    "range of input length",
];

/// What they say when nothing is left to pay with.
const PAYMENT: [&str; 6] = [
    "insufficient_quota",
    "insufficient balance",
    "credit balance",
    "insufficient credits",
    "billing_error",
    "arrearage",
];

/// What they say of a key with a status that means something else.
const AUTH: [&str; 4] =
    ["invalid_api_key", "api_key_invalid", "incorrect api key", "authentication_error"];

/// What they say when a filter stopped the question.
const FILTER: [&str; 7] = [
    "content_policy",
    "content_filter",
    "data_inspection_failed",
    "datainspectionfailed",
    "responsibleai",
    "moderation",
    "flagged",
];

/// Parts of "there is no such model", beside the word model.
const NO_MODEL: [&str; 7] = [
    "not found",
    "not_found",
    "does not exist",
    "not exist",
    "not a valid model",
    "unknown model",
    "invalid model",
];

/// Classifies an answer that holds no message of the model.
pub(super) fn refuse(place: &str, model: &str, key: &Secret, reply: &Reply) -> Refusal {
    let text = String::from_utf8_lossy(&reply.body);
    let error = ErrorBody::read(&text);
    let status = match (reply.status, error.as_ref().and_then(|e| e.status)) {
        // The status of an error inside a good answer is the true one.
        (200, Some(inner)) => inner,
        (outer, _) => outer,
    };
    let said = error.as_ref().map_or(String::new(), |e| key.hide_in(&e.message));
    let marks = error.as_ref().map_or(String::new(), |e| e.marks.clone());
    let kind = kind(status, &marks, error.is_some(), reply.is_html);
    let no_model = mentions_no_model(&marks);
    let what = match kind {
        // Providers show parts of a key that they refuse, so their words are not repeated.
        RefusalKind::Auth => format!("{place} answered {status}: it does not accept the key"),
        RefusalKind::Misconfigured if no_model => format!("{place} knows no model {model:?}"),
        RefusalKind::Misconfigured if (300..400).contains(&status) => {
            format!("{place} redirects ({status}), which is not followed: set the final url")
        }
        RefusalKind::Misconfigured if error.is_none() => {
            format!("{place} answers ({status}), but not as an API of this kind")
        }
        RefusalKind::Unusable => format!("{place} sent an answer that cannot be read"),
        _ if said.is_empty() => format!("{place} answered {status}"),
        _ => format!("{place} answered {status}: {said}"),
    };
    let wait = reply.retry_after.or_else(|| error.as_ref().and_then(|e| e.retry_after));
    let refusal = Refusal::new(kind, what).with_retry_after(wait);
    if (100..600).contains(&status) { refusal.with_status(status) } else { refusal }
}

fn kind(status: u16, marks: &str, is_error: bool, is_html: bool) -> RefusalKind {
    let any = |list: &[&str]| list.iter().any(|mark| marks.contains(mark));
    match status {
        200 if is_html => RefusalKind::Misconfigured,
        200 if !is_error => RefusalKind::Unusable,
        402 => RefusalKind::Payment,
        429 if marks.contains("insufficient_quota") => RefusalKind::Payment,
        429 => RefusalKind::RateLimited,
        // Local servers report this with any status.
        _ if any(&OVERFLOW) || status == 413 => RefusalKind::Overflow,
        _ if any(&PAYMENT) => RefusalKind::Payment,
        // A filter in front of the model answers so, too.
        403 if any(&FILTER) => RefusalKind::Refused,
        401 | 403 => RefusalKind::Auth,
        _ if any(&AUTH) => RefusalKind::Auth,
        408 | 409 | 425 | 500.. => RefusalKind::Unavailable,
        _ if any(&FILTER) => RefusalKind::Refused,
        _ if !is_error => RefusalKind::Misconfigured,
        _ if mentions_no_model(marks) => RefusalKind::Misconfigured,
        // A question that is not understood is this question's trouble, unless it is a setting's.
        400 | 422 if !marks.contains("unsupported_") => RefusalKind::Refused,
        200 => RefusalKind::Unavailable,
        _ => RefusalKind::Misconfigured,
    }
}

fn mentions_no_model(marks: &str) -> bool {
    marks.contains("model") && NO_MODEL.iter().any(|mark| marks.contains(mark))
}

/// What can be found in the error bodies of every dialect.
struct ErrorBody {
    status: Option<u16>,
    message: String,
    /// Message, code and type in small letters, to look for marks in.
    marks: String,
    retry_after: Option<Duration>,
}

impl ErrorBody {
    fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        // Gemini wraps the object in a list when it streams.
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(&value);
        if !value.is_object() {
            return None;
        }
        let error = value.get("error").filter(|e| !e.is_null()).unwrap_or(value);
        let first = |names: &[&str]| {
            names.iter().find_map(|name| error.get(*name)?.as_str()).map(str::to_owned)
        };
        let message =
            error.as_str().map(str::to_owned).or_else(|| first(&["message", "detail"]))?;
        let code = error.get("code");
        let mut marks = message.to_lowercase();
        for name in ["code", "type", "status", "metadata", "details"] {
            if let Some(part) = error.get(name) {
                marks.push(' ');
                marks.push_str(&part.to_string().to_lowercase());
            }
        }
        Some(Self {
            status: code.and_then(Value::as_u64).and_then(|n| u16::try_from(n).ok()),
            retry_after: error["details"].as_array().into_iter().flatten().find_map(|detail| {
                wait(detail["retryDelay"].as_str()?.strip_suffix('s')?.parse().ok()?)
            }),
            message,
            marks,
        })
    }
}
