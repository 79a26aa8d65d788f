//! The same tools over streamable HTTP, for clients that start no programs.
//!
//! On loopback only, behind the daemon's token; a foreign `Host` and any `Origin` are refused: no
//! page of a browser has business here. Every request stands alone, nothing is kept between two.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use afterword_domain::proof::same;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::door::{Door, Setup};
use super::serve::CALLS;
use super::tools::Memory;

/// Where the tools are below the address.
const PATH: &str = "/mcp";

/// Serves the tools at `listen` until the process is interrupted; `ready` is told the whole URL
/// once clients may come. Port 0 lets the system choose.
///
/// Callers show the token of the data folder as `Authorization: Bearer …`; the daemon is started
/// first, because it makes the token. An address that is not loopback is
/// [`io::ErrorKind::InvalidInput`].
pub fn run_http(setup: Setup, listen: SocketAddr, ready: impl FnOnce(&str)) -> io::Result<()> {
    if !listen.ip().is_loopback() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{listen} is not on this machine: listen on 127.0.0.1 or [::1]"),
        ));
    }
    let token_file = setup.home.token_file();
    let door = Door::new(setup);
    door.projects().map_err(|refusal| io::Error::other(refusal.to_string()))?;
    let token: Arc<str> = std::fs::read_to_string(token_file)?.trim().into();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(CALLS)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(async {
        let listener = TcpListener::bind(listen).await?;
        ready(&format!("http://{}{PATH}", listener.local_addr()?));
        axum::serve(listener, router(door, token))
            .with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) })
            .await
    });
    runtime.shutdown_background();
    outcome
}

fn router(door: Door, token: Arc<str>) -> Router {
    let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
    config.legacy_session_mode = false;
    config.json_response = true;
    let memory = Memory::new(door);
    let tools = StreamableHttpService::new(
        move || Ok(memory.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().route_service(PATH, tools).layer(middleware::from_fn_with_state(token, guard))
}

/// Lets nobody in without the token.
async fn guard(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).map(str::trim);
    if shown.is_some_and(|shown| same(shown.as_bytes(), token.as_bytes())) {
        return next.run(request).await;
    }
    let told = "the token is missing or wrong: send 'Authorization: Bearer <token>'; the token is \
                in the data folder";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], told).into_response()
}
