//! The blocking door to a remote memory service that speaks as mem0 does, or as services like it do.
//!
//! `address` takes a configured address apart, `call` makes one HTTP exchange with it, plain or
//! under TLS, [`dialect`] holds the spellings that services have, `read` understands their answers
//! leniently, and [`door`] offers what hooks ask: search, add, find again, replace.

mod address;
mod call;
pub mod dialect;
pub mod door;
mod read;

pub use address::is_loopback;
pub use dialect::Dialect;
pub use door::{NewMemory, RemoteDoor, Trouble, Update};
pub use read::{Added, Found};
