//! Private text and secrets are nowhere on disk and in no answer.

use std::fs;
use std::path::Path;

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::{Value, json};

use crate::observer_door::Door;
use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");
const CANARY: &str = "canary7f3a9";

/// Files of a folder that hold the canary.
fn leaks(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(leaks(&path));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// The canary as private text, marked in every way that a person or a model may mark it.
fn marked() -> Vec<String> {
    [
        "<private>@</private>",
        "<PRIVATE>@</Private>",
        "< private >@</ private >",
        "<private reason=\"a > b\">@</private>",
        "<private><private>x</private>@</private>",
        "<private>\n@\n</private>",
        "<pri<private>x</private>vate>@</private>",
        "＜private＞@＜/private＞",
        "<pri\u{200b}vate>@</private>",
        "<afterword-context project=\"p\">@</afterword-context>",
        "<private>@</privat",
        "<private>@",
    ]
    .iter()
    .map(|text| format!("kept {}", text.replace('@', CANARY)))
    .collect()
}

/// The canary inside a secret that nobody marked.
fn secrets() -> Vec<String> {
    [
        "sk-ant-api03-@AAAAAAAAAAAAAAAA",
        "https://dev:@@host/x",
        "DB_PASSWORD=@",
        "Authorization: Bearer @AAAAAAAA",
        "-----BEGIN PRIVATE KEY-----\n@\n-----END PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.@AAAA.c2lnbmF0dXJl",
        "{\"api_key\": \"@\"}",
    ]
    .iter()
    .map(|text| format!("kept {}", text.replacen('@', CANARY, 1)))
    .collect()
}

/// A folder's or branch's name with a secret in it.
fn name() -> String {
    format!("sk-ant-api03-{CANARY}AAAAAAAAAAAAAAAA")
}

/// Every field of every event that can hold a text, with this text in it.
fn events(text: &str) -> Vec<Payload> {
    let t = || serde_json::Value::from(text);
    vec![
        Payload::session_start("startup").with("model", t()),
        Payload::prompt(text),
        Payload::after_tool("mcp__x__y", &json!({ "a": [t()] }), &json!([{ "b": { "c": t() } }]))
            .tool_use_id("1"),
        Payload::bash(&format!("echo '{text}'"), &Outcome::ok(text)).tool_use_id("2"),
        Payload::bash("make", &Outcome::failed(2, text)).tool_use_id("3"),
        Payload::edit("src/a.rs", text, text).tool_use_id("4"),
        Payload::write(&format!("src/{}.rs", name()), text).tool_use_id("5"),
        Payload::read("src/b.rs", text).inside_subagent(text, text).tool_use_id("6"),
        Payload::pre_compact("manual").with("custom_instructions", t()),
        Payload::post_compact(text),
        Payload::subagent_stop("general-purpose", text),
        Payload::stop(text),
        Payload::session_end(text),
    ]
}

/// Uses of key files, none of which may show what is in them.
fn key_files() -> Vec<Payload> {
    let host = format!("HOST={CANARY}\n");
    let shell = |command: &str, output: &str| Payload::bash(command, &Outcome::ok(output));
    vec![
        Payload::read(".env", &host),
        Payload::edit("config/.env.local", &host, &host),
        Payload::write("deploy/id_rsa", &host),
        shell("cat .env*", &host),
        shell("grep -rn HOST .", &format!("src/a.rs:1:x\n.env:1:{host}")),
        shell("git diff", &format!("diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n+{host}")),
        shell(&format!("echo DBPASS={CANARY} >> .env"), ""),
        shell(&format!("cat > .env <<EOF\n{host}EOF"), ""),
        shell(&format!("mysql -u root -p{CANARY} db"), ""),
        shell(&format!("sshpass -p {CANARY} ssh h"), ""),
        shell(&format!("docker login -u dev -p {CANARY} r"), ""),
        shell(&format!("curl -H 'X-Api-Key: {CANARY}' h"), ""),
        Payload::after_tool(
            "mcp__http__get",
            &json!({ "headers": { "X-Api-Key": CANARY, "Cookie": format!("a={CANARY}") } }),
            &json!("ok"),
        ),
        Payload::after_tool(
            "Grep",
            &json!({ "pattern": "HOST", "path": ".env" }),
            &json!({ "content": format!("1:{host}") }),
        ),
    ]
}

/// Sends every event with every dress of the canary, each in a session of its own.
fn send_everything(sandbox: &Sandbox) {
    for (i, text) in marked().into_iter().chain(secrets()).enumerate() {
        for payload in events(&text) {
            sandbox.send(&payload.session(&format!("s{i}"))).success();
        }
    }
    for payload in key_files() {
        sandbox.send(&payload.session("keys")).success();
    }
}

fn nothing_leaked(sandbox: &Sandbox) {
    assert_eq!(leaks(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn f2_a_canary_in_every_event_is_nowhere_on_disk() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    send_everything(&sandbox);
    let status = settle(&sandbox);
    assert!(status["stored"].as_u64() > Some(200), "{status}");
    nothing_leaked(&sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
    nothing_leaked(&sandbox);
}

#[test]
fn f3_the_spool_is_clean_too() {
    let sandbox = Sandbox::new(BIN);
    let _lock = sandbox.keep_daemon_away();
    for text in [&marked()[4], &marked()[11], &secrets()[0]] {
        for payload in events(text) {
            sandbox.send(&payload.session("s")).success();
        }
    }
    for payload in key_files() {
        sandbox.send(&payload.session("keys")).success();
    }
    assert!(fs::read_dir(sandbox.data().join("spool")).unwrap().count() > 30);
    nothing_leaked(&sandbox);
}

#[test]
fn f2_names_of_folders_and_branches_are_cleaned_wherever_they_come_in() {
    let sandbox = Sandbox::new(BIN);
    let project = sandbox.another_project(&name());
    let branch = format!("feature/{}", name());
    drop(sandbox.git(&project, &["checkout", "-q", "-b", &branch]));
    for payload in [
        Payload::session_start("startup"),
        Payload::prompt("Move the parser to its own crate"),
        Payload::edit("crates/parser/src/lib.rs", "a", "b"),
        Payload::stop("The parser has a crate of its own now, and its tests pass."),
    ] {
        sandbox.send(&payload.session("s").cwd(&project)).success();
    }
    settle(&sandbox);
    let inside = |args: &[&str]| {
        let mut command = sandbox.command(BIN);
        command.current_dir(&project).args(args);
        sandbox.run(command, b"").success()
    };
    inside(&["remember", "The parser is generated"]);
    // Asked for in the folder itself, the same project is found.
    assert!(inside(&["context"]).stdout.contains("parser is generated"));
    assert!(inside(&["search", "parser", "--json"]).json()["total"].as_u64() > Some(0));
    let start = Payload::session_start("startup").session("next").cwd(&project);
    let block = sandbox.send(&start).success().stdout;
    assert!(block.contains("parser is generated") && !block.contains(CANARY), "{block}");
    inside(&["pause"]);
    let quiet = Payload::session_start("startup").session("paused").cwd(&project);
    assert_eq!(sandbox.send(&quiet).success().stdout, "", "the pause holds");
    nothing_leaked(&sandbox);
}

#[test]
fn f2_an_answer_read_from_the_agents_log_is_cleaned() {
    let sandbox = Sandbox::new(BIN);
    for (i, text) in marked().into_iter().chain(secrets()).enumerate() {
        let session = format!("s{i}");
        let asked = json!({"type": "user", "sessionId": session, "message": {"content": "x"}});
        let said = json!({"type": "assistant", "sessionId": session,
            "message": {"id": "m", "content": [{"type": "text", "text": text}]}});
        let log = sandbox.root().join(format!("{session}.jsonl"));
        fs::write(&log, format!("{asked}\n{said}\n")).unwrap();
        let stop = Payload::stop("").without("last_assistant_message").without("prompt_id");
        let stop = stop.with("transcript_path", log.display().to_string().into());
        sandbox.send(&stop.session(&session)).success();
    }
    let status = settle(&sandbox);
    assert_eq!(status["stored"], marked().len() + secrets().len(), "{status}");
    nothing_leaked(&sandbox);
}

#[test]
fn f2_every_body_of_the_observer_door_is_cleaned() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    for (i, text) in marked().into_iter().chain(secrets()).enumerate() {
        let session = format!("o{i}");
        let common = json!({
            "contentSessionId": session, "project": text, "platformSource": text, "cwd": format!("/p/{}", name()),
            "agentType": text,
        });
        let with = |fields: Value| {
            let mut body = common.clone();
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            body
        };
        let first = door.post("/api/sessions/init", &with(json!({ "prompt": text })));
        door.post("/sessions/init", &with(json!({ "userPrompt": format!("again {text}") })));
        let id = &first["sessionDbId"];
        let third = json!({ "userPrompt": format!("third {text}"), "promptNumber": 9 });
        door.post(&format!("/sessions/{id}/init"), &with(third));
        door.post(
            "/api/sessions/observations",
            &with(json!({ "tool_name": text, "tool_input": { "a": text }, "tool_response": text, "tool_use_id": text, "agentId": text })),
        );
        let answer = with(json!({ "last_assistant_message": text, "last_user_message": text }));
        door.post("/api/sessions/summarize", &answer);
        door.post("/api/processing", &with(json!({ "isProcessing": true })));
        let done = door.post("/api/sessions/complete", &with(json!({ "reason": text })));
        assert_eq!(
            done["status"], "accepted",
            "a session is found under the names it was stored by"
        );
        door.post("/api/sessions/session-end", &with(json!({ "reason": format!("late {text}") })));
        let text_of_context = door
            .0
            .post_json("/api/context", &json!({ "name": text, "keys": [text], "branch": text }));
        assert_eq!(text_of_context.unwrap().status, 200);
        let project = json!({ "name": text, "keys": [format!("name:{text}")] });
        door.post("/api/search", &json!({ "query": text, "project": project }));
        door.post("/api/projects/find", &project);
    }
    settle(&sandbox);
    nothing_leaked(&sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
    nothing_leaked(&sandbox);
}

#[test]
fn f2_what_is_remembered_or_imported_is_cleaned_in_every_field() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let project = |text: &str| json!({ "name": text, "keys": [format!("dir:/p/{text}")], "root": text, "worktree": text, "branch": text });
    let mut lines = Vec::new();
    for text in marked().into_iter().chain(secrets()) {
        let body = json!({
            "text": text, "title": text, "project": project(&text), "files": [text],
            "metadata": { "a": [text], text.as_str(): 1, "password": CANARY },
        });
        door.post("/api/memories", &body);
        for kind in ["memory", "observation", "summary", "prompt", "snapshot"] {
            lines.push(json!({
                "kind": kind, "text": text, "title": text, "project": text, "project_keys": [format!("dir:/p/{text}")],
                "agent": text, "session": text, "prompt_number": 1, "files": [text], "metadata": { "a": text },
                "content": { "title": text, "facts": [text], "request": text },
            }).to_string());
        }
    }
    let count = lines.len() as u64;
    let fallback = urlencoded(&project(&marked()[0]).to_string());
    let answer = door
        .0
        .request(
            "POST",
            &format!("/api/import?project={fallback}"),
            Some(lines.join("\n").as_bytes()),
        )
        .unwrap();
    let report: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(report["read"], count, "{report}");
    assert!(report["stored"].as_u64() > Some(0), "{report}");
    settle(&sandbox);
    nothing_leaked(&sandbox);
    let export = sandbox.afterword(&["export"]).success().stdout;
    assert!(export.contains("kept") && !export.contains(CANARY), "{export}");
    sandbox.afterword(&["daemon", "stop"]).success();
    nothing_leaked(&sandbox);
}

fn urlencoded(text: &str) -> String {
    text.bytes().fold(String::new(), |out, byte| out + &format!("%{byte:02X}"))
}

#[test]
fn a_forgotten_memory_is_in_no_search_and_no_export() {
    let sandbox = Sandbox::new(BIN);
    let told = sandbox.afterword(&["remember", "--json", &format!("The door code is {CANARY}")]);
    let id = told.success().json()["id"].as_str().unwrap().to_owned();
    let found = || sandbox.afterword(&["search", CANARY, "--json"]).success().json();
    assert_eq!(found()["total"], 1);
    sandbox.afterword(&["forget", &id]).success();
    assert_eq!(found()["total"], 0);
    assert!(!sandbox.afterword(&["export"]).success().stdout.contains(CANARY));
    assert!(!sandbox.afterword(&["context"]).success().stdout.contains(CANARY));
}

#[test]
fn a_private_prompt_keeps_its_turn_out_and_the_next_turn_in() {
    let sandbox = Sandbox::new(BIN);
    let send = |payload: Payload| sandbox.send(&payload.session("s")).success();
    send(Payload::session_start("startup"));
    send(
        Payload::prompt("<private>the acquisition of the rival</private>")
            .with("prompt_id", "p1".into()),
    );
    send(Payload::edit("src/hidden_plan.rs", "a", "b").with("prompt_id", "p1".into()));
    send(
        Payload::stop("The hidden plan is written down in the file.")
            .with("prompt_id", "p1".into()),
    );
    send(Payload::prompt("Now the public part, please").with("prompt_id", "p2".into()));
    send(Payload::edit("src/public_part.rs", "a", "b").with("prompt_id", "p2".into()));
    let status = settle(&sandbox);
    assert_eq!(status["skipped"]["private"], 3, "{status}");
    let search = |query: &str| sandbox.afterword(&["search", query, "--json"]).success().json();
    assert_eq!(search("hidden_plan")["total"], 0);
    assert!(search("public_part")["total"].as_u64() > Some(0));
}

#[cfg(unix)]
#[test]
fn f7_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new(BIN);
    sandbox.send(&Payload::edit("src/a.rs", "a", "b").session("s")).success();
    settle(&sandbox);
    let mut folders = vec![sandbox.data()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}
