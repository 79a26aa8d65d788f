//! HTTP and live events, shared by the daemon and the team server.
//!
//! `routes/` has one file a noun; [`door`] is what every route may touch; [`auth`] stands in front
//! of all of them and looks up in [`table`] who may come in, [`sign_in`] lets pages in; [`viewer`]
//! holds the page itself; [`shared`] judges the callers of a server for many, and [`credential`] finds the
//! secret that they show; [`machine`] is what only the local process knows; [`body`] reads what callers
//! send, [`openapi`] tells programs of all of it; [`connection`] bounds connections in
//! number and patience, and tells what is wrong with a head that no route sees.
//! Routes translate: the rules are the engine's.

mod auth;
mod body;
mod connection;
mod credential;
mod door;
mod error;
mod machine;
mod openapi;
mod routes;
mod shared;
mod sign_in;
mod table;
mod viewer;

pub use auth::harden;
pub use body::{Json, Query, UrlPath};
pub use connection::{Peer, Serving, asked_to_end, serve};
pub use credential::shown_secret;
pub use door::{Door, DoorSetup};
pub use error::{ApiError, ApiResult};
pub use machine::{Machine, Setting};
pub use routes::{router, routes, shared_router, shared_routes};
pub use shared::{Caller, Deed, Served, least, may};
pub use table::{Access, Route};
