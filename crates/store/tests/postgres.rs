//! What only the PostgreSQL backend promises: tenants, several servers, its schema, its server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "stories/build.rs"]
#[allow(dead_code, reason = "not every value is needed here")]
mod build;

mod on_postgres;
