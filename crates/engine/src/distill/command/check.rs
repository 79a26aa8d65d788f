//! What a run checks, so that a later run by another tool can show that a failure is over.

use afterword_domain::text::cut_chars;

/// Names and places of one run that are compared.
const MAX_TARGETS: usize = 16;

/// Words that make a run one of tests.
const TESTS: &str = "test tests pytest unittest jest vitest mocha rspec phpunit ctest tox nox e2e \
                     nextest playwright cypress spec";

/// Words that make a run one of style and types.
const LINTS: &str = "lint clippy eslint ruff mypy tsc typecheck vet golangci-lint pyright credo";

/// Suites that a plain run of the tests leaves out.
const SUITES: &str = "integration e2e functional acceptance smoke system browser";

/// Flags whose value names tests.
const NAME_FLAGS: &str = "-run --run -k -t --testnamepattern --grep -g --filter";

/// Flags whose value names a package or a file of tests.
const PLACE_FLAGS: &str = "-p --package --test --project";

/// Other flags whose value is no target.
const VALUE_FLAGS: &str = "-tags --tags --features --target -m -n -j -c -C --config --timeout -timeout \
                           -count --manifest-path --profile --reporter -o --seed";

/// What kind of check a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Test,
    Lint,
    Build,
}

/// What a run checks: the kind, and what it is limited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::distill) struct Check {
    family: Family,
    program: String,
    /// Suites beside the plain tests that it runs.
    suites: Vec<String>,
    /// Runs every suite.
    whole: bool,
    /// Names of tests it is limited to; empty for all.
    names: Vec<String>,
    /// Files, folders and packages it is limited to; empty for all.
    places: Vec<String>,
}

impl Check {
    /// Reads a program that is known to check something.
    pub(super) fn of(program: &str, verb: &str, words: &[&str]) -> Self {
        let said: Vec<&str> =
            program.split(' ').chain(verb.split([' ', ':', '.', '-', '_'])).collect();
        let any = |set: &str| said.iter().any(|word| is_one_of(set, word));
        let family = if any(TESTS) {
            Family::Test
        } else if any(LINTS) {
            Family::Lint
        } else {
            Family::Build
        };
        let mut check = Self {
            family,
            program: program.to_owned(),
            suites: Vec::new(),
            whole: said.iter().any(|word| matches!(*word, "ci" | "all")),
            names: Vec::new(),
            places: Vec::new(),
        };
        for word in said {
            check.add_suite(word);
        }
        check.read(verb, words);
        check
    }

    fn read(&mut self, verb: &str, words: &[&str]) {
        // The words of the verb are no targets: they come first.
        let mut verbs = verb.split(' ').peekable();
        let mut words = words.iter().skip(1).map(|word| word.trim_matches(['"', '\'']));
        while let Some(word) = words.next() {
            if verbs.peek().is_some_and(|verb| *verb == word || word.ends_with(&format!("/{verb}")))
            {
                verbs.next();
                continue;
            }
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with('-') => (flag, Some(value)),
                _ => (word, None),
            };
            let flag = flag.to_ascii_lowercase();
            if is_one_of(NAME_FLAGS, &flag) {
                let value = value.or_else(|| words.next()).unwrap_or_default();
                for name in value.split('|') {
                    push(&mut self.names, name.trim_matches(['^', '$', '(', ')', '"', '\'', '/']));
                }
            } else if is_one_of(PLACE_FLAGS, &flag) {
                push_place(&mut self.places, value.or_else(|| words.next()).unwrap_or_default());
            } else if is_one_of(VALUE_FLAGS, &flag) {
                let value = value.or_else(|| words.next()).unwrap_or_default();
                value.split([',', ' ']).for_each(|tag| self.add_suite(tag));
            } else if word.starts_with(['-', '+', '$']) {
                let tag = word.trim_start_matches('-');
                self.add_suite(tag);
            } else if self.family == Family::Test && !looks_like_place(word) && word != "run" {
                push(&mut self.names, word);
            } else if looks_like_place(word) {
                let (place, name) = word.split_once("::").unwrap_or((word, ""));
                push_place(&mut self.places, place);
                push(&mut self.names, name);
            }
        }
    }

    fn add_suite(&mut self, word: &str) {
        let word = word.trim_matches(['"', '\'']);
        if is_one_of(SUITES, word) && !self.suites.iter().any(|known| known == word) {
            self.suites.push(word.to_owned());
        }
    }

    /// Whether a success of this run shows that a failed run passes now.
    ///
    /// `failed_names` are the tests that the failed run named. True for a run of the same kind that
    /// is not limited to less: the same tests by another runner, their file, the whole suite.
    pub(in crate::distill) fn covers(&self, failed: &Self, failed_names: &[String]) -> bool {
        // What builds for its tests builds.
        let builds = self.family == Family::Test && failed.family == Family::Build;
        if self.family != failed.family && !(builds && self.program == failed.program) {
            return false;
        }
        if !self.whole && failed.suites.iter().any(|suite| !self.suites.contains(suite)) {
            return false;
        }
        let met = |needs: &[String]| {
            // Runners take a name for every test that holds it.
            let named = |need: &String| self.names.iter().any(|name| need.contains(name.as_str()));
            !needs.is_empty() && needs.iter().all(named)
        };
        let names = self.names.is_empty() || met(&failed.names) || met(failed_names);
        if !names {
            return false;
        }
        // Named tests are the same wherever they are said to be; else the place must be the same.
        if !self.names.is_empty() && (self.places.is_empty() || failed.places.is_empty()) {
            return true;
        }
        // A run of another suite alone leaves the plain tests out.
        let other = !self.whole && failed.suites.is_empty() && !self.suites.is_empty();
        if other && failed.family == Family::Test && self.program != failed.program {
            return false;
        }
        let placed = |need: &String| self.places.iter().any(|place| is_within(need, place));
        self.places.is_empty() || (!failed.places.is_empty() && failed.places.iter().all(placed))
    }
}

/// The tests that an output names as failed, without their sub-tests.
pub(in crate::distill) fn failed_names(outcome: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in outcome.lines().map(str::trim) {
        let name = if let Some(rest) = line.strip_prefix("--- FAIL: ") {
            rest.split([' ', '/']).next()
        } else if let Some(rest) = line.strip_prefix("FAILED ") {
            rest.split(" - ").next().and_then(|path| path.split_once("::")).map(|(_, name)| name)
        } else {
            let rest = line.strip_prefix("test ");
            rest.and_then(|rest| rest.strip_suffix(" ... FAILED"))
        };
        if let Some(name) = name {
            push(&mut out, name.trim());
        }
    }
    out
}

/// Whether a place is the given one or lies in it.
fn is_within(place: &str, given: &str) -> bool {
    place.strip_prefix(given).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
}

fn looks_like_place(word: &str) -> bool {
    word.contains(['/', '.']) || matches!(word, "tests" | "test" | "src" | "spec")
}

fn push_place(places: &mut Vec<String>, word: &str) {
    let word = word.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
    if !matches!(word, "" | "." | "tests" | "test" | "src" | "spec") {
        push(places, word);
    }
}

fn push(list: &mut Vec<String>, word: &str) {
    if !word.is_empty() && list.len() < MAX_TARGETS {
        let word = cut_chars(word, 200);
        if !list.contains(&word) {
            list.push(word);
        }
    }
}

fn is_one_of(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use crate::distill::command::Command;

    use super::*;

    fn check(line: &str) -> Check {
        Command::parse(line).checks.pop().expect("a check")
    }

    fn covers(passed: &str, failed: &str, names: &[&str]) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        check(passed).covers(&check(failed), &names)
    }

    #[test]
    fn the_same_test_by_another_runner_covers_it() {
        let failed = "mise run test:integration -- -run TestShadow_Commit -v 2>&1 | tail -100";
        for passed in [
            "go test -tags=integration -run TestShadow_Commit -v ./cmd/cli/integration_test/ 2>&1",
            "go test -tags=integration -v ./cmd/cli/integration_test/... 2>&1 | tail -100",
            "mise run test:integration",
            "mise run test:ci",
            "go test -tags integration ./...",
        ] {
            // A run of one folder names no test, and the failed one no folder.
            let by_folder = passed.contains("integration_test/...");
            assert_eq!(covers(passed, failed, &[]), !by_folder, "{passed}");
        }
        for other in [
            "mise run test",
            "go test ./...",
            "go test -tags=integration -run TestOther ./...",
            "mise run lint",
        ] {
            assert!(!covers(other, failed, &[]), "{other}");
        }
    }

    #[test]
    fn a_narrower_run_covers_what_the_output_named() {
        let names = ["TestResume", "TestRewind"];
        assert!(covers("go test -run 'TestResume|TestRewind' ./...", "mise run test", &names));
        assert!(!covers("go test -run TestResume ./...", "mise run test", &names));
        assert!(!covers("go test -run TestResume ./...", "mise run test", &[]));
        assert!(covers("pytest tests/test_csv.py::test_rows", "pytest tests -q", &["test_rows"]));
    }

    #[test]
    fn files_and_packages_are_told_apart() {
        assert!(covers("pytest tests/test_a.py", "pytest tests/test_a.py::test_x", &[]));
        assert!(covers("pytest", "pytest tests/test_a.py", &[]));
        assert!(!covers("pytest tests/test_b.py", "pytest tests/test_a.py", &[]));
        assert!(covers("cargo test", "cargo test -p auth rotate", &[]));
        assert!(!covers("cargo test -p store", "cargo test -p auth", &[]));
        assert!(covers("cargo test", "cargo build", &[]));
        assert!(!covers("cargo build", "cargo test", &[]));
    }

    #[test]
    fn outputs_name_the_tests_that_failed() {
        let output = "--- FAIL: TestA (0.1s)\n--- FAIL: TestA/sub_b (0.0s)\nFAILED t/x.py::test_y - E\n\
                      test auth::login ... FAILED\nok";
        assert_eq!(failed_names(output), ["TestA", "test_y", "auth::login"]);
    }
}
