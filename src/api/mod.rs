//! HTTP and live events, shared by the daemon and the team server.
//!
//! `routes/` has one file a noun; [`door`] is what every route may touch; [`auth`] stands in front
//! of all of them and looks up in [`table`] who may come in, [`sign_in`] lets pages in; [`viewer`]
//! holds the page itself; [`credential`] finds the
//! secret that a caller of the memory door shows; [`machine`] is what only the local process knows; [`body`] reads what callers
//! send; [`serve`] bounds connections in number and patience, and [`refusal`] tells what is wrong
//! with a head that no route sees.
//! Routes translate: the rules are the engine's.

mod auth;
mod body;
mod credential;
mod door;
mod error;
mod machine;
mod refusal;
mod routes;
mod server;
mod sign_in;
mod table;
mod viewer;

pub use credential::shown_secret;
pub use door::{Door, DoorSetup};
pub use machine::{Machine, Setting};
pub use routes::{router, routes};
pub use server::serve;
pub use table::{Access, Route};
