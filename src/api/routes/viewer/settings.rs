//! What the viewer needs first, and settings that can be changed safely.

use std::sync::Arc;

use afterword_domain::project::ProjectRef;
use afterword_domain::wire::PROTOCOL;
use afterword_domain::wire::viewer::{Boot, PauseState, ProjectPause, ViewerSettings};
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::browse::project;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};
use crate::api::machine::Machine;

/// Pages that every server has, and those of a server that is one person's.
const PAGES: [&str; 6] = ["feed", "search", "timeline", "next", "health", "spend"];
const OWN_PAGES: [&str; 1] = ["settings"];

/// `GET /api/viewer`: what the page needs first; also how it asks whether it is signed in.
pub(super) async fn boot(State(door): State<Arc<Door>>) -> ApiResult<Json<Boot>> {
    let own = if door.machine.is_some() { &OWN_PAGES[..] } else { &[] };
    Ok(Json(Boot {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        now: door.engine.clock().now(),
        pages: PAGES.iter().chain(own).map(|page| (*page).to_owned()).collect(),
        agents: door.engine.agents().await?,
        last_event_id: door.engine.last_event_id().await?,
    }))
}

fn machine(door: &Door) -> ApiResult<Arc<dyn Machine>> {
    door.machine
        .clone()
        .ok_or_else(|| ApiError::not_found("this server has no settings of its own"))
}

/// Asks the machine, which may take a moment.
pub(in crate::api::routes) async fn ask<T: Send + 'static>(
    door: &Door,
    question: impl FnOnce(&dyn Machine) -> T + Send + 'static,
) -> ApiResult<T> {
    let machine = machine(door)?;
    let asked = tokio::task::spawn_blocking(move || question(&*machine));
    asked.await.map_err(|_| ApiError::timeout())
}

/// `GET /api/viewer/settings`
pub(super) async fn settings(State(door): State<Arc<Door>>) -> ApiResult<Json<ViewerSettings>> {
    let store = door.engine.store();
    let mut known = Vec::new();
    for found in store.list_projects().await? {
        let keys = store.project_keys(found.id).await?;
        known.push((found, keys));
    }
    let prompt_recall = door.engine.prompt_recall();
    let answer = ask(&door, move |machine| {
        let projects = known.into_iter().map(|(project, keys)| {
            let pausable = !keys.is_empty();
            let reference = ProjectRef { keys, ..ProjectRef::named(&project.name) };
            ProjectPause {
                id: project.id,
                paused: machine.is_paused(Some(&reference)),
                name: project.name,
                root: project.root,
                pausable,
            }
        });
        ViewerSettings {
            projects: projects.collect(),
            settings: machine.settings(),
            prompt_recall,
            paused: machine.is_paused(None),
        }
    });
    Ok(Json(answer.await?))
}

/// `POST /api/viewer/pause`: counts from the next hook on.
pub(super) async fn pause(
    State(door): State<Arc<Door>>,
    Json(state): Json<PauseState>,
) -> ApiResult<Json<Value>> {
    let reference = match state.project_id {
        Some(id) => Some(project(&door, id).await?),
        None => None,
    };
    let noted = ask(&door, move |machine| {
        machine.pause(reference.as_ref(), state.paused)?;
        // Everything may still be paused.
        std::io::Result::Ok(machine.is_paused(reference.as_ref()))
    });
    let paused = noted.await?.map_err(|error| ApiError::invalid(format!("not noted: {error}")))?;
    Ok(Json(json!({ "paused": paused })))
}

/// Body of `POST /api/viewer/prompt-recall`.
#[derive(Debug, Deserialize)]
pub(super) struct PromptRecall {
    on: bool,
}

/// `POST /api/viewer/prompt-recall`: kept in `config.toml`, and counts at once.
pub(super) async fn prompt_recall(
    State(door): State<Arc<Door>>,
    Json(PromptRecall { on }): Json<PromptRecall>,
) -> ApiResult<Json<Value>> {
    ask(&door, move |machine| machine.keep_prompt_recall(on)).await?.map_err(ApiError::invalid)?;
    door.engine.set_prompt_recall(on);
    Ok(Json(json!({ "prompt_recall": on })))
}
