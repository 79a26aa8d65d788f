//! Accounts over HTTP: who one is, and for admins the members, the tokens and the audit log.

use std::collections::HashMap;
use std::sync::Arc;

use afterword_domain::Clock;
use afterword_domain::team::account_name;
use afterword_domain::wire::team::{
    Audit, Me, Member, MemberRequest, Members, NewToken, TokenRequest, Tokens,
};
use afterword_store::contract::AccountStore as _;
use afterword_store::postgres::PostgresPool;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get};
use axum::{Extension, Router};
use serde::Deserialize;
use uuid::Uuid;

use super::accounts::{self, AccountError};
use super::door::Principal;
use crate::api::{
    self, Access, ApiError, ApiResult, Deed, Json, Query, Route, Served, UrlPath, may,
};

/// Entries of a page of the audit log, unless said, and at most.
const PAGE: [usize; 2] = [100, 1_000];

/// The routes of accounts, with what they take.
const ROUTES: [Route; 8] = [
    route("GET", "/api/team/me", Access::Read),
    route("GET", "/api/team/members", Access::Erase),
    route("POST", "/api/team/members", Access::Erase),
    route("DELETE", "/api/team/members/{name}", Access::Erase),
    route("GET", "/api/team/tokens", Access::Erase),
    route("POST", "/api/team/tokens", Access::Erase),
    route("DELETE", "/api/team/tokens/{id}", Access::Erase),
    route("GET", "/api/team/audit", Access::Erase),
];

const fn route(method: &'static str, path: &'static str, access: Access) -> Route {
    Route { method, path, access }
}

/// Every route that a team server serves to members, with what it takes.
pub fn routes() -> Vec<Route> {
    api::shared_routes().into_iter().chain(ROUTES).collect()
}

/// What the routes touch.
#[derive(Debug)]
struct Desk {
    pool: PostgresPool,
    clock: Arc<dyn Clock>,
}

/// The routes of accounts.
pub(super) fn router(pool: PostgresPool, clock: Arc<dyn Clock>) -> Router {
    let access = ROUTES.iter().map(|route| ((route.method, route.path), route.access));
    let access: Arc<HashMap<_, _>> = Arc::new(access.collect());
    Router::new()
        .route("/api/team/me", get(me))
        .route("/api/team/members", get(members).post(set_member))
        .route("/api/team/members/{name}", delete(remove_member))
        .route("/api/team/tokens", get(tokens).post(create_token))
        .route("/api/team/tokens/{id}", delete(revoke_token))
        .route("/api/team/audit", get(audit))
        .fallback(async || ApiError::not_found("no such route"))
        .method_not_allowed_fallback(async || method())
        .layer(middleware::from_fn_with_state(access, guard))
        .with_state(Arc::new(Desk { pool, clock }))
}

fn method() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "not with this method", None)
}

/// What a method and a path take.
type Taken = HashMap<(&'static str, &'static str), Access>;

/// Judges by the caller's role.
async fn guard(State(taken): State<Arc<Taken>>, request: Request, next: Next) -> Response {
    let method = match request.method() {
        &Method::HEAD => "GET",
        other => other.as_str(),
    };
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let row = taken.iter().find(|((m, p), _)| (*m, *p) == (method, path));
    let Some(((_, path), access)) = row.map(|(key, access)| (*key, *access)) else {
        return next.run(request).await;
    };
    let caller = request.extensions().get::<Principal>().map(Principal::caller);
    let mut response = match caller {
        Some(caller) if may(caller, access) => next.run(request).await,
        _ => ApiError::forbidden("accounts are kept by admins whose token reaches all projects")
            .into_response(),
    };
    response.extensions_mut().insert(Served { path, access });
    response
}

async fn me(Extension(Principal(admission)): Extension<Principal>) -> Json<Me> {
    Json(Me {
        organisation: admission.organisation.name.clone(),
        member: admission.token.member.clone(),
        role: admission.token.role,
        project: admission.token.project.clone(),
        expires_at: admission.token.expires_at,
    })
}

async fn members(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
) -> ApiResult<Json<Members>> {
    Ok(Json(Members { members: desk.pool.members(principal.tenant()).await? }))
}

async fn set_member(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
    Json(request): Json<MemberRequest>,
) -> ApiResult<(Extension<Deed>, Json<Member>)> {
    let name = account_name(&request.name).map_err(ApiError::invalid)?;
    let now = desk.clock.now();
    let member = desk.pool.set_member(principal.tenant(), name, request.role, now).await?;
    let subject = format!("{} {}", member.name, member.role);
    Ok((Extension(Deed::of("member.set", subject)), Json(member)))
}

async fn remove_member(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
    UrlPath(name): UrlPath<String>,
) -> ApiResult<(Extension<Deed>, StatusCode)> {
    if !desk.pool.remove_member(principal.tenant(), name.trim()).await? {
        return Err(ApiError::not_found("no such member"));
    }
    Ok((Extension(Deed::of("member.remove", name)), StatusCode::NO_CONTENT))
}

async fn tokens(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
) -> ApiResult<Json<Tokens>> {
    Ok(Json(Tokens { tokens: desk.pool.tokens(principal.tenant()).await? }))
}

async fn create_token(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
    Json(request): Json<TokenRequest>,
) -> ApiResult<(Extension<Deed>, (StatusCode, Json<NewToken>))> {
    let name = account_name(&request.member).map_err(ApiError::invalid)?;
    let tenant = principal.tenant();
    let members = desk.pool.members(tenant).await?;
    let member = members.iter().find(|member| member.name == name);
    let member = member.ok_or_else(|| {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "no such member",
            Some("add them first: POST /api/team/members {\"name\", \"role\"}"),
        )
    })?;
    let role = request.role.unwrap_or(member.role);
    let issued = accounts::issue(&desk.pool, tenant, &request, role, &*desk.clock).await;
    let (made, _) = issued.map_err(refused)?;
    let deed = Deed::of("token.create", made.id.to_string());
    Ok((Extension(deed), (StatusCode::CREATED, Json(made))))
}

fn refused(error: AccountError) -> ApiError {
    match error {
        AccountError::Asked(what) => ApiError::invalid(what),
        AccountError::Store(error) => error.into(),
        AccountError::Other(error) => {
            tracing::error!(%error, "a token cannot be made");
            let what = "a token cannot be made";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "token", what, None)
        }
    }
}

async fn revoke_token(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
    UrlPath(id): UrlPath<Uuid>,
) -> ApiResult<(Extension<Deed>, StatusCode)> {
    if !desk.pool.revoke_token(principal.tenant(), id, desk.clock.now()).await? {
        return Err(ApiError::not_found("no such token"));
    }
    Ok((Extension(Deed::of("token.revoke", id.to_string())), StatusCode::NO_CONTENT))
}

/// Which part of the audit log.
#[derive(Debug, Deserialize)]
struct Which {
    before: Option<i64>,
    limit: Option<usize>,
}

async fn audit(
    State(desk): State<Arc<Desk>>,
    Extension(principal): Extension<Principal>,
    Query(which): Query<Which>,
) -> ApiResult<Json<Audit>> {
    let [usual, most] = PAGE;
    let limit = which.limit.unwrap_or(usual);
    if !(1..=most).contains(&limit) {
        return Err(ApiError::invalid(format!("limit is {limit}, and may be 1 to {most}")));
    }
    let entries = desk.pool.audit(principal.tenant(), which.before, limit).await?;
    let next = entries.last().filter(|_| entries.len() == limit).map(|entry| entry.id);
    Ok(Json(Audit { entries, next }))
}
