//! Adding memories.

use std::sync::Arc;

use afterword_domain::memory::Attributes;
use afterword_domain::owner::{Owner, OwnerKind};
use afterword_domain::project::ProjectRef;
use afterword_engine::memories::{AddMemories, Receipt, receipt_id};
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::asked::{Fields, Messages, Moment, Names, day, somebody, with_filters};
use super::shape::{Added, AddedItem, ListOrResults, Results, added, added_list};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// The header by which a caller names a request that it may make again.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Most characters of such a name.
const KEY_CHARS: usize = 256;

/// Categories that are taken from metadata, which may hold anything, and characters of one.
const CATEGORIES: usize = 50;
const CATEGORY_CHARS: usize = 100;

/// Messages to remember. Further fields are passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct AddBody {
    /// What was said.
    #[schemars(required)]
    messages: Option<Messages>,
    #[serde(flatten)]
    names: Names,
    /// Where some clients put the names.
    #[serde(default)]
    filters: Option<Map<String, Value>>,
    /// The caller's own fields. Names of owners in it are left out.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// Whether facts are drawn from the messages, in the background (the default); `false` keeps
    /// every message as it is, at once.
    #[serde(default)]
    infer: Option<bool>,
    /// The last day on which the memories count.
    #[serde(default)]
    expiration_date: Option<String>,
    /// Whether the memories cannot be changed.
    #[serde(default)]
    immutable: Option<bool>,
    /// What the memories are about.
    #[serde(default)]
    categories: Option<Vec<String>>,
    /// What a model is to heed that draws facts.
    #[serde(default)]
    custom_instructions: Option<String>,
    /// The same, as the self-hosted server calls it.
    #[serde(default)]
    prompt: Option<String>,
    /// What is to be kept.
    #[serde(default)]
    includes: Option<String>,
    /// What is not to be kept.
    #[serde(default)]
    excludes: Option<String>,
    /// When it was said.
    #[serde(default)]
    timestamp: Option<Moment>,
    /// `false`: the answer waits for the facts.
    #[serde(default)]
    async_mode: Option<bool>,
    /// `v1.1`: the list of an old route stands under the name `results`.
    #[serde(default)]
    output_format: Option<String>,
}

impl AddBody {
    /// The request, and whether its answer is waited for by the caller's own wish.
    fn read(self, headers: &HeaderMap) -> ApiResult<AddMemories> {
        let messages = self.messages.ok_or_else(|| ApiError::invalid("messages are missing"))?;
        let owner = somebody(with_filters(self.names.owner()?, self.filters.as_ref())?)?;
        let mut metadata = self.metadata.unwrap_or_default();
        for name in OwnerKind::ALL.map(OwnerKind::field) {
            metadata.remove(name);
        }
        let expires = self.expiration_date.as_deref().or_else(|| {
            // Where clients of AnalyticDB put it.
            metadata.get("expiration_date").and_then(Value::as_str)
        });
        let expires = expires.map(|text| day("expiration_date", text)).transpose()?;
        let attributes = Attributes {
            categories: match self.categories {
                Some(categories) => categories,
                None => told_categories(&metadata),
            },
            expires,
            immutable: self.immutable.unwrap_or(false),
            ..Attributes::default()
        };
        let wishes = [self.custom_instructions, self.prompt]
            .into_iter()
            .chain([
                self.includes.map(|what| format!("Keep: {what}")),
                self.excludes.map(|what| format!("Do not keep: {what}")),
            ])
            .flatten()
            .collect::<Vec<_>>();
        Ok(AddMemories {
            id: request_id(&owner, headers)?,
            messages: messages.read()?,
            infer: self.infer.unwrap_or(true),
            // The engine finds it by the metadata and the names.
            project: ProjectRef::default(),
            metadata: Value::Object(metadata),
            attributes,
            created_at: self.timestamp.map(|Moment(at)| at),
            wishes: wishes.join("\n"),
            offset_minutes: 0,
            owner,
        })
    }
}

/// The categories that metadata names, which is where AnalyticDB has them.
fn told_categories(metadata: &Map<String, Value>) -> Vec<String> {
    let told = metadata.get("categories").and_then(Value::as_array);
    let texts = told.into_iter().flatten().filter_map(Value::as_str);
    let categories = texts.filter(|text| (1..=CATEGORY_CHARS).contains(&text.chars().count()));
    categories.take(CATEGORIES).map(str::to_owned).collect()
}

/// The same for the same key of the same owner; new without one.
fn request_id(owner: &Owner, headers: &HeaderMap) -> ApiResult<Uuid> {
    let Some(key) = headers.get(IDEMPOTENCY_KEY) else { return Ok(Uuid::now_v7()) };
    let key = key.to_str().map(str::trim).unwrap_or_default();
    if key.is_empty() || key.len() > KEY_CHARS {
        return Err(ApiError::invalid(format!("Idempotency-Key has 1 to {KEY_CHARS} characters")));
    }
    Ok(receipt_id(owner, key))
}

/// Adds, and waits for what comes of it where the caller wants that.
async fn add(door: &Door, request: AddMemories, now: bool) -> ApiResult<Receipt> {
    let receipt = if now && request.infer {
        door.engine.add_memories_now(request).await?
    } else {
        door.engine.add_memories(request).await?
    };
    Ok(receipt)
}

/// `POST /v3/memories/add/`.
pub(super) async fn platform(
    State(door): State<Arc<Door>>,
    headers: HeaderMap,
    Fields(body): Fields<AddBody>,
) -> ApiResult<Json<Added>> {
    let now = body.async_mode == Some(false);
    Ok(Json(added(add(&door, body.read(&headers)?, now).await?)))
}

/// `POST /v1/memories/`.
pub(super) async fn old(
    State(door): State<Arc<Door>>,
    headers: HeaderMap,
    Fields(body): Fields<AddBody>,
) -> ApiResult<Json<ListOrResults<AddedItem>>> {
    let (now, format) = (body.async_mode == Some(false), body.output_format.clone());
    let receipt = add(&door, body.read(&headers)?, now).await?;
    Ok(Json(ListOrResults::of(added_list(receipt), format.as_deref())))
}

/// `POST /memories`, where what comes of it is waited for unless the caller says otherwise.
pub(super) async fn bare(
    State(door): State<Arc<Door>>,
    headers: HeaderMap,
    Fields(body): Fields<AddBody>,
) -> ApiResult<Json<Results<AddedItem>>> {
    let now = body.async_mode != Some(true);
    let receipt = add(&door, body.read(&headers)?, now).await?;
    Ok(Json(Results { results: added_list(receipt) }))
}
