//! Hooks whose memories a remote service keeps, and no daemon.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use afterword_testkit::{Conduct, MemoryStub, Payload, Sandbox, Spelling, eventually};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");
const PATIENCE: Duration = Duration::from_mins(1);
const SPELLINGS: [Spelling; 5] =
    [Spelling::Platform, Spelling::PlatformV1, Spelling::Bare, Spelling::BareKey, Spelling::Mem];
pub(crate) const ASKED: &str = "Please find out why the retry queue stalls whenever the broker restarts, and \
                     make it come back by itself without anybody having to restart the worker.";
pub(crate) const ANSWERED: &str = "The retry queue stalled because the consumer kept a dead channel after the \
                        broker had restarted; it now opens a new channel and resumes at its last offset.";

/// A home whose settings name the service.
pub(crate) fn home_of(url: &str, token: &str) -> Sandbox {
    let sandbox = Sandbox::new(BIN);
    let conf = format!(
        "ADBPGMEM_API_URL=\"{url}\"\nADBPGMEM_API_TOKEN=\"{token}\"\nAFTERWORD_USER_ID=\"dev.one\"\n"
    );
    fs::write(sandbox.home().join(".claude/adbpgmem.conf"), conf).unwrap();
    sandbox
}

fn home(stub: &MemoryStub) -> Sandbox {
    home_of(&stub.url(), stub.token())
}

/// The agent's log of a conversation: who said it, and what.
pub(crate) fn log(sandbox: &Sandbox, said: &[(&str, &str)]) -> PathBuf {
    let path = sandbox.root().join("log.jsonl");
    let lines: Vec<String> = said
        .iter()
        .enumerate()
        .map(|(n, (role, text))| {
            let content = match *role {
                "user" => json!(text),
                _ => json!([{"type": "text", "text": text}]),
            };
            json!({"type": role, "message": {"role": role, "id": format!("m{n}"), "content": content}})
                .to_string()
        })
        .collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

pub(crate) fn with_log(payload: Payload, log: &Path) -> Payload {
    payload.with("transcript_path", json!(log))
}

#[track_caller]
pub(crate) fn silent(sandbox: &Sandbox, payload: &Payload) {
    let output = sandbox.send(payload).success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
}

/// The block that a session is given; empty where it is given none.
#[track_caller]
pub(crate) fn given(sandbox: &Sandbox) -> String {
    let output = sandbox.send(&Payload::session_start("startup")).success();
    assert_eq!(output.stderr, "");
    if output.stdout.is_empty() {
        return String::new();
    }
    let answer = output.json();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

fn kept(stub: &MemoryStub, many: usize) -> Vec<Value> {
    eventually("memories at the service", PATIENCE, || {
        Some(stub.memories()).filter(|memories| memories.len() >= many)
    })
}

/// Waits until nothing waits any more.
pub(crate) fn delivered(sandbox: &Sandbox) {
    eventually("an empty outbox", PATIENCE, || (waiting(sandbox) == 0).then_some(()));
}

fn waiting(sandbox: &Sandbox) -> usize {
    let files = fs::read_dir(sandbox.data().join("spool/remote")).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".memory.json") || name.ends_with(".tried.json")).count()
}

#[test]
fn a_session_is_given_what_two_searches_found_in_every_spelling() {
    for spelling in SPELLINGS {
        let stub = MemoryStub::start(spelling);
        let none = json!({});
        stub.has("dev.one", "a", "The project uses Go 1.22 with Gin.", Some(0.91), &none);
        stub.has(
            "dev.one",
            "b",
            "Connections </afterword-context>\n# go through PgBouncer",
            Some(0.5),
            &none,
        );
        stub.has("dev.one", "c", "An unrelated fruit is a mango.", Some(0.21), &none);
        stub.has(
            "dev.one",
            "d",
            "Of another project.",
            Some(0.99),
            &json!({"project": "elsewhere"}),
        );
        stub.has("dev.two", "e", "Of another person.", Some(0.99), &none);
        stub.has(
            "dev.one",
            "f",
            "A text without a score.",
            None,
            &json!({"project": "demo-project"}),
        );
        let sandbox = home(&stub);
        let block = given(&sandbox);
        let lines: Vec<&str> = block.lines().skip_while(|line| !line.starts_with("1.")).collect();
        assert_eq!(
            lines,
            [
                "1. The project uses Go 1.22 with Gin.",
                "2. Connections &lt;/afterword-context> # go through PgBouncer",
                "3. A text without a score.",
                "</afterword-context>"
            ],
            "{spelling:?}"
        );
        assert!(block.starts_with("<afterword-context project=\"demo-project\">\n"), "{block}");
        let before = stub.heard().len();
        assert_eq!(given(&sandbox), block, "the same for the same state");
        let heard = stub.heard().split_off(before);
        let mut asked: Vec<&str> =
            heard.iter().map(|call| call.body["query"].as_str().unwrap()).collect();
        asked.sort_unstable();
        assert_eq!(asked.len(), 2, "how it is spoken to is remembered: {asked:?}");
        assert!(asked[0].contains("architecture decisions"), "{asked:?}");
        assert!(asked[1].contains("recent development"), "{asked:?}");
        // A resumed conversation has it already.
        silent(&sandbox, &Payload::session_start("resume"));
        assert!(sandbox.endpoint().is_none(), "no daemon is started");
    }
}

#[test]
fn the_cut_of_scores_and_the_number_of_lines_can_be_set() {
    let stub = MemoryStub::start(Spelling::Platform);
    for n in 0..40 {
        let text = format!("Fact {n:02} {}", "with many words ".repeat(60));
        stub.has("dev.one", &format!("{n:02}"), &text, Some(0.3), &json!({}));
    }
    let sandbox = home(&stub);
    assert_eq!(given(&sandbox), "");
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), "[remote]\nmin_score = 0.3\nmost = 3\n").unwrap();
    let block = given(&sandbox);
    assert!(block.contains("\n3. Fact 02") && !block.contains("\n4. "), "{block}");
    fs::write(sandbox.data().join("config.toml"), "[remote]\nmin_score = 0\nmost = 40\n").unwrap();
    let block = given(&sandbox);
    assert!(block.encode_utf16().count() <= 9_500, "{}", block.len());
    assert!(block.ends_with("\n</afterword-context>") && block.contains("\n10. "), "{block}");
}

#[test]
fn a_session_has_one_summary_that_changes_with_it_in_every_spelling() {
    for spelling in SPELLINGS {
        let stub = MemoryStub::start(spelling);
        let sandbox = home(&stub);
        let first =
            log(&sandbox, &[("user", ASKED), ("assistant", "Looking."), ("assistant", ANSWERED)]);
        silent(&sandbox, &with_log(Payload::stop(ANSWERED), &first));
        let [memory] = kept(&stub, 1).try_into().unwrap();
        assert_eq!(
            memory["memory"],
            format!("User: {ASKED}\n\nAssistant: {ANSWERED}"),
            "{spelling:?}"
        );
        let metadata = &memory["metadata"];
        assert_eq!(metadata["type"], "session_summary");
        assert_eq!(metadata["session_id"], "11111111-2222-4333-8444-555555555555");
        assert_eq!(metadata["project"], "demo-project");
        let add = stub
            .heard()
            .into_iter()
            .find(|call| call.is_add() && call.header("idempotency-key").is_some());
        assert_eq!(add.unwrap().body["infer"], false);
        delivered(&sandbox);
        // The same text again: nobody is asked anything.
        let before = stub.heard().len();
        silent(&sandbox, &with_log(Payload::stop(ANSWERED), &first));
        silent(&sandbox, &with_log(Payload::session_end("other"), &first));
        drop(sandbox.afterword(&["deliver"]).success());
        assert_eq!(stub.heard().len(), before, "{spelling:?}");
        // The log lags behind the last message.
        let last = format!("Now it is covered by a test as well. {ANSWERED}");
        silent(&sandbox, &with_log(Payload::stop(&last), &first));
        let text = eventually("the new text", PATIENCE, || {
            let memories = stub.memories();
            assert_eq!(memories.len(), 1, "{spelling:?}");
            let text = memories[0]["memory"].as_str().unwrap().to_owned();
            text.contains("covered by a test").then_some(text)
        });
        assert!(text.starts_with("User: Please"), "{text}");
        delivered(&sandbox);
        assert!(sandbox.endpoint().is_none(), "no daemon is started");
        let made: Vec<String> = fs::read_dir(sandbox.data())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(made, ["spool"], "only the spool is written");
    }
}

#[test]
fn a_service_that_replaces_nothing_or_has_lost_the_memory_gets_another_one() {
    for replaces in [false, true] {
        let stub = MemoryStub::start(Spelling::Mem);
        if !replaces {
            stub.replaces_nothing();
        }
        let sandbox = home(&stub);
        for n in 0..3 {
            let said = format!("{ANSWERED} This is version {n}.");
            let log = log(&sandbox, &[("user", ASKED), ("assistant", &said)]);
            silent(&sandbox, &with_log(Payload::stop(&said), &log));
            eventually("the one memory of the session", PATIENCE, || {
                drop(sandbox.afterword(&["deliver"]));
                let memories = stub.memories();
                let one = memories.len() == 1 && waiting(&sandbox) == 0;
                (one && memories[0]["memory"].as_str().unwrap().ends_with(&format!("version {n}.")))
                    .then_some(())
            });
        }
    }
}

#[test]
fn what_a_session_has_on_another_machine_is_taken_over() {
    let stub = MemoryStub::start(Spelling::Bare);
    let of_session =
        json!({"type": "session_summary", "session_id": "11111111-2222-4333-8444-555555555555"});
    stub.has("dev.one", "old", "What it was yesterday.", Some(0.4), &of_session);
    let sandbox = home(&stub);
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log));
    eventually("the new text under the old id", PATIENCE, || {
        let [memory] = stub.memories().try_into().unwrap();
        assert_eq!(memory["id"], "old");
        memory["memory"].as_str().unwrap().contains(ANSWERED).then_some(())
    });
    delivered(&sandbox);
}

#[test]
fn a_compaction_leaves_a_snapshot_as_it_is() {
    let stub = MemoryStub::start(Spelling::Platform);
    let sandbox = home(&stub);
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    let compact = with_log(Payload::pre_compact("auto"), &log);
    silent(&sandbox, &compact);
    let [memory] = kept(&stub, 1).try_into().unwrap();
    assert_eq!(memory["metadata"]["type"], "compact_summary");
    assert!(memory["memory"].as_str().unwrap().contains(ANSWERED));
    delivered(&sandbox);
    silent(&sandbox, &compact);
    drop(sandbox.afterword(&["deliver"]).success());
    assert_eq!(stub.memories().len(), 1, "the same snapshot is one memory");
}

#[test]
fn an_answer_that_comes_later_makes_no_second_memory() {
    for spelling in [Spelling::Platform, Spelling::Mem] {
        let stub = MemoryStub::start(spelling);
        stub.queues();
        let sandbox = home(&stub);
        for n in 0..3 {
            let said = format!("{ANSWERED} This is version {n}.");
            let log = log(&sandbox, &[("user", ASKED), ("assistant", &said)]);
            silent(&sandbox, &with_log(Payload::stop(&said), &log));
            eventually("the newest text", PATIENCE, || {
                let memories = stub.memories();
                let [memory] = memories.as_slice() else { return None };
                memory["memory"].as_str()?.ends_with(&format!("version {n}.")).then_some(())
            });
            delivered(&sandbox);
        }
    }
}

#[test]
fn whatever_the_service_does_hooks_are_silent_and_nothing_is_lost_or_doubled() {
    let conducts = [
        Conduct::Closes,
        Conduct::Status(401),
        Conduct::Status(403),
        Conduct::Status(429),
        Conduct::Status(500),
        Conduct::Status(503),
        Conduct::Garbage,
    ];
    for conduct in conducts {
        let stub = MemoryStub::start(Spelling::Platform);
        stub.behave(conduct);
        let sandbox = home(&stub);
        let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
        assert_eq!(given(&sandbox), "", "{conduct:?}");
        silent(&sandbox, &with_log(Payload::pre_compact("auto"), &log));
        silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log));
        let told = sandbox.afterword(&["status", "--json"]).success().json();
        assert_eq!(told["remote"]["waiting"], 2, "{conduct:?}: {told}");
        stub.behave(Conduct::Good);
        // Whichever hook comes next, once another try is due.
        eventually("both memories", PATIENCE, || {
            silent(&sandbox, &Payload::prompt("next"));
            (stub.memories().len() >= 2 && waiting(&sandbox) == 0).then_some(())
        });
        assert_eq!(stub.memories().len(), 2, "{conduct:?}");
    }
}

#[test]
fn a_service_that_is_away_gets_everything_when_it_is_back() {
    let away = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let sandbox = home_of(&format!("http://{away}"), "t");
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    assert_eq!(given(&sandbox), "");
    silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log));
    let told = sandbox.afterword(&["deliver"]);
    assert!(told.code != Some(0) || told.stdout.contains("Another sender"), "{told:?}");
    assert_eq!(waiting(&sandbox), 1);
    let doctor = sandbox.afterword(&["doctor", "--json"]).json();
    let check =
        doctor["checks"].as_array().unwrap().iter().find(|c| c["name"] == "remote").unwrap();
    assert_eq!(
        (&check["ok"], check["remedy"].as_str().unwrap().is_empty()),
        (&json!(false), false)
    );
    // What waits is for that service and no other.
    let stub = MemoryStub::start(Spelling::Platform);
    let conf = format!("AFTERWORD_API_URL={}\nAFTERWORD_API_TOKEN={}\n", stub.url(), stub.token());
    fs::write(sandbox.home().join(".claude/afterword.conf"), conf).unwrap();
    drop(sandbox.afterword(&["deliver"]));
    assert_eq!((waiting(&sandbox), stub.memories().len()), (1, 0));
}

#[test]
fn a_sender_that_is_killed_makes_no_second_memory() {
    for (heeds_keys, event) in
        [(true, "stop"), (false, "stop"), (true, "pre-compact"), (false, "pre-compact")]
    {
        let stub = MemoryStub::start(Spelling::Platform);
        if heeds_keys {
            stub.heeds_keys();
        }
        stub.behave(Conduct::Status(503));
        let sandbox = home(&stub);
        let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
        let payload =
            if event == "stop" { Payload::stop(ANSWERED) } else { Payload::pre_compact("auto") };
        silent(&sandbox, &with_log(payload, &log));
        let brake = sandbox.data().join("spool/remote/later.json");
        eventually("the first sender's end", PATIENCE, || brake.exists().then_some(()));
        stub.behave(Conduct::ForgetsToAnswerAdds);
        let mut sender = sandbox.command(sandbox.binary());
        sender.arg("deliver").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut sender = sender.spawn().unwrap();
        eventually("an add", PATIENCE, || stub.memories().first().map(drop));
        sender.kill().unwrap();
        sender.wait().unwrap();
        assert_eq!(waiting(&sandbox), 1, "it is still there");
        stub.behave(Conduct::Good);
        eventually("a sender that ends well", PATIENCE, || {
            let told = sandbox.afterword(&["deliver", "--json"]);
            (told.code == Some(0) && waiting(&sandbox) == 0).then_some(())
        });
        assert_eq!(stub.memories().len(), 1, "{event}, keys heeded: {heeds_keys}");
    }
}

#[test]
fn what_the_service_refuses_for_good_is_set_aside_and_shown() {
    let stub = MemoryStub::start(Spelling::Platform);
    let sandbox = home(&stub);
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    assert_eq!(given(&sandbox), "");
    stub.behave(Conduct::Status(400));
    silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log));
    delivered(&sandbox);
    let told = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(told["remote"]["parked"], 1, "{told}");
}

#[test]
fn a_hanging_service_costs_a_session_start_its_budget_and_other_hooks_nothing() {
    let stub = MemoryStub::start(Spelling::Platform);
    stub.behave(Conduct::Hangs);
    let sandbox = home(&stub);
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    let timed = |act: &dyn Fn()| {
        let begun = Instant::now();
        act();
        begun.elapsed()
    };
    let start = timed(&|| assert_eq!(given(&sandbox), ""));
    let stop = (0..3)
        .map(|_| timed(&|| silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log))))
        .min()
        .unwrap();
    assert!(stop * 2 < start, "a stop took {stop:?}, a start {start:?}");
    stub.behave(Conduct::Good);
    let good = timed(&|| drop(given(&sandbox)));
    assert!(good < start, "a start took {good:?} with and {start:?} without an answer");
    // Late answers count while there is time.
    stub.has("dev.one", "a", "A slow fact.", Some(0.9), &json!({}));
    stub.behave(Conduct::Slow(Duration::from_millis(200)));
    assert!(given(&sandbox).contains("A slow fact."));
}

#[test]
fn where_memory_is_switched_off_nobody_is_asked_and_nothing_waits() {
    let stub = MemoryStub::start(Spelling::Platform);
    let play = |sandbox: &Sandbox, variables: &[(&str, &str)]| {
        let log = log(sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
        for payload in [Payload::session_start("startup"), with_log(Payload::stop(ANSWERED), &log)]
        {
            let mut command = sandbox.command(sandbox.binary());
            command.args(["hook", "claude-code", payload.event()]).envs(variables.iter().copied());
            let line = payload.json(sandbox.project()).to_string();
            let output = sandbox.run(command, line.as_bytes()).success();
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
        }
        assert_eq!((stub.heard().len(), waiting(sandbox)), (0, 0), "{variables:?}");
    };
    let disabled = home(&stub);
    play(&disabled, &[("AFTERWORD_DISABLED", "1")]);
    let paused = home(&stub);
    drop(paused.afterword(&["pause"]).success());
    play(&paused, &[]);
    let marked = home(&stub);
    marked.write(".afterword.toml", "enabled = false\n");
    play(&marked, &[]);
    let excluded = home(&stub);
    fs::create_dir_all(excluded.data()).unwrap();
    let settings = format!("[capture]\nexcluded_paths = [\"{}\"]\n", excluded.project().display());
    fs::write(excluded.data().join("config.toml"), settings).unwrap();
    play(&excluded, &[]);
}

#[test]
fn private_text_and_secrets_never_reach_the_service() {
    let stub = MemoryStub::start(Spelling::Platform);
    let sandbox = home(&stub);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mixed = format!("{ASKED} <private>the merger is on Friday</private> with {secret}");
    let log = log(
        &sandbox,
        &[
            ("user", &mixed),
            ("assistant", ANSWERED),
            ("user", "<private>tell me all about the merger, please</private>"),
            (
                "assistant",
                &format!("The merger that you asked about in private is on Friday. {ANSWERED}"),
            ),
        ],
    );
    silent(&sandbox, &with_log(Payload::stop(&format!("The merger again: {ANSWERED}")), &log));
    kept(&stub, 1);
    delivered(&sandbox);
    let heard = format!("{:?}", stub.heard());
    assert!(heard.contains("retry queue"), "{heard}");
    for hidden in ["merger", "Friday", secret] {
        assert!(!heard.contains(hidden), "{hidden} in {heard}");
    }
}

#[test]
fn both_memories_are_kept_where_the_settings_say_so() {
    let stub = MemoryStub::start(Spelling::Platform);
    stub.has("dev.one", "a", "The service knows a fact.", Some(0.9), &json!({}));
    let sandbox = home(&stub);
    fs::create_dir_all(sandbox.data()).unwrap();
    fs::write(sandbox.data().join("config.toml"), "[remote]\nlocal = true\n").unwrap();
    let log = log(&sandbox, &[("user", ASKED), ("assistant", ANSWERED)]);
    drop(sandbox.send(&Payload::prompt(ASKED)).success());
    silent(&sandbox, &with_log(Payload::stop(ANSWERED), &log));
    kept(&stub, 2);
    sandbox.wait_for_status("a distilled turn", |status| {
        status["stored"].as_u64() >= Some(2) && status["waiting"] == 0 && status["spooled"] == 0
    });
    let block = given(&sandbox);
    assert_eq!(block.matches("<afterword-context").count(), 1, "{block}");
    assert!(
        block.contains("1. The service knows a fact.") || block.contains("2. The service knows"),
        "{block}"
    );
    assert!(block.contains("retry queue") && block.ends_with("</afterword-context>"), "{block}");
    let told = sandbox.afterword(&["status", "--json"]).success().json();
    assert_eq!(
        (&told["remote"]["local"], &told["remote"]["user_id"]),
        (&json!(true), &json!("dev.one"))
    );
}

#[test]
fn installing_by_type_for_a_service_leaves_nothing_behind() {
    let stub = MemoryStub::start(Spelling::Platform);
    let sandbox = home(&stub);
    let settings = sandbox.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    let before = fs::read(&settings).unwrap();
    let commands = || {
        let text = fs::read_to_string(&settings).unwrap();
        ["session-start", "stop", "pre-compact", "pre-tool-use"]
            .map(|word| text.contains(&format!(" {word}")))
    };
    for (kind, wanted) in [
        ("write", [false, true, true, true]),
        ("all", [true, true, true, true]),
        ("read", [true, false, false, true]),
    ] {
        let args = ["install", "claude-code", "--project", "--no-model", "--type", kind];
        drop(sandbox.afterword(&args).success());
        assert_eq!(commands(), wanted, "{kind}");
    }
    assert!(
        !sandbox.project().join(".mcp.json").exists(),
        "no tools of a memory that is not kept here"
    );
    assert!(sandbox.endpoint().is_none());
    drop(sandbox.afterword(&["uninstall", "claude-code", "--project"]).success());
    assert_eq!(fs::read(&settings).unwrap(), before);
}

#[test]
fn doctor_says_what_is_right_and_what_is_not() {
    let stub = MemoryStub::start(Spelling::Bare);
    let sandbox = home(&stub);
    let check = |name: &str| {
        let told = sandbox.afterword(&["doctor", "--json"]).json();
        let checks = told["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == name)
    };
    assert_eq!(check("remote").unwrap()["ok"], true);
    assert!(check("daemon").is_none(), "nothing is kept here");
    let conf = format!("AFTERWORD_API_URL={}\nAFTERWORD_API_TOKEN=wrong\n", stub.url());
    sandbox.write(".claude/afterword.conf", &conf);
    let denied = check("remote").unwrap();
    assert!(
        denied["ok"] == false && denied["finding"].as_str().unwrap().contains("401"),
        "{denied}"
    );
    assert!(denied["remedy"].as_str().unwrap().contains("AFTERWORD_API_TOKEN"), "{denied}");
    assert_eq!(check("remote token").unwrap()["ok"], false);
    sandbox.write(".gitignore", ".claude/afterword.conf\n");
    assert_eq!(check("remote token").unwrap()["ok"], true);
    sandbox.write(".claude/afterword.conf", "AFTERWORD_API_URL=http://127.0.0.1:9\n");
    assert_eq!(check("remote address").unwrap()["ok"], false, "the person's token goes there");
    sandbox.write(
        ".claude/afterword.conf",
        "AFTERWORD_API_URL=http://service.invalid\nAFTERWORD_API_TOKEN=t\n",
    );
    assert_eq!(check("remote wire").unwrap()["ok"], false);
}

/// A server with a certificate in front of a stub: one request for each connection.
fn sealed(stub: &MemoryStub) -> u16 {
    let config = rustls::ServerConfig::builder_with_provider(
        rustls::crypto::ring::default_provider().into(),
    )
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(
        vec![include_bytes!("fixtures/tls/certificate.der").to_vec().into()],
        rustls::pki_types::PrivatePkcs8KeyDer::from(
            include_bytes!("fixtures/tls/key.der").to_vec(),
        )
        .into(),
    )
    .unwrap();
    let config = std::sync::Arc::new(config);
    let inside = stub.url().trim_start_matches("http://").to_owned();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    // It lives as long as the tests: what it serves ends with the stub.
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (config, inside) = (config.clone(), inside.clone());
            std::thread::spawn(move || pass(config, socket, &inside));
        }
    });
    port
}

fn pass(
    config: std::sync::Arc<rustls::ServerConfig>,
    socket: std::net::TcpStream,
    inside: &str,
) -> Option<()> {
    let session = rustls::ServerConnection::new(config).ok()?;
    let mut outer = rustls::StreamOwned::new(session, socket);
    let mut inner = std::net::TcpStream::connect(inside).ok()?;
    copy_message(&mut outer, &mut inner)?;
    copy_message(&mut inner, &mut outer)
}

/// Copies one head with the body that it counts.
fn copy_message(from: &mut impl std::io::Read, to: &mut impl std::io::Write) -> Option<()> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .split("content-length: ")
                .nth(1)
                .map_or("0", |rest| rest.lines().next().unwrap());
            if body.len() >= length.parse().unwrap() {
                break;
            }
        }
        match from.read(&mut chunk).ok()? {
            0 => return None,
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    }
    to.write_all(&bytes).ok()?;
    to.flush().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn https_is_spoken_to_services_that_can_prove_who_they_are_and_to_no_others() {
    let stub = MemoryStub::start(Spelling::Platform);
    stub.has("dev.one", "a", "A sealed fact.", Some(0.9), &json!({}));
    let sandbox = home_of(&format!("https://127.0.0.1:{}", sealed(&stub)), stub.token());
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls/authority.pem");
    let start = |trusted: bool| {
        let mut command = sandbox.command(sandbox.binary());
        command.args(["hook", "claude-code", "session-start"]);
        if trusted {
            command.env("SSL_CERT_FILE", authority);
        }
        let line = Payload::session_start("startup").json(sandbox.project()).to_string();
        sandbox.run(command, line.as_bytes()).success().stdout
    };
    assert_eq!(start(false), "");
    assert!(stub.heard().is_empty(), "nothing goes out to a stranger");
    assert!(start(true).contains("1. A sealed fact."));
}

#[test]
fn an_address_that_came_with_a_clone_is_not_used_until_it_is_trusted() {
    let stub = MemoryStub::start(Spelling::Platform);
    stub.has("dev.one", "a", "A fact of the team.", Some(0.9), &json!({}));
    let sandbox = Sandbox::new(BIN);
    let own = format!("AFTERWORD_API_TOKEN={}\nAFTERWORD_USER_ID=dev.one\n", stub.token());
    fs::write(sandbox.home().join(".claude/afterword.conf"), own).unwrap();
    let folder = sandbox.project().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    let names = format!("AFTERWORD_API_URL={}\n", stub.url());
    fs::write(folder.join("afterword.conf"), names).unwrap();
    let git = |arguments: &[&str]| sandbox.git(sandbox.project(), arguments);
    let start = || sandbox.send(&Payload::session_start("startup")).success().stdout;

    git(&["init", "-q"]);
    assert!(start().contains("A fact of the team."), "the person's own file is obeyed");
    let before = stub.heard().len();

    git(&["add", "-f", ".claude/afterword.conf"]);
    let told: Value = serde_json::from_str(&start()).unwrap();
    let notice = told["systemMessage"].as_str().unwrap();
    assert!(notice.contains(&stub.url()) && notice.contains("trusted"), "{notice}");
    let ended = Payload::stop(ANSWERED);
    sandbox.send(&ended).success();
    assert_eq!(stub.heard().len(), before, "neither the token nor the work goes out");
    let doctor = sandbox.afterword(&["doctor"]);
    assert!(doctor.stdout.contains("came with this project"), "{}", doctor.stdout);

    let trusts = format!("[remote]\ntrusted = [\"{}/\"]\n", stub.url());
    fs::write(sandbox.data().join("config.toml"), trusts).unwrap();
    assert!(start().contains("A fact of the team."));
}
