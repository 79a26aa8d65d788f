//! A mode out of files, over the modes that it inherits from.

use std::collections::BTreeMap;
use std::io;

use serde::Deserialize;

use super::{BadMode, CODE, Mode};

/// Modes that may stand behind one another.
const DEPTH: usize = 8;

/// Characters of a word, of its meaning, and of a text.
const LIMITS: (usize, usize, usize) = (40, 200, 6_000);

/// Words of one list.
const MOST_WORDS: usize = 40;

/// A mode's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ModeFile {
    pub(super) inherits: Option<String>,
    pub(super) types: BTreeMap<String, String>,
    pub(super) concepts: BTreeMap<String, String>,
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
