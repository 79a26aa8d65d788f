//! Who may come in: loopback names only, no foreign page, and the token or the cookie of a page that
//! was signed in.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::wire::{PROTOCOL, PROTOCOL_HEADER};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::credential::shown_secret;
use super::door::Door;
use super::error::ApiError;
use super::table::{Access, Accesses};

/// How long finding an answer may take; people's commands wait two minutes.
const ANSWER: Duration = Duration::from_secs(110);

/// What every answer tells a browser: no page, no frame, no guessing, no keeping.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Where a browser says who made it ask.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the guard needs to know.
#[derive(Debug)]
pub(super) struct Entrance {
    pub(super) door: Arc<Door>,
    /// Who may use each path.
    pub(super) access: Accesses,
}

/// Stands in front of every route.
pub(super) async fn guard(
    State(entrance): State<Arc<Entrance>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match admit(&entrance, &request) {
        Ok(()) => in_time(&entrance.door, request, next).await,
        Err(error) => error.into_response(),
    };
    harden(&mut response);
    response
}

/// The answer, or that there was none in time.
pub(super) async fn in_time(door: &Door, request: Request, next: Next) -> Response {
    door.touch();
    tokio::time::timeout(ANSWER, next.run(request))
        .await
        .unwrap_or_else(|_| ApiError::timeout().into_response())
}

/// Adds what every answer tells.
pub fn harden(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(PROTOCOL_HEADER, HeaderValue::from(PROTOCOL));
    for (name, value) in HEADERS {
        // A page may have a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

fn admit(entrance: &Entrance, request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    let all = |name| headers.get_all(name).iter().map(|v: &HeaderValue| v.to_str().unwrap_or(""));
    // A page that rebinds its name to 127.0.0.1 sends its own name here.
    let host = all(header::HOST).next().unwrap_or("");
    if !is_loopback(host) || all(header::HOST).count() != 1 {
        return Err(ApiError::forbidden("this server answers to loopback names only"));
    }
    let foreign_origin = all(header::ORIGIN).any(|o| o.strip_prefix("http://") != Some(host));
    let foreign_site = all(FETCH_SITE).any(|site| !matches!(site, "same-origin" | "none"));
    if foreign_origin || foreign_site {
        return Err(ApiError::forbidden("other pages may not ask this server"));
    }
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let access = entrance.access.of(path, request.method());
    match access {
        Access::Everybody | Access::Page => return Ok(()),
        Access::Observer | Access::Shared if entrance.door.observer_is_open => return Ok(()),
        Access::Observer
        | Access::Shared
        | Access::Person
        | Access::Token
        | Access::Read
        | Access::Write
        | Access::Erase => {}
    }
    let shown = match access {
        // Clients of memory services have headers of their own for it.
        Access::Read | Access::Write | Access::Erase => shown_secret(headers),
        _ => token(headers),
    };
    let by_token = shown.is_some_and(|token| entrance.door.knows(token));
    // A browser sends the cookie with whatever request: what changes something must say that it
    // comes from our page.
    let ours = || {
        request.method() == Method::GET
            || all(header::ORIGIN).next().is_some()
            || all(FETCH_SITE).any(|site| site == "same-origin")
    };
    let by_page = || {
        let mut cookies = all(header::COOKIE);
        matches!(access, Access::Person | Access::Shared)
            && ours()
            && cookies.any(|sent| entrance.door.knows_page(sent))
    };
    if by_token || by_page() { Ok(()) } else { Err(ApiError::unauthorized()) }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::trim)
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
}
