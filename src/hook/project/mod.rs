//! Where work belongs: from a folder to a [`ProjectRef`], by reading a few files.
//!
//! No process is started and no folder is listed, but by [`changed`], which a session's start
//! asks, and [`tracked`], asked of a file that would send memories elsewhere. [`resolve`](resolve()) walks up from the folder,
//! [`git`] reads what git keeps about a checkout, [`remote`] makes one key of every spelling of a
//! remote's address, [`marker`] reads `.afterword.toml`. Capture and read use the same function.
//!
//! [`ProjectRef`]: afterword_domain::project::ProjectRef

mod ask_git;
pub mod changed;
mod file;
pub mod git;
pub mod marker;
pub mod remote;
mod resolve;
pub mod tracked;

pub use file::file_in;
pub use resolve::{Resolution, inspect, resolve};
