//! Stories that need a server, by what they are about.

mod accounts;
mod race;
mod schema;
mod servers;
mod tenants;
mod vectors;
mod words;

use std::sync::Arc;

use afterword_store::postgres::{PostgresOptions, PostgresPool, TenantId};
use afterword_testkit::{Database, Postgres};

use crate::build::Any;

/// A fresh database; none, with a notice, where there is no server.
fn database() -> Option<Database> {
    Some(Postgres::locate_or_skip()?.database())
}

async fn connect(database: &Database) -> PostgresPool {
    PostgresPool::connect(&database.url, &PostgresOptions::default()).await.unwrap()
}

fn store(pool: &PostgresPool, tenant: i64) -> Any {
    Arc::new(pool.tenant(TenantId(tenant)))
}

/// Runs a statement in a database as an administrator.
fn run(database: &Database, sql: &str) -> String {
    Postgres::locate().unwrap().run(&database.name, sql).unwrap()
}
