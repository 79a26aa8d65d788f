//! Who may come in: loopback names only, no foreign page, and the token.

use std::sync::Arc;

use afterword_domain::wire::{PROTOCOL, PROTOCOL_HEADER};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::door::Door;
use super::error::ApiError;

/// Routes that answer without a token, and say nothing but that the server lives.
const OPEN_ROUTES: [&str; 4] = ["/health", "/api/health", "/api/readiness", "/api/version"];

/// Stands in front of every route.
pub(super) async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&door, &request) {
        Ok(()) => {
            door.touch();
            next.run(request).await
        }
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(PROTOCOL_HEADER, HeaderValue::from(PROTOCOL));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn admit(door: &Door, request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    // A page that rebinds its name to 127.0.0.1 sends its own name here.
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok()).unwrap_or("");
    if !is_loopback(host) {
        return Err(ApiError::forbidden("this server answers to loopback names only"));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("");
        if origin.strip_prefix("http://") != Some(host) {
            return Err(ApiError::forbidden("other pages may not ask this server"));
        }
    }
    if OPEN_ROUTES.contains(&request.uri().path()) {
        return Ok(());
    }
    match token(headers) {
        Some(token) if same(token.as_bytes(), door.token.as_bytes()) => Ok(()),
        _ => Err(ApiError::unauthorized()),
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::trim)
}

/// Compares in a time that does not tell how much was right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}

fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) if port.is_empty() || is_port(port) => name,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            Some(_) => return false,
            None => host,
        },
    };
    matches!(name, "127.0.0.1" | "::1") || name.eq_ignore_ascii_case("localhost")
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n3_only_loopback_names_pass() {
        for host in
            ["127.0.0.1", "127.0.0.1:37777", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "evil.com", "127.0.0.1.evil.com", "localhost.evil.com:80", "[::1", "a:b:c"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd") && !same(b"abc", b"ab") && !same(b"", b"a"));
    }
}
