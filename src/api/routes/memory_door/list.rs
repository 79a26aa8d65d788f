//! Listing.

use std::sync::Arc;

use afterword_domain::filter::{Field, Filter, Test};
use afterword_domain::memory::Memory;
use afterword_engine::memories::{ListMemories, Listed, Page as Part};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::asked::{Fields, Names, Paging, Parameters, within};
use super::find::{meant, meant_by_anybody, narrowed};
use super::shape::{ListOrPage, ListOrResults, Page, Results, Shown, item, only};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most memories of a list that comes in one piece.
const MOST: usize = 1_000;

/// Which memories are listed. Further fields are passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct ListBody {
    /// Which memories count.
    #[serde(default)]
    filters: Option<Map<String, Value>>,
    #[serde(flatten)]
    names: Names,
    /// Only memories made on this day or later.
    #[serde(default)]
    start_date: Option<String>,
    /// Only memories made on this day or earlier.
    #[serde(default)]
    end_date: Option<String>,
    /// Only memories with one of these categories.
    #[serde(default)]
    categories: Option<Vec<String>>,
    /// Only memories with these values in their metadata.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// Also memories that have expired.
    #[serde(default)]
    show_expired: Option<bool>,
    /// The fields of the answer; all of them without it.
    #[serde(default)]
    fields: Option<Vec<String>>,
}

impl ListBody {
    fn wanted(self, page: Part) -> ApiResult<(ListMemories, Option<Vec<String>>)> {
        let mut parts = vec![meant(&self.names, self.filters)?];
        parts.extend(narrowed(self.categories, self.metadata)?);
        let date = |name: &str, text: Option<String>, test: fn(Value) -> Test| {
            let text = text.filter(|text| !text.trim().is_empty());
            text.map(|text| -> ApiResult<Filter> {
                text.parse::<afterword_domain::Time>()
                    .map_err(|why| ApiError::invalid(format!("{name}: {why}")))?;
                Ok(Filter::Is(Field::Created, test(Value::String(text))))
            })
            .transpose()
        };
        parts.extend(date("start_date", self.start_date, Test::Gte)?);
        parts.extend(date("end_date", self.end_date, Test::Lte)?);
        let with_expired = self.show_expired.unwrap_or(false);
        Ok((ListMemories { filter: Filter::All(parts), with_expired, page }, self.fields))
    }
}

fn shown(listed: Listed<Memory>, fields: Option<&[String]>) -> Vec<Shown> {
    only(listed.rows.into_iter().map(item).collect(), fields)
}

/// `POST /v3/memories/?page=&page_size=`.
pub(super) async fn platform(
    State(door): State<Arc<Door>>,
    paging: Paging,
    Fields(body): Fields<ListBody>,
) -> ApiResult<Json<Page<Shown>>> {
    let (wanted, fields) = body.wanted(paging.part())?;
    let listed = door.engine.list_memories(wanted).await?;
    Ok(Json(Page::of(&paging, listed.total, shown(listed, fields.as_deref()))))
}

/// `POST /v2/memories/`: bare, and a page where one is asked for.
pub(super) async fn second(
    State(door): State<Arc<Door>>,
    paging: Paging,
    Fields(body): Fields<ListBody>,
) -> ApiResult<Json<ListOrPage<Shown>>> {
    let part = if paging.asked { paging.part() } else { Part { offset: 0, limit: MOST } };
    let (wanted, fields) = body.wanted(part)?;
    let listed = door.engine.list_memories(wanted).await?;
    let total = listed.total;
    let list = shown(listed, fields.as_deref());
    Ok(Json(if paging.asked {
        ListOrPage::Page(Page::of(&paging, total, list))
    } else {
        ListOrPage::List(list)
    }))
}

/// What a query string wants listed; everything where it names nobody.
fn by_parameters(parameters: &Parameters, page: Part) -> ApiResult<ListMemories> {
    let filter = meant_by_anybody(&parameters.names()?, None)?;
    Ok(ListMemories { filter, with_expired: parameters.flag("show_expired")?, page })
}

/// `GET /v1/memories/?user_id=`.
pub(super) async fn old(
    State(door): State<Arc<Door>>,
    paging: Paging,
    parameters: Parameters,
) -> ApiResult<Json<ListOrResults<Shown>>> {
    let part = if paging.asked { paging.part() } else { Part { offset: 0, limit: MOST } };
    let wanted = by_parameters(&parameters, part)?;
    if !wanted.filter.names_an_owner() {
        return Err(ApiError::invalid(super::asked::NOBODY));
    }
    let list = shown(door.engine.list_memories(wanted).await?, None);
    Ok(Json(ListOrResults::of(list, parameters.get("output_format"))))
}

/// `GET /memories?user_id=`: everything where nobody is named.
pub(super) async fn bare(
    State(door): State<Arc<Door>>,
    parameters: Parameters,
) -> ApiResult<Json<Results<Shown>>> {
    let limit = match parameters.whole("top_k")? {
        None => parameters.whole("limit")?,
        asked => asked,
    };
    let limit = within("top_k", limit, MOST, 0..=MOST)?;
    let wanted = by_parameters(&parameters, Part { offset: 0, limit: limit.max(1) })?;
    if limit == 0 {
        return Ok(Json(Results { results: Vec::new() }));
    }
    Ok(Json(Results { results: shown(door.engine.list_memories(wanted).await?, None) }))
}
