//! The team server: memories of many organisations on one database, for members with tokens.
//!
//! [`run`] serves; [`door`] is what every request passes, [`routes`](mod@routes) the routes of accounts, [`engines`]
//! holds an engine for each organisation, over which the routes of `api` are served, and [`work`] has
//! the jobs of all of them done. [`mcp`] has tools for models, and [`tell`] writes the audit log. [`accounts`] makes tokens, whose secrets [`secret`] makes and knows again.

mod accounts;
mod door;
mod engines;
mod log;
mod mcp;
mod metrics;
mod routes;
mod secret;
mod serve;
mod state;
mod tell;
mod tls;
mod work;

pub use accounts::{AccountError, Accounts, TokenOrder};
pub use routes::routes;
pub use serve::{Announcement, Options, run};
