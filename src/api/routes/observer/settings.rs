//! Settings and the log, in the observer's words.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde_json::{Map, Value, json};

use super::super::viewer::ask;
use super::call::Call;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};
use crate::api::machine::Setting;

/// The observer's names of settings that there are here too, and ours.
const NAMES: [(&str, &str); 8] = [
    ("CLAUDE_MEM_PROVIDER", "provider.kind"),
    ("CLAUDE_MEM_MODEL", "provider.model"),
    ("CLAUDE_MEM_OPENROUTER_BASE_URL", "provider.url"),
    ("CLAUDE_MEM_SKIP_TOOLS", "capture.skip_tools"),
    ("CLAUDE_MEM_EXCLUDED_PROJECTS", "capture.excluded_paths"),
    ("CLAUDE_MEM_MODE", "distill.mode"),
    ("CLAUDE_MEM_DATA_DIR", "AFTERWORD_HOME"),
    (SEMANTIC, "recall.prompt_recall"),
];

/// The one that can be changed here.
const SEMANTIC: &str = "CLAUDE_MEM_SEMANTIC_INJECT";

/// Keys of providers: never shown, never taken.
const KEYS: [&str; 2] = ["CLAUDE_MEM_GEMINI_API_KEY", "CLAUDE_MEM_OPENROUTER_API_KEY"];

/// Lines of the log where no number is asked for, and most of them.
const LINES: usize = 1_000;
const MOST_LINES: usize = 10_000;

/// `GET /api/settings`: what is in force, under the observer's names; every value is a text.
pub(super) async fn show(State(door): State<Arc<Door>>) -> ApiResult<Json<Value>> {
    Ok(Json(json!(in_force(&door).await?)))
}

async fn in_force(door: &Door) -> ApiResult<BTreeMap<&'static str, String>> {
    let settings: Vec<Setting> = ask(door, |machine| machine.settings()).await?;
    let mut values: BTreeMap<&'static str, String> = NAMES
        .into_iter()
        .filter_map(|(name, ours)| {
            let found = settings.iter().find(|setting| setting.name == ours)?;
            Some((name, found.value.clone()))
        })
        .collect();
    values.insert(SEMANTIC, door.engine.prompt_recall().to_string());
    values.insert("CLAUDE_MEM_WORKER_PORT", door.port.to_string());
    values.insert("CLAUDE_MEM_WORKER_HOST", "127.0.0.1".to_owned());
    values.insert("CLAUDE_MEM_CHROMA_ENABLED", "false".to_owned());
    values.insert("CLAUDE_MEM_WELCOME_HINT_ENABLED", "false".to_owned());
    values.extend(KEYS.map(|name| (name, String::new())));
    Ok(values)
}

/// `POST /api/settings`: keeps whether prompts are answered with memories. Any other setting must
/// stand as it is in force; names that are not known here are told in `ignored`. Where anything cannot be
/// changed, nothing is.
pub(super) async fn change(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let now = in_force(&door).await?;
    let mut ignored = Vec::new();
    let mut recall = None;
    for (name, value) in sent(call.fields()) {
        match now.get(name.as_str()) {
            None => ignored.push(name),
            Some(same) if *same == value => {}
            Some(_) if name == SEMANTIC => {
                let on = value.parse::<bool>();
                let on = on.map_err(|_| ApiError::invalid(format!("{name} is true or false")))?;
                recall = Some(on);
            }
            Some(_) => return Err(elsewhere(&name)),
        }
    }
    if let Some(on) = recall {
        ask(&door, move |machine| machine.keep_prompt_recall(on))
            .await?
            .map_err(ApiError::invalid)?;
        door.engine.set_prompt_recall(on);
    }
    let message = "Settings updated successfully";
    Ok(Json(json!({ "success": true, "message": message, "ignored": ignored })))
}

fn elsewhere(name: &str) -> ApiError {
    let ours = NAMES.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    ApiError::invalid(match ours {
        Some(ours) => format!("{name} cannot be changed here: set {ours} in config.toml"),
        None => format!("{name} cannot be changed here: it is set in config.toml"),
    })
}

fn sent(fields: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    fields.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// `GET /api/logs?lines=`: the end of the daemon's log.
pub(super) async fn log(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let most = call.count(&["lines"])?.unwrap_or(LINES).clamp(1, MOST_LINES);
    let log = ask(&door, |machine| machine.log())
        .await?
        .map_err(|error| ApiError::not_found(format!("the log cannot be read: {error}")))?;
    let Some((path, text)) = log else {
        return Ok(Json(json!({
            "logs": "", "path": "", "exists": false, "totalLines": 0, "returnedLines": 0,
        })));
    };
    let lines: Vec<&str> = text.lines().collect();
    let end = &lines[lines.len().saturating_sub(most)..];
    Ok(Json(json!({
        "logs": end.join("\n"),
        "path": path,
        "exists": true,
        "totalLines": lines.len(),
        "returnedLines": end.len(),
    })))
}

/// `POST /api/logs/clear`: refused. The log is what tells why something failed, and is set aside by
/// itself when it grows.
pub(super) async fn clear_log() -> ApiError {
    ApiError::invalid("the log is kept: it is set aside by itself when it grows")
}
