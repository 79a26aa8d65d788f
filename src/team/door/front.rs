//! The way of a request: its id, its name and place, its caller, its turn, its answer, and what is
//! told of it afterwards.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::{Principal, RequestId};
use crate::api::{Access, ApiError, Deed, Peer, Served, harden};
use crate::team::mcp;
use crate::team::state::Team;
use crate::team::tell::Origin;

/// Routes that need no token: they say nothing but how the server is.
const OPEN: [&str; 3] = ["/health", "/ready", "/metrics"];

/// Routes whose calls are not in the audit log: hooks make them with every step of a session, and
/// what they bring is kept as rows of that session.
const UNTOLD: [&str; 3] = ["/api/events", "/api/recall/file", "/api/context/inject"];

/// Most bytes of a refusal that is told its request's id.
const REFUSAL_BYTES: usize = 64 * 1024;

/// What is known of a request before anybody has looked into it.
struct Asked {
    id: RequestId,
    method: Method,
    address: IpAddr,
    begun: Instant,
}

impl Asked {
    fn origin(&self) -> Origin {
        Origin { address: self.address, request_id: self.id.0.clone() }
    }
}

/// Serves one request.
pub(in crate::team) async fn answer(State(team): State<Arc<Team>>, request: Request) -> Response {
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    let peer = peer.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    let asked = Asked {
        id: RequestId::of(request.headers()),
        method: request.method().clone(),
        address: team.origins.address(peer, request.headers()),
        begun: Instant::now(),
    };
    let span = tracing::info_span!("request", id = asked.id.0);
    async {
        let (principal, response) = pass(&team, &asked, peer, request).await;
        finish(&team, &asked, principal.as_ref(), response).await
    }
    .instrument(span)
    .await
}

/// Whoever asked, as far as that came out, and the answer.
async fn pass(
    team: &Arc<Team>,
    asked: &Asked,
    peer: SocketAddr,
    mut request: Request,
) -> (Option<Principal>, Response) {
    let path = request.uri().path();
    if let Some(path) = OPEN.into_iter().find(|open| *open == path) {
        let mut response = team.told(path, &asked.method, request.headers()).await;
        response.extensions_mut().insert(Served { path, access: Access::Everybody });
        return (None, response);
    }
    if let Err(error) = team.origins.check(peer, request.headers()) {
        return (None, error.into_response());
    }
    let admitted = team.callers.admit(request.headers()).await;
    let (principal, refusal) = match admitted {
        Ok(principal) => (principal, None),
        Err((error, Some(principal))) => (principal, Some(error)),
        Err((error, None)) => return (None, error.into_response()),
    };
    let judged = team.limits.take(principal.0.token.id, asked.begun);
    let mut response = if judged.wait.is_some() {
        too_often().into_response()
    } else if let Some(error) = refusal {
        let mut response = error.into_response();
        response.extensions_mut().insert(Deed::of("token.refused", String::new()));
        response
    } else {
        let router = team.router(&principal, path);
        let path_is_tools = path == mcp::PATH;
        request.extensions_mut().insert(principal.caller());
        request.extensions_mut().insert(principal.clone());
        request.extensions_mut().insert(asked.origin());
        match router {
            Ok(router) if path_is_tools => {
                let mut response = call(router, request).await;
                let served = Served { path: mcp::PATH, access: Access::Read };
                response.extensions_mut().insert(served);
                response
            }
            Ok(router) => call(router, request).await,
            Err(error) => error.into_response(),
        }
    };
    judged.tell(response.headers_mut());
    (Some(principal), response)
}

async fn call(router: Router, request: Request) -> Response {
    match TowerToHyperService::new(router).call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn too_often() -> ApiError {
    ApiError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too_many",
        "this token asks too often",
        Some("wait for the seconds of the header Retry-After"),
    )
}

/// Tells the caller, the log, the counters and the audit log.
async fn finish(
    team: &Team,
    asked: &Asked,
    principal: Option<&Principal>,
    response: Response,
) -> Response {
    let served = response.extensions().get::<Served>().copied();
    let (status, route) = (response.status(), served.map_or("none", |served| served.path));
    let took = asked.begun.elapsed();
    team.metrics.answered(&asked.method, route, status, took);
    if let Some(principal) = principal
        && let Some((action, subject)) = deed(asked, &response)
    {
        let origin = asked.origin();
        team.teller.note(principal, &origin, &action, &subject, status.as_u16()).await;
    }
    let token = principal.map(|principal| &principal.0.token);
    tracing::info!(
        method = asked.method.as_str(),
        route,
        status = status.as_u16(),
        ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        address = %asked.address,
        organisation = principal.map(|principal| principal.0.organisation.name.as_str()),
        member = token.map(|token| token.member.as_str()),
        token = token.map(|token| token.mark.as_str()),
        "answered"
    );
    let mut response = if status.is_client_error() || status.is_server_error() {
        with_id(response, &asked.id).await
    } else {
        response
    };
    harden(&mut response);
    asked.id.tell(response.headers_mut());
    response
}

/// What is told in the audit log, and what it was done to: what changed something, was of all
/// projects, or was refused.
fn deed(asked: &Asked, response: &Response) -> Option<(String, String)> {
    let served = response.extensions().get::<Served>();
    let deed = response.extensions().get::<Deed>();
    let refused = response.status() == StatusCode::FORBIDDEN;
    let told = served.is_some_and(|served| {
        served.access != Access::Read && (refused || !UNTOLD.contains(&served.path))
    });
    if !told && !refused && deed.is_none() {
        return None;
    }
    let route = || format!("{} {}", asked.method, served.map_or("none", |served| served.path));
    let action = deed.and_then(|deed| deed.action).map_or_else(route, str::to_owned);
    Some((action, deed.map_or_else(String::new, |deed| deed.subject.clone())))
}

/// A refusal that names its request, so that whoever has it can be helped with the log.
async fn with_id(response: Response, id: &RequestId) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, REFUSAL_BYTES).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let Ok(Value::Object(mut told)) = serde_json::from_slice(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    told.insert("request_id".to_owned(), Value::from(id.0.as_str()));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(Value::Object(told).to_string()))
}
