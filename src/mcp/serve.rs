//! The life of the server on standard input and output.

use std::io;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use super::door::{Door, Setup};
use super::tools::Memory;

/// Blocking calls to the daemon at a time; a client that asks more waits.
pub(super) const CALLS: usize = 8;

/// Answers the client on standard input and output until it closes them.
///
/// Standard output carries the protocol and nothing else. The daemon is started by the first call
/// that needs it, not before. A client that leaves without a word is no error.
pub fn run(setup: Setup) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(CALLS)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(async {
        match Memory::new(Door::new(setup)).serve(stdio_pipes()).await {
            Ok(server) => server.waiting().await.map(drop).map_err(io::Error::other),
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // A read of standard input that cannot be cancelled must not hold the process.
    runtime.shutdown_background();
    outcome
}
