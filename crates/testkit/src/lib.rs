//! What tests need around the real binary: a hermetic home, a scripted model, the real clients, a
//! real database server, a real browser.
//!
//! For development only; nothing that ships depends on it. Everything here listens on loopback,
//! writes into temporary folders and ends only processes that it caused. What goes wrong in a
//! test's surroundings panics with a sentence that says what was expected.

mod absent;
mod browser;
mod claude_code;
mod databases;
mod env;
mod listening;
mod memory_stub;
mod model_stub;
mod observer_client;
mod output;
mod packages;
mod payload;
mod processes;
mod provider_stub;
mod sandbox;
#[cfg(unix)]
mod terminal;
mod wait;

pub use absent::Absent;
pub use browser::Browser;
pub use claude_code::{ClaudeCode, Conversation};
pub use databases::{Database, Postgres};
pub use env::in_ci;
pub use env::setting;
pub use memory_stub::{Conduct, HeardCall, MemoryStub, Spelling};
pub use model_stub::{ModelStub, Request, Sighting, Turn};
pub use observer_client::ObserverClient;
pub use output::Output;
pub use packages::Package;
pub use payload::{Outcome, Payload};
pub use provider_stub::{Heard, ProviderStub, Reply, Tokens};
pub use sandbox::{DaemonLock, Sandbox};
pub use wait::eventually;
