//! A script followed from its first command to its last.

use std::rc::Rc;

use super::code::{Finding, Language};
use super::lexer::{self, Item, Simple, Word};
use super::variables::Variables;
use super::{Dialect, code};
use crate::hook::guard::{GuardSetup, Target, paths};

/// Scripts within scripts that are looked into.
const MAX_DEPTH: usize = 8;
/// Longest folder that `cd` is followed into, in bytes.
const MAX_FOLDER: usize = 1024;
/// Targets of one call that are collected; what is written after so many is not looked at.
const MAX_TARGETS: usize = 4096;

/// Follows a script and collects what it writes to.
pub(in crate::hook::guard) struct Walk {
    dialect: Dialect,
    home: String,
    pub(super) folder: Rc<str>,
    /// The folder before the last `cd`.
    left: Rc<str>,
    pub(super) variables: Variables,
    targets: Vec<Target>,
    depth: usize,
    /// The words of the last command: what it may have handed on through a pipe.
    pub(super) before: Vec<String>,
}

impl Walk {
    pub(in crate::hook::guard) fn new(
        setup: &GuardSetup,
        dialect: Dialect,
        folder: Rc<str>,
    ) -> Self {
        let home = paths::text(&setup.user_home);
        let variables = Variables::new(setup, &home);
        Self {
            dialect,
            home,
            left: folder.clone(),
            folder,
            variables,
            targets: Vec::new(),
            depth: 0,
            before: Vec::new(),
        }
    }

    pub(in crate::hook::guard) fn into_targets(self) -> Vec<Target> {
        self.targets
    }

    /// Follows a whole script.
    pub(in crate::hook::guard) fn script(&mut self, script: &str) {
        self.script_in(script, self.dialect);
    }

    /// Follows one command given as separate words.
    pub(in crate::hook::guard) fn words(&mut self, words: &[&str]) {
        let words = words.iter().map(|word| Word::plain(word)).collect();
        self.command(&Simple { words, ..Simple::default() });
    }

    fn script_in(&mut self, script: &str, dialect: Dialect) {
        if self.depth >= MAX_DEPTH || self.targets.len() >= MAX_TARGETS {
            return;
        }
        let outside = std::mem::replace(&mut self.dialect, dialect);
        self.depth += 1;
        if dialect == Dialect::PowerShell && code::calls_file_api(script) {
            self.code(script, Language::PowerShell, &[]);
        }
        // Folders of the groups in parentheses around the current command.
        let mut folders = Vec::new();
        for item in lexer::items(script, dialect) {
            match item {
                Item::Command(simple) => self.command(&simple),
                Item::Open => folders.push(self.folder.clone()),
                Item::Close => {
                    if let Some(folder) = folders.pop() {
                        self.folder = folder;
                    }
                }
            }
        }
        self.depth -= 1;
        self.dialect = outside;
    }

    /// A script in a process of its own: its folder does not outlive it.
    pub(super) fn subscript(&mut self, script: &str, dialect: Dialect) {
        let folder = self.folder.clone();
        self.script_in(script, dialect);
        self.folder = folder;
    }

    fn command(&mut self, simple: &Simple) {
        for nested in simple.words.iter().chain(&simple.writes).flat_map(|word| &word.nested) {
            self.subscript(nested, self.dialect);
        }
        for word in &simple.writes {
            let path = self.expand(word);
            self.write_to(&path);
        }
        if self.dialect == Dialect::PowerShell
            && let [name, sign, value, ..] = simple.words.as_slice()
            && let (Some(name), "=") = (name.text.strip_prefix('$'), sign.text.as_str())
        {
            let value = self.expand(value);
            self.variables.set(name, value);
        }
        let words = self.without_assignments(&simple.words);
        if !words.is_empty() {
            self.run(&words, &simple.inputs);
            self.before = words;
        }
    }

    /// Takes the assignments in front of a command and gives the expanded words of the command.
    fn without_assignments(&mut self, words: &[Word]) -> Vec<String> {
        let mut from = 0;
        while let Some(word) = words.get(from) {
            let Some((name, value)) = super::variables::assignment(&word.text) else { break };
            let value = self.variables.expand(value, &self.folder);
            self.variables.set(name, value);
            from += 1;
        }
        words[from..].iter().map(|word| self.expand(word)).collect()
    }

    fn expand(&self, word: &Word) -> String {
        if word.literal {
            word.text.clone()
        } else {
            self.variables.expand(&word.text, &self.folder)
        }
    }

    /// Changes the folder as `cd` does.
    pub(super) fn enter(&mut self, folder: &str) {
        let entered = if folder == "-" {
            self.left.clone()
        } else {
            paths::straight(&paths::absolute(folder, &self.folder, &self.home)).into()
        };
        if entered.len() <= MAX_FOLDER {
            self.left = std::mem::replace(&mut self.folder, entered);
        }
    }

    pub(super) fn write_to(&mut self, path: &str) {
        self.target(path, false);
    }

    /// A folder that is taken away with all that is in it.
    pub(super) fn take_away(&mut self, path: &str) {
        self.target(path, true);
    }

    fn target(&mut self, path: &str, whole: bool) {
        if !path.is_empty() && path != "/dev/null" && self.targets.len() < MAX_TARGETS {
            self.targets.push(Target { whole, ..Target::new(path, &self.folder) });
        }
    }

    /// Follows program text of another language. `known` are variables set outside of it.
    pub(super) fn code(&mut self, code: &str, language: Language, known: &[(&str, &str)]) {
        for finding in code::findings(code, language, known) {
            match finding {
                Finding::Write(path) => {
                    let path = self.variables.expand(&path, &self.folder);
                    self.write_to(&path);
                }
                Finding::Whole(path) => {
                    let path = self.variables.expand(&path, &self.folder);
                    self.take_away(&path);
                }
                Finding::Script(script) => self.subscript(&script, Dialect::Posix),
                Finding::Words(words) => {
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    self.words(&words);
                }
            }
        }
    }
}
