//! What was spent and what sessions were handed, as people and programs see it.

use std::fs;
use std::sync::Arc;

use afterword::config::SystemClock;
use afterword_domain::day::Day;
use afterword_domain::{Clock as _, Time};
use afterword_store::Store;
use afterword_store::contract::{NewSpend, Reserved, Settled, SpendLimits};
use afterword_store::sqlite::SqliteStore;
use afterword_testkit::{Payload, Sandbox};
use serde_json::{Value, json};

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Leaves calls of today behind as a daemon would, and stops it: so many tokens, and what they cost.
fn spend(sandbox: &Sandbox, calls: &[(u64, Option<u64>)]) {
    let now = SystemClock.now();
    let calls: Vec<_> = calls.iter().map(|(tokens, cost)| (now, *tokens, *cost)).collect();
    spend_at(sandbox, &calls);
}

/// The same with when each was made.
pub(crate) fn spend_at(sandbox: &Sandbox, calls: &[(Time, u64, Option<u64>)]) {
    sandbox.afterword(&["daemon", "stop"]).success();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let database = sandbox.data().join("afterword.db");
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&database).unwrap());
        let limits = SpendLimits { tokens: u64::MAX, ..SpendLimits::default() };
        for (at, tokens, cost) in calls {
            let call = NewSpend {
                at: *at,
                provider: "openai".to_owned(),
                model: "small".to_owned(),
                purpose: "turn".to_owned(),
                project_id: None,
                session_id: None,
                input_tokens: *tokens,
                output_tokens: 50,
                cost: *cost,
                backlog: false,
            };
            let Reserved::Within(id) = store.reserve_spend(&call, &limits).await.unwrap() else {
                panic!("it fits")
            };
            let used = Settled::Used { input_tokens: *tokens, output_tokens: 7, cost: *cost };
            assert!(store.settle_spend(id, used).await.unwrap());
        }
        store.checkpoint().await.unwrap();
    });
}

fn start(sandbox: &Sandbox, session: &str) -> Value {
    let output = sandbox.send(&Payload::session_start("startup").session(session)).success();
    if output.stdout.is_empty() { Value::Null } else { output.json() }
}

#[test]
fn what_sessions_are_handed_is_counted_by_project_and_day() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(status["spend"]["tokens_today"], 0, "rules cost nothing: {status}");
    assert_eq!(status["spend"]["daily_token_cap"], 500_000);
    let before = status["spend"]["injected_blocks"].as_u64().unwrap();
    let block = start(&sandbox, "next");
    let block = block["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    let handed = status["spend"]["injected_tokens"].as_u64().unwrap();
    assert_eq!(status["spend"]["injected_blocks"], before + 1);
    let plausible = block.len() as u64 / 8..block.len() as u64;
    assert!(plausible.contains(&handed), "{handed} tokens for {} bytes", block.len());
    // Looking at the block hands it to nobody.
    sandbox.afterword(&["context"]).success();
    let by_project = sandbox.afterword(&["spend", "--by", "project", "--json"]).success().json();
    assert_eq!(by_project["total"]["injected_tokens"], handed, "{by_project}");
    assert_eq!(by_project["lines"].as_array().unwrap().len(), 1);
    assert_eq!(by_project["lines"][0]["injected_blocks"], before + 1);
    let shown = sandbox.afterword(&["spend"]).success().stdout;
    assert!(
        shown.contains("handed over") && shown.contains("cap a day: 500,000 tokens"),
        "{shown}"
    );
}

#[test]
fn what_models_cost_is_shown_by_day_model_and_purpose() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    spend(&sandbox, &[(1_000, Some(250_000)), (300, None)]);
    let today = Day::of(SystemClock.now()).to_string();
    let by_day = sandbox.afterword(&["spend", "--days", "1", "--json"]).success().json();
    assert_eq!(by_day["lines"].as_array().unwrap().len(), 1, "{by_day}");
    assert!(by_day["lines"][0]["name"].as_str().unwrap() >= today.as_str());
    assert_eq!(by_day["total"]["input_tokens"], 1_300);
    let by_model = sandbox.afterword(&["spend", "--by", "model", "--json"]).success().json();
    let line = &by_model["lines"][0];
    assert_eq!((&line["name"], &line["calls"]), (&json!("openai/small"), &json!(2)));
    assert_eq!((&line["cost_micros"], &line["unpriced_tokens"]), (&json!(250_000), &json!(307)));
    let by_provider = sandbox.afterword(&["spend", "--by", "provider", "--json"]).success().json();
    assert_eq!(by_provider["lines"][0]["name"], "openai", "{by_provider}");
    let shown = sandbox.afterword(&["spend", "--by", "purpose"]).success().stdout;
    let total = shown.lines().find(|line| line.contains("total")).unwrap_or_default();
    assert!(total.trim_end().ends_with("$0.25"), "no columns without a name: {shown}");
    assert!(shown.contains("turn") && shown.contains("> $0.25"), "{shown}");
    let status = sandbox.afterword(&["status"]).success().stdout;
    assert!(status.contains("1,314 of 500,000") && status.contains("openai/small"), "{status}");
    for bad in
        [&["spend", "--by", "moon"][..], &["spend", "--days", "0"], &["spend", "--days", "100000"]]
    {
        assert_eq!(sandbox.afterword(bad).code, Some(2), "{bad:?}");
    }
}

#[test]
fn a_model_that_is_stopped_is_told_once_at_a_start() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    spend(&sandbox, &[]);
    let until = Day::of(SystemClock.now()).plus(2).begins();
    let under = json!({ "tokens": 500_000, "cost": null });
    let why = "the cap of 9 tokens a day is reached";
    let stopped = json!({ "why": why, "until": until, "under": under });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&sandbox.data().join("afterword.db")).unwrap();
        let store: &dyn Store = &store;
        store.set_setting("spend.stopped", &stopped.to_string()).await.unwrap();
    });
    let reply = start(&sandbox, "one");
    let line = reply["systemMessage"].as_str().unwrap_or_else(|| panic!("no line: {reply}"));
    assert!(line.contains("no model is asked: the cap of 9 tokens a day is reached"), "{line}");
    assert_eq!((line.lines().count(), line.matches("afterword doctor").count()), (1, 1));
    assert_eq!(start(&sandbox, "two")["systemMessage"], Value::Null, "once");
    let status = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(status["spend"]["stopped"]["why"], stopped["why"], "{status}");
    let doctor = sandbox.afterword(&["doctor"]).stdout;
    assert!(doctor.contains("the cap of 9 tokens a day is reached"), "{doctor}");
}

#[test]
fn caps_of_the_settings_are_those_that_are_shown() {
    let sandbox = Sandbox::new(BIN);
    fs::create_dir_all(sandbox.data()).unwrap();
    let file = "[provider]\ndaily_tokens = 1000\ndaily_cost = 0.5\n";
    fs::write(sandbox.data().join("config.toml"), file).unwrap();
    sandbox.start_daemon();
    let report = sandbox.afterword(&["spend", "--json"]).success().json();
    assert_eq!(report["daily_token_cap"], 1_000, "{report}");
    assert_eq!(report["daily_cost_cap_micros"], 500_000);
    let shown = sandbox.afterword(&["spend"]).success().stdout;
    assert!(shown.contains("cap a day: 1,000 tokens, $0.50"), "{shown}");
}
