//! Timelines: one answer with the keys of this door and of the people's.

use std::sync::Arc;

use afterword_domain::wire::timeline::{Anchor, Timeline, TimelineEntry, TimelineRequest};
use afterword_domain::{Kind, PublicId, Time};
use afterword_engine::observer::ObserverQuestion;
use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::call::Call;
use super::{asked, text};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// Most digits of an anchor that is the key of an observation; more are a time in milliseconds.
const KEY_DIGITS: usize = 10;

/// Most digits of such a time: until the year 5138.
const TIME_DIGITS: usize = 14;

/// Anchors that are offered where no number is asked for.
const OFFERED: usize = 5;

/// What to do with an offered anchor.
const THEN: &str = "\nAsk timeline with one of these ids as its anchor.";

/// A timeline, with what a tool of an MCP server shows of it.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    #[serde(flatten)]
    found: Timeline,
    content: Value,
    /// The entries under the name that some plug-ins read.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<Vec<TimelineEntry>>,
}

/// `GET /api/timeline?anchor=&query=&before=&after=&project=`; the anchor is an id, a bare number for
/// an observation, or a date. The observer's spellings: `depth_before`, `depth_after`.
pub(super) async fn timeline(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Told>> {
    let request = request(&call)?;
    if request.anchor.is_some() && !request.query.is_empty() {
        return Err(ApiError::invalid("give an anchor or a query, not both"));
    }
    told(&door, &call, &request, false).await
}

/// `GET /api/timeline/by-query?query=&mode=auto|interactive&limit=`: around the best answer, or the
/// best answers to choose from.
pub(super) async fn by_query(State(door): State<Arc<Door>>, call: Call) -> ApiResult<Json<Value>> {
    let request = TimelineRequest { anchor: None, ..request(&call)? };
    if request.query.is_empty() {
        return Err(ApiError::invalid("query is missing: say what to look for"));
    }
    if call.text(&["mode"]).is_none_or(|mode| mode.trim() != "interactive") {
        let Json(told) = told(&door, &call, &request, true).await?;
        return Ok(Json(json!(told)));
    }
    let mut question =
        ObserverQuestion { kinds: vec![Kind::Observation], ..ObserverQuestion::default() };
    question.request.query.clone_from(&request.query);
    question.request.project.clone_from(&request.project);
    question.request.limit = Some(call.count(&["limit"])?.unwrap_or(OFFERED));
    let found = door.engine.observer_search(&question).await?;
    let project = call.text(&["project"]);
    let told = text::found(&request.query, project.as_deref(), &found.rows, THEN);
    Ok(Json(json!({ "content": text::content(&told), "items": found.rows })))
}

async fn told(
    door: &Door,
    call: &Call,
    request: &TimelineRequest,
    twice: bool,
) -> ApiResult<Json<Told>> {
    let found = door.engine.timeline(request).await?;
    let heading = match (&request.anchor, request.query.as_str()) {
        (Some(Anchor::Row(id)), _) => format!("Timeline around anchor: {}", text::sign(*id)),
        (Some(Anchor::At(at)), _) => format!("Timeline around {}", at.rfc3339()),
        (None, "") => "Timeline of the newest".to_owned(),
        (None, query) => format!("Timeline for query: {query}"),
    };
    let project = call.text(&["project"]);
    let content = text::content(&text::timeline(&heading, project.as_deref(), &found));
    let timeline = twice.then(|| found.entries.clone());
    Ok(Json(Told { found, content, timeline }))
}

fn request(call: &Call) -> ApiResult<TimelineRequest> {
    let anchor = call.text(&["anchor"]).map(|text| anchor(text.trim())).transpose()?;
    Ok(TimelineRequest {
        anchor,
        query: call.text(&["query"]).unwrap_or_default(),
        project: call.named_project(),
        before: call.count(&["before", "depth_before", "depthBefore"])?,
        after: call.count(&["after", "depth_after", "depthAfter"])?,
    })
}

fn anchor(text: &str) -> ApiResult<Anchor> {
    let digits = text.trim_start_matches('#');
    if digits.len() <= KEY_DIGITS
        && !digits.is_empty()
        && let Ok(number) = digits.parse::<u32>()
    {
        return Ok(Anchor::Row(PublicId::new(Kind::Observation, i64::from(number))));
    }
    // Viewers send the time of a row as they were given it.
    if (KEY_DIGITS + 1..=TIME_DIGITS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(millis) = text.parse()
    {
        return Ok(Anchor::At(Time::from_millis(millis)));
    }
    text.parse().map_err(asked::invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_an_observation_and_a_long_one_a_time() {
        let of = |text: &str| anchor(text).map(|anchor| anchor.to_string());
        assert_eq!(of("12").unwrap(), "o12");
        assert_eq!(of("#12").unwrap(), "o12");
        assert_eq!(of("S3").unwrap(), "s3");
        assert_eq!(of("1796090000000").unwrap(), "2026-12-01T01:53:20.000Z");
        assert_eq!(of("2026-12-01").unwrap(), "2026-12-01T00:00:00.000Z");
        for bad in ["", "#", "-1", "yesterday", "S", "9999999999999999999999"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
