//! Searching.

use std::sync::Arc;

use afterword_domain::filter::{Field, Filter, Test};
use afterword_engine::memories::FindMemories;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::asked::{Fields, Moment, NOBODY, Names, filter, within};
use super::shape::{ListOrResults, Parts, Results, Shown, item, only};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most memories of an answer.
const MOST: usize = 1_000;

/// What is searched for. Further fields are passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct FindBody {
    /// What is searched for.
    #[schemars(required)]
    query: Option<String>,
    /// Which memories count.
    #[serde(default)]
    filters: Option<Map<String, Value>>,
    #[serde(flatten)]
    names: Names,
    /// Most memories of the answer, 1 to 1000.
    #[serde(default, alias = "topK")]
    top_k: Option<u64>,
    /// The same, as old callers name it.
    #[serde(default)]
    limit: Option<u64>,
    /// The least score of the answer, 0 to 1.
    #[serde(default)]
    threshold: Option<f64>,
    /// The fields of the answer; all of them without it.
    #[serde(default)]
    fields: Option<Vec<String>>,
    /// Only memories with one of these categories.
    #[serde(default)]
    categories: Option<Vec<String>>,
    /// Only memories with these values in their metadata.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// Also memories that have expired.
    #[serde(default)]
    show_expired: Option<bool>,
    /// The day that counts as today.
    #[serde(default)]
    reference_date: Option<Moment>,
    /// Only memories whose place none has taken.
    #[serde(default)]
    latest_only: Option<bool>,
    /// `v1.1`: the list of an old route stands under the name `results`.
    #[serde(default)]
    output_format: Option<String>,
}

/// What differs by route.
struct Usual {
    limit: usize,
    threshold: f64,
}

async fn find(door: &Door, body: FindBody, usual: &Usual) -> ApiResult<Vec<Shown>> {
    let query = body.query.as_deref().map(str::trim).unwrap_or_default();
    if query.is_empty() {
        return Err(ApiError::invalid("query is empty: say what is searched for"));
    }
    let threshold = body.threshold.unwrap_or(usual.threshold);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(ApiError::invalid("threshold is 0 to 1"));
    }
    let mut parts = vec![meant(&body.names, body.filters)?];
    parts.extend(narrowed(body.categories, body.metadata)?);
    let wanted = FindMemories {
        query: query.to_owned(),
        filter: Filter::All(parts),
        limit: within("top_k", body.top_k.or(body.limit), usual.limit, 1..=MOST)?,
        threshold,
        with_expired: body.show_expired.unwrap_or(false),
        at: body.reference_date.map(|Moment(at)| at),
    };
    let latest = body.latest_only.unwrap_or(false);
    let found = door.engine.find_memories(wanted).await?.into_iter();
    let found = found.filter(|found| !latest || found.memory.superseded_by.is_none());
    let items = found.map(|found| {
        let parts = Parts { semantic: found.meaning, bm25: found.words };
        item(found.memory).scored(found.score, parts)
    });
    Ok(only(items.collect(), body.fields.as_deref()))
}

/// The filter that a caller means, which names an owner.
pub(super) fn meant(names: &Names, filters: Option<Map<String, Value>>) -> ApiResult<Filter> {
    let meant = meant_by_anybody(names, filters)?;
    if meant.names_an_owner() { Ok(meant) } else { Err(ApiError::invalid(NOBODY)) }
}

/// The filter that a caller means.
pub(super) fn meant_by_anybody(
    names: &Names,
    filters: Option<Map<String, Value>>,
) -> ApiResult<Filter> {
    let mut parts = names.filters()?;
    if let Some(filters) = filters {
        parts.push(filter::filter(&Value::Object(filters)).map_err(ApiError::invalid)?);
    }
    Ok(Filter::All(parts))
}

/// What fields beside the filter say of it.
pub(super) fn narrowed(
    categories: Option<Vec<String>>,
    metadata: Option<Map<String, Value>>,
) -> ApiResult<Vec<Filter>> {
    let mut parts = Vec::new();
    if let Some(categories) = categories.filter(|categories| !categories.is_empty()) {
        let categories = categories.into_iter().map(Value::from).collect();
        parts.push(Filter::Is(Field::Category, Test::In(categories)));
    }
    if let Some(metadata) = metadata {
        parts.push(filter::metadata(&metadata).map_err(ApiError::invalid)?);
    }
    Ok(parts)
}

/// `POST /v3/memories/search/`.
pub(super) async fn platform(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<FindBody>,
) -> ApiResult<Json<Results<Shown>>> {
    let results = find(&door, body, &Usual { limit: 10, threshold: 0.1 }).await?;
    Ok(Json(Results { results }))
}

/// `POST /v2/memories/search/`, which has a higher threshold.
pub(super) async fn second(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<FindBody>,
) -> ApiResult<Json<ListOrResults<Shown>>> {
    let format = body.output_format.clone();
    let found = find(&door, body, &Usual { limit: 10, threshold: 0.3 }).await?;
    Ok(Json(ListOrResults::of(found, format.as_deref())))
}

/// `POST /v1/memories/search/`.
pub(super) async fn old(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<FindBody>,
) -> ApiResult<Json<ListOrResults<Shown>>> {
    let format = body.output_format.clone();
    let found = find(&door, body, &Usual { limit: 10, threshold: 0.1 }).await?;
    Ok(Json(ListOrResults::of(found, format.as_deref())))
}

/// `POST /search`.
pub(super) async fn bare(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<FindBody>,
) -> ApiResult<Json<Results<Shown>>> {
    let results = find(&door, body, &Usual { limit: 20, threshold: 0.1 }).await?;
    Ok(Json(Results { results }))
}
