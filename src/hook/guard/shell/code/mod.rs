//! Program text of other languages: which files it writes to.
//!
//! No language is understood whole. `tokens` cuts the text, `evaluate` follows calls, joins of paths
//! and variables, `effects` says what each call does to files, and `names` knows which calls write to
//! which of their arguments. A file that is only read, or named in a text, is no target.

mod effects;
mod evaluate;
mod names;
mod tokens;
mod value;

pub(super) use evaluate::{Finding, Language, findings};

/// Whether a PowerShell script calls the file functions of .NET.
pub(super) fn calls_file_api(script: &str) -> bool {
    script.contains("]::")
}
