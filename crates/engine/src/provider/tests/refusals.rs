//! What comes instead of an answer, and what it means.

use std::time::Duration;

use afterword_domain::Secret;
use afterword_testkit::{ProviderStub, Reply};

use super::{HTTP, KEY, complete, open, provider, settings};
use crate::provider::{ProviderKind, ProviderSettings, RefusalKind};

use ProviderKind::{Anthropic, Gemini, OpenAi};
use RefusalKind::{
    Auth, Misconfigured, Overflow, Payment, RateLimited, Refused, Unavailable, Unusable,
};

#[test]
fn every_class_of_error_is_told_from_the_others() {
    let stub = ProviderStub::start();
    for (kind, status, code, message, wanted) in [
        (Anthropic, 401, "authentication_error", "invalid x-api-key", Auth),
        (Anthropic, 403, "permission_error", "not allowed", Auth),
        (Anthropic, 402, "billing_error", "pay", Payment),
        (Anthropic, 400, "invalid_request_error", "Your credit balance is too low", Payment),
        (
            Anthropic,
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
            Overflow,
        ),
        (Anthropic, 413, "request_too_large", "too large", Overflow),
        (Anthropic, 404, "not_found_error", "model: small-1", Misconfigured),
        (Anthropic, 429, "rate_limit_error", "slow down", RateLimited),
        (Anthropic, 529, "overloaded_error", "Overloaded", Unavailable),
        (Anthropic, 500, "api_error", "oops", Unavailable),
        (Anthropic, 400, "invalid_request_error", "messages.0: odd character", Refused),
        (OpenAi, 401, "invalid_api_key", "Incorrect API key provided: sk-test-01**ef.", Auth),
        (OpenAi, 429, "insufficient_quota", "You exceeded your current quota", Payment),
        (OpenAi, 429, "rate_limit_exceeded", "Rate limit reached", RateLimited),
        (
            OpenAi,
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8192 tokens",
            Overflow,
        ),
        (OpenAi, 500, "server_error", "input is too long for the context size", Overflow),
        (OpenAi, 404, "model_not_found", "The model `small-1` does not exist", Misconfigured),
        (OpenAi, 400, "400", "small-1 is not a valid model ID", Misconfigured),
        (OpenAi, 404, "api_error", "model \"small-1\" not found, try pulling it", Misconfigured),
        (OpenAi, 400, "Arrearage", "Access denied, account not in good standing", Payment),
        (OpenAi, 400, "data_inspection_failed", "inappropriate content", Refused),
        (OpenAi, 403, "403", "Your input was flagged: moderation is required", Refused),
        (OpenAi, 402, "402", "Insufficient Balance", Payment),
        (OpenAi, 400, "unsupported_value", "'stream' cannot be false", Misconfigured),
        (OpenAi, 503, "overloaded", "try later", Unavailable),
        (Gemini, 400, "INVALID_ARGUMENT", "API key not valid. API_KEY_INVALID", Auth),
        (Gemini, 403, "PERMISSION_DENIED", "no", Auth),
        (Gemini, 404, "NOT_FOUND", "models/small-1 is not found", Misconfigured),
        (
            Gemini,
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, check your plan and billing details",
            RateLimited,
        ),
        (
            Gemini,
            400,
            "INVALID_ARGUMENT",
            "The input token count exceeds the maximum number of tokens allowed",
            Overflow,
        ),
        (Gemini, 503, "UNAVAILABLE", "overloaded", Unavailable),
    ] {
        stub.then(Reply::error(status, code, message));
        let refusal = complete(&provider(kind, &stub)).unwrap_err();
        assert_eq!(refusal.kind, wanted, "{}: {status} {code}: {refusal}", kind.name());
        assert_eq!(refusal.status, Some(status));
        assert!(!refusal.message.contains("sk-test"), "{refusal}");
        let wait = matches!(wanted, Unavailable) && status != 529;
        assert_eq!(refusal.may_cost(), wait, "{status} {code}");
    }
}

#[test]
fn the_model_or_its_filter_may_refuse_and_is_paid_all_the_same() {
    let stub = ProviderStub::start();
    stub.otherwise(Reply::refused().costing(70, 3));
    for kind in HTTP {
        let refusal = complete(&provider(kind, &stub)).unwrap_err();
        assert_eq!(refusal.kind, Refused, "{}: {refusal}", kind.name());
        assert_eq!(refusal.usage.unwrap().total(), 73);
    }
    let blocked = r#"{"promptFeedback": {"blockReason": "OTHER"}}"#;
    stub.otherwise(Reply::garbage(blocked));
    assert_eq!(complete(&provider(Gemini, &stub)).unwrap_err().kind, Refused);
}

#[test]
fn a_wish_to_be_left_alone_is_heard_and_bounded() {
    let stub = ProviderStub::start();
    let told = |wait: &str| Reply::error(429, "x", "x").with_header("retry-after", wait);
    let until = |wait| told(wait).with_header("date", "Mon, 30 Nov 2026 09:00:00 GMT");
    for (reply, wanted) in [
        (Reply::error(429, "x", "x").retry_after(7), Some(7)),
        (Reply::error(503, "x", "x").retry_after(2), Some(2)),
        (until("Mon, 30 Nov 2026 09:01:40 GMT"), Some(100)),
        (until("Mon, 30 Nov 2026 08:00:00 GMT"), Some(0)),
        (until("Sun, 29 Dec 2999 23:59:59 GMT"), Some(24 * 60 * 60)),
        (until("soon"), None),
        (told("Mon, 30 Nov 2026 09:01:40 GMT"), None),
        (Reply::error(429, "x", "x").retry_after(u64::MAX), Some(24 * 60 * 60)),
        (told("-1"), None),
        (told("soon"), None),
        (Reply::error(429, "x", "x"), None),
    ] {
        stub.then(reply);
        let refusal = complete(&provider(OpenAi, &stub)).unwrap_err();
        assert_eq!(refusal.retry_after, wanted.map(Duration::from_secs));
    }
    let told = r#"[{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "23.5s"}]}}]"#;
    stub.then(Reply::body(429, "application/json", told));
    let refusal = complete(&provider(Gemini, &stub)).unwrap_err();
    assert_eq!(refusal.retry_after, Some(Duration::from_millis(23_500)));
}

#[test]
fn what_is_no_api_is_told_from_an_api_that_talks_nonsense() {
    let stub = ProviderStub::start();
    let page = "<html>welcome</html>";
    for (reply, wanted) in [
        (Reply::body(200, "text/html", page), Misconfigured),
        (Reply::body(404, "text/html", page), Misconfigured),
        (Reply::body(405, "text/plain", ""), Misconfigured),
        (Reply::redirect("https://example.com/"), Misconfigured),
        (Reply::body(502, "text/html", page), Unavailable),
        (Reply::garbage("not json"), Unusable),
        (Reply::garbage("\"a text\""), Unusable),
        (Reply::garbage("{}"), Misconfigured),
        (Reply::garbage("{\"hello\":\"world\"}"), Misconfigured),
        (Reply::garbage([0xff, 0xfe, 0]), Unusable),
        (Reply::garbage(""), Unusable),
        (Reply::garbage("{\"choices\": [], \"content\": 3, \"candidates\": [7]}"), Unusable),
        (Reply::text(""), Unusable),
        (Reply::text("whole").torn(), Unavailable),
        (Reply::closes(), Unavailable),
    ] {
        for kind in HTTP {
            stub.then(reply.clone());
            let refusal = complete(&provider(kind, &stub)).unwrap_err();
            assert_eq!(refusal.kind, wanted, "{} {reply:?}: {refusal}", kind.name());
        }
    }
}

#[test]
fn nobody_there_costs_nothing() {
    let stub = ProviderStub::start();
    let url = stub.url();
    drop(stub);
    for kind in HTTP {
        let refusal = complete(&open(&settings(kind, &url)).unwrap()).unwrap_err();
        assert_eq!(refusal.kind, Unavailable);
        assert!(refusal.unsent && !refusal.may_cost(), "{refusal}");
        assert!(refusal.message.contains("127.0.0.1"), "{refusal}");
    }
}

#[test]
fn settings_that_cannot_work_are_told_before_anything_is_sent() {
    let with = |kind, change: fn(&mut ProviderSettings)| {
        let mut settings = settings(kind, "");
        change(&mut settings);
        let refusal = open(&settings).unwrap_err();
        assert!(refusal.unsent && !refusal.kind.remedy().is_empty(), "{refusal}");
        assert!(!refusal.message.contains(KEY), "{refusal}");
        refusal.kind
    };
    for kind in HTTP {
        assert_eq!(with(kind, |s| s.api_key = Secret::default()), Auth);
        assert_eq!(with(kind, |s| s.api_key = Secret::new("a\u{7}b")), Auth);
        assert_eq!(with(kind, |s| s.url = Some("nonsense".to_owned())), Misconfigured);
        assert_eq!(
            with(kind, |s| s.url = Some("http://api.example.com".to_owned())),
            Misconfigured
        );
        assert_eq!(with(kind, |s| s.proxy = Some("::".to_owned())), Misconfigured);
    }
    let unnamed = |s: &mut ProviderSettings| {
        s.url = Some("http://127.0.0.1:1".to_owned());
        s.model = None;
    };
    assert_eq!(with(OpenAi, unnamed), Misconfigured);
    let nowhere = |s: &mut ProviderSettings| s.claude.program = "/nowhere/claude".into();
    assert_eq!(with(ProviderKind::ClaudeCli, nowhere), Misconfigured);
}
