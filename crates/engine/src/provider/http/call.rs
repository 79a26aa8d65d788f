//! One request over HTTP: sent once, to one host, within limits.

use std::time::Duration;

use afterword_domain::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Proxy, Url};
use serde_json::Value;

use super::address::Address;
use super::refuse::{self, Reply};
use crate::http::client_builder;
use crate::provider::refusal::{Refusal, RefusalKind};
use crate::provider::settings::ProviderSettings;

/// Largest answer that is read; one of a few thousand tokens has a few dozen kilobytes.
const MOST_BYTES: usize = 4 << 20;

/// How long a host may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A way to one API.
///
/// Redirects are not followed, so that the key goes to nobody else; proxies of the environment are
/// not used; nothing is sent twice.
#[derive(Debug)]
pub(super) struct Caller {
    client: Client,
    pub(super) address: Address,
    headers: HeaderMap,
    key: Secret,
    timeout: Duration,
}

impl Caller {
    /// Makes the way; `header` carries the key, after `scheme`.
    pub(super) fn open(
        settings: &ProviderSettings,
        header: &'static str,
        scheme: &str,
    ) -> Result<Self, Refusal> {
        let url = settings.url.as_deref().filter(|url| !url.trim().is_empty());
        let address = Address::read(url.unwrap_or_else(|| settings.kind.default_url()))?;
        let key = &settings.api_key;
        if !key.is_empty() && !address.is_https() && !address.is_near() {
            let what = format!("{} would be sent the key unprotected: use https", address.place());
            return Err(Refusal::new(RefusalKind::Misconfigured, what).before_sending());
        }
        let mut headers = HeaderMap::new();
        if !key.is_empty() {
            let value = format!("{scheme}{}", key.expose());
            let Ok(mut value) = HeaderValue::try_from(value) else {
                let what = "the key of the provider has characters that no key has";
                return Err(Refusal::new(RefusalKind::Auth, what).before_sending());
            };
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(header), value);
        }
        let client = client(settings, &address)?;
        Ok(Self { client, address, headers, key: key.clone(), timeout: settings.timeout })
    }

    /// Adds a header to every request.
    pub(super) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Posts a body and returns the JSON of a good answer.
    pub(super) async fn post(&self, url: Url, model: &str, body: &Value) -> Result<Value, Refusal> {
        match tokio::time::timeout(self.timeout, self.exchange(url, body)).await {
            Ok(Ok(reply)) => self.judge(model, &reply),
            Ok(Err(refusal)) => Err(refusal),
            Err(_) => Err(Refusal::new(
                RefusalKind::Unavailable,
                format!(
                    "{} did not answer within {} s",
                    self.address.place(),
                    self.timeout.as_secs_f32()
                ),
            )),
        }
    }

    async fn exchange(&self, url: Url, body: &Value) -> Result<Reply, Refusal> {
        let request = self
            .client
            .post(url)
            .headers(self.headers.clone())
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .body(body.to_string());
        let mut response = request.send().await.map_err(|error| self.broken(&error))?;
        let header = |name| response.headers().get(name).and_then(|v| v.to_str().ok());
        let mut reply = Reply {
            status: response.status().as_u16(),
            retry_after: header(RETRY_AFTER)
                .and_then(|wait| refuse::retry_after(wait, header(reqwest::header::DATE))),
            is_html: header(reqwest::header::CONTENT_TYPE).is_some_and(|v| v.contains("html")),
            body: Vec::new(),
        };
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(&error))? {
            if reply.body.len() + piece.len() > MOST_BYTES {
                let what = format!("{} sent more than {MOST_BYTES} bytes", self.address.place());
                let refusal = Refusal::new(RefusalKind::Unusable, what);
                return Err(refusal.with_status(reply.status));
            }
            reply.body.extend_from_slice(&piece);
        }
        Ok(reply)
    }

    fn judge(&self, model: &str, reply: &Reply) -> Result<Value, Refusal> {
        let place = self.address.place();
        if reply.status == 200
            && let Ok(value) = serde_json::from_slice::<Value>(&reply.body)
            && value.is_object()
            // Some report trouble with a status of 200.
            && value.get("error").is_none_or(Value::is_null)
        {
            return Ok(value);
        }
        Err(refuse::refuse(&place, model, &self.key, reply))
    }

    /// What broke a connection, by how far the request came.
    fn broken(&self, error: &reqwest::Error) -> Refusal {
        let place = self.address.place();
        if error.is_connect() || error.is_builder() {
            // The last cause is the one that says something: refused, no such host, a certificate.
            let mut cause: &dyn std::error::Error = error;
            while let Some(next) = cause.source() {
                cause = next;
            }
            let cause = self.key.hide_in(&cause.to_string());
            let what = format!("{place} cannot be reached: {cause}");
            return Refusal::new(RefusalKind::Unavailable, what).before_sending();
        }
        let what = format!("the connection to {place} broke before the answer was there");
        Refusal::new(RefusalKind::Unavailable, what)
    }
}

fn client(settings: &ProviderSettings, address: &Address) -> Result<Client, Refusal> {
    let mut builder =
        client_builder().connect_timeout(CONNECT.min(settings.timeout)).pool_max_idle_per_host(1);
    let wrong = |what: String| Refusal::new(RefusalKind::Misconfigured, what).before_sending();
    if let Some(proxy) = settings.proxy.as_deref().filter(|proxy| !proxy.trim().is_empty()) {
        let proxy = Proxy::all(proxy.trim());
        // The address of a proxy may hold a password: it is not shown.
        builder = builder.proxy(proxy.map_err(|_| wrong("the proxy is no address".to_owned()))?);
    }
    if !address.is_https() && settings.proxy.is_none() {
        // Certificates are not needed, so a machine that has none does not matter.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        wrong(format!("no protected connection can be made on this machine: {error}"))
    })
}
