//! Rows of an observer's database, as its own export sends them.

use std::collections::HashMap;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::observer;
use afterword_domain::wire::portable::{ImportReport, PortableRow};
use afterword_domain::{Kind, Time};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Where rows go that name no project.
const NO_PROJECT: &str = "unknown";

/// What an export may hold.
const LISTS: [&str; 4] = ["sessions", "summaries", "observations", "prompts"];

/// The session of a row: its agent, and the agent's id of it.
type Sessions = HashMap<String, (String, String)>;

/// `POST /api/import {sessions, summaries, observations, prompts}`: rows as the observer's tables hold
/// them. What is known already is skipped; a row that cannot be used is counted as skipped and told.
pub(in crate::api::routes) async fn import(door: &Door, body: &[u8]) -> ApiResult<Json<Value>> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| ApiError::invalid(format!("the body cannot be used: {error}")))?;
    let Value::Object(body) = body else {
        return Err(ApiError::invalid("the body must be a JSON object"));
    };
    if !LISTS.iter().any(|name| body.contains_key(*name)) && !body.is_empty() {
        return Err(ApiError::invalid(
            "nothing to import: send sessions, summaries, observations or prompts, or JSON Lines with ?project=",
        ));
    }
    let sessions = sessions(rows(&body, "sessions")?);
    let known = ids(&sessions);
    let before = door.engine.observer_sessions(&known).await?.len();
    let (mut stats, mut problems) = (Map::new(), Vec::new());
    for (name, kind) in [
        ("prompts", Kind::Prompt),
        ("observations", Kind::Observation),
        ("summaries", Kind::Summary),
    ] {
        let lines: Vec<String> = rows(&body, name)?
            .iter()
            .map(|row| serde_json::to_string(&portable(row, kind, &sessions)))
            .collect::<Result<_, _>>()
            .map_err(|error| ApiError::invalid(format!("a row cannot be read: {error}")))?;
        let fallback = ProjectRef::named(NO_PROJECT);
        let report = door.engine.import_lines(&lines.join("\n"), 1, &fallback).await?;
        let ImportReport { stored, skipped, failed, problems: told, .. } = report;
        stats.insert(format!("{name}Imported"), json!(stored));
        stats.insert(format!("{name}Skipped"), json!(skipped + failed));
        problems.extend(
            told.into_iter().map(
                |problem| json!({ "list": name, "row": problem.line, "reason": problem.reason }),
            ),
        );
    }
    let made = door.engine.observer_sessions(&known).await?.len().saturating_sub(before);
    stats.insert("sessionsImported".to_owned(), json!(made));
    stats.insert("sessionsSkipped".to_owned(), json!(known.len().saturating_sub(made)));
    Ok(Json(json!({ "success": true, "stats": stats, "problems": problems })))
}

/// The rows of a list.
fn rows<'b>(body: &'b Map<String, Value>, name: &str) -> ApiResult<&'b [Value]> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(rows)) => Ok(rows),
        Some(_) => Err(ApiError::invalid(format!("{name} must be a list of rows"))),
    }
}

/// Sessions by both ids that rows name them by.
fn sessions(rows: &[Value]) -> Sessions {
    let mut sessions = Sessions::new();
    for row in rows {
        let Some(id) = text(row, "content_session_id") else { continue };
        let agent = observer::agent(&text(row, "platform_source").unwrap_or_default());
        let place = (agent, id.clone());
        if let Some(memory) = text(row, "memory_session_id") {
            sessions.insert(memory, place.clone());
        }
        sessions.insert(id, place);
    }
    sessions
}

/// The agents' ids of the sessions, each once; at most as many as can be asked for at once.
fn ids(sessions: &Sessions) -> Vec<String> {
    let mut ids: Vec<String> = sessions.values().map(|(_, id)| id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids.truncate(500);
    ids
}

fn portable(row: &Value, kind: Kind, sessions: &Sessions) -> PortableRow {
    let named = text(row, "content_session_id").or_else(|| text(row, "memory_session_id"));
    let place = named.map(|id| {
        let stray = || {
            let platform = text(row, "platform_source").unwrap_or_default();
            (observer::agent(&platform), id.clone())
        };
        sessions.get(&id).cloned().unwrap_or_else(stray)
    });
    let (agent, session) = place.unzip();
    let (title, said, files, content) = match kind {
        Kind::Observation => observation(row),
        Kind::Summary => summary(row),
        _ => (String::new(), text(row, "prompt_text").unwrap_or_default(), Vec::new(), Value::Null),
    };
    let created_at = row
        .get("created_at_epoch")
        .and_then(Value::as_i64)
        .map(Time::from_millis)
        .or_else(|| text(row, "created_at")?.parse().ok());
    PortableRow {
        uid: Some(uid(kind, session.as_deref(), created_at, &said)),
        kind: Some(kind),
        title,
        text: said,
        project: text(row, "project"),
        agent,
        session,
        prompt_number: row.get("prompt_number").and_then(Value::as_i64),
        created_at,
        files,
        content,
        ..PortableRow::default()
    }
}

/// The same for the same row, so that an export is taken in once, and what was forgotten stays so.
fn uid(kind: Kind, session: Option<&str>, created_at: Option<Time>, said: &str) -> Uuid {
    let mut sum = Sha256::new();
    let at = created_at.map_or_else(String::new, |at| at.millis().to_string());
    for part in ["observer", kind.word(), session.unwrap_or_default(), &at, said] {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&sum.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

type Said = (String, String, Vec<String>, Value);

fn observation(row: &Value) -> Said {
    let of = |name: &str| text(row, name).unwrap_or_default();
    let (read, modified) = (list(row, "files_read"), list(row, "files_modified"));
    let facts = list(row, "facts");
    // What older observers kept in one text.
    let narrative = text(row, "narrative").unwrap_or_else(|| of("text"));
    let mut said = vec![of("title"), of("subtitle"), narrative.clone()];
    said.extend(facts.iter().cloned());
    said.retain(|part| !part.is_empty());
    let content = json!({
        "type": of("type"), "title": of("title"), "subtitle": of("subtitle"), "narrative": narrative,
        "facts": facts, "concepts": list(row, "concepts"),
        "files_read": read, "files_modified": modified,
    });
    (of("title"), said.join("\n"), [modified, read].concat(), content)
}

fn summary(row: &Value) -> Said {
    let of = |name: &str| text(row, name).unwrap_or_default();
    let (read, edited) = (list(row, "files_read"), list(row, "files_edited"));
    let names = ["request", "investigated", "learned", "completed", "next_steps", "notes"];
    let said: Vec<String> = names.iter().map(|name| of(name)).filter(|t| !t.is_empty()).collect();
    let mut content: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), of(name).into())).collect();
    content.insert("files_read".to_owned(), json!(read));
    content.insert("files_modified".to_owned(), json!(edited));
    content.insert("level".to_owned(), json!("turn"));
    (of("request"), said.join("\n"), [edited, read].concat(), content.into())
}

/// A field with a text that is not blank.
fn text(row: &Value, name: &str) -> Option<String> {
    row.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// A field with a list, or the JSON of one.
fn list(row: &Value, name: &str) -> Vec<String> {
    let items = match row.get(name) {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    };
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
