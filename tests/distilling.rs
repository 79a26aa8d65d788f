//! The whole way with a model: hooks, daemon, a provider on loopback, rows, jobs.

use std::fs;

use afterword_testkit::{Outcome, Payload, ProviderStub, Reply, Sandbox};
use serde_json::{Value, json};

const SECRET: &str = "sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe";

const ANSWER: &str = "\
<observation><type>bugfix</type><title>The harbour queue keeps its order</title>
<narrative>A stable sort keeps equal keys.</narrative><evidence>2</evidence>
<standing>confirmed</standing></observation>
<summary><request>Keep the order</request><completed>A stable sort</completed></summary>";

fn sandbox(stub: &ProviderStub, more: &str) -> Sandbox {
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
    fs::create_dir_all(sandbox.data()).unwrap();
    let config = format!(
        "[provider]\nkind = \"openai\"\nurl = \"{}\"\nmodel = \"m1\"\napi_key = \"k-0123456789\"\n{more}",
        stub.url()
    );
    fs::write(sandbox.data().join("config.toml"), config).unwrap();
    sandbox
}

fn turn(sandbox: &Sandbox) {
    let asked = format!("Keep the order of the queue, with {SECRET} if needed");
    for payload in [
        Payload::prompt(&asked),
        Payload::edit("src/queue.rs", "sort_unstable()", "sort()"),
        Payload::bash("cargo test", &Outcome::ok("test result: ok. 3 passed")),
        Payload::stop("The queue keeps its order now."),
    ] {
        sandbox.send(&payload).success();
    }
}

fn jobs(sandbox: &Sandbox) -> Value {
    sandbox.afterword(&["jobs", "list", "--json"]).success().json()
}

#[test]
fn a_turn_is_read_by_the_model_that_the_settings_name() {
    let stub = ProviderStub::start();
    stub.otherwise(Reply::text(ANSWER).costing(900, 120));
    let sandbox = sandbox(&stub, "[distill]\nmode = \"short\"\nlanguage = \"zh\"\n");
    fs::create_dir_all(sandbox.data().join("modes")).unwrap();
    fs::write(
        sandbox.data().join("modes/short.toml"),
        "[types]\nriddle = \"what nobody understands\"\n",
    )
    .unwrap();
    sandbox.start_daemon();
    turn(&sandbox);
    sandbox.wait_for_status("the turn is read", |status| status["model"]["done"] == json!(1));
    let found = sandbox.afterword(&["search", "harbour queue", "--json"]).success().json();
    assert_eq!(found["results"][0]["title"], "The harbour queue keeps its order", "{found}");
    assert_eq!(found["results"][0]["files"], json!(["src/queue.rs"]));
    assert_eq!(stub.count(), 1, "one call for one turn");
    let sent = stub.heard()[0].body.to_string();
    assert!(sent.contains("riddle") && sent.contains("简体中文"), "{sent}");
    assert!(!sent.contains(SECRET), "{sent}");
    let context = sandbox.afterword(&["context"]).success().stdout;
    assert!(context.contains("The harbour queue keeps its order"), "{context}");
}

#[test]
fn a_refused_key_stops_the_calls_and_a_person_lets_them_go_on() {
    let stub = ProviderStub::start();
    stub.then(Reply::error(401, "invalid_api_key", "Incorrect API key provided"));
    stub.otherwise(Reply::text(ANSWER));
    let sandbox = sandbox(&stub, "");
    sandbox.start_daemon();
    turn(&sandbox);
    let status =
        sandbox.wait_for_status("the model is stopped", |s| s["model"]["stopped"] == json!(true));
    assert!(status["model"]["held"].as_str().unwrap().contains("jobs retry"), "{status}");
    let told = sandbox.afterword(&["jobs", "list"]).success();
    assert!(told.stdout.contains("prompt 1 of session"), "{}", told.stdout);
    assert!(told.stderr.contains("left alone"), "{}", told.stderr);
    let list = jobs(&sandbox);
    let id = list["jobs"][0]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("model-"), "{list}");
    let retried = sandbox.afterword(&["jobs", "retry", &id, "--json"]).success().json();
    assert_eq!((&retried["retried"], &retried["ids"]), (&json!(1), &json!([id])), "{retried}");
    assert!(retried["was_held"].as_str().unwrap().contains("401"), "what let it go is told");
    sandbox.wait_for_status("the turn is read", |status| status["model"]["done"] == json!(1));
    assert_eq!(stub.count(), 2);
    let unknown = sandbox.afterword(&["jobs", "drop", "model-999"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    let bad = sandbox.afterword(&["jobs", "drop", "m4"]);
    assert!(bad.code == Some(2) && bad.stderr.contains("jobs list"), "{bad:?}");
}
