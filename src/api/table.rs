//! The table of routes: what is served, and who may come in.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post, put};

use super::door::Door;

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody on this machine: it says nothing but that the server lives.
    Everybody,
    /// Whoever has the token; everybody on this machine where the person has opened the observer
    /// door.
    Observer,
    /// Everybody on this machine: a part of the viewer, which holds nothing of the person's.
    Page,
    /// Whoever has the token, and a page that was signed in by whoever has it.
    Person,
    /// Whoever has the token.
    Token,
    /// Whoever may read memories: here whoever has the token, on a server for many every member.
    Read,
    /// Whoever may also add, change and delete single memories: here whoever has the token, on a
    /// server for many everybody but readers.
    Write,
    /// Whoever may also delete in bulk, take in and give out everything: here whoever has the
    /// token, on a server for many its admins.
    Erase,
}

impl Access {
    /// How much is asked of a caller.
    const fn strictness(self) -> u8 {
        match self {
            Self::Everybody | Self::Page => 0,
            Self::Observer => 1,
            Self::Person => 2,
            Self::Token | Self::Read => 3,
            Self::Write => 4,
            Self::Erase => 5,
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST` and so on.
    pub method: &'static str,
    /// The path, with `{id}` for its variable part.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
}

/// Routes as they are added, with their handlers.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) routes: Vec<Route>,
    pub(super) router: Router<Arc<Door>>,
}

impl Table {
    pub(super) fn get<H, T>(self, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.add(Route { method: "GET", path, access }, get(handler))
    }

    pub(super) fn post<H, T>(self, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.add(Route { method: "POST", path, access }, post(handler))
    }

    pub(super) fn add(mut self, route: Route, handler: MethodRouter<Arc<Door>>) -> Self {
        self.router = self.router.route(route.path, handler);
        self.routes.push(route);
        self
    }

    /// A route in two spellings, of which the first is the one that documents name.
    fn twice<H, T>(
        self,
        method: &'static str,
        paths: [&'static str; 2],
        access: Access,
        handler: H,
        with: fn(H) -> MethodRouter<Arc<Door>>,
    ) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        paths.into_iter().fold(self, |table, path| {
            table.add(Route { method, path, access }, with(handler.clone()))
        })
    }

    pub(super) fn get2<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("GET", paths, access, handler, get)
    }

    pub(super) fn post2<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("POST", paths, access, handler, post)
    }

    pub(super) fn put2<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("PUT", paths, access, handler, put)
    }

    pub(super) fn delete2<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("DELETE", paths, access, handler, delete)
    }

    /// Who may use each path: where methods differ, the strictest counts.
    pub(super) fn access(&self) -> HashMap<&'static str, Access> {
        let mut access = HashMap::new();
        for route in &self.routes {
            let known = access.entry(route.path).or_insert(route.access);
            if route.access.strictness() > known.strictness() {
                *known = route.access;
            }
        }
        access
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_method_of_a_path_counts() {
        let say = async || "";
        let table = Table::default()
            .get("/a", Access::Everybody, say)
            .post("/a", Access::Token, say)
            .post("/b", Access::Token, say)
            .get("/b", Access::Observer, say)
            .get("/c", Access::Everybody, say)
            .get("/d", Access::Observer, say)
            .post("/d", Access::Person, say);
        let access = table.access();
        assert_eq!(access["/a"], Access::Token);
        assert_eq!(access["/b"], Access::Token);
        assert_eq!(access["/c"], Access::Everybody);
        assert_eq!(access["/d"], Access::Person);
    }
}
