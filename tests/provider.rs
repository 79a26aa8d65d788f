//! `afterword provider`, `doctor` and `status` with providers on loopback: what a person who sets one
//! up gets to see.

use std::fs;
use std::path::Path;

use afterword_testkit::{ProviderStub, Reply, Sandbox};
use serde_json::Value;

const KEY: &str = "sk-person-0123456789abcdef";

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_afterword"))
}

fn configure(sandbox: &Sandbox, section: &str) {
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), format!("[provider]\n{section}\n")).unwrap();
}

fn keyed(sandbox: &Sandbox, kind: &str, url: &str, model: &str) {
    let section =
        format!("kind = \"{kind}\"\nurl = \"{url}\"\nmodel = \"{model}\"\napi_key = \"{KEY}\"");
    configure(sandbox, &section);
}

/// What `provider test --json` says, whether it works or not.
fn tried(sandbox: &Sandbox) -> Value {
    sandbox.afterword(&["provider", "test", "--json"]).json()
}

/// The finding and the remedy of the provider's check.
fn doctor(sandbox: &Sandbox, args: &[&str]) -> (bool, String, String) {
    let mut all = vec!["doctor", "--json"];
    all.extend(args);
    let report = sandbox.afterword(&all).json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "provider").unwrap();
    let text = |name: &str| check[name].as_str().unwrap().to_owned();
    (check["ok"] == true, text("finding"), text("remedy"))
}

#[test]
fn i1_a_test_is_in_the_ledger_and_within_the_cap() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    stub.otherwise(Reply::text("ready").costing(40, 2));
    keyed(&sandbox, "openai", &stub.url(), "gpt-4.1-mini");
    assert_eq!(tried(&sandbox)["ok"], true);
    let spent = sandbox.afterword(&["spend", "--by", "purpose"]).success().stdout;
    let row = spent.lines().find(|line| line.trim_start().starts_with("test ")).unwrap();
    assert!(row.contains(" 40 ") && row.contains(" 2 "), "{spent}");
    let shut = format!(
        "kind = \"openai\"\nurl = \"{}\"\nmodel = \"gpt-4.1-mini\"\napi_key = \"{KEY}\"\ndaily_tokens = 50",
        stub.url()
    );
    configure(&sandbox, &shut);
    let refused = sandbox.afterword(&["provider", "test"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("cap of the day"), "{}", refused.stderr);
    assert_eq!(stub.count(), 1, "what a cap leaves no room for is not sent");
}

#[test]
fn i1_settings_in_doubt_ask_no_model() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    let section =
        format!("kind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\napi_key = \"{KEY}\"", stub.url());
    configure(&sandbox, &format!("{section}\ndaily_tokns = 1"));
    let refused = sandbox.afterword(&["provider", "test"]);
    assert!(refused.stderr.contains("until it is corrected"), "{}", refused.stderr);
    assert_eq!(stub.count(), 0);
}

#[test]
fn a_test_says_model_time_tokens_and_cost() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    stub.otherwise(Reply::text("ready").costing(1_000, 200));
    for (kind, model, cost) in [
        ("anthropic", "claude-haiku-4-5", Some(0.002)),
        ("openai", "gpt-4.1-mini", Some(0.000_72)),
        ("gemini", "gemini-2.5-flash-lite", Some(0.000_18)),
        ("openai", "qwen3:8b", None),
    ] {
        keyed(&sandbox, kind, &stub.url(), model);
        let report = tried(&sandbox);
        assert_eq!(report["ok"], true, "{report}");
        assert_eq!((&report["provider"], &report["model"]), (&kind.into(), &model.into()));
        assert_eq!(
            (&report["input_tokens"], &report["output_tokens"]),
            (&1_000.into(), &200.into())
        );
        assert_eq!(report["cost_usd"].as_f64(), cost, "{report}");
        assert!(report["latency_ms"].is_u64());
    }
    assert_eq!(stub.count(), 4, "one question each");
    let told = sandbox.afterword(&["provider", "test"]).success().stdout;
    assert!(told.contains("qwen3:8b") && told.contains("no price of this model"), "{told}");
    fs::write(
        sandbox.data().join("prices.toml"),
        "[[price]]\nmodel = \"qwen3:8b\"\ninput = 0\noutput = 5\n",
    )
    .unwrap();
    assert_eq!(tried(&sandbox)["cost_usd"].as_f64(), Some(0.001));
    assert!(!sandbox.data().join("daemon.json").exists(), "no daemon is needed");
}

#[test]
fn what_is_wrong_is_told_with_its_remedy_by_test_and_doctor() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    keyed(&sandbox, "openai", &stub.url(), "no-such-model");
    for (reply, kind, part) in [
        (Reply::error(401, "invalid_api_key", &format!("bad {KEY}")), "auth", "key"),
        (Reply::error(404, "model_not_found", "model not found"), "misconfigured", "no-such-model"),
        (Reply::body(200, "text/html", "<html>hi</html>"), "misconfigured", "not as an API"),
        (Reply::error(429, "insufficient_quota", "no quota left"), "payment", "quota"),
        (Reply::error(500, "oops", "down"), "unavailable", "500"),
    ] {
        stub.otherwise(reply);
        let report = tried(&sandbox);
        assert_eq!((&report["ok"], &report["kind"]), (&false.into(), &kind.into()), "{report}");
        let error = report["error"].as_str().unwrap();
        assert!(error.contains(part) && !report.to_string().contains(KEY), "{report}");
        assert_eq!(report["remedy"].as_str().unwrap().is_empty(), kind == "unavailable");
        let (ok, finding, remedy) = doctor(&sandbox, &["--provider"]);
        assert!(!ok && finding.contains(part) && !remedy.is_empty(), "{finding}: {remedy}");
    }
    let asked = stub.count();
    let (ok, finding, _) = doctor(&sandbox, &[]);
    assert!(ok && finding.contains("no-such-model"), "{finding}");
    assert_eq!(stub.count(), asked, "doctor spends nothing unasked");
}

#[test]
fn settings_that_cannot_work_are_seen_without_asking() {
    let sandbox = sandbox();
    for (section, part) in [
        ("kind = \"anthropic\"", "no key"),
        ("kind = \"gemini\"\napi_key_env = \"NO_SUCH_VARIABLE\"", "NO_SUCH_VARIABLE"),
        ("kind = \"mistral\"", "there is no provider"),
        ("kind = \"openai\"\nurl = \"nonsense\"", "no address"),
        ("kind = \"openai\"\nurl = \"http://127.0.0.1:9\"", "no model is set"),
        ("kind = \"claude-cli\"\ncommand = \"/nowhere/claude\"", "no program /nowhere/claude"),
    ] {
        configure(&sandbox, section);
        let (ok, finding, remedy) = doctor(&sandbox, &[]);
        assert!(!ok && finding.contains(part) && !remedy.is_empty(), "{finding}: {remedy}");
        let test = sandbox.afterword(&["provider", "test"]);
        assert_eq!(test.code, Some(3), "{}", test.stderr);
        assert!(test.stderr.contains(part), "{}", test.stderr);
        let status = sandbox.afterword(&["provider", "status", "--json"]);
        assert!(status.json()["error"].as_str().unwrap().contains(part));
        assert_eq!(status.code, Some(3));
    }
    // Capture is not affected, and `status` says what is wrong.
    sandbox.afterword(&["daemon", "restart"]).success();
    let status = sandbox.afterword(&["status"]).success().stdout;
    assert!(status.contains("install Claude Code"), "{status}");
    configure(&sandbox, "");
    sandbox.afterword(&["daemon", "restart"]).success();
    let status = sandbox.afterword(&["status"]).success().stdout;
    assert!(status.contains("none: everything is done by rules"), "{status}");
    assert!(doctor(&sandbox, &[]).0);
}

#[test]
fn a_notice_about_the_account_is_no_answer() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    keyed(&sandbox, "openai", &stub.url(), "m");
    for (notice, kind) in [
        ("Invalid API key · Please run /login", "auth"),
        ("You've hit your usage limit.", "payment"),
    ] {
        stub.otherwise(Reply::text(notice).costing(9, 9));
        let report = tried(&sandbox);
        assert_eq!((&report["ok"], &report["kind"]), (&false.into(), &kind.into()), "{report}");
        let (ok, finding, _) = doctor(&sandbox, &["--provider"]);
        assert!(!ok && finding.contains("notice"), "{finding}");
    }
}

#[test]
fn a_test_that_cannot_be_sent_is_told_to_programs_too() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    configure(&sandbox, "kind = \"anthropic\"");
    let refused = sandbox.afterword(&["provider", "test", "--json"]);
    assert_eq!(refused.code, Some(3));
    let report = refused.json();
    assert_eq!((&report["ok"], &report["kind"]), (&false.into(), &"auth".into()), "{report}");
    assert!(!report["remedy"].as_str().unwrap().is_empty());
    keyed(&sandbox, "openai", &stub.url(), "m");
    stub.otherwise(Reply::error(429, "rate_limit_error", "slow down").retry_after(90));
    let told = sandbox.afterword(&["provider", "test"]);
    assert!(told.stdout.contains("left alone for 90 s"), "{}", told.stdout);
}

#[test]
fn a_provider_with_another_key_is_told_from_that_of_the_daemon() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    keyed(&sandbox, "openai", &stub.url(), "m");
    sandbox.start_daemon();
    assert!(doctor(&sandbox, &[]).0);
    let retry = || {
        let told = sandbox.afterword(&["jobs", "retry"]).success();
        format!("{}{}", told.stdout, told.stderr)
    };
    assert!(!retry().contains("daemon restart"));
    let section = format!("kind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"", stub.url());
    configure(&sandbox, &format!("{section}\napi_key = \"another-key\""));
    let (ok, finding, remedy) = doctor(&sandbox, &[]);
    assert!(!ok && finding.contains("older address, key"), "{finding}");
    assert_eq!(remedy, "afterword daemon restart");
    assert!(retry().contains("afterword daemon restart"), "{}", retry());
    let status = sandbox.afterword(&["status", "--json"]).success().stdout;
    assert!(!status.contains("another-key") && !status.contains(KEY), "{status}");
}

#[test]
fn caps_and_modes_that_cannot_be_read_are_named() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    let section =
        format!("kind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\napi_key = \"{KEY}\"", stub.url());
    configure(&sandbox, &section);
    let doctor = |sandbox: &Sandbox| {
        let mut doctor = sandbox.command(sandbox.binary());
        doctor.args(["doctor", "--json"]).env("AFTERWORD_DAILY_TOKEN_CAP", "much");
        sandbox.run(doctor, b"").stdout
    };
    let told = doctor(&sandbox);
    assert!(told.contains("AFTERWORD_DAILY_TOKEN_CAP is 'much'"), "{told}");
    let mut test = sandbox.command(sandbox.binary());
    test.args(["provider", "test"]).env("AFTERWORD_DAILY_TOKEN_CAP", "much");
    let refused = sandbox.run(test, b"");
    assert!(refused.stderr.contains("no room for one such call"), "{}", refused.stderr);
    assert_eq!(stub.count(), 0);
    configure(&sandbox, &format!("{section}\ndaily_cost = -1\n[distill]\nmode = \"../../etc/x\""));
    let cap = check(&sandbox, "cap");
    assert!(cap["finding"].as_str().unwrap().contains("daily_cost is -1"), "{cap}");
    let mode = check(&sandbox, "mode");
    assert_eq!(mode["ok"], false);
    assert!(!mode["remedy"].as_str().unwrap().contains("etc"), "{mode}");
}

/// A check of `doctor` by its name.
fn check(sandbox: &Sandbox, name: &str) -> Value {
    let report = sandbox.afterword(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap().clone();
    checks.into_iter().find(|check| check["name"] == name).unwrap_or_default()
}

#[test]
fn what_the_daemon_was_started_with_is_shown() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    keyed(&sandbox, "openai", &stub.url(), "first");
    sandbox.start_daemon();
    keyed(&sandbox, "openai", &stub.url(), "second");
    let mut status = sandbox.command(sandbox.binary());
    status.arg("status").env("AFTERWORD_PROVIDER", "gemini");
    let shown = sandbox.run(status, b"").success().stdout;
    assert!(shown.contains("openai, model first") && !shown.contains("second"), "{shown}");
    let (ok, finding, remedy) = doctor(&sandbox, &[]);
    assert!(
        !ok && finding.contains("model first") && finding.contains("model second"),
        "{finding}"
    );
    assert_eq!(remedy, "afterword daemon restart");
    sandbox.afterword(&["daemon", "restart"]).success();
    let (ok, finding, _) = doctor(&sandbox, &[]);
    assert!(ok && finding.contains("model second"), "{finding}");
    let asked = sandbox.afterword(&["status", "--json"]).success().json()["asked"].clone();
    assert_eq!((&asked["provider"], &asked["model"]), (&"openai".into(), &"second".into()));
    assert_eq!((&asked["mode"], &asked["session_token_share"]), (&"code".into(), &250_000.into()));
}

#[test]
fn a_model_without_a_price_is_told_and_what_that_means() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    keyed(&sandbox, "openai", &stub.url(), "qwen3:8b");
    sandbox.start_daemon();
    let status = sandbox.afterword(&["status"]).success().stdout;
    assert!(status.contains("only the cap of tokens is kept"), "{status}");
    let found = check(&sandbox, "price");
    assert!(found["ok"] == true && found["finding"].as_str().unwrap().contains("only the cap of"));
    let section = format!(
        "kind = \"openai\"\nurl = \"{}\"\nmodel = \"qwen3:8b\"\ndaily_cost = 1.0",
        stub.url()
    );
    configure(&sandbox, &section);
    let found = check(&sandbox, "price");
    assert!(found["ok"] == false && found["remedy"].as_str().unwrap().contains("prices.toml"));
    fs::write(
        sandbox.data().join("prices.toml"),
        "[[price]]\nmodel = \"qwen3:8b\"\ninput = 0\noutput = 0\n",
    )
    .unwrap();
    assert_eq!(check(&sandbox, "price"), Value::Null, "free is a price");
}

#[test]
fn a_mode_that_cannot_be_used_is_told_with_its_remedy() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    let section = format!(
        "kind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\n[distill]\nmode = \"mine\"",
        stub.url()
    );
    configure(&sandbox, &section);
    sandbox.start_daemon();
    let told = |part: &str| {
        let found = check(&sandbox, "mode");
        let (finding, remedy) = (found["finding"].to_string(), found["remedy"].to_string());
        assert!(found["ok"] == false && finding.contains(part), "{finding}");
        remedy
    };
    assert!(told("'mine' cannot be used").contains("modes/mine.toml"));
    let status = sandbox.afterword(&["status"]).success().stdout;
    assert!(status.contains("the mode 'code' is used"), "{status}");
    let file = sandbox.data().join("modes/mine.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "inherits = \"nobody\"\n").unwrap();
    told("nobody");
    fs::write(&file, "inherits = \"code\"\n[types]\ninsight = \"something learned\"\n").unwrap();
    assert!(told("the daemon uses 'code'").contains("daemon restart"));
    sandbox.afterword(&["daemon", "restart"]).success();
    assert_eq!(check(&sandbox, "mode")["ok"], true);
}

#[test]
fn i7_keys_and_proxies_of_the_environment_are_used_only_when_named() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    let ambient = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.binary());
        command.args(args);
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
            command.env(name, KEY);
        }
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, "http://127.0.0.1:9");
        }
        command.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
        sandbox.run(command, b"")
    };
    let section = format!("kind = \"anthropic\"\nurl = \"{}\"\nmodel = \"m\"\n", stub.url());
    configure(&sandbox, &section);
    assert_eq!(ambient(&["provider", "test"]).code, Some(3), "no key was named");
    configure(&sandbox, &format!("{section}api_key_env = \"ANTHROPIC_API_KEY\""));
    assert_eq!(ambient(&["provider", "test", "--json"]).success().json()["ok"], true);
    assert_eq!(stub.heard()[0].header("x-api-key").unwrap(), KEY);
    let told = ambient(&["provider", "status"]).success().stdout;
    assert!(told.contains("the variable ANTHROPIC_API_KEY") && !told.contains(KEY), "{told}");
}

#[test]
fn the_key_is_written_nowhere() {
    let (sandbox, stub) = (sandbox(), ProviderStub::start());
    let section = format!(
        "kind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\napi_key_env = \"AFTERWORD_PROVIDER_API_KEY\"",
        stub.url()
    );
    configure(&sandbox, &section);
    let keyed = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.binary());
        command.args(args).env("AFTERWORD_PROVIDER_API_KEY", KEY).env("AFTERWORD_LOG", "debug");
        let output = sandbox.run(command, b"");
        assert!(!output.stdout.contains(KEY) && !output.stderr.contains(KEY), "{args:?}");
    };
    keyed(&["daemon", "start"]);
    sandbox.wait_for_daemon();
    for args in [
        ["status"].as_slice(),
        &["status", "--json"],
        &["provider", "status"],
        &["provider", "test"],
        &["doctor", "--provider"],
    ] {
        keyed(args);
    }
    stub.otherwise(Reply::error(401, "x", &format!("no: {KEY}")));
    keyed(&["provider", "test", "--json"]);
    assert_eq!(stub.count(), 3);
    let found = files_with(&sandbox.data(), KEY.as_bytes());
    assert_eq!(found, Vec::<String>::new());
}

/// Files below a folder that hold these bytes.
fn files_with(folder: &Path, needle: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, needle));
        } else if fs::read(&path).is_ok_and(|b| b.windows(needle.len()).any(|w| w == needle)) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn proxies_of_the_environment_are_used_by_nobody() {
    let (sandbox, stub, proxy) = (sandbox(), ProviderStub::start(), ProviderStub::start());
    let vector = r#"{"data": [{"index": 0, "embedding": [1.0, 0.0]}]}"#;
    stub.otherwise(Reply::body(200, "application/json", vector));
    let url = stub.url();
    let config = format!("[embeddings]\nurl = \"{url}/v1\"\nmodel = \"e\"\n");
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), config).unwrap();
    let through = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.binary());
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env(name, proxy.url());
        }
        command.args(args);
        sandbox.run(command, b"").success()
    };
    through(&["daemon", "start"]);
    through(&["remember", "The release train leaves on Tuesdays"]);
    sandbox.wait_for_status("an embedded row", |status| status["embeddings"]["embedded"] == 1);
    stub.otherwise(Reply::text("ready"));
    let openai = "[provider]\nkind = \"openai\"\nmodel = \"m\"\n";
    fs::write(sandbox.data().join("config.toml"), format!("{openai}url = \"{url}\"\n")).unwrap();
    through(&["provider", "test"]);
    assert!(stub.heard().iter().any(|heard| heard.path.ends_with("/embeddings")));
    assert_eq!(proxy.count(), 0, "{:?}", proxy.heard());
}
