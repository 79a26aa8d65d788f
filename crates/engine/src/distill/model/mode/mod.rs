//! Modes: which words a model sorts its observations by, and what it is told to look for. All data.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use serde::Deserialize;

/// The mode that is built in, and that all others come from.
pub const CODE: &str = "code";

/// Modes that may stand behind one another.
const DEPTH: usize = 8;

/// Characters of a word, of its meaning, and of a text.
const LIMITS: (usize, usize, usize) = (40, 200, 6_000);

/// Words of one list.
const MOST_WORDS: usize = 40;

/// Which words observations are sorted by, and what a model is told to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name.
    pub name: String,
    /// Types of observations with what they mean, by word.
    pub types: BTreeMap<String, String>,
    /// Concepts with what they mean, by word.
    pub concepts: BTreeMap<String, String>,
    /// Who the model is.
    pub role: String,
    /// What it records.
    pub record: String,
    /// What it leaves out.
    pub skip: String,
}

/// A mode's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ModeFile {
    inherits: Option<String>,
    types: BTreeMap<String, String>,
    concepts: BTreeMap<String, String>,
    prompts: PromptTexts,
}

/// `[prompts]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PromptTexts {
    role: Option<String>,
    record: Option<String>,
    skip: Option<String>,
}

/// A mode that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mode '{name}' cannot be used: {why}")]
pub struct BadMode {
    /// Its name.
    pub name: String,
    /// What is wrong, and what to do.
    pub why: String,
}

impl BadMode {
    fn new(name: &str, why: impl fmt::Display) -> Self {
        Self { name: name.to_owned(), why: why.to_string() }
    }
}

impl Default for Mode {
    fn default() -> Self {
        let file: ModeFile =
            toml::from_str(include_str!("code.toml")).expect("the built-in mode is sound");
        Self {
            name: CODE.to_owned(),
            types: file.types,
            concepts: file.concepts,
            role: include_str!("../prompts/role.md").trim().to_owned(),
            record: include_str!("../prompts/record.md").trim().to_owned(),
            skip: include_str!("../prompts/skip.md").trim().to_owned(),
        }
    }
}

impl Mode {
    /// The mode of this name. `read` gives the text of a mode's file by the mode's name, and none
    /// where there is no such file; a file of the name `code` changes the built-in mode.
    ///
    /// Errors say what is wrong with which mode.
    pub fn load(
        name: &str,
        read: &dyn Fn(&str) -> io::Result<Option<String>>,
    ) -> Result<Self, BadMode> {
        let mut mode = Self::resolve(name, read, DEPTH)?;
        name.clone_into(&mut mode.name);
        Ok(mode)
    }

    fn resolve(
        name: &str,
        read: &dyn Fn(&str) -> io::Result<Option<String>>,
        depth: usize,
    ) -> Result<Self, BadMode> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(BadMode::new(name, "a name has letters, digits, - and _ only"));
        }
        let text = read(name).map_err(|e| BadMode::new(name, format!("its file: {e}")))?;
        let Some(text) = text else {
            if name == CODE {
                return Ok(Self::default());
            }
            let why = format!("there is no file {name}.toml in the folder modes");
            return Err(BadMode::new(name, why));
        };
        let file: ModeFile = toml::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|e| BadMode::new(name, e.to_string().trim_end()))?;
        let parent = file.inherits.as_deref().unwrap_or(CODE);
        let mut mode = match (parent, name) {
            (CODE, CODE) => Self::default(),
            (parent, _) if depth > 0 => Self::resolve(parent, read, depth - 1)?,
            _ => return Err(BadMode::new(name, "it inherits from itself, or over too many modes")),
        };
        mode.change(name, file)?;
        Ok(mode)
    }

    fn change(&mut self, name: &str, file: ModeFile) -> Result<(), BadMode> {
        let bad = |why: String| Err(BadMode::new(name, why));
        let (word, meaning, text) = LIMITS;
        for (mine, theirs) in [(&mut self.types, file.types), (&mut self.concepts, file.concepts)] {
            for (key, value) in theirs {
                let key = key.trim().to_lowercase().replace([' ', '_'], "-");
                if key.is_empty() || key.chars().count() > word || key.contains(['<', '>']) {
                    return bad(format!("'{key}' is no word of at most {word} characters"));
                }
                if value.chars().count() > meaning {
                    return bad(format!(
                        "the meaning of '{key}' has more than {meaning} characters"
                    ));
                }
                if value.trim().is_empty() {
                    mine.remove(&key);
                } else {
                    mine.insert(key, value.trim().to_owned());
                }
            }
        }
        if self.types.is_empty() {
            return bad("it has no types".into());
        }
        if self.types.len().max(self.concepts.len()) > MOST_WORDS {
            return bad(format!("it has more than {MOST_WORDS} words in a list"));
        }
        let prompts = file.prompts;
        for (mine, theirs) in [
            (&mut self.role, prompts.role),
            (&mut self.record, prompts.record),
            (&mut self.skip, prompts.skip),
        ] {
            let Some(theirs) = theirs else { continue };
            if theirs.chars().count() > text {
                return bad(format!("a prompt has more than {text} characters"));
            }
            theirs.trim().clone_into(mine);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, files: &[(&str, &str)]) -> Result<Mode, BadMode> {
        let files: BTreeMap<String, String> =
            files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        Mode::load(name, &|name| Ok(files.get(name).cloned()))
    }

    #[test]
    fn the_built_in_mode_is_there_without_files() {
        let mode = load(CODE, &[]).unwrap();
        assert_eq!(mode, Mode::default());
        assert!(mode.types.contains_key("bugfix") && mode.concepts.contains_key("gotcha"));
    }

    #[test]
    fn a_mode_changes_what_it_inherits() {
        let files = [
            ("law", "[types]\nruling = \"what a court said\"\nbugfix = \"\"\n"),
            (
                "law-short",
                "inherits = \"law\"\n[concepts]\n\"Open Question\" = \"not settled\"\n\
                 [prompts]\nrecord = \"Record rulings only.\"\n",
            ),
        ];
        let mode = load("law-short", &files).unwrap();
        assert_eq!(mode.name, "law-short");
        assert_eq!(mode.types["ruling"], "what a court said");
        assert!(!mode.types.contains_key("bugfix"), "taken away");
        assert!(mode.types.contains_key("decision"), "inherited from the built-in mode");
        assert_eq!(mode.concepts["open-question"], "not settled");
        assert_eq!(mode.record, "Record rulings only.");
        assert_eq!(mode.role, Mode::default().role);
    }

    #[test]
    fn a_file_may_change_the_built_in_mode() {
        let mode = load(CODE, &[(CODE, "[types]\nincident = \"an outage\"\n")]).unwrap();
        assert!(mode.types.contains_key("incident") && mode.types.contains_key("feature"));
    }

    #[test]
    fn a_bad_mode_says_what_is_wrong() {
        for (name, files, told) in [
            ("none", vec![], "no file none.toml"),
            ("../up", vec![], "letters, digits"),
            ("a", vec![("a", "inherits = \"b\""), ("b", "inherits = \"a\"")], "itself"),
            ("a", vec![("a", "inherits = \"gone\"")], "'gone' cannot be used"),
            ("a", vec![("a", "[typos]\n")], "typos"),
            ("a", vec![("a", "[prompts]\nrole = 3\n")], "role"),
        ] {
            let error = load(name, &files).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
