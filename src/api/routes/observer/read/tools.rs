//! Tool uses as they were reported.

use std::sync::Arc;

use afterword_domain::wire::observer::ObserverToolUse;
use afterword_engine::observer::ToolUsesAsked;
use axum::extract::State;
use serde_json::{Value, json};

use super::super::call::Call;
use super::asked;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most ids of one batch.
const MOST_IDS: usize = 500;

/// `GET /api/tool-uses?project=&session=&tool_name=&agentId=&dateStart=&dateEnd=&limit=&offset=&orderBy=`
pub(super) async fn list(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let found = door.engine.observer_tool_uses(&asked(&call)?, false).await?;
    Ok(Json(json!({ "count": found.len(), "toolUses": found })))
}

/// `POST /api/tool-uses/batch {ids, limit, project, contentSessionId}`: by keys and by agents' ids of
/// calls, whole.
pub(super) async fn batch(
    State(door): State<Arc<Door>>,
    call: Call,
) -> ApiResult<Json<Vec<ObserverToolUse>>> {
    if !call.names(&["ids"]) {
        return Err(ApiError::invalid("ids is missing: send a list of ids"));
    }
    let ids = call.list(&["ids"]);
    if ids.len() > MOST_IDS {
        return Err(ApiError::invalid(format!("more than {MOST_IDS} ids at once are too many")));
    }
    let (mut keys, mut calls) = (Vec::new(), Vec::new());
    for id in ids {
        match id.parse() {
            Ok(key) => keys.push(key),
            Err(_) => calls.push(id),
        }
    }
    if keys.is_empty() && calls.is_empty() {
        return Ok(Json(Vec::new()));
    }
    let question = ToolUsesAsked { named: Some((keys, calls)), ..asked(&call)? };
    Ok(Json(door.engine.observer_tool_uses(&question, true).await?))
}

fn asked(call: &Call) -> ApiResult<ToolUsesAsked> {
    Ok(ToolUsesAsked {
        project: call.named_project(),
        session: call.text(&["session", "contentSessionId", "memorySessionId"]),
        tools: call.list(&["tool_name", "toolName"]),
        subagent: call.text(&["agentId", "agent_id"]),
        since: asked::since(call)?,
        until: asked::until(call)?,
        named: None,
        order: asked::order(call)?,
        offset: call.count(&["offset"])?.unwrap_or(0),
        limit: call.count(&["limit"])?,
    })
}
