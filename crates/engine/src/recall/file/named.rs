//! Whether a row or a text means a certain file: one rule for what is told before a file is touched and
//! for a search that is narrowed to a file.

use afterword_domain::project::ProjectRef;

use crate::analyze;
use crate::distill::project_path;

/// Names that files of many folders have: alone they say nothing.
const COMMON_STEMS: [&str; 36] = [
    "__init__",
    "app",
    "build",
    "cargo",
    "changelog",
    "config",
    "constants",
    "dockerfile",
    "error",
    "errors",
    "gemfile",
    "go",
    "helpers",
    "index",
    "lib",
    "license",
    "main",
    "makefile",
    "mod",
    "models",
    "package",
    "pyproject",
    "readme",
    "routes",
    "schema",
    "settings",
    "setup",
    "style",
    "styles",
    "test",
    "tests",
    "types",
    "util",
    "utils",
    "version",
    "views",
];

/// Fewest bytes of a name that may stand alone.
const LEAST: usize = 5;

/// Which paths of rows are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    /// Its own alone.
    Path,
    /// Each that ends with it: only the end was named.
    EndOf,
    /// Each with a folder that it ends with: where the project lies is not known.
    Beyond,
}

/// A file, by its path from the project's root or by what of it is known.
#[derive(Clone, Debug)]
pub(in crate::recall) struct FileName {
    path: String,
    whole: Whole,
    /// The name without folders, where it tells the file from others.
    alone: Option<String>,
    token: String,
}

impl FileName {
    /// The file of a path from the project's root. None for a path in which nothing can be looked for.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.trim();
        let alone = telling_name(path);
        // Whatever names the path holds the name's token too.
        let looked_for = alone.as_deref().unwrap_or(path);
        let token = analyze::query_terms(looked_for).into_iter().next()?;
        Some(Self { path: path.to_owned(), whole: Whole::Path, alone, token })
    }

    /// The file that somebody names: by an absolute path, by one from the project's root (`./src/a.rs`),
    /// or by the end of either (`src/a.rs`, `a.rs`), with `/` or `\`. None where nothing can be looked for.
    pub(in crate::recall) fn asked(file: &str, project: &ProjectRef) -> Option<Self> {
        let file = file.trim().replace('\\', "/");
        let path = project_path(&file, None, project);
        let is_absolute =
            |path: &str| path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        let whole = if is_absolute(&path) && project.root.is_none() {
            Whole::Beyond
        } else if is_absolute(&file) || file.starts_with("./") {
            Whole::Path
        } else {
            Whole::EndOf
        };
        // From which folder it goes up is not known.
        let path = path.trim_start_matches("../").to_owned();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let token = analyze::query_terms(name).into_iter().next()?;
        Some(Self { alone: telling_name(&path), path, whole, token })
    }

    /// A token that every row holds which means the file.
    pub(in crate::recall) fn token(&self) -> &str {
        &self.token
    }

    /// Whether a row concerns the file: it is one of the row's files, or a text of the row names it.
    pub(in crate::recall) fn concerns(&self, files: &[String], texts: &[&str]) -> bool {
        let named = || {
            let here = self.beside(files.iter().map(String::as_str));
            texts.iter().any(|text| here.is_named_in(text))
        };
        self.is_in(files) || named()
    }

    /// The same file next to others: its name alone does not mean it where another has that name.
    pub(super) fn beside<'f>(&self, mut files: impl Iterator<Item = &'f str>) -> Self {
        let is_other =
            |file: &str| file.rsplit('/').next() == self.alone.as_deref() && !self.is(file);
        let alone = if files.any(is_other) { None } else { self.alone.clone() };
        Self { alone, ..self.clone() }
    }

    /// Whether a list of paths has it.
    pub(super) fn is_in(&self, files: &[String]) -> bool {
        files.iter().any(|file| self.is(file))
    }

    fn is(&self, file: &str) -> bool {
        let file = file.strip_prefix("./").unwrap_or(file);
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
        };
        file == self.path
            || match self.whole {
                Whole::Path => false,
                Whole::EndOf => ends(file, &self.path),
                Whole::Beyond => file.contains('/') && ends(&self.path, file),
            }
    }

    /// Whether a text names it: by its path, or by a name that tells it from others.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let in_folder = self.path.contains('/') || self.whole == Whole::EndOf;
        occurs(text, &self.path, in_folder)
            || self.alone.as_ref().is_some_and(|name| occurs(text, name, false))
    }

    /// What a narrative says was changed in it: the rest of the line that its path begins.
    pub(super) fn change_in<'t>(&self, narrative: &'t str) -> Option<&'t str> {
        narrative.lines().find_map(|line| {
            let rest = line.strip_prefix(self.path.as_str())?;
            let told = rest.strip_prefix(": ").or_else(|| rest.strip_prefix('：'))?;
            told.starts_with('“').then_some(told)
        })
    }
}

/// The name of a file of the project, where it tells the file from others.
fn telling_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let outside = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    (!outside && is_telling(name)).then(|| name.to_owned())
}

fn is_telling(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    name.len() >= LEAST
        && !extension.is_empty()
        && !stem.is_empty()
        && !COMMON_STEMS.contains(&stem.to_lowercase().as_str())
}

/// Whether a text holds a name as a whole; `in_folder`: a longer path may end with it.
fn occurs(text: &str, name: &str, in_folder: bool) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars();
        let (next, second) = (after.next(), after.next());
        let joins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let open = match before {
            Some('/') => in_folder || text[..at].ends_with(" ./"),
            Some('.' | '\\') => false,
            Some(c) => !joins(c),
            None => true,
        };
        let closed = match next {
            Some('.') => !second.is_some_and(joins),
            Some('/' | '\\') => false,
            Some(c) => !joins(c),
            None => true,
        };
        open && closed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_path_or_a_name_of_its_own() {
        let file = FileName::of("src/retry_queue.rs").unwrap();
        for text in [
            "in src/retry_queue.rs:14: overflow",
            "`retry_queue.rs`",
            "/home/dev/p/src/retry_queue.rs.",
            "改 retry_queue.rs。",
            "retry_queue.rs",
        ] {
            assert!(file.is_named_in(text), "{text}");
        }
        for text in [
            "lib/retry_queue.rs",
            "src/retry_queue.rs.bak",
            "my_retry_queue.rs",
            "the retry queue",
            "retry_queue.rs/x",
            "",
        ] {
            assert!(!file.is_named_in(text), "{text}");
        }
    }

    #[test]
    fn a_name_that_many_files_have_needs_its_path() {
        let file = FileName::of("src/parser/mod.rs").unwrap();
        assert!(file.is_named_in("see src/parser/mod.rs"));
        assert!(!file.is_named_in("see mod.rs") && !file.is_named_in("src/other/mod.rs"));
        assert_eq!(file.token(), "src/parser/mod.rs");
        let readme = FileName::of("README.md").unwrap();
        assert!(readme.is_named_in("in README.md") && !readme.is_named_in("docs/README.md"));
        assert!(FileName::of(" ").is_none());
    }

    #[test]
    fn a_name_that_another_file_at_hand_has_needs_its_path_too() {
        let file = FileName::of("lib/retry_queue.rs").unwrap();
        let beside = |other: &str| file.beside(std::iter::once(other));
        assert!(!beside("src/retry_queue.rs").is_named_in("passed after editing retry_queue.rs"));
        assert!(beside("src/retry_queue.rs").is_named_in("lib/retry_queue.rs"));
        assert!(beside("lib/retry_queue.rs").is_named_in("retry_queue.rs"));
        let outside = FileName::of("/elsewhere/src/retry_queue.rs").unwrap();
        assert!(!outside.is_named_in("src/retry_queue.rs or retry_queue.rs"));
        assert!(outside.is_named_in("see /elsewhere/src/retry_queue.rs"));
    }

    #[test]
    fn k5_a_file_is_asked_for_from_the_root_absolutely_or_by_its_end() {
        let root = Some("/home/dev/p".to_owned());
        let project = ProjectRef { root, ..ProjectRef::named("p") };
        let is = |asked: &str, file: &str| {
            let asked = FileName::asked(asked, &project).unwrap();
            asked.is_in(&[file.to_owned()]) && !asked.is_in(&["lib/b.rs".to_owned()])
        };
        for asked in [
            "src/a.rs",
            "./src/a.rs",
            "a.rs",
            "/home/dev/p/src/a.rs",
            "/home/dev/p/lib/../src/a.rs",
            "../src/a.rs",
            "src\\a.rs",
        ] {
            assert!(is(asked, "src/a.rs"), "{asked}");
        }
        for asked in ["rc/a.rs", "b/src/aa.rs", "src", "lib/a.rs", "/else/src/a.rs", "./a.rs"] {
            assert!(!is(asked, "src/a.rs"), "{asked}");
        }
        assert!(is("src/a.rs", "crates/x/src/a.rs") && !is("./src/a.rs", "crates/x/src/a.rs"));
        assert!(is("/etc/hosts", "/etc/hosts"));
        for nothing in ["", " ", ".", "/home/dev/p", "/"] {
            assert!(FileName::asked(nothing, &project).is_none(), "{nothing}");
        }
        // Where the project lies is not known.
        let asked = FileName::asked("/home/dev/p/src/a.rs", &ProjectRef::named("p")).unwrap();
        assert!(asked.is("src/a.rs") && !asked.is("a.rs") && !asked.is("c/a.rs"));
    }

    #[test]
    fn k5_a_row_concerns_a_file_that_it_lists_or_names() {
        let asked = FileName::asked("deploy.sh", &ProjectRef::named("p")).unwrap();
        let list = |file: &str| vec![file.to_owned()];
        assert!(asked.concerns(&list("ops/deploy.sh"), &[]));
        assert!(asked.concerns(&[], &["", "run ops/deploy.sh as root"]));
        assert!(!asked.concerns(&list("ops/other.sh"), &["we deploy.shortly"]));
        let of_src = FileName::asked("src/deploy.sh", &ProjectRef::named("p")).unwrap();
        assert!(of_src.concerns(&[], &["run deploy.sh"]));
        assert!(!of_src.concerns(&list("ops/deploy.sh"), &["run deploy.sh"]), "the other one");
    }

    #[test]
    fn the_line_of_a_change_is_found() {
        let file = FileName::of("src/a.rs").unwrap();
        let narrative = "Done.\nsrc/a.rsx: “no”\nsrc/a.rs: “+ fn new()”";
        assert_eq!(file.change_in(narrative), Some("“+ fn new()”"));
        assert_eq!(file.change_in("src/a.rs: see there"), None);
    }
}
