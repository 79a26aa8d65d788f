//! The only place of the test kit that reads the environment of the test run.

use std::path::PathBuf;

/// The search path of the test run, so that `git` and `npm` are found.
pub(crate) fn path() -> String {
    read("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned())
}

/// A program on the search path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path()).map(|folder| folder.join(&file)).find(|found| found.is_file())
}

/// Whether the tests run in CI, where nothing may be skipped.
pub fn in_ci() -> bool {
    read("CI").is_some_and(|value| value == "true" || value == "1")
}

/// A number that a long test run is told, by a variable of that name; none where it is not set or
/// no number.
pub fn setting(name: &str) -> Option<u64> {
    read(name)?.parse().ok()
}

/// A database server that tests are to use instead of one of their own.
pub(crate) fn database_url() -> Option<String> {
    read("AFTERWORD_TEST_DATABASE_URL")
}

#[expect(clippy::disallowed_methods, reason = "tests have no configuration to read it for them")]
fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
