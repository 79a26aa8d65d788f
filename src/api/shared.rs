//! What a server for many serves of the table, and to whom: every call is judged by the role of its
//! caller.

use std::collections::HashMap;
use std::sync::Arc;

use afterword_domain::PublicId;
use afterword_domain::team::Role;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::auth;
use super::door::Door;
use super::error::ApiError;
use super::table::{Access, Route};

/// Routes that one person and many have alike, with what it takes of a member. What is not here is
/// of one machine (its spool, its token, its viewer, its observer), and is not served to many;
/// routes whose access is one of these three already are.
const ALIKE: &[(&str, &str, Access)] = &[
    ("GET", "/api/ping", Access::Read),
    ("GET", "/mem/health", Access::Read),
    ("GET", "/mem/health/", Access::Read),
    ("GET", "/api/search", Access::Read),
    ("POST", "/api/search", Access::Read),
    ("GET", "/api/timeline", Access::Read),
    ("POST", "/api/timeline", Access::Read),
    ("POST", "/api/rows", Access::Read),
    ("GET", "/api/projects", Access::Read),
    ("POST", "/api/projects/find", Access::Read),
    ("POST", "/api/context", Access::Read),
    ("GET", "/stream", Access::Read),
    ("GET", "/api/events/stream", Access::Read),
    // These note what a session was given.
    ("GET", "/api/context/inject", Access::Write),
    ("POST", "/api/recall/file", Access::Write),
    ("POST", "/api/events", Access::Write),
    ("POST", "/api/memories", Access::Write),
    ("POST", "/api/forget", Access::Write),
    ("GET", "/api/jobs", Access::Erase),
    ("POST", "/api/jobs/retry", Access::Erase),
    ("POST", "/api/jobs/drop", Access::Erase),
    ("GET", "/api/spend", Access::Erase),
    ("GET", "/api/export", Access::Erase),
    ("POST", "/api/import", Access::Erase),
];

/// Whoever asks, as the server has found out; it stands in the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// What they may do.
    pub role: Role,
    /// Whether they reach one project only: then what concerns all projects is not theirs.
    pub bound: bool,
}

/// What a call has done, for the audit log of a server for many; it stands in the answer's
/// extensions. Ids and names, never a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// What was done, where its route does not say it well enough.
    pub action: Option<&'static str>,
    /// What it was done to.
    pub subject: String,
}

impl Deed {
    /// A deed with a name of its own.
    pub const fn of(action: &'static str, subject: String) -> Self {
        Self { action: Some(action), subject }
    }

    /// What the call's route says, done to rows.
    pub fn to(ids: &[PublicId]) -> Self {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        Self { action: None, subject: ids.join(" ") }
    }
}

/// The path in the table that a request was for; it stands in the answer's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// The path, with its variable parts as they stand in the table.
    pub path: &'static str,
    /// What it takes.
    pub access: Access,
}

/// The least role that an access takes.
pub const fn least(access: Access) -> Role {
    match access {
        Access::Read => Role::Reader,
        Access::Write => Role::Member,
        _ => Role::Admin,
    }
}

/// Whether a caller may use a route of this access. Whoever reaches one project only may not do
/// what an admin does with all of them.
pub fn may(caller: Caller, access: Access) -> bool {
    caller.role >= least(access) && !(caller.bound && access == Access::Erase)
}

/// What of a table is served to many, each route with what it takes of a member.
pub(super) fn of(routes: &[Route]) -> Vec<Route> {
    let served = routes.iter().filter_map(|route| {
        let alike = ALIKE.iter().find(|(m, p, _)| (*m, *p) == (route.method, route.path));
        let own = matches!(route.access, Access::Read | Access::Write | Access::Erase);
        let access = alike.map(|row| row.2).or_else(|| own.then_some(route.access))?;
        Some(Route { access, ..*route })
    });
    served.collect()
}

/// What the guard needs to know.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) door: Arc<Door>,
    /// What is served, by method and path.
    pub(super) served: HashMap<(&'static str, &'static str), Access>,
}

impl Rules {
    pub(super) fn new(door: Arc<Door>, routes: &[Route]) -> Self {
        let served = of(routes).into_iter().map(|r| ((r.method, r.path), r.access)).collect();
        Self { door, served }
    }

    /// The row of the table that a request is for; none where there is no such path.
    fn row(&self, method: &Method, path: &str) -> Option<Result<Served, ApiError>> {
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        let of_path = self.served.iter().filter(|((_, known), _)| *known == path);
        let mut other = None;
        for ((known, path), access) in of_path {
            if *known == method {
                return Some(Ok(Served { path, access: *access }));
            }
            other = Some(Err(ApiError::method()));
        }
        other
    }
}

/// Stands in front of every route of a server for many.
pub(super) async fn guard(
    State(rules): State<Arc<Rules>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let row = path.and_then(|path| rules.row(request.method(), &path));
    let caller = request.extensions().get::<Caller>().copied();
    let mut response = match (row, caller) {
        (None, _) => ApiError::not_found("no such route").into_response(),
        (Some(Err(error)), _) => error.into_response(),
        (Some(Ok(_)), None) => ApiError::unauthorized().into_response(),
        (Some(Ok(served)), Some(caller)) => {
            let named = named(served.path, request.uri().path());
            let mut response = if may(caller, served.access) {
                auth::in_time(&rules.door, request, next).await
            } else {
                refused(caller, served.access).into_response()
            };
            if let Some(named) = named
                && served.access != Access::Read
                && response.extensions().get::<Deed>().is_none()
            {
                response.extensions_mut().insert(Deed { action: None, subject: named });
            }
            response.extensions_mut().insert(served);
            response
        }
    };
    auth::harden(&mut response);
    response
}

/// What stands in a path where its row of the table has a variable part.
fn named(row: &str, path: &str) -> Option<String> {
    let mut parts = row.split('/').zip(path.split('/'));
    parts.find(|(part, _)| part.starts_with('{')).map(|(_, said)| said.to_owned())
}

fn refused(caller: Caller, access: Access) -> ApiError {
    let needed = least(access);
    if caller.role >= needed {
        return ApiError::forbidden(
            "this token reaches one project, and this concerns all of them",
        );
    }
    let (role, article) = (caller.role, if needed == Role::Admin { "an" } else { "a" });
    ApiError::forbidden(&format!("a {role} may not do this: it takes {article} {needed}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::routes;

    #[test]
    fn every_route_that_is_alike_is_in_the_table() {
        let routes = routes();
        for (method, path, _) in ALIKE {
            let known = routes.iter().any(|r| (r.method, r.path) == (*method, *path));
            assert!(known, "{method} {path}");
        }
        assert!(of(&routes).len() >= ALIKE.len());
    }

    #[test]
    fn what_is_of_one_machine_is_not_served() {
        let served = of(&routes());
        for path in
            ["/api/admin/shutdown", "/api/admin/rotate-token", "/sessions/init", "/", "/api/viewer"]
        {
            assert!(served.iter().all(|route| route.path != path), "{path}");
        }
    }

    #[test]
    fn the_variable_part_of_a_path_names_what_was_meant() {
        assert_eq!(named("/v1/memories/{id}/", "/v1/memories/m7/").as_deref(), Some("m7"));
        assert_eq!(named("/v1/memories/", "/v1/memories/"), None);
    }

    #[test]
    fn roles_may_what_they_may() {
        let caller = |role, bound| Caller { role, bound };
        for (role, may_read, may_write, may_erase) in [
            (Role::Reader, true, false, false),
            (Role::Member, true, true, false),
            (Role::Admin, true, true, true),
        ] {
            let open = caller(role, false);
            assert_eq!(may(open, Access::Read), may_read);
            assert_eq!(may(open, Access::Write), may_write);
            assert_eq!(may(open, Access::Erase), may_erase);
            assert!(!may(caller(role, true), Access::Erase));
        }
        assert!(!may(caller(Role::Member, false), Access::Token), "what is not said is an admin's");
    }
}
