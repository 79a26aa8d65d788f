//! `GET /openapi.json`: what is served, generated from the table of routes and from the types that
//! routes read and write.
//!
//! Every door describes its own routes by [`Operation`]s; a test holds them against the table, so
//! that none is missing and none is told of that is not there.

mod document;
mod operation;

pub(super) use document::document;
pub(super) use operation::{Operation, Parameter, gives, parameter};
