//! One memory.

use std::sync::Arc;

use afterword_domain::day::Day;
use afterword_engine::Error;
use afterword_engine::memories::MemoryChange;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::asked::{Fields, Moment, day, uuid};
use super::shape::{HistoryItem, Item, Told, item};
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// What a memory is to be from now on; what is not there stays. Further fields are passed over.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(in crate::api) struct ChangeBody {
    /// Its text.
    #[serde(default, alias = "data", alias = "memory")]
    text: Option<String>,
    /// The caller's own fields, in place of those before.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// The last day on which it counts; null: it counts for ever.
    #[serde(default, deserialize_with = "given")]
    #[expect(clippy::option_option, reason = "not there, null, or said")]
    expiration_date: Option<Option<String>>,
    /// When it changed.
    #[serde(default)]
    timestamp: Option<Moment>,
}

/// Tells a null from a field that is not there.
#[expect(clippy::option_option, reason = "not there, null, or said")]
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl ChangeBody {
    /// The change; refused where it says nothing.
    pub(super) fn read(self) -> ApiResult<MemoryChange> {
        let expires = match self.expiration_date {
            None => None,
            Some(None) => Some(None),
            Some(Some(text)) => Some(Some(day("expiration_date", &text)?)),
        };
        if self.text.is_none() && self.metadata.is_none() && expires.is_none() {
            return Err(ApiError::invalid(
                "nothing is to change: give text, metadata or expiration_date",
            ));
        }
        let at = self.timestamp.map(|Moment(at)| at);
        Ok(change(self.text, self.metadata, expires, at))
    }
}

#[expect(clippy::option_option, reason = "not there, null, or said")]
pub(super) fn change(
    text: Option<String>,
    metadata: Option<Map<String, Value>>,
    expires: Option<Option<Day>>,
    at: Option<afterword_domain::Time>,
) -> MemoryChange {
    MemoryChange { text, metadata: metadata.map(Value::Object), expires, at }
}

/// Why a change was refused.
pub(super) fn refused(error: Error) -> ApiError {
    match error {
        Error::Store(afterword_store::Error::Conflict(_)) => ApiError::conflict(
            "its owner has a memory that says the same already: delete one of the two",
        ),
        error => error.into(),
    }
}

fn memory_id(text: &str) -> ApiResult<Uuid> {
    uuid("memory_id", text)
}

/// `GET /v1/memories/{id}/`.
pub(super) async fn get(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
) -> ApiResult<Json<Item>> {
    Ok(Json(item(door.engine.memory(memory_id(&id)?).await?)))
}

/// `GET /memories/{id}`: null where there is none, as the self-hosted server has it.
pub(super) async fn get_or_null(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
) -> ApiResult<Json<Option<Item>>> {
    match door.engine.memory(memory_id(&id)?).await {
        Ok(memory) => Ok(Json(Some(item(memory)))),
        Err(Error::NotFound(_)) => Ok(Json(None)),
        Err(error) => Err(error.into()),
    }
}

/// `PUT /v1/memories/{id}/`.
pub(super) async fn change_it(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
    Fields(body): Fields<ChangeBody>,
) -> ApiResult<Json<Item>> {
    let id = memory_id(&id)?;
    let changed = door.engine.change_memory(id, body.read()?).await.map_err(refused)?;
    Ok(Json(item(changed)))
}

/// `PUT /memories/{id}`.
pub(super) async fn change_and_tell(
    state: State<Arc<Door>>,
    path: UrlPath<String>,
    body: Fields<ChangeBody>,
) -> ApiResult<Json<Told>> {
    drop(change_it(state, path, body).await?);
    Ok(Json(Told::plain("Memory updated successfully!")))
}

/// `DELETE /v1/memories/{id}/` and `DELETE /memories/{id}`.
pub(super) async fn delete(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
) -> ApiResult<Json<Told>> {
    if door.engine.delete_memories(&[memory_id(&id)?]).await? == 0 {
        return Err(ApiError::not_found("Memory not found!"));
    }
    Ok(Json(Told::plain("Memory deleted successfully!")))
}

/// `GET /v1/memories/{id}/history/` and `GET /memories/{id}/history`.
pub(super) async fn history(
    State(door): State<Arc<Door>>,
    UrlPath(id): UrlPath<String>,
) -> ApiResult<Json<Vec<HistoryItem>>> {
    let history = door.engine.memory_history(memory_id(&id)?).await?;
    Ok(Json(history.into_iter().map(HistoryItem::from).collect()))
}
