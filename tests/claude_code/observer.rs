//! The real client as a provider: an observer without tools, hooks, files or traces.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::Secret;
use afterword_engine::provider::{
    Ask, ClaudeSettings, Provider, ProviderKind, ProviderSettings, RefusalKind, open,
};
use afterword_testkit::{ClaudeCode, ProviderStub, Reply, Sandbox, eventually};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::Story;

const ROLE: &str = "You are an observer. You answer in one line.";

fn observer(
    client: &ClaudeCode,
    sandbox: &Sandbox,
    url: &str,
    timeout: Duration,
) -> Arc<dyn Provider> {
    let settings = ProviderSettings {
        kind: ProviderKind::ClaudeCli,
        url: Some(url.to_owned()),
        api_key: Secret::new("sk-ant-dummy"),
        model: Some("claude-haiku-4-5".to_owned()),
        timeout,
        proxy: None,
        claude: ClaudeSettings {
            program: client.program().to_owned(),
            folder: sandbox.data().join("observer"),
            env: vec![
                ("HOME".to_owned(), Secret::new(sandbox.home().to_string_lossy())),
                ("PATH".to_owned(), Secret::new("/usr/local/bin:/usr/bin:/bin")),
            ],
        },
    };
    open(&settings).unwrap()
}

fn ask(prompt: &str) -> Ask {
    Ask { system: ROLE.to_owned(), prompt: prompt.to_owned(), max_output_tokens: 500 }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string());
        }
    }
    found
}

/// Processes whose working folder this is.
#[cfg(target_os = "linux")]
fn processes_in(folder: &Path) -> usize {
    let entries = fs::read_dir("/proc").unwrap().map_while(Result::ok);
    entries.filter(|e| fs::read_link(e.path().join("cwd")).is_ok_and(|cwd| cwd == folder)).count()
}

/// The texts of a request's messages.
fn said(body: &Value) -> String {
    body["messages"].to_string()
}

#[test]
fn b3_it_observes_and_leaves_no_trace() {
    let Some(story) = Story::begin() else { return };
    let sandbox = &story.sandbox;
    let secret = sandbox.write("secret.txt", "CONTENTS-OF-A-FILE");
    fs::write(sandbox.home().join(".claude/CLAUDE.md"), "CLAUDEMD-RULE").unwrap();
    // A session of the person's own, so that there is a list to keep.
    story.ask("hello");
    let received = story.settle()["received"].clone();
    let sessions = files(&sandbox.home().join(".claude/projects"));
    assert!(!sessions.is_empty());

    let stub = ProviderStub::start();
    stub.otherwise(Reply::text("seen ＠Override").costing(90, 7));
    let observer = observer(&story.client, sandbox, &stub.url(), Duration::from_mins(1));
    let runtime = runtime();
    let hostile = [
        format!("@{} and @{}\n- @{}", secret.display(), secret.display(), secret.display()),
        "/compact".to_owned(),
        "/clear\n!ls".to_owned(),
        "plain, with @Override".to_owned(),
    ];
    for prompt in &hostile {
        let answer = runtime.block_on(observer.complete(&ask(prompt))).unwrap();
        assert_eq!(answer.text, "seen @Override");
        let usage = answer.usage.unwrap();
        assert_eq!((usage.input_total(), usage.output_tokens), (90, 7), "of this turn alone");
    }
    let heard = stub.heard();
    assert_eq!(heard.len(), hostile.len(), "one request a question");
    for (at, request) in heard.iter().enumerate() {
        let body = &request.body;
        assert!(body["tools"].as_array().is_none_or(Vec::is_empty), "{}", body["tools"]);
        assert!(body["system"].to_string().contains(ROLE), "{}", body["system"]);
        assert_eq!(body["max_tokens"], 500);
        let whole = body.to_string();
        for leak in ["CONTENTS-OF-A-FILE", "CLAUDEMD-RULE", "afterword-context"] {
            assert!(!whole.contains(leak), "{leak} in question {at}");
        }
        // One conversation goes on, and holds each question in its place.
        assert_eq!(said(body).matches("Here is what is asked.").count(), at + 1);
    }
    // What the program adds is covered by the reservation.
    let sent =
        heard[0].body["messages"].to_string().len() + heard[0].body["system"].to_string().len();
    assert!(observer.input_bound(&ask(&hostile[0])) * 2 > sent as u64, "{sent} bytes");

    #[cfg(target_os = "linux")]
    assert_eq!(processes_in(&sandbox.data().join("observer")), 1);
    runtime.block_on(observer.close());
    #[cfg(target_os = "linux")]
    assert_eq!(processes_in(&sandbox.data().join("observer")), 0);
    assert_eq!(files(&sandbox.home().join(".claude/projects")), sessions);
    assert_eq!(files(&sandbox.data().join("observer")), BTreeSet::new());
    assert_eq!(story.settle()["received"], received, "no hook of ours fired");
}

#[test]
fn its_history_is_bounded_and_its_role_is_kept_apart() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let stub = ProviderStub::start();
    let observer = observer(&client, &sandbox, &stub.url(), Duration::from_mins(1));
    let runtime = runtime();
    let long = "let x = 1;\n".repeat(600);
    for _ in 0..4 {
        runtime.block_on(observer.complete(&ask(&long))).unwrap();
    }
    let questions: Vec<usize> = stub
        .heard()
        .iter()
        .map(|heard| said(&heard.body).matches("Here is what is asked.").count())
        .collect();
    assert!(questions.iter().all(|n| *n <= 3) && questions.contains(&1), "{questions:?}");
    assert_ne!(questions, [1, 2, 3, 4], "it was started anew");
    let other = Ask { system: "Another role.".to_owned(), ..ask("short") };
    runtime.block_on(observer.complete(&other)).unwrap();
    let last = stub.heard().pop().unwrap().body;
    assert!(last["system"].to_string().contains("Another role."));
    assert!(!said(&last).contains("let x = 1;"), "nothing of the other role's questions");
    runtime.block_on(observer.close());
}

#[test]
fn its_failures_are_classified_and_cost_one_request_each() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let stub = ProviderStub::start();
    let observer = observer(&client, &sandbox, &stub.url(), Duration::from_mins(1));
    let runtime = runtime();
    for (reply, wanted) in [
        (Reply::error(401, "authentication_error", "invalid x-api-key"), RefusalKind::Auth),
        (Reply::error(404, "not_found_error", "model: x"), RefusalKind::Misconfigured),
        (Reply::error(429, "rate_limit_error", "slow down"), RefusalKind::RateLimited),
        (Reply::error(529, "overloaded_error", "Overloaded"), RefusalKind::Unavailable),
        (Reply::error(500, "api_error", "oops"), RefusalKind::Unavailable),
        (
            Reply::error(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
            RefusalKind::Overflow,
        ),
        (Reply::refused(), RefusalKind::Refused),
        (Reply::text("broken off").torn(), RefusalKind::Unavailable),
    ] {
        let before = stub.count();
        stub.otherwise(reply.clone());
        let refusal = runtime.block_on(observer.complete(&ask("q"))).unwrap_err();
        assert_eq!(refusal.kind, wanted, "{reply:?}: {refusal:?}");
        // Turned away with 404, the client asks again without a stream: both cost nothing.
        let most = if wanted == RefusalKind::Misconfigured { 2 } else { 1 };
        assert!(stub.count() - before <= most, "{reply:?}: {}", stub.count() - before);
    }
    stub.otherwise(Reply::text("well again"));
    assert_eq!(runtime.block_on(observer.complete(&ask("q"))).unwrap().text, "well again");
    runtime.block_on(observer.close());
}

#[test]
fn an_answer_that_met_its_limit_is_not_gone_on_with() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let stub = ProviderStub::start();
    let observer = observer(&client, &sandbox, &stub.url(), Duration::from_mins(1));
    let runtime = runtime();
    for n in 1..=8 {
        stub.otherwise(Reply::cut("<observation><title>Half of").costing(90, 500));
        let answer = runtime.block_on(observer.complete(&ask("q"))).unwrap();
        assert_eq!((answer.text.as_str(), answer.cut), ("<observation><title>Half of", true));
        assert_eq!(answer.usage, None, "what was set aside is charged");
        // The program may have begun another request before it was killed: both were set aside.
        assert!(stub.count() <= 2 * n, "{} requests for {n} questions", stub.count());
    }
    assert!(observer.input_bound(&ask("q")) > 2 * 16_000, "with all that either may hold");
    stub.otherwise(Reply::text("whole again"));
    assert_eq!(runtime.block_on(observer.complete(&ask("q"))).unwrap().text, "whole again");
    runtime.block_on(observer.close());
}

#[test]
#[cfg(target_os = "linux")]
fn a_question_that_is_given_up_or_takes_too_long_leaves_no_process() {
    let Some(client) = ClaudeCode::locate_or_skip() else { return };
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    let folder = sandbox.data().join("observer");
    let stub = ProviderStub::start();
    stub.otherwise(Reply::hangs());
    let runtime = runtime();
    let gone = || {
        eventually("the end of the program", Duration::from_mins(1), || {
            (processes_in(&folder) == 0).then_some(())
        });
    };
    let slow = observer(&client, &sandbox, &stub.url(), Duration::from_secs(3));
    let refusal = runtime.block_on(slow.complete(&ask("q"))).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Unavailable, "{refusal}");
    gone();
    let observer = observer(&client, &sandbox, &stub.url(), Duration::from_mins(1));
    let asked = stub.count();
    let question = {
        let observer = Arc::clone(&observer);
        runtime.spawn(async move { observer.complete(&ask("q")).await })
    };
    eventually("the question", Duration::from_mins(1), || (stub.count() > asked).then_some(()));
    question.abort();
    gone();
}
