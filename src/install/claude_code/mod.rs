//! Claude Code: hooks in `settings.json`, and the tools as an MCP server (`servers.rs`), for the
//! person or for one project.
//!
//! What is registered stands in `registrations.rs`; how a settings text is read and changed in
//! `settings.rs`; what one run changes is worked out in `plan.rs` before anything is written, and
//! then done in `apply.rs`.

mod apply;
mod memories;
mod plan;
mod registrations;
mod servers;
mod settings;
#[cfg(test)]
mod tests;

pub use apply::{detect_claude_code, install_claude_code, settings_path, uninstall_claude_code};
pub use registrations::{AGENT, Registration, SESSION_START, registrations};
pub use servers::{RegisteredServer, registered_server};
pub use settings::{Installed, InstalledHook, installed_hooks};
