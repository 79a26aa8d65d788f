//! How many cases the tests of this crate try.

use proptest::test_runner::Config;

/// How many cases a run of the tests tries; `PROPTEST_CASES` asks for another number.
pub(crate) fn bounded(cases: u32) -> Config {
    // Where nobody asked, proptest says 256.
    let asked = Config::default();
    if asked.cases == 256 { Config { cases, ..asked } } else { asked }
}
