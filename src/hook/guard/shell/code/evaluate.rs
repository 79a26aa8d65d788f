//! Calls followed from the inside out.

use std::collections::BTreeMap;

use super::names::{self, Call};
use super::tokens::{Token, tokens};
use super::value::{Value, joined, texts};

/// Calls within calls that are followed.
const MAX_DEPTH: usize = 48;
/// Variables remembered.
const MAX_VARIABLES: usize = 64;
/// Arguments of one call that are looked at.
const MAX_ARGUMENTS: usize = 64;

/// Whose comments and quotes apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Language {
    /// JavaScript and its kin.
    Script,
    /// Python, Ruby, Perl and others with `#` comments.
    Hash,
    /// Redirections write, as in the shell.
    Awk,
    /// A backslash is no escape.
    PowerShell,
}

/// Something that program text does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Finding {
    /// Writes to a path.
    Write(String),
    /// Takes a folder away with all that is in it.
    Whole(String),
    /// Runs a command line.
    Script(String),
    /// Runs a program with its arguments.
    Words(Vec<String>),
}

/// Everything a program text writes to or runs. `known` are variables set outside.
pub(in super::super) fn findings(
    code: &str,
    language: Language,
    known: &[(&str, &str)],
) -> Vec<Finding> {
    let tokens = tokens(code, language);
    let variables =
        known.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut reader = Reader { tokens, at: 0, language, variables, findings: Vec::new(), depth: 0 };
    while reader.at < reader.tokens.len() {
        reader.statement();
    }
    reader.findings
}

pub(super) struct Reader {
    tokens: Vec<Token>,
    at: usize,
    language: Language,
    variables: BTreeMap<String, String>,
    pub(super) findings: Vec<Finding>,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next_is(&self, token: &Token) -> bool {
        self.peek() == Some(token)
    }

    /// One statement, or what is left of it behind a sign that is not understood.
    fn statement(&mut self) {
        let assigned = match (self.peek(), self.tokens.get(self.at + 1)) {
            (Some(Token::Word(name)), Some(Token::Assign)) => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = assigned {
            self.at += 2;
            let value = self.expression();
            let known = self.variables.len() < MAX_VARIABLES || self.variables.contains_key(&name);
            match value.text {
                Some(text) if known => drop(self.variables.insert(name, text)),
                _ => drop(self.variables.remove(&name)),
            }
            return;
        }
        let before = self.at;
        self.expression();
        if self.at == before {
            self.at += 1;
        }
    }

    /// Pieces joined by `/` and `+`, with what stands behind redirections.
    fn expression(&mut self) -> Value {
        let mut value = self.primary();
        loop {
            match self.peek() {
                Some(Token::Join(sign)) => {
                    let sign = *sign;
                    self.at += 1;
                    let more = self.primary();
                    value = joined(value, more, sign);
                }
                Some(Token::Pipe) if self.language != Language::Awk => {
                    self.at += 1;
                    value.flags |= self.primary().flags;
                }
                Some(Token::Pipe | Token::Redirect) if self.language == Language::Awk => {
                    let runs = self.next_is(&Token::Pipe);
                    self.at += 1;
                    if let Some(text) = self.primary().text {
                        let finding =
                            if runs { Finding::Script(text) } else { Finding::Write(text) };
                        self.findings.push(finding);
                    }
                }
                // A keyword argument or a member of an object: the value counts.
                Some(Token::Assign) => {
                    self.at += 1;
                    value = self.primary();
                }
                _ => return value,
            }
        }
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.peek().cloned() else { return Value::default() };
        let value = match token {
            Token::Text(text) => {
                self.at += 1;
                Value::text(text)
            }
            Token::Open(_) if self.depth < MAX_DEPTH => {
                let list = self.arguments();
                let only = if let [one] = list.as_slice() { one.text.clone() } else { None };
                let flags = list.iter().any(|value| value.flags);
                Value { text: only, list: texts(&list), flags }
            }
            Token::Word(word) if !word.starts_with('.') => {
                self.at += 1;
                self.word(&word)
            }
            _ => Value::default(),
        };
        self.methods(value)
    }

    /// A name: of a call, a variable or a flag.
    fn word(&mut self, word: &str) -> Value {
        let (module, name) = match word.rfind(['.', ':']) {
            Some(at) => (word[..at].trim_end_matches(':'), &word[at + 1..]),
            None => ("", word),
        };
        let receiver = self.variables.get(module).cloned();
        if self.is_call(name, module) {
            let arguments = self.call_arguments();
            return match receiver {
                Some(path) => self.method(Value::text(path), name, arguments),
                None => self.call(names::call(name, Some(module)), arguments),
            };
        }
        if word == "process.env.HOME" {
            return Value::text("~");
        }
        let flags = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].contains(&name);
        let text = self.variables.get(word).cloned().or(receiver.filter(|_| name == "parent"));
        Value { text, flags, ..Value::default() }
    }

    /// Whether arguments follow; some languages need no parentheses around them.
    fn is_call(&self, name: &str, module: &str) -> bool {
        match self.peek() {
            Some(Token::Open('(')) => true,
            Some(Token::Text(_) | Token::Word(_)) if self.language == Language::Hash => {
                !matches!(names::call(name, Some(module)), Call::Unknown | Call::Join | Call::Home)
            }
            _ => false,
        }
    }

    fn call_arguments(&mut self) -> Vec<Value> {
        if self.next_is(&Token::Open('(')) {
            return self.arguments();
        }
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let mut arguments = vec![self.expression()];
        while self.next_is(&Token::Comma) && arguments.len() < MAX_ARGUMENTS {
            self.at += 1;
            arguments.push(self.expression());
        }
        self.depth -= 1;
        arguments
    }

    /// The expressions of a group up to its end.
    fn arguments(&mut self) -> Vec<Value> {
        self.at += 1;
        if self.depth >= MAX_DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let mut arguments = Vec::new();
        let mut current = Value::default();
        while let Some(token) = self.peek() {
            match token {
                Token::Close => {
                    self.at += 1;
                    break;
                }
                Token::Comma => {
                    self.at += 1;
                    arguments.push(std::mem::take(&mut current));
                }
                _ => {
                    let before = self.at;
                    let assigned = matches!(self.tokens.get(before + 1), Some(Token::Assign));
                    if assigned {
                        self.statement_in_group(&mut current);
                    } else {
                        current = self.expression();
                    }
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
        self.depth -= 1;
        arguments.push(current);
        arguments.truncate(MAX_ARGUMENTS);
        arguments
    }

    /// `name = value` in a group is a keyword argument, and in a block a variable too.
    fn statement_in_group(&mut self, current: &mut Value) {
        let name = match self.peek() {
            Some(Token::Word(name)) => name.clone(),
            _ => String::new(),
        };
        self.at += 2;
        *current = self.expression();
        if let Some(text) = &current.text
            && self.variables.len() < MAX_VARIABLES
        {
            self.variables.insert(name, text.clone());
        }
    }

    /// What is called on a value: `.write_text(…)`, `::WriteAllText(…)`, `.parent`.
    fn methods(&mut self, mut value: Value) -> Value {
        while let Some(Token::Word(word)) = self.peek() {
            let Some(name) = word.strip_prefix(['.', ':']) else { break };
            let name = name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
            self.at += 1;
            let called = self.next_is(&Token::Open('('));
            if called {
                let arguments = self.arguments();
                value = self.method(value, &name, arguments);
            } else if name != "parent" {
                value = Value::default();
            }
        }
        value
    }
}
