//! Getting at the file: making it, bringing its schema up to date, and the threads that own the
//! connections.

mod damage;
mod errors;
mod log;
mod open;
mod schema;
mod threads;

pub(super) use damage::Damage;
pub(super) use errors::{Fault, Sql};
pub(super) use log::empty_now;
pub(super) use open::prepare_file;
pub(super) use schema::differences;
pub(super) use threads::{Readers, Writer};
