//! Tools for models, over streamable HTTP at `/mcp`: the names that memory servers have in common,
//! each behind the role of the caller's token.
//!
//! [`tools`] says what there is and when to use which, [`parameters`] what each takes, [`answer`]
//! what the model reads. Every request stands alone, so any server of a team may answer it. Names and
//! places of requests were judged before they come here.

mod answer;
mod parameters;
mod tools;

use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::engines::Engines;
use super::tell::Teller;

/// Where the tools are.
pub(super) const PATH: &str = "/mcp";

/// The route of the tools.
pub(super) fn router(engines: Arc<Engines>, teller: Teller) -> Router {
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    let tools = tools::Tools::new(engines, teller);
    let service = StreamableHttpService::new(
        move || Ok(tools.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().route_service(PATH, service)
}
