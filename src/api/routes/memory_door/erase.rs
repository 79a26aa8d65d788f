//! Deleting everything of an owner.
//!
//! What a caller says and what is not understood narrows nothing: it would delete more than was
//! meant. So it is refused, and nothing is deleted.

use std::sync::Arc;

use afterword_domain::owner::{Owner, OwnerKind};
use afterword_engine::memories::OwnerPattern;
use axum::extract::State;
use serde_json::{Map, Value};

use super::asked::{Fields, NOBODY, Parameters};
use super::shape::Told;
use crate::api::body::{Json, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// What clients send besides, which says nothing of what is deleted.
const BESIDE: [&str; 4] = ["org_id", "project_id", "source", "version"];

/// Adds one name to what is deleted.
fn name(pattern: &mut OwnerPattern, field: &str, value: &str) -> ApiResult<()> {
    let known = OwnerKind::ALL
        .into_iter()
        .find(|kind| kind.field() == field || format!("{}Id", kind.word()) == field);
    let Some(kind) = known else {
        return Err(ApiError::invalid(format!(
            "'{field}' is no filter of a delete, so nothing is deleted: {NOBODY}"
        )));
    };
    let value = value.trim();
    if value != "*" {
        Owner::name(value)
            .map_err(|why| ApiError::invalid(format!("{field} {why}: nothing is deleted")))?;
    }
    let place = match kind {
        OwnerKind::User => &mut pattern.user,
        OwnerKind::Agent => &mut pattern.agent,
        OwnerKind::App => &mut pattern.app,
        OwnerKind::Run => &mut pattern.run,
    };
    if place.as_deref().is_some_and(|known| known != value) {
        return Err(ApiError::invalid(format!("{field} is named twice: nothing is deleted")));
    }
    *place = Some(value.to_owned());
    Ok(())
}

/// Whose memories are deleted: by the query string, or by the body.
fn pattern(parameters: &Parameters, body: &Map<String, Value>) -> ApiResult<OwnerPattern> {
    let mut pattern = OwnerPattern::default();
    for (field, value) in parameters.each().filter(|(field, _)| !BESIDE.contains(field)) {
        name(&mut pattern, field, value)?;
    }
    for (field, value) in body.iter().filter(|(field, _)| !BESIDE.contains(&field.as_str())) {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        name(&mut pattern, field, &text)?;
    }
    if pattern == OwnerPattern::default() {
        return Err(ApiError::invalid(format!("nothing is deleted: {NOBODY}")));
    }
    Ok(pattern)
}

/// `DELETE /v1/memories/?user_id=` and `DELETE /memories?user_id=`; `*` is every name of a kind.
pub(super) async fn owned(
    State(door): State<Arc<Door>>,
    parameters: Parameters,
    Fields(body): Fields<Map<String, Value>>,
) -> ApiResult<Json<Told>> {
    let pattern = pattern(&parameters, &body)?;
    let count = if is_everybody(&pattern) {
        delete_everything(&door).await?
    } else {
        door.engine.delete_owned(pattern).await?
    };
    Ok(Json(Told::counted("deleted", count)))
}

/// Whether a pattern names everybody of every kind, which clients mean as "everything", and not as
/// "what belongs to one of each kind".
fn is_everybody(pattern: &OwnerPattern) -> bool {
    let OwnerPattern { user, agent, app, run } = pattern;
    [user, agent, app, run].into_iter().all(|name| name.as_deref() == Some("*"))
}

/// Deletes what belongs to anybody.
async fn delete_everything(door: &Door) -> ApiResult<u64> {
    let mut count = 0;
    for kind in OwnerKind::ALL {
        let mut pattern = OwnerPattern::default();
        name(&mut pattern, kind.field(), "*")?;
        count += door.engine.delete_owned(pattern).await?;
    }
    Ok(count)
}

/// `DELETE /v2/entities/{type}/{name}/`, and the older spellings of it.
pub(super) async fn entity(
    State(door): State<Arc<Door>>,
    UrlPath((kind, owner)): UrlPath<(String, String)>,
) -> ApiResult<Json<Told>> {
    let Some(kind) = OwnerKind::from_word(&kind) else {
        return Err(ApiError::invalid("Invalid entity type: it is user, agent, app or run"));
    };
    let mut pattern = OwnerPattern::default();
    name(&mut pattern, kind.field(), &owner)?;
    let count = door.engine.delete_owned(pattern).await?;
    Ok(Json(Told::counted("deleted", count)))
}

/// `POST /reset`: everything that belongs to anybody.
pub(super) async fn reset(State(door): State<Arc<Door>>) -> ApiResult<Json<Told>> {
    let count = delete_everything(&door).await?;
    Ok(Json(Told { message: "All memories reset".to_owned(), count: Some(count) }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<OwnerPattern, String> {
        let told = |error| afterword_domain::wire::daemon::ErrorBody::from(error).error;
        pattern(&Parameters::default(), body.as_object().unwrap()).map_err(told)
    }

    #[test]
    fn what_is_not_understood_deletes_nothing() {
        for bad in [
            json!({}),
            json!({"source": "CLI", "org_id": "o"}),
            json!({"user_id": null}),
            json!({"user_id": ""}),
            json!({"user_id": "a b"}),
            json!({"user_id": "ada", "metadata": {"type": "x"}}),
            json!({"user_id": "ada", "filters": {"run_id": "7"}}),
            json!({"filters": "{'user_id': 'a'}"}),
            json!({"user_id": "ada", "userId": "bo"}),
        ] {
            let why = read(&bad).unwrap_err();
            assert!(why.contains("nothing is deleted"), "{bad}: {why}");
        }
        let both = read(&json!({"user_id": " ada ", "runId": "*", "org_id": "o"})).unwrap();
        assert_eq!((both.user.as_deref(), both.run.as_deref()), (Some("ada"), Some("*")));
        assert_eq!((both.agent.as_deref(), both.app.as_deref()), (None, None));
        assert!(!is_everybody(&both));
        let all = json!({"user_id": "*", "agent_id": "*", "app_id": "*", "run_id": "*"});
        assert!(is_everybody(&read(&all).unwrap()));
    }
}
