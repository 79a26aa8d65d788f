//! Which files a command line writes to.
//!
//! `lexer` cuts a script into simple commands with their redirections, `walk` follows them in order
//! and keeps the folder and the variables, `commands` knows which arguments of which program are
//! written to, `interpreters` hands the text of other languages to `code`.

mod code;
mod commands;
mod interpreters;
mod launchers;
mod lexer;
mod options;
mod powershell;
mod variables;
mod walk;

pub(super) use walk::Walk;

/// Whose rules of quoting apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `sh` and its descendants.
    Posix,
    /// Backslash separates folders, the grave accent escapes.
    PowerShell,
}
