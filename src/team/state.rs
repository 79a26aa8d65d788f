//! What every request may touch.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use afterword_domain::team::Role;
use afterword_domain::{Clock, proof};
use afterword_store::postgres::PostgresPool;
use axum::Router;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::door::{Callers, Limits, Origins, Principal};
use super::engines::Engines;
use super::mcp;
use super::metrics::Metrics;
use super::tell::Teller;
use crate::api::{ApiError, ApiResult, shown_secret};

/// How long a question whether the database answers may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server for many.
pub(super) struct Team {
    pub(super) pool: PostgresPool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) callers: Callers,
    pub(super) limits: Limits,
    pub(super) metrics: Metrics,
    pub(super) origins: Origins,
    pub(super) engines: Arc<Engines>,
    /// The routes of accounts.
    pub(super) accounts: Router,
    /// The tools for models.
    pub(super) tools: Router,
    pub(super) teller: Teller,
    /// With which the metrics are read, beside the tokens of admins.
    pub(super) metrics_token: Option<String>,
    pub(super) stopping: AtomicBool,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl Team {
    /// The routes for a caller and a path.
    pub(super) fn router(&self, principal: &Principal, path: &str) -> ApiResult<Router> {
        if path.starts_with("/api/team/") {
            return Ok(self.accounts.clone());
        }
        if path == mcp::PATH {
            return Ok(self.tools.clone());
        }
        self.engines.router(principal.tenant(), principal.0.project)
    }

    /// How the server is, for whoever watches over it.
    pub(super) async fn told(&self, path: &str, method: &Method, headers: &HeaderMap) -> Response {
        if method != Method::GET && method != Method::HEAD {
            return ApiError::method().into_response();
        }
        match path {
            "/health" => axum::Json(json!({ "status": "ok" })).into_response(),
            "/ready" => self.ready().await,
            _ => self.measured(headers).await.unwrap_or_else(IntoResponse::into_response),
        }
    }

    /// Whether requests can be served: what a balancer of load asks.
    async fn ready(&self) -> Response {
        let stopping = self.stopping.load(Ordering::Acquire);
        let answers =
            async { matches!(tokio::time::timeout(PATIENCE, self.pool.ping()).await, Ok(Ok(()))) };
        if !stopping && answers.await {
            return axum::Json(json!({ "status": "ready" })).into_response();
        }
        let (code, what) = if stopping {
            ("stopping", "the server is about to stop")
        } else {
            ("store", "the database does not answer")
        };
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, what, None).into_response()
    }

    /// Counts and times, for whoever has the token of the metrics or is an admin.
    async fn measured(&self, headers: &HeaderMap) -> ApiResult<Response> {
        let shown = shown_secret(headers).unwrap_or_default();
        let by_secret = self
            .metrics_token
            .as_ref()
            .is_some_and(|t| proof::same(t.as_bytes(), shown.as_bytes()));
        if !by_secret {
            let principal = self.callers.admit(headers).await.map_err(|(error, _)| error)?;
            if principal.caller().role < Role::Admin {
                return Err(ApiError::forbidden("metrics are read by admins"));
            }
        }
        let queues = self.pool.queue_counts().await?;
        let text = self.metrics.text(&queues, self.pool.connections(), self.engines.count());
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
    }
}
