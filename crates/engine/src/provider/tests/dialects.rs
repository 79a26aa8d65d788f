//! What is sent, and what is read of a good answer.

use afterword_testkit::{ProviderStub, Reply};
use serde_json::{Value, json};

use super::{HTTP, KEY, complete, open, provider, settings};
use crate::provider::{ProviderKind, ProviderSettings, RefusalKind, Usage};

#[test]
fn each_dialect_asks_in_its_own_words_and_sends_the_key_in_its_header() {
    let stub = ProviderStub::start();
    let mut heard = Vec::new();
    for kind in HTTP {
        let provider = provider(kind, &stub);
        assert_eq!((provider.name(), provider.model()), (kind.name(), "small-1"));
        assert_eq!(complete(&provider).unwrap().text, "STUB-ANSWER.");
        heard = stub.heard();
    }
    let [anthropic, openai, gemini] = &heard[..] else { panic!("{} questions", heard.len()) };
    assert_eq!(anthropic.path, "/v1/messages");
    assert_eq!(anthropic.header("x-api-key").unwrap(), KEY);
    assert_eq!(anthropic.header("anthropic-version").unwrap(), "2023-06-01");
    let question = json!([{"role": "user", "content": "QUESTION 问"}]);
    let wanted =
        json!({"model": "small-1", "max_tokens": 321, "system": "ROLE", "messages": question});
    assert_eq!(anthropic.body, wanted);

    assert_eq!(openai.path, "/v1/chat/completions");
    assert_eq!(openai.header("authorization").unwrap(), format!("Bearer {KEY}"));
    let messages = json!([{"role": "system", "content": "ROLE"},
                          {"role": "user", "content": "QUESTION 问"}]);
    let wanted =
        json!({"model": "small-1", "max_tokens": 321, "stream": false, "messages": messages});
    assert_eq!(openai.body, wanted);

    assert_eq!(gemini.path, "/v1beta/models/small-1:generateContent");
    assert_eq!(gemini.header("x-goog-api-key").unwrap(), KEY);
    assert_eq!(gemini.body["systemInstruction"]["parts"][0]["text"], "ROLE");
    assert_eq!(gemini.body["contents"][0]["parts"][0]["text"], "QUESTION 问");
    assert_eq!(gemini.body["generationConfig"]["maxOutputTokens"], 321);
}

#[test]
fn usage_is_read_without_counting_a_token_twice() {
    let stub = ProviderStub::start();
    stub.otherwise(Reply::text("x").costing(1_000, 50).of_which_cached(600));
    let wanted = Usage {
        input_tokens: 400,
        output_tokens: 50,
        cache_read_tokens: 600,
        cache_write_tokens: 0,
    };
    for kind in HTTP {
        let usage = complete(&provider(kind, &stub)).unwrap().usage;
        assert_eq!(usage, Some(wanted), "{}", kind.name());
    }
    for empty in [Reply::text("x").without_usage(), Reply::text("x").costing(0, 0)] {
        stub.otherwise(empty);
        for kind in HTTP {
            assert_eq!(complete(&provider(kind, &stub)).unwrap().usage, None, "{}", kind.name());
        }
    }
}

#[test]
fn thinking_is_no_part_of_the_text_and_a_cut_answer_says_so() {
    let stub = ProviderStub::start();
    stub.otherwise(Reply::cut("half an ans").after_thinking("SECRET THOUGHT"));
    for kind in HTTP {
        let answer = complete(&provider(kind, &stub)).unwrap();
        assert_eq!((answer.text.as_str(), answer.cut), ("half an ans", true), "{}", kind.name());
    }
    let local = provider(ProviderKind::OpenAi, &stub);
    stub.otherwise(Reply::text("\n<think>hm <b>\n</think>\n\nsaid"));
    assert_eq!(complete(&local).unwrap().text, "said");
    // A model that thought until its limit said nothing, and was paid for all the same.
    for silent in ["<think>and on and on", "", " \n"] {
        stub.otherwise(Reply::cut(silent).costing(10, 321));
        let refusal = complete(&local).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Unusable, "{silent:?}");
        assert_eq!(refusal.usage.unwrap().output_tokens, 321);
        assert!(refusal.may_cost());
    }
}

fn chat(body: &Value) -> Reply {
    Reply::garbage(body.to_string())
}

#[test]
fn chat_completions_are_read_as_every_server_writes_them() {
    let stub = ProviderStub::start();
    let openai = provider(ProviderKind::OpenAi, &stub);
    // Content in parts, a reasoning field, thinking counted in the total only, numbers as floats.
    stub.then(chat(&json!({
        "choices": [{"message": {"content": [{"type": "text", "text": "in "},
                                             {"type": "text", "text": "parts"}],
                                 "reasoning": "hm", "reasoning_content": null},
                     "finish_reason": null}],
        "usage": {"prompt_tokens": 10.0, "completion_tokens": 4, "total_tokens": 34,
                  "prompt_cache_hit_tokens": 3},
        "error": null,
    })));
    let answer = complete(&openai).unwrap();
    assert_eq!((answer.text.as_str(), answer.cut), ("in parts", false));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cache_read_tokens, usage.output_tokens), (7, 3, 24));
    // An error with a status of 200, as routers send it.
    let error = json!({"error": {"code": 429, "message": "upstream is busy"}});
    stub.then(chat(&error));
    assert_eq!(complete(&openai).unwrap_err().kind, RefusalKind::RateLimited);
}

#[test]
fn the_name_of_the_limit_is_learnt_from_one_rejection() {
    let stub = ProviderStub::start();
    let openai = provider(ProviderKind::OpenAi, &stub);
    stub.then(Reply::error(
        400,
        "unsupported_parameter",
        "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ));
    assert!(complete(&openai).is_ok());
    assert!(complete(&openai).is_ok());
    let heard = stub.heard();
    assert_eq!(heard.len(), 3, "the second question knows it already");
    assert_eq!(heard[1].body["max_completion_tokens"], 321);
    assert_eq!(heard[2].body["max_completion_tokens"], 321);
    assert_eq!(heard[2].body["max_tokens"], Value::Null);
}

#[test]
fn a_local_server_needs_no_key_and_gets_none() {
    let stub = ProviderStub::start();
    let mut local = settings(ProviderKind::OpenAi, &stub.url());
    local.api_key = afterword_domain::Secret::default();
    assert!(complete(&open(&local).unwrap()).is_ok());
    assert_eq!(stub.heard()[0].header("authorization"), None);
}

#[test]
fn a_model_that_thinks_first_is_told_not_to_unless_its_server_knows_no_such_wish() {
    let stub = ProviderStub::start();
    let of = |model: &str| {
        let settings = settings(ProviderKind::OpenAi, &stub.url());
        open(&ProviderSettings { model: Some(model.to_owned()), ..settings }).unwrap()
    };
    stub.otherwise(Reply::text("said"));
    for model in ["gpt-6-luna", "openai/gpt-6-luna"] {
        complete(&of(model)).unwrap();
    }
    complete(&of("gpt-4.1-mini")).unwrap();
    let effort = |at: usize| stub.heard()[at].body["reasoning_effort"].clone();
    assert_eq!((effort(0), effort(1), effort(2)), ("none".into(), "none".into(), Value::Null));
    let luna = of("gpt-6-luna");
    let unknown = "Unsupported parameter: 'reasoning_effort'.";
    stub.then(Reply::error(400, "unsupported_parameter", unknown));
    complete(&luna).unwrap();
    complete(&luna).unwrap();
    assert_eq!((stub.count(), effort(4), effort(5)), (6, Value::Null, Value::Null));
}

#[test]
fn a_gateway_that_refuses_both_wishes_is_asked_without_both() {
    let limit = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let effort = "Unsupported parameter: 'reasoning_effort'.";
    for refusals in [[limit, effort], [effort, limit]] {
        let stub = ProviderStub::start();
        let told = settings(ProviderKind::OpenAi, &stub.url());
        let model = Some("gpt-6-luna".to_owned());
        let luna = open(&ProviderSettings { model, ..told }).unwrap();
        for what in refusals {
            stub.then(Reply::error(400, "unsupported_parameter", what));
        }
        stub.otherwise(Reply::text("said"));
        complete(&luna).unwrap();
        complete(&luna).unwrap();
        let heard = stub.heard();
        assert_eq!(heard.len(), 4, "the second question knows both");
        for body in [&heard[2].body, &heard[3].body] {
            assert_eq!(body["max_completion_tokens"], 321);
            assert_eq!(
                (&body["max_tokens"], &body["reasoning_effort"]),
                (&Value::Null, &Value::Null)
            );
        }
    }
}
