//! Several memories at a time.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::asked::{Fields, uuid};
use super::one::{change, refused};
use super::shape::Told;
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most memories of one request.
const MOST: usize = 1_000;

/// Memories to change or to delete. Further fields are passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct BatchBody {
    /// The memories, 1 to 1000.
    #[serde(default)]
    memories: Vec<Named>,
}

/// A memory by its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a memory is {\"memory_id\": \"…\"}")]
enum Named {
    /// With what it is to be from now on.
    Change {
        /// The memory.
        #[serde(alias = "memoryId", alias = "id")]
        memory_id: String,
        /// Its text.
        #[serde(default)]
        text: Option<String>,
        /// The caller's own fields, in place of those before.
        #[serde(default)]
        metadata: Option<Map<String, Value>>,
    },
    /// The id alone.
    Id(String),
}

impl BatchBody {
    fn bounded(self, what: &str) -> ApiResult<Vec<Named>> {
        if self.memories.is_empty() {
            return Err(ApiError::invalid("memories is an empty list, or missing"));
        }
        if self.memories.len() > MOST {
            return Err(ApiError::invalid(format!("Maximum of {MOST} memories can be {what}")));
        }
        Ok(self.memories)
    }
}

/// `PUT /v1/batch/`: all of them or none.
pub(super) async fn update(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<BatchBody>,
) -> ApiResult<Json<Told>> {
    let mut changes = Vec::new();
    let mut seen = BTreeSet::new();
    for named in body.bounded("updated")? {
        let Named::Change { memory_id, text, metadata } = named else {
            return Err(ApiError::invalid("a memory to update is {\"memory_id\", \"text\"}"));
        };
        let id = uuid("memory_id", &memory_id)?;
        if text.is_none() && metadata.is_none() {
            return Err(ApiError::invalid(format!("{id}: give text or metadata")));
        }
        if !seen.insert(id) {
            return Err(ApiError::invalid(format!("{id} stands in the list twice")));
        }
        changes.push((id, change(text, metadata, None, None)));
    }
    let count = door.engine.change_memories(changes).await.map_err(refused)?;
    Ok(Json(Told::counted("updated", count)))
}

/// `DELETE /v1/batch/`, whose body names the memories.
pub(super) async fn delete(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<BatchBody>,
) -> ApiResult<Json<Told>> {
    let ids = body.bounded("deleted")?.into_iter().map(|named| match named {
        Named::Change { memory_id, .. } | Named::Id(memory_id) => uuid("memory_id", &memory_id),
    });
    let ids: BTreeSet<_> = ids.collect::<ApiResult<_>>()?;
    let ids: Vec<_> = ids.into_iter().collect();
    let count = door.engine.delete_memories(&ids).await?;
    Ok(Json(Told::counted("deleted", count)))
}
