//! Getting at the file: making it, bringing its schema up to date, and the threads that own the
//! connections.

mod errors;
mod open;
mod schema;
mod threads;

pub(super) use errors::{Fault, Sql};
pub(super) use open::prepare_file;
pub(super) use schema::differences;
pub(super) use threads::{Readers, Writer};
