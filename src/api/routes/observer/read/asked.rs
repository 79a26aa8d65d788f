//! What several readers ask in the same words.

use std::fmt::Display;

use afterword_domain::{Kind, PublicId, Time};
use afterword_engine::observer::Order;

use super::super::call::Call;
use crate::api::error::{ApiError, ApiResult};

/// From when, inclusive.
pub(super) fn since(call: &Call) -> ApiResult<Option<Time>> {
    let text = call.text(&["since", "dateStart", "date_start"]);
    text.map(|text| text.parse()).transpose().map_err(invalid)
}

/// Until when, exclusive; a day that is named counts itself.
pub(super) fn until(call: &Call) -> ApiResult<Option<Time>> {
    let text = call.text(&["until", "dateEnd", "date_end"]);
    text.map(|text| Time::end_of(&text)).transpose().map_err(invalid)
}

/// An order by time; `relevance` is none.
pub(super) fn order(call: &Call) -> ApiResult<Option<Order>> {
    match call.text(&["orderBy", "order_by"]).as_deref().map(str::trim) {
        None | Some("relevance") => Ok(None),
        Some("date_desc" | "newest") => Ok(Some(Order::NewestFirst)),
        Some("date_asc" | "oldest") => Ok(Some(Order::OldestFirst)),
        Some(_) => Err(ApiError::invalid("orderBy is date_desc, date_asc or relevance")),
    }
}

/// The ids of a batch: whole numbers, which are keys of `kind`, or public ids, in an array, its JSON,
/// or between commas.
pub(super) fn ids(call: &Call, kind: Kind) -> ApiResult<Vec<PublicId>> {
    if !call.names(&["ids"]) {
        return Err(ApiError::invalid("ids is missing: send a list of ids"));
    }
    call.list(&["ids"]).iter().map(|text| id(text, kind)).collect()
}

/// A whole number, which is the key of a row of `kind`, or a public id.
pub(super) fn id(text: &str, kind: Kind) -> ApiResult<PublicId> {
    let text = text.trim().trim_start_matches('#');
    if text.bytes().all(|b| b.is_ascii_digit()) {
        let number = text.parse().ok();
        let number = number.ok_or_else(|| ApiError::invalid(format!("'{text}' is no id")))?;
        return Ok(PublicId::new(kind, number));
    }
    text.parse().map_err(invalid)
}

/// What a text cannot be used for.
pub(super) fn invalid(error: impl Display) -> ApiError {
    ApiError::invalid(error.to_string())
}
