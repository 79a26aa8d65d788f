//! What a test needs and does not find.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::env;

/// Why something that tests need is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    what: &'static str,
    why: String,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be had: {}", self.what, self.why)
    }
}

impl std::error::Error for Absent {}

impl Absent {
    pub(crate) fn new(what: &'static str, why: impl Into<String>) -> Self {
        Self { what, why: why.into() }
    }

    /// Says on standard error that a test is skipped; panics in CI, where nothing may be skipped.
    #[track_caller]
    pub fn skip_or_fail(&self) {
        assert!(!env::in_ci(), "{self}");
        // Written directly: the test harness hides what passing tests print.
        drop(writeln!(std::io::stderr(), "notice: test skipped. {self}"));
    }
}

/// The build folder of this workspace: large, never committed, and kept between runs.
pub(crate) fn target() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate has a folder");
    crates.parent().expect("the workspace has a folder").join("target")
}
