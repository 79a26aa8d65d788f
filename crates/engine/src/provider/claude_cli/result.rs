//! The line that ends a turn of Claude Code.

use std::time::Duration;

use serde_json::Value;

use crate::provider::contract::{Answer, Usage};
use crate::provider::http;
use crate::provider::refusal::{Refusal, RefusalKind};

/// How long a plan whose limit is reached is left alone; the program does not say in a way that can
/// be read when it ends.
const PLAN_LIMIT: Duration = Duration::from_mins(30);

/// Parts of what the program says, in small letters, and what they mean. The first that is found
/// counts.
const SAYINGS: [(&str, RefusalKind); 20] = [
    ("not logged in", RefusalKind::Auth),
    ("/login", RefusalKind::Auth),
    ("invalid api key", RefusalKind::Auth),
    ("oauth token", RefusalKind::Auth),
    ("credit balance", RefusalKind::Payment),
    ("prompt is too long", RefusalKind::Overflow),
    ("context limit", RefusalKind::Overflow),
    ("usage limit", RefusalKind::RateLimited),
    ("limit reached", RefusalKind::RateLimited),
    ("hit your limit", RefusalKind::RateLimited),
    ("rate limit", RefusalKind::RateLimited),
    ("selected model", RefusalKind::Misconfigured),
    ("output token maximum", RefusalKind::Unusable),
    ("usage policy", RefusalKind::Refused),
    ("legal/aup", RefusalKind::Refused),
    ("can't help with this", RefusalKind::Refused),
    ("overloaded", RefusalKind::Unavailable),
    ("timed out", RefusalKind::Unavailable),
    ("connection", RefusalKind::Unavailable),
    ("unable to connect", RefusalKind::Unavailable),
];

/// What a person does about a login.
const LOGIN: &str = "run claude and log in with /login, or name its key in pass_env of [provider]";

/// Reads a `result` line. `is_error` decides, not the subtype, which says `success` of failures too.
pub(super) fn read(line: &Value) -> Result<Answer, Refusal> {
    let usage = http::anthropic_usage(&line["usage"]);
    let text = line["result"].as_str().unwrap_or_default();
    if line["is_error"] != false || line["subtype"] != "success" {
        return Err(refusal(line, text, usage));
    }
    if text.trim().is_empty() {
        let empty = Refusal::new(RefusalKind::Unusable, "claude answered nothing");
        return Err(empty.with_usage(usage));
    }
    let cut = line["stop_reason"] == "max_tokens";
    Ok(Answer { text: text.to_owned(), usage, cut })
}

/// An answer that met its limit. Nobody says what it cost.
pub(super) fn cut(text: &str) -> Result<Answer, Refusal> {
    if text.trim().is_empty() {
        let what = "the answer met its limit before it said anything: thinking took all of it";
        return Err(Refusal::new(RefusalKind::Unusable, what));
    }
    Ok(Answer { text: text.to_owned(), usage: None, cut: true })
}

fn refusal(line: &Value, text: &str, usage: Option<Usage>) -> Refusal {
    if line["subtype"] == "error_max_turns" {
        let what = "the model tried to use a tool instead of answering";
        return Refusal::new(RefusalKind::Unusable, what).with_usage(usage);
    }
    let status = line["api_error_status"].as_u64().and_then(|n| u16::try_from(n).ok());
    let small = text.to_lowercase();
    let said = SAYINGS.iter().find(|(part, _)| small.contains(part)).map(|(_, kind)| *kind);
    let kind = match (status, said) {
        (Some(401 | 403), _) => RefusalKind::Auth,
        (Some(402), _) => RefusalKind::Payment,
        (Some(404), _) => RefusalKind::Misconfigured,
        (Some(413), _) => RefusalKind::Overflow,
        (Some(429), _) => RefusalKind::RateLimited,
        (Some(500..), _) => RefusalKind::Unavailable,
        (_, Some(kind)) => kind,
        (Some(400..=499), None) => RefusalKind::Refused,
        (_, None) => RefusalKind::Unavailable,
    };
    let what = match kind {
        // The words may hold parts of a key.
        RefusalKind::Auth => "claude is not logged in, or its key is not accepted".to_owned(),
        _ if text.is_empty() => "claude reports an error without a word".to_owned(),
        _ => format!("claude reports: {text}"),
    };
    let plan = kind == RefusalKind::RateLimited && status.is_none();
    let mut refusal =
        Refusal::new(kind, what).with_retry_after(plan.then_some(PLAN_LIMIT)).with_usage(usage);
    refusal.status = status;
    if kind == RefusalKind::Auth { refusal.with_remedy(LOGIN) } else { refusal }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(is_error: bool, status: &Value, text: &str) -> Value {
        json!({"type": "result", "subtype": "success", "is_error": is_error,
               "api_error_status": status, "result": text,
               "usage": {"input_tokens": 9, "output_tokens": 2}})
    }

    #[test]
    fn is_error_decides_whatever_the_subtype_says() {
        let null = Value::Null;
        assert_eq!(read(&line(false, &null, "hello")).unwrap().text, "hello");
        assert_eq!(read(&line(false, &null, "Not logged in?")).unwrap().text, "Not logged in?");
        for (status, text, wanted) in [
            (json!(401), "API Error: 401 sk-ant-xyz", RefusalKind::Auth),
            (null.clone(), "Not logged in · Please run /login", RefusalKind::Auth),
            (null.clone(), "Claude AI usage limit reached|1796000000", RefusalKind::RateLimited),
            (json!(429), "API Error: 429", RefusalKind::RateLimited),
            (json!(529), "API Error: 529 overloaded_error", RefusalKind::Unavailable),
            (json!(404), "There's an issue with the selected model", RefusalKind::Misconfigured),
            (json!(400), "Prompt is too long", RefusalKind::Overflow),
            (json!(400), "Credit balance is too low", RefusalKind::Payment),
            (json!(400), "messages.0: odd", RefusalKind::Refused),
            (
                null.clone(),
                "API Error: Haiku can't help with this. See https://example.com/legal/aup",
                RefusalKind::Refused,
            ),
            (null.clone(), "API Error: Connection error.", RefusalKind::Unavailable),
        ] {
            let refusal = read(&line(true, &status, text)).unwrap_err();
            assert_eq!(refusal.kind, wanted, "{status} {text}");
            assert!(!refusal.message.contains("sk-ant"), "{refusal}");
            assert_eq!(refusal.usage.unwrap().total(), 11);
        }
        let mut turns = line(false, &null, "");
        turns["subtype"] = "error_max_turns".into();
        assert_eq!(read(&turns).unwrap_err().kind, RefusalKind::Unusable);
    }
}
