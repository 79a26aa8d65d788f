//! The secret that a caller shows, in whichever header it does.

use axum::http::{HeaderMap, HeaderName, header};

/// As self-hosted memory servers take it.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// As clients of AnalyticDB send it, `static:` before the secret.
const AUTH_TOKEN: HeaderName = HeaderName::from_static("x-auth-token");

/// The secret of a request: `Authorization: Bearer …` or `Token …`, `X-API-Key: …`, or
/// `X-Auth-Token: static:…`, looked for in this order.
pub fn shown_secret(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &HeaderName| {
        let value = headers.get(name)?.to_str().ok()?.trim();
        (!value.is_empty()).then_some(value)
    };
    let authorization = text(&header::AUTHORIZATION).and_then(|value| {
        let (scheme, secret) = value.split_once(' ')?;
        let known = ["bearer", "token"].iter().any(|word| scheme.eq_ignore_ascii_case(word));
        known.then(|| secret.trim()).filter(|secret| !secret.is_empty())
    });
    let fixed = || text(&AUTH_TOKEN).map(|value| value.strip_prefix("static:").unwrap_or(value));
    authorization.or_else(|| text(&API_KEY)).or_else(fixed)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn shown(pairs: &[(&'static str, &'static str)]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        shown_secret(&headers).map(str::to_owned)
    }

    #[test]
    fn every_way_of_showing_a_secret_is_understood() {
        for pairs in [
            [("authorization", "Bearer k")],
            [("authorization", "bearer  k ")],
            [("authorization", "Token k")],
            [("x-api-key", "k")],
            [("x-auth-token", "static:k")],
            [("x-auth-token", "k")],
        ] {
            assert_eq!(shown(&pairs).as_deref(), Some("k"), "{pairs:?}");
        }
        for pairs in [
            [("authorization", "Basic k")],
            [("authorization", "k")],
            [("authorization", "Bearer ")],
            [("x-api-key", "")],
        ] {
            assert_eq!(shown(&pairs), None, "{pairs:?}");
        }
        assert_eq!(shown(&[("authorization", "Basic b"), ("x-api-key", "k")]).unwrap(), "k");
    }
}
