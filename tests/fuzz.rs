//! Anything at all, handed to whatever reads what others wrote: nothing panics, every promise holds.
//!
//! A run of the tests tries some cases of each; `PROPTEST_CASES=20000 cargo test --test stories fuzz`
//! tries as many as one has time for. The privacy scanner and the repair of payloads have their own
//! in `crates/domain`.

use std::collections::HashSet;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use afterword::config::{Config, Env};
use afterword::hook;
use afterword::hook::transcript::{Wanted, final_answer};
use afterword::install::json_file::{Document, Json, edit};
use afterword_domain::memory::Origin;
use afterword_domain::project::ProjectRef;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::spool;
use afterword_domain::{Time, boundary, privacy};
use afterword_engine::{Engine, Settings, analyze};
use afterword_store::sqlite::SqliteStore;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::{Value, json};

const NOW: Time = Time::from_millis(1_796_000_000_000);

/// How many cases a run of the tests tries; `PROPTEST_CASES` asks for another number.
fn bounded(cases: u32) -> Cases {
    // Where nobody asked, proptest says 256. What failed is printed, and kept by whoever fixes it.
    let asked = Cases { failure_persistence: None, ..Cases::default() };
    if asked.cases == 256 { Cases { cases, ..asked } } else { asked }
}

/// Text of any kind, and text dense in what queries and parsers stumble over.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\"",
        "'",
        "*",
        "(",
        ")",
        ":",
        "-",
        "^",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b, 2)",
        "{",
        "}",
        "a",
        "bd-42",
        "auto-memory",
        "C:\\x",
        "title:x",
        "retry_queue",
        "retryQueue",
        "重试",
        "队列",
        "し",
        "한국어",
        "é",
        "🦀",
        "\u{200d}",
        "\0",
        "\n",
        " ",
        "%",
        "_",
        "\\",
        "//",
        ".rs",
        "#",
        "<b>",
        "]]",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(piece, 0..24).prop_map(|p| p.concat())]
}

proptest! {
    #![proptest_config(bounded(96))]

    #[test]
    fn k_any_text_has_tokens_and_the_same_ones_every_time(text in text()) {
        let tokens = analyze::tokens(&text);
        prop_assert_eq!(&analyze::tokens(&text), &tokens);
        prop_assert!(tokens.iter().all(|token| !token.is_empty() && !token.contains(char::is_whitespace)));
        let known: HashSet<&String> = tokens.iter().collect();
        for term in analyze::query_terms(&text) {
            prop_assert!(known.contains(&term), "'{term}' is asked for and never indexed");
        }
        drop(analyze::text_key(&text));
    }

    #[test]
    fn m_any_settings_file_is_edited_and_given_back_or_refused(source in settings(), name in text()) {
        let Ok(document) = Document::parse(&source) else { return Ok(()) };
        let Some(root) = document.root() else { return Ok(()) };
        let Some(members) = root.properties() else { return Ok(()) };
        if members.iter().any(|member| member.name == name) {
            return Ok(());
        }
        let at = members.len();
        let added = edit::append(&document, root, Some(&name), &Json::Number(7));
        let Ok(added) = added else { return Ok(()) };
        // What was added is there, and taking it out gives back every byte.
        let again = Document::parse(&added.to_source());
        prop_assert!(again.is_ok(), "{:?}", added.to_source());
        let again = again.unwrap();
        let root = again.root().unwrap();
        prop_assert_eq!(&root.properties().unwrap()[at].name, &name);
        let back = edit::remove(&again, root, at).unwrap().to_source();
        let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
        if at == 0 {
            // The blanks of an empty object are nobody's.
            prop_assert_eq!(without_blanks(&back), without_blanks(&source));
        } else {
            prop_assert_eq!(back, source);
        }
    }
}

/// Documents of settings: whole ones, and ones that are nearly so.
fn settings() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"a\"",
        "\"b\": 1",
        "\"c\": {\"d\": [1, 2]}",
        "1",
        "true",
        "null",
        "\n",
        "\r\n",
        "  ",
        "\t",
        "// x\n",
        "/* y */",
        "\u{feff}",
        "\\",
        "\"",
    ]);
    let broken = prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat());
    let member = prop::sample::select(vec![
        "\"a\": 1",
        "\"b\": [ ]",
        "\"c\": {\"x\": \"}\"}",
        "\"d\" : null",
    ]);
    let gap = prop::sample::select(vec!["", " ", "\n  ", "\r\n\t", " /* z */ ", " // z\n"]);
    let whole = (prop::collection::hash_set(member, 0..4), gap).prop_map(|(members, gap)| {
        let members: Vec<&str> = members.into_iter().collect();
        format!("{{{gap}{}{gap}}}", members.join(&format!(",{gap}")))
    });
    prop_oneof![broken, whole]
}

#[test]
fn e_any_text_is_a_query_and_any_text_is_found_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = SqliteStore::open(&folder.path().join("memory.db")).unwrap();
    let settings = Settings {
        skip_tools: HashSet::new(),
        session_context: true,
        prompt_recall: true,
        file_recall: true,
        retention: afterword_engine::Retention::default(),
    };
    let clock = Arc::new(FixedClock(NOW));
    let engine = Engine::new(Arc::new(store), clock, settings);
    let mut runner = TestRunner::new(bounded(96));
    let outcome = runner.run(&(text(), text()), |(text, query)| {
        runtime.block_on(async {
            let request = RememberRequest {
                text: text.clone(),
                project: ProjectRef::named("fuzz"),
                metadata: json!({ "note": query }),
                ..RememberRequest::default()
            };
            let remembered = engine.remember(request, Origin::Told).await;
            let found = engine.search(&SearchRequest { query, ..SearchRequest::default() }).await;
            prop_assert!(found.is_ok(), "{found:?}");
            let found = found.unwrap();
            prop_assert!(found.results.iter().all(|r| (0.0..=1.0).contains(&r.score)), "{found:?}");
            if remembered.is_ok() && !analyze::query_terms(&privacy::clean(&text)).is_empty() {
                let again = SearchRequest {
                    query: text.clone(),
                    limit: Some(200),
                    ..SearchRequest::default()
                };
                let found = engine.search(&again).await.unwrap();
                prop_assert!(found.total > 0, "{text:?} does not find itself");
            }
            Ok(())
        })
    });
    outcome.unwrap();
}

#[test]
fn d_any_transcript_gives_an_answer_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let said = |text: &str| {
        json!({"type": "assistant", "sessionId": "s", "message": {"id": "m", "content": [{"type": "text", "text": text}]}})
            .to_string()
    };
    let asked = json!({"type": "user", "sessionId": "s", "message": {"content": "x"}}).to_string();
    let line = prop_oneof![
        3 => prop::sample::select(vec![said("ours"), said(""), asked, "{".to_owned(), String::new(),
            "null".to_owned(), "[1]".to_owned(), json!({"type": "assistant", "message": 5}).to_string()]),
        1 => any::<String>(),
    ];
    let bytes = (
        prop::collection::vec(line, 0..12),
        prop::collection::vec(any::<u8>(), 0..40),
        any::<bool>(),
    )
        .prop_map(|(lines, noise, front)| {
            let text = lines.join("\n").into_bytes();
            if front { [noise, text].concat() } else { [text, noise].concat() }
        });
    let mut runner = TestRunner::new(bounded(96));
    let outcome = runner.run(&bytes, |bytes| {
        std::fs::write(&path, &bytes).unwrap();
        for sidechain in [false, true] {
            let wanted = Wanted { session: "s", turn: None, sidechain };
            let answer = final_answer(&path, wanted, Instant::now());
            if let Some(answer) = answer {
                prop_assert!(String::from_utf8_lossy(&bytes).contains("assistant"), "{answer}");
            }
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_any_payload_is_answered_with_nothing_or_one_object() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("home/.afterword");
    std::fs::create_dir_all(&data).unwrap();
    // The brake: no daemon is started from here, so what is kept is spooled.
    std::fs::write(data.join("daemon.starting"), format!("{} 20 failed\n", NOW.millis())).unwrap();
    let home = folder.path().join("home").display().to_string();
    let env = || Env::from_lookup(|name| (name == "HOME").then(|| home.clone()));
    let (config, _) = Config::load(env());
    let field = prop::sample::select(vec![
        "session_id",
        "cwd",
        "prompt",
        "tool_name",
        "tool_input",
        "tool_response",
        "source",
        "error",
        "transcript_path",
        "agent_id",
        "agent_type",
        "last_assistant_message",
        "hook_event_name",
    ]);
    let value = prop_oneof![
        text().prop_map(Value::from),
        prop::sample::select(vec![
            Value::Null,
            json!(7),
            json!([]),
            json!({}),
            json!(["Bash"]),
            json!({"command": ["a", 1]}),
            json!({"file_path": 5}),
            json!("Bash"),
            json!("/nowhere")
        ]),
    ];
    let payload = prop_oneof![
        prop::collection::hash_map(field, value, 0..8)
            .prop_map(|m| json!(m).to_string().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..60),
    ];
    let moments = [
        "session-start",
        "user-prompt-submit",
        "pre-tool-use",
        "post-tool-use",
        "stop",
        "session-end",
    ];
    let mut runner = TestRunner::new(bounded(64));
    let outcome =
        runner.run(&(payload, prop::sample::select(moments.to_vec())), |(payload, moment)| {
            let args = ["claude-code", moment].map(Into::into);
            let mut stdout = Vec::new();
            hook::run_with(&args, &config, &FixedClock(NOW), Cursor::new(payload), &mut stdout);
            for entry in std::fs::read_dir(data.join("spool")).into_iter().flatten() {
                let path = entry.unwrap().path();
                let bytes = std::fs::read(&path).unwrap();
                let event = spool::decode(&bytes).unwrap();
                let again = boundary::seal(event).map(|sealed| sealed.bytes);
                prop_assert_eq!(again.as_deref(), Some(bytes.as_slice()), "sealed once is sealed");
                std::fs::remove_file(path).unwrap();
            }
            prop_assert!(
                stdout.is_empty() || serde_json::from_slice::<Value>(&stdout).unwrap().is_object()
            );
            Ok(())
        });
    outcome.unwrap();
}
