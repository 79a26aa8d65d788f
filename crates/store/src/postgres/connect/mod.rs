//! The server: how it is reached, who we are there, and transactions of one tenant.

mod address;
mod errors;
mod identity;
mod notices;
mod pool;
mod presence;
mod schema;
mod tls;
mod transaction;

pub use notices::{Listener, Notice};
pub use pool::{PostgresOptions, PostgresPool};

pub use crate::contract::TenantId;

pub(super) use errors::{Fault, Sql};
pub(super) use identity::name;
pub(super) use pool::Reach;
pub(super) use transaction::{Parameter, Tx, required};
