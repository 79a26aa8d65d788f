//! Edits other programs' config files so that every change can be taken back.
//!
//! One file or folder an agent ([`claude_code`]), one for each file format ([`json_file`]); around
//! them what all of them need: a careful write ([`target`]), a record of what was there
//! ([`backup`]), the program at its stable path ([`binary`]) and a readable difference ([`diff`]).
//! Settings come in as values; nothing here prints.

pub mod backup;
pub mod binary;
pub mod claude_code;
pub mod command_line;
pub mod diff;
pub mod json_file;
mod platform;
pub mod request;
pub mod target;

pub use binary::{BinaryChange, found_on_path};
pub use claude_code::{
    Installed, InstalledHook, RegisteredServer, Registration, SESSION_START, detect_claude_code,
    install_claude_code, installed_hooks, registered_server, registrations, settings_path,
    uninstall_claude_code,
};
pub use request::{FileChange, HookSet, OtherMemory, Report, Request};
