//! The outcome of one check.

use serde::Serialize;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) ok: bool,
    /// What was found.
    pub(super) finding: String,
    /// What to do about it; empty when all is well.
    pub(super) remedy: String,
}

impl Check {
    pub(super) fn good(name: &'static str, finding: impl Into<String>) -> Self {
        Self { name, ok: true, finding: finding.into(), remedy: String::new() }
    }

    pub(super) fn bad(
        name: &'static str,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { name, ok: false, finding: finding.into(), remedy: remedy.into() }
    }
}
