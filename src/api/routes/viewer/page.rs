//! The page and its files, and how it comes in.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::body::{Json, Query, UrlPath};
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};
use crate::api::{sign_in, viewer};

/// The one page.
const PAGE: &str = "index.html";

/// Where a browser says that it fetches ahead of the person.
const PURPOSE: [&str; 2] = ["sec-purpose", "purpose"];

/// `GET /`: the page. It holds nothing of the person's before it is signed in.
pub(super) async fn index(headers: HeaderMap) -> ApiResult<Response> {
    file_answer(PAGE, &headers, StatusCode::OK)
}

/// `GET /viewer/{path}`: a file of the page.
pub(super) async fn file(
    UrlPath(path): UrlPath<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    file_answer(&path, &headers, StatusCode::OK)
}

fn file_answer(path: &str, headers: &HeaderMap, status: StatusCode) -> ApiResult<Response> {
    viewer::answer(path, headers, status).ok_or_else(|| ApiError::not_found("no such file"))
}

/// `POST /api/sign-in`: a link that works once, for whoever has the token.
pub(super) async fn link(State(door): State<Arc<Door>>) -> Json<Value> {
    let code = door.links.make(Instant::now());
    Json(json!({
        "path": format!("/sign-in?code={code}"),
        "expires_s": sign_in::LINK.as_secs(),
    }))
}

/// The query string of such a link.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Code {
    code: String,
}

/// `GET /sign-in?code=`: takes the code and gives a cookie in its place. A code that was used, or
/// is too old, shows the page, which says so.
pub(super) async fn sign_in(
    State(door): State<Arc<Door>>,
    Query(Code { code }): Query<Code>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let ahead = PURPOSE.iter().any(|name| headers.contains_key(*name));
    if ahead || !door.links.take(&code, Instant::now()) {
        return file_answer(PAGE, &headers, StatusCode::UNAUTHORIZED);
    }
    let value = sign_in::cookie_value(&door.token(), door.engine.clock().now());
    let mut answer = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    answer.headers_mut().insert(header::SET_COOKIE, cookie(&door, &value, sign_in::COOKIE_S));
    Ok(answer)
}

/// `POST /api/sign-out`: takes the cookie away from this browser.
pub(super) async fn sign_out(State(door): State<Arc<Door>>) -> Response {
    let mut answer = Json(json!({ "status": "signed_out" })).into_response();
    answer.headers_mut().insert(header::SET_COOKIE, cookie(&door, "", 0));
    answer
}

fn cookie(door: &Door, value: &str, seconds: i64) -> HeaderValue {
    let name = sign_in::cookie_name(door.port);
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).expect("digits, letters and dots")
}
