//! What viewers, MCP servers and plug-ins of the five-stage observer read.

use std::fs;
use std::io::{Read as _, Write as _};

use afterword_testkit::Sandbox;
use serde_json::{Value, json};

use crate::observer_door::Door;
use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// A door behind which two sessions lie: one of Claude Code in `shop`, one of Codex in `mill`.
fn filled(sandbox: &Sandbox) -> Door {
    let door = Door::open(sandbox);
    for (session, project, platform, file) in
        [("c-1", "shop", "claude", "src/cart.rs"), ("x-1", "mill", "codex", "src/wheel.rs")]
    {
        let init = json!({
            "contentSessionId": session, "project": project, "platformSource": platform,
            "prompt": format!("Round what {project} computes"),
        });
        door.post("/api/sessions/init", &init);
        let tool = json!({
            "contentSessionId": session, "platformSource": platform, "tool_name": "Edit",
            "tool_use_id": format!("call-{session}"), "cwd": format!("/home/dev/{project}"),
            "tool_input": { "file_path": format!("/home/dev/{project}/{file}"), "old_string": "a", "new_string": "b" },
            "tool_response": "ok",
        });
        door.post("/api/sessions/observations", &tool);
        let stop = json!({
            "contentSessionId": session, "platformSource": platform,
            "last_assistant_message": "Decision: totals are rounded once, at the end.\n\nNext steps:\n- round the tax too",
        });
        door.post("/api/sessions/summarize", &stop);
    }
    settle(sandbox);
    door
}

fn has(row: &Value, keys: &[&str]) {
    for key in keys {
        assert!(row.get(*key).is_some(), "{key} is missing in {row}");
    }
}

/// The keys that the observer's own server was seen to answer with, as far as its clients read them.
const OBSERVATION: [&str; 19] = [
    "id",
    "memory_session_id",
    "project",
    "merged_into_project",
    "platform_source",
    "type",
    "title",
    "subtitle",
    "narrative",
    "text",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
    "prompt_number",
    "created_at",
    "created_at_epoch",
    "discovery_tokens",
    "agent_id",
];
const SUMMARY: [&str; 14] = [
    "id",
    "session_id",
    "memory_session_id",
    "platform_source",
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
    "files_read",
    "files_edited",
    "project",
    "created_at_epoch",
];
const PROMPT: [&str; 9] = [
    "id",
    "session_db_id",
    "content_session_id",
    "memory_session_id",
    "project",
    "platform_source",
    "prompt_number",
    "prompt_text",
    "created_at_epoch",
];

#[test]
fn rows_come_page_by_page_in_the_observers_form() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    for (path, keys) in [
        ("/api/observations", &OBSERVATION[..]),
        ("/api/summaries", &SUMMARY[..]),
        ("/api/prompts", &PROMPT[..]),
    ] {
        let all = door.get(path);
        has(&all, &["items", "hasMore", "offset", "limit"]);
        let items = all["items"].as_array().unwrap();
        assert!(items.len() >= 2 && all["hasMore"] == false, "{path}: {all}");
        for row in items {
            has(row, keys);
        }
        let times: Vec<_> = items.iter().map(|row| row["created_at_epoch"].as_i64()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{path}: newest first: {times:?}");
        let page = door.get(&format!("{path}?limit=1&offset=1"));
        assert_eq!(page["items"], json!([items[1]]), "{path}");
        assert_eq!((&page["offset"], &page["limit"]), (&1.into(), &1.into()));
        assert_eq!(page["hasMore"], items.len() > 2);
        let shop = door.get(&format!("{path}?project=shop"));
        let of_shop = |row: &&Value| row["project"] == "shop" && row["platform_source"] == "claude";
        let own: Vec<&Value> = items.iter().filter(of_shop).collect();
        assert!(!own.is_empty() && shop["items"] == json!(own), "{path}: {shop}");
        let codex = door.get(&format!("{path}?platformSource=codex"));
        assert!(codex["items"].as_array().unwrap().iter().all(|row| row["project"] == "mill"));
        assert_eq!(door.get(&format!("{path}?project=nobody"))["items"], json!([]));
        assert_eq!(door.get(&format!("{path}?limit=5000"))["limit"], 100);
    }
    let first = &door.get("/api/observations")["items"][0];
    let all = door.get("/api/observations?limit=100")["items"].clone();
    let changed = all.as_array().unwrap().iter().any(|row| {
        let files = row["files_modified"].as_str().unwrap();
        serde_json::from_str::<Vec<String>>(files).unwrap().iter().any(|f| f.contains("src/"))
    });
    assert!(changed, "lists are texts that hold JSON: {all}");
    let one = door.get(&format!("/api/observation/{}", first["id"]));
    assert_eq!(&one, first);
    let summary = &door.get("/api/summaries")["items"][0];
    for path in ["session", "summary"] {
        assert_eq!(&door.get(&format!("/api/{path}/{}", summary["id"])), summary);
    }
    let prompt = &door.get("/api/prompts")["items"][0];
    assert_eq!(&door.get(&format!("/api/prompt/{}", prompt["id"])), prompt);
    let projects = door.get("/api/projects");
    has(&projects, &["projects", "sources", "projectsBySource", "items"]);
    assert_eq!(projects["sources"], json!(["claude", "codex"]));
    assert_eq!(projects["projectsBySource"]["codex"], json!(["mill"]));
    assert_eq!(door.get("/api/projects?platformSource=claude")["projects"], json!(["shop"]));
}

#[test]
fn rows_are_found_by_ids_files_and_sessions() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let all = door.get("/api/observations?limit=100")["items"].clone();
    let ids: Vec<i64> =
        all.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let batch = |body: Value| door.post("/api/observations/batch", &body);
    assert_eq!(batch(json!({ "ids": ids })).as_array().unwrap().len(), ids.len());
    let texts = [format!("{},{}", ids[0], ids[1]), format!("[{}, {}]", ids[0], ids[1])];
    for text in texts {
        let two = batch(json!({ "ids": text, "orderBy": "date_asc" }));
        assert_eq!(two.as_array().unwrap().len(), 2);
        assert!(two[0]["created_at_epoch"].as_i64() <= two[1]["created_at_epoch"].as_i64());
        assert_eq!(batch(json!({ "ids": text, "limit": 1 })).as_array().unwrap().len(), 1);
    }
    assert_eq!(batch(json!({ "ids": [] })), json!([]));
    assert_eq!(batch(json!({ "ids": [999_999] })), json!([]));
    let shop = batch(json!({ "ids": ids, "project": "shop" }));
    assert!(shop.as_array().unwrap().iter().all(|row| row["project"] == "shop"), "{shop}");
    let saved = door.post(
        "/api/memory/save",
        &json!({ "text": "The shop is deployed on Fridays only", "project": "shop", "title": "Deploys" }),
    );
    assert_eq!((&saved["success"], &saved["title"]), (&true.into(), &"Deploys".into()), "{saved}");
    let memory = batch(json!({ "ids": [saved["publicId"]] }));
    assert_eq!(memory[0]["narrative"], "The shop is deployed on Fridays only");
    let file = door.get(
        "/api/observations/by-file?path=src/cart.rs&path=/home/dev/shop/src/cart.rs&projects=shop,mill",
    );
    assert_eq!(file["count"], file["observations"].as_array().unwrap().len());
    assert!(file["count"].as_u64() >= Some(1), "{file}");
    for row in file["observations"].as_array().unwrap() {
        has(row, &OBSERVATION);
    }
    assert_eq!(door.get("/api/observations/by-file?path=src/cart.rs&projects=mill")["count"], 0);
    let sessions =
        door.post("/api/sdk-sessions/batch", &json!({ "memorySessionIds": ["c-1", "no"] }));
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    has(
        &sessions[0],
        &[
            "id",
            "content_session_id",
            "platform_source",
            "user_prompt",
            "started_at_epoch",
            "status",
        ],
    );
    assert_eq!(
        (&sessions[0]["project"], &sessions[0]["status"]),
        (&"shop".into(), &"active".into())
    );
}

#[test]
fn raw_tool_uses_are_listed_and_given_whole() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let list = door.get("/api/tool-uses?session=c-1&tool_name=Edit,Write");
    assert_eq!(list["count"], 1, "{list}");
    let used = &list["toolUses"][0];
    assert_eq!((&used["tool_use_id"], &used["tool_name"]), (&"call-c-1".into(), &"Edit".into()));
    assert!(used["tool_input_bytes"].as_u64() > Some(20) && used.get("tool_input").is_none());
    assert!(used["observation_id"].is_i64(), "the observation that rests on it: {used}");
    assert_eq!(door.get("/api/tool-uses")["count"], 2);
    assert_eq!(door.get("/api/tool-uses?project=mill")["toolUses"][0]["platform_source"], "codex");
    assert_eq!(door.get("/api/tool-uses?dateEnd=2020-01-01")["count"], 0);
    let whole =
        door.post("/api/tool-uses/batch", &json!({ "ids": [used["id"], "call-x-1", "nobody"] }));
    assert_eq!(whole.as_array().unwrap().len(), 2, "{whole}");
    let own = whole.as_array().unwrap().iter().find(|row| row["id"] == used["id"]).unwrap();
    let input: Value = serde_json::from_str(own["tool_input"].as_str().unwrap()).unwrap();
    assert_eq!(input["new_string"], "b");
    assert_eq!(own["tool_response"], "\"ok\"");
    assert_eq!(door.post("/api/tool-uses/batch", &json!({ "ids": [] })), json!([]));
}

/// The text that an answer shows to a model.
fn shown(answer: &Value) -> &str {
    assert_eq!(answer["content"][0]["type"], "text", "{answer}");
    answer["content"][0]["text"].as_str().unwrap()
}

#[test]
fn searches_answer_with_the_keys_of_both_doors() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    door.post(
        "/api/memory/save",
        &json!({ "text": "Rounding follows the tax office", "project": "shop" }),
    );
    settle(&sandbox);
    let found = door.get("/api/search?query=how%20are%20totals%20rounded&project=shop");
    has(&found, &["results", "total", "content"]);
    assert!(found["results"][0]["score"].as_f64() > Some(0.0), "{found}");
    let text = shown(&found);
    assert!(text.starts_with("<afterword-context project=\"shop\">"), "{text}");
    assert!(text.contains("rounded once") && text.contains("| #"), "{text}");
    let json = door.get("/api/search?query=rounded&format=json");
    has(&json, &["observations", "sessions", "prompts", "totalResults", "query"]);
    for row in json["observations"].as_array().unwrap() {
        has(row, &OBSERVATION);
    }
    let kinds = |query: &str| -> (usize, usize, usize) {
        let json = door.get(&format!("/api/search?format=json&{query}"));
        let n = |key: &str| json[key].as_array().unwrap().len();
        (n("observations"), n("sessions"), n("prompts"))
    };
    let (observations, sessions, prompts) = kinds("query=round&type=prompts");
    assert_eq!((observations, sessions), (0, 0));
    assert!(prompts >= 2);
    assert!(matches!(kinds("query=rounded&type=sessions"), (0, 1.., 0)));
    assert!(matches!(kinds("obs_type=decision"), (2, 0, 0)), "{:?}", kinds("obs_type=decision"));
    assert!(matches!(kinds("type=decision&project=mill"), (1, 0, 0)));
    assert_eq!(kinds("type=nonsense&query=rounded"), (0, 0, 0));
    assert!(matches!(kinds("files=src/wheel.rs&type=observations"), (1.., 0, 0)));
    assert!(matches!(kinds("platformSource=codex"), (1.., 1.., 1)));
    assert_eq!(kinds("dateEnd=2020-01-01"), (0, 0, 0));
    assert!(kinds("dateStart=2020-01-01&type=observations").0 >= 2);
    let page = |offset: usize| {
        door.get(&format!(
            "/api/search?type=observations&orderBy=date_asc&limit=1&offset={offset}&format=json"
        ))
    };
    let (first, second) = (page(0), page(1));
    assert_eq!(first["total"], second["total"]);
    assert_ne!(first["observations"][0]["id"], second["observations"][0]["id"]);
    let nothing = door.get("/api/search?query=zzzzqqqq");
    assert!(shown(&nothing).contains("No results found"), "{nothing}");
    let memory = door.get("/api/search?query=tax%20office&format=json");
    assert_eq!(memory["memories"][0]["narrative"], "Rounding follows the tax office");
    assert!(shown(&memory).contains("#M1"), "{memory}");
    let only = door.get("/api/search/observations?query=rounded&limit=10");
    assert!(only["items"].as_array().unwrap().iter().all(|row| row["title"].is_string()));
    assert!(shown(&only).contains("rounded"));
    let file = door.get("/api/search/by-file?filePath=src/cart.rs&limit=5");
    assert!(!file["items"].as_array().unwrap().is_empty() && shown(&file).contains("cart.rs"));
}

#[test]
fn timelines_answer_with_the_keys_of_both_doors() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let id = door.get("/api/observations?project=shop")["items"][0]["id"].as_i64().unwrap();
    for anchor in [id.to_string(), format!("%23{id}"), format!("o{id}")] {
        let found =
            door.get(&format!("/api/timeline?anchor={anchor}&depth_before=2&depth_after=1"));
        assert_eq!(found["anchor"], format!("o{id}"));
        let entries = found["entries"].as_array().unwrap();
        assert!(entries.iter().all(|entry| entry["project"] == "shop") && entries.len() <= 4);
        assert!(shown(&found).contains(&format!("| #{id} |")), "{found}");
        assert!(shown(&found).contains("<- **ANCHOR**"));
    }
    assert!(shown(&door.get("/api/timeline?anchor=S1")).contains("#S1"));
    assert!(door.get("/api/timeline?anchor=2020-01-01T00:00:00Z")["entries"].is_array());
    let by_query = door.get("/api/timeline/by-query?query=rounded&mode=auto&depth_before=5");
    assert!(by_query["anchor"].is_string() && !by_query["timeline"].as_array().unwrap().is_empty());
    let choose = door.get("/api/timeline/by-query?query=rounded&mode=interactive&limit=2");
    assert!(!choose["items"].as_array().unwrap().is_empty() && shown(&choose).contains("anchor"));
    assert!(shown(&door.get("/api/timeline?query=zzzzqqqq")).contains("nothing found"));
}

#[test]
fn context_is_given_to_models_and_shown_to_people() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let handed = || door.get("/api/stats")["spend"]["injected_blocks"].as_u64().unwrap();
    let before = handed();
    let block = door.text("/api/context/inject?projects=mill,shop&platformSource=claude");
    assert!(block.starts_with("<afterword-context project=\"shop\">"), "{block}");
    assert_eq!(handed(), before + 1);
    let banner = door.text("/api/context/inject?projects=mill,shop&colors=true");
    assert!(banner.contains("src/cart.rs") && banner.contains("\u{1b}[1m"), "{banner}");
    assert!(!banner.contains("afterword-context"), "{banner}");
    assert_eq!(door.text("/api/context/preview?project=shop"), banner);
    assert_eq!(handed(), before + 1, "what a person looks at is handed to no session");
    let recent = door.get("/api/context/recent?project=shop&limit=2");
    has(&recent, &["content", "session_summaries", "recent_observations"]);
    assert!(shown(&recent).contains("Round what shop computes"), "{recent}");
    assert_eq!(
        recent["session_summaries"].as_array().unwrap().len(),
        1,
        "a session stands for its turns"
    );
    let answer = door.post(
        "/api/context/semantic",
        &json!({ "q": "How were the totals of the cart rounded in the end?", "project": "shop" }),
    );
    assert!(answer["context"].as_str().unwrap().contains("rounded once"), "{answer}");
    assert!(answer["count"].as_u64() >= Some(1));
    for silent in [
        json!({}),
        json!({ "q": "short", "project": "shop" }),
        json!({ "q": "x".repeat(30), "project": "nobody" }),
    ] {
        assert_eq!(
            door.post("/api/context/semantic", &silent),
            json!({ "context": "", "count": 0 })
        );
    }
    assert!(shown(&door.get("/api/instructions?topic=workflow")).contains("timeline"));
    assert!(door.text("/api/onboarding/explainer").starts_with("# "));
}

#[test]
fn corpora_are_built_asked_and_forgotten() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    assert_eq!(shown(&door.get("/api/corpus")), "[]");
    let body = json!({ "name": "rounding", "description": "How we round", "types": "decision", "project": "shop" });
    let built = door.post("/api/corpus", &body);
    has(
        &built,
        &[
            "version",
            "name",
            "description",
            "created_at",
            "updated_at",
            "filter",
            "stats",
            "system_prompt",
            "session_id",
        ],
    );
    assert_eq!(built["stats"]["observation_count"], 1, "{built}");
    assert_eq!(built["stats"]["type_breakdown"], json!({ "decision": 1 }));
    assert_eq!(built["filter"], json!({ "project": "shop", "types": ["decision"] }));
    let ask =
        |question: &str| door.post("/api/corpus/rounding/query", &json!({ "question": question }));
    let answer = ask("how are totals rounded?");
    assert!(answer["answer"].as_str().unwrap().contains("rounded once"), "{answer}");
    assert_eq!(answer["session_id"], Value::Null);
    let none = ask("zzzzqqqq");
    assert!(none["answer"].as_str().unwrap().contains("No observation"), "{none}");
    let primed = door.post("/api/corpus/rounding/prime", &json!({}));
    assert_eq!(primed["name"], "rounding");
    assert_eq!(door.post("/api/corpus/rounding/prime", &json!({})), primed, "it keeps its id");
    assert_ne!(door.post("/api/corpus/rounding/reprime", &json!({})), primed);
    assert!(ask("rounded totals")["session_id"].is_string());
    // It outlives the daemon.
    sandbox.afterword(&["daemon", "restart"]).success();
    let door = Door::open(&sandbox);
    assert!(shown(&door.get("/api/corpus")).contains("rounding"));
    let rebuilt = door.post("/api/corpus/rounding/rebuild", &json!({}));
    assert_eq!(rebuilt["created_at"], built["created_at"]);
    assert_eq!(door.get("/api/corpus/rounding"), rebuilt);
}

#[test]
fn the_server_is_told_of_in_the_observers_words() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let health = door.get("/api/health");
    assert_eq!(health["status"], "ok");
    assert!(health.get("version").is_none(), "a server that names none is taken: {health}");
    assert_eq!(door.get("/api/version"), json!({}));
    assert_eq!(door.get("/api/readiness")["status"], "ready");
    let stats = door.get("/api/stats");
    has(&stats, &["received", "stored", "worker", "database"]);
    has(&stats["worker"], &["version", "uptime", "activeSessions", "sseClients", "port"]);
    assert_eq!(stats["worker"]["activeSessions"], 2);
    assert_eq!(stats["database"]["observations"], stats["rows"]["observation"]);
    assert!(
        stats["database"]["size"].as_u64() > Some(0)
            && stats["database"]["firstObservationAt"].is_string()
    );
    let processing = door.get("/api/processing-status");
    assert_eq!(processing, json!({ "isProcessing": false, "queueDepth": 0, "parkedSessions": 0 }));
    let settings = door.get("/api/settings");
    assert!(settings.as_object().unwrap().values().all(Value::is_string), "{settings}");
    assert_eq!(settings["CLAUDE_MEM_SEMANTIC_INJECT"], "true");
    let mut all = settings.clone();
    all["CLAUDE_MEM_SEMANTIC_INJECT"] = "false".into();
    all["CLAUDE_MEM_CONTEXT_OBSERVATIONS"] = "50".into();
    let kept = door.post("/api/settings", &all);
    assert_eq!(kept["success"], true);
    assert_eq!(kept["ignored"], json!(["CLAUDE_MEM_CONTEXT_OBSERVATIONS"]));
    assert_eq!(door.get("/api/settings")["CLAUDE_MEM_SEMANTIC_INJECT"], "false");
    let file = fs::read_to_string(sandbox.data().join("config.toml")).unwrap();
    assert!(file.contains("prompt_recall = false"), "{file}");
    assert_eq!(
        door.get("/api/settings/dependency-health"),
        json!({ "degraded": false, "statuses": [] })
    );
    assert_eq!(door.get("/api/sync/status"), json!({ "configured": false }));
    assert_eq!(door.get("/api/chroma/status")["status"], "disabled");
    assert_eq!(door.get("/api/mcp/status"), json!({ "enabled": true }));
    assert_eq!(door.post("/api/mcp/toggle", &json!({ "enabled": true }))["success"], true);
    let log = door.get("/api/logs?lines=2");
    has(&log, &["logs", "path", "exists", "totalLines", "returnedLines"]);
}

#[test]
fn an_observers_export_is_taken_in_once() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let at = 1_796_090_000_000_i64;
    let export = json!({
        "sessions": [{ "content_session_id": "c1", "memory_session_id": "m1", "project": "shop", "platform_source": "codex" }],
        "observations": [{
            "memory_session_id": "m1", "project": "shop", "text": null, "type": "bugfix",
            "title": "Cart totals are rounded once", "subtitle": "At the end", "facts": "[\"one fact\"]",
            "narrative": "They were rounded per line.", "concepts": "[\"problem-solution\"]",
            "files_read": "[\"src/a.rs\"]", "files_modified": "[\"src/cart.rs\"]", "prompt_number": 1,
            "created_at_epoch": at,
        }, { "memory_session_id": "m1", "project": "shop" }],
        "summaries": [{
            "memory_session_id": "m1", "project": "shop", "request": "Fix the cart", "learned": "b",
            "completed": "c", "next_steps": "d", "files_edited": null, "prompt_number": 1, "created_at_epoch": at + 5,
        }],
        "prompts": [{ "content_session_id": "c1", "prompt_number": 1, "prompt_text": "Fix the cart", "created_at_epoch": at - 5 }],
    });
    let report = door.post("/api/import", &export);
    let stats = &report["stats"];
    assert_eq!(
        (&stats["observationsImported"], &stats["observationsSkipped"]),
        (&1.into(), &1.into()),
        "{report}"
    );
    assert_eq!(
        (&stats["summariesImported"], &stats["promptsImported"]),
        (&1.into(), &1.into()),
        "{report}"
    );
    assert_eq!(stats["sessionsImported"], 1, "{report}");
    assert_eq!(report["problems"][0]["row"], 2, "{report}");
    let row = &door.get("/api/observations")["items"][0];
    assert_eq!(
        (&row["memory_session_id"], &row["platform_source"]),
        (&"c1".into(), &"codex".into())
    );
    assert_eq!(
        (&row["type"], &row["narrative"]),
        (&"bugfix".into(), &"They were rounded per line.".into())
    );
    assert_eq!(
        (&row["facts"], &row["files_modified"]),
        (&"[\"one fact\"]".into(), &"[\"src/cart.rs\"]".into())
    );
    assert_eq!(row["created_at_epoch"], at);
    assert_eq!(door.get("/api/summaries")["items"][0]["next_steps"], "d");
    assert_eq!(door.get("/api/prompts")["items"][0]["prompt_text"], "Fix the cart");
    let again = door.post("/api/import", &export);
    for list in ["observations", "summaries", "prompts", "sessions"] {
        assert_eq!(again["stats"][format!("{list}Imported")], 0, "{again}");
    }
    assert_eq!(door.post("/api/import", &json!({}))["success"], true);
}

#[test]
fn bad_questions_are_refused_with_a_reason() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let refused = |status: u16, answer: afterword::client::Answer| {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, status, "{text}");
        let body: Value = serde_json::from_str(&text).unwrap();
        assert!(body["error"].as_str().is_some_and(|e| !e.is_empty()) && body["code"].is_string());
    };
    for path in [
        "/api/observation/x",
        "/api/observations?limit=x",
        "/api/observations?offset=-1",
        "/api/observations/by-file",
        "/api/search?limit=x",
        "/api/search?dateStart=soon",
        "/api/search?orderBy=size",
        "/api/search/by-file",
        "/api/timeline?anchor=soon",
        "/api/timeline?anchor=1&query=a",
        "/api/timeline/by-query",
        "/api/context/preview",
        "/api/context/inject",
        "/api/instructions?topic=all-of-it",
        "/api/tool-uses?dateEnd=soon",
        "/api/logs?lines=x",
    ] {
        refused(400, door.0.get(path).unwrap());
    }
    for path in [
        "/api/observation/999",
        "/api/session/999",
        "/api/prompt/999",
        "/api/corpus/none",
        "/api/timeline?anchor=999",
    ] {
        refused(404, door.0.get(path).unwrap());
    }
    let many: Vec<i64> = (0..501).collect();
    for (path, body) in [
        ("/api/observations/batch", json!({})),
        ("/api/observations/batch", json!({ "ids": ["x"] })),
        ("/api/observations/batch", json!({ "ids": many })),
        ("/api/observations/batch", json!([1])),
        ("/api/tool-uses/batch", json!({})),
        ("/api/tool-uses/batch", json!({ "ids": many })),
        ("/api/sdk-sessions/batch", json!({})),
        ("/api/memory/save", json!({})),
        ("/api/memory/save", json!({ "text": "<private>all of it</private>" })),
        ("/api/corpus", json!({})),
        ("/api/corpus", json!({ "name": "../x" })),
        ("/api/corpus", json!({ "name": "x", "dateStart": "soon" })),
        ("/api/settings", json!({ "CLAUDE_MEM_PROVIDER": "gemini" })),
        ("/api/settings", json!({ "CLAUDE_MEM_SEMANTIC_INJECT": "perhaps" })),
        ("/api/mcp/toggle", json!({})),
        ("/api/mcp/toggle", json!({ "enabled": false })),
        ("/api/logs/clear", json!({})),
        ("/api/import", json!([])),
        ("/api/import", json!({ "observations": 5 })),
        ("/api/import", json!({ "rows": [] })),
    ] {
        refused(400, door.0.post_json(path, &body).unwrap());
    }
    for path in ["/api/corpus/none/query", "/api/corpus/none/prime", "/api/corpus/none/rebuild"] {
        refused(404, door.0.post_json(path, &json!({ "question": "what?" })).unwrap());
    }
}

#[test]
fn rows_are_forgotten_by_whoever_has_the_token() {
    let sandbox = Sandbox::new(BIN);
    let door = filled(&sandbox);
    let id = door.get("/api/observations")["items"][0]["id"].as_i64().unwrap();
    door.post("/api/corpus", &json!({ "name": "all" }));
    let (port, token) = (
        sandbox.endpoint().unwrap().port,
        fs::read_to_string(sandbox.data().join("token")).unwrap(),
    );
    let delete = |path: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let head = format!(
            "DELETE {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            token.trim()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str::<Value>(body).unwrap())
    };
    let path = format!("/api/observation/{id}");
    let (status, gone) = delete(&path);
    assert_eq!(status, 200, "{gone}");
    let told =
        json!({ "success": true, "id": id.to_string(), "kind": "observation", "entity_rev": null });
    assert_eq!(gone, told);
    assert_eq!(delete(&path).0, 404, "it is gone");
    assert_eq!(door.0.get(&path).unwrap().status, 404);
    let summary = door.get("/api/summaries")["items"][0]["id"].clone();
    assert_eq!(delete(&format!("/api/summary/{summary}")).0, 200);
    let prompt = door.get("/api/prompts")["items"][0]["id"].clone();
    assert_eq!(delete(&format!("/api/prompt/{prompt}")).1["kind"], "prompt");
    assert_eq!(delete("/api/observation/x").0, 400);
    assert_eq!(delete("/api/corpus/all"), (200, json!({ "success": true })));
    assert_eq!(delete("/api/corpus/all").0, 404);
}
