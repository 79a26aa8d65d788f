//! A stand-in for a remote memory service on loopback, in the spellings that services have.
//!
//! It keeps what it is told, finds everything that a user has, and answers in the shapes that the
//! services were seen to answer in. It can be slow, hang, fail and talk nonsense.

mod server;
mod shapes;

pub use server::{Conduct, HeardCall, MemoryStub};
pub use shapes::Spelling;
