//! What a route answers when it cannot do what was asked.
//!
//! | from | status | code |
//! | --- | --- | --- |
//! | a body or parameter that cannot be used | 400 | `invalid` |
//! | no token, or a wrong one | 401 | `unauthorized` |
//! | a foreign Host or Origin | 403 | `forbidden` |
//! | no such row, project or route | 404 | `not_found` |
//! | a method that the route does not have | 405 | `method` |
//! | a body that does not come to its end | 408 | `too_slow` |
//! | it was meant for another server, or is there already | 409 | `conflict` |
//! | a body that is too large | 413 | `too_large` |
//! | an address that is too long, as a long query makes it | 414 | `too_long` |
//! | headers that are too large | 431 | `too_large` |
//! | the spool is drained first | 503 | `draining` |
//! | the database is busy, full or damaged | 503 | `store` |
//! | a new token cannot be kept | 503 | `token` |
//! | an answer that cannot be found in time | 503 | `timeout` |
//! | too many watch live events | 503 | `crowded` |

use std::fmt;

use afterword_domain::wire::daemon::ErrorBody;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// An answer that says what went wrong, and what to do next.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: ErrorBody,
}

/// What to do with a query that does not fit into an address.
const LONG_QUERY: &str = "ask 'POST /api/search' with the query in a JSON body: {\"query\": \"…\"}";

impl From<ApiError> for ErrorBody {
    fn from(error: ApiError) -> Self {
        error.body
    }
}

/// What a route gives.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// With a status, a stable word for programs, a sentence for people, and what to do next.
    pub fn new(
        status: StatusCode,
        code: &str,
        error: impl Into<String>,
        hint: Option<&str>,
    ) -> Self {
        let error = error.into();
        let detail = hint.map_or_else(|| error.clone(), |hint| format!("{error}: {hint}"));
        let hint = hint.map(str::to_owned);
        let body = ErrorBody { error, code: code.to_owned(), hint, detail };
        Self { status, body }
    }

    /// What was sent cannot be used.
    pub fn invalid(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", error, None)
    }

    /// There is no such thing.
    pub fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", error, None)
    }

    pub(super) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "the token is missing or wrong",
            Some("send 'Authorization: Bearer <token>'; the token is in the data folder"),
        )
    }

    /// The caller may not do this.
    pub fn forbidden(error: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", error, None)
    }

    pub(super) fn conflict(error: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", error, None)
    }

    /// The route has no such method.
    pub fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "not with this method", None)
    }

    pub(super) fn too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body did not come to its end", None)
    }

    pub(super) fn too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "the body is too large",
            Some("send less at a time"),
        )
    }

    /// What is wrong with a head that no route sees.
    pub(super) fn of_head(status: StatusCode) -> Self {
        match status {
            StatusCode::URI_TOO_LONG => {
                Self::new(status, "too_long", "the address is too long", Some(LONG_QUERY))
            }
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Self::new(
                status,
                "too_large",
                "the head of the request is too large",
                Some(LONG_QUERY),
            ),
            _ => Self::new(status, "invalid", "the request is no HTTP/1.1 that can be read", None),
        }
    }

    pub(super) fn timeout() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "timeout",
            "the answer was not found in time",
            Some("try again; if it stays so, run 'afterword doctor'"),
        )
    }

    pub(super) fn crowded() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "crowded",
            "too many watch live events already",
            Some("close other pages, or try again"),
        )
    }

    pub(super) fn token_not_kept(error: &std::io::Error) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "token",
            format!("the new token cannot be kept, so the old one stays: {error}"),
            Some("run 'afterword doctor'"),
        )
    }

    pub(super) fn draining() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "draining",
            "older events are taken in first",
            Some("spool the event or try again"),
        )
    }
}

impl From<afterword_engine::Error> for ApiError {
    fn from(error: afterword_engine::Error) -> Self {
        match error {
            afterword_engine::Error::Invalid(text) => Self::invalid(text),
            afterword_engine::Error::NotFound(text) => Self::not_found(text),
            afterword_engine::Error::Store(error) => error.into(),
        }
    }
}

impl From<afterword_store::Error> for ApiError {
    fn from(error: afterword_store::Error) -> Self {
        if let afterword_store::Error::NotFound(what) = error {
            return Self::not_found(format!("no such {what}"));
        }
        if let afterword_store::Error::Conflict(what) = error {
            return Self::conflict(&format!("conflict on {what}"));
        }
        tracing::error!(%error, "the store failed");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store",
            error.to_string(),
            Some("run 'afterword doctor'"),
        )
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.body.detail)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
