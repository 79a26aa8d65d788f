//! Reading what callers send: JSON, query strings and path parts, whose every mistake is answered
//! in the one shape of errors.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path as AxumPath, Query as AxumQuery, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// How long a caller may take to send a body.
const BODY: Duration = Duration::from_secs(10);

/// A JSON body, whatever content type it is sent with; and a JSON answer.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = bytes(request, state).await?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|e| ApiError::invalid(format!("the body cannot be used: {e}")))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// The parameters of a query string.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match AxumQuery::from_request_parts(parts, state).await {
            Ok(AxumQuery(query)) => Ok(Self(query)),
            Err(error) => Err(ApiError::invalid(error.body_text())),
        }
    }
}

/// The variable part of a path.
#[derive(Debug)]
pub struct UrlPath<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for UrlPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match AxumPath::from_request_parts(parts, state).await {
            Ok(AxumPath(path)) => Ok(Self(path)),
            Err(error) => Err(ApiError::invalid(error.body_text())),
        }
    }
}

/// Reads a whole body, within its limits of size and time.
pub(super) async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, ApiError> {
    bytes_within(BODY, request, state).await
}

async fn bytes_within<S: Send + Sync>(
    time: Duration,
    request: Request,
    state: &S,
) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(time, Bytes::from_request(request, state)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(refusal(&error)),
        Err(_) => Err(ApiError::too_slow()),
    }
}

fn refusal(error: &BytesRejection) -> ApiError {
    if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        ApiError::too_large()
    } else {
        ApiError::invalid(error.body_text())
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::StatusCode;
    use tokio_stream::StreamExt as _;

    use super::*;

    #[tokio::test]
    async fn a_body_that_never_ends_is_not_waited_for() {
        let first = tokio_stream::once(Ok::<_, std::io::Error>("{"));
        let body = Body::from_stream(first.chain(tokio_stream::pending()));
        let read = bytes_within(Duration::from_millis(5), Request::new(body), &()).await;
        assert_eq!(read.unwrap_err().into_response().status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn a_body_needs_no_content_type() {
        let request = Request::new(Body::from("[1, 2]"));
        let Json(list): Json<Vec<u8>> = Json::from_request(request, &()).await.unwrap();
        assert_eq!(list, [1, 2]);
        let request = Request::new(Body::from("[1,"));
        let error = Json::<Vec<u8>>::from_request(request, &()).await.unwrap_err();
        assert_eq!(error.into_response().status(), StatusCode::BAD_REQUEST);
    }
}
