//! The table of routes: what is served, and who may come in.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
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
    /// As [`Self::Observer`], and a page that was signed in by whoever has the token.
    Shared,
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
            Self::Shared => 1,
            Self::Observer => 2,
            Self::Person => 3,
            Self::Token | Self::Read => 4,
            Self::Write => 5,
            Self::Erase => 6,
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

    pub(super) fn delete<H, T>(self, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.add(Route { method: "DELETE", path, access }, delete(handler))
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
        let [named, other] = paths;
        self.add(Route { method, path: named, access }, with(handler.clone()))
            .add(Route { method, path: other, access }, with(handler))
    }

    pub(super) fn get_both<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("GET", paths, access, handler, get)
    }

    pub(super) fn post_both<H, T>(
        self,
        paths: [&'static str; 2],
        access: Access,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("POST", paths, access, handler, post)
    }

    pub(super) fn put_both<H, T>(self, paths: [&'static str; 2], access: Access, handler: H) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("PUT", paths, access, handler, put)
    }

    pub(super) fn delete_both<H, T>(
        self,
        paths: [&'static str; 2],
        access: Access,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Arc<Door>>,
        T: 'static,
    {
        self.twice("DELETE", paths, access, handler, delete)
    }

    /// Who may use each path.
    pub(super) fn access(&self) -> Accesses {
        let mut accesses = Accesses::default();
        for route in &self.routes {
            accesses.0.entry(route.path).or_default().push((route.method, route.access));
        }
        accesses
    }
}

/// Who may use each path with each of its methods.
#[derive(Debug, Default)]
pub(super) struct Accesses(HashMap<&'static str, Vec<(&'static str, Access)>>);

impl Accesses {
    /// Who may use a path with a method; with one that it does not have, whoever may use it with the
    /// strictest. A path that is not here needs the token.
    pub(super) fn of(&self, path: Option<&str>, method: &Method) -> Access {
        let Some(known) = path.and_then(|path| self.0.get(path)) else { return Access::Token };
        // The router answers it as a GET without a body.
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        let own = known.iter().find(|(name, _)| *name == method);
        let strictest = || known.iter().max_by_key(|(_, access)| access.strictness());
        own.or_else(strictest).map_or(Access::Token, |(_, access)| *access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_of_a_path_has_its_own() {
        let say = async || "";
        let table = Table::default()
            .get("/a", Access::Everybody, say)
            .post("/a", Access::Token, say)
            .get("/b", Access::Observer, say)
            .delete("/b", Access::Person, say);
        let accesses = table.access();
        let of = |path, method| accesses.of(Some(path), &method);
        assert_eq!(of("/a", Method::GET), Access::Everybody);
        assert_eq!(of("/a", Method::HEAD), Access::Everybody);
        assert_eq!(of("/a", Method::POST), Access::Token);
        assert_eq!(of("/a", Method::PUT), Access::Token, "the strictest");
        assert_eq!(of("/b", Method::DELETE), Access::Person);
        assert_eq!(of("/b", Method::GET), Access::Observer);
        assert_eq!(of("/nowhere", Method::GET), Access::Token);
        assert_eq!(accesses.of(None, &Method::GET), Access::Token);
    }
}
