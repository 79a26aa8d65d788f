//! A command line cut into simple commands.
//!
//! Quotes, escapes, comments, redirections, here-documents, groups and substitutions are understood;
//! everything else is a word. One pass, and any text is accepted.

use super::Dialect;

/// A piece of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A simple command.
    Command(Simple),
    /// A group in parentheses begins.
    Open,
    /// A group in parentheses ends.
    Close,
}

/// A command with its words and redirections.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// The words, the program's name first.
    pub(super) words: Vec<Word>,
    /// Where output is redirected to.
    pub(super) writes: Vec<Word>,
    /// Here-documents and here-strings.
    pub(super) inputs: Vec<String>,
}

/// A word without its quotes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text; variables stand in it by name, substitutions as `$()`.
    pub(super) text: String,
    /// Stood wholly in single quotes: no variables in it.
    pub(super) literal: bool,
    /// The scripts of its substitutions.
    pub(super) nested: Vec<String>,
}

impl Word {
    /// A word that stands for itself.
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), literal: true, nested: Vec::new() }
    }
}

/// Cuts a script.
pub(super) fn items(script: &str, dialect: Dialect) -> Vec<Item> {
    let mut lexer = Lexer {
        script,
        at: 0,
        dialect,
        items: Vec::new(),
        current: Simple::default(),
        awaited: Vec::new(),
    };
    while let Some(c) = lexer.peek() {
        lexer.step(c);
    }
    lexer.finish();
    lexer.items
}

/// A here-document whose text has not come yet.
struct Awaited {
    /// The item it belongs to.
    item: usize,
    delimiter: String,
    tabs: bool,
}

struct Lexer<'a> {
    script: &'a str,
    at: usize,
    dialect: Dialect,
    items: Vec<Item>,
    current: Simple,
    awaited: Vec<Awaited>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.script[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Passes a text if it comes next.
    fn passes(&mut self, text: &str) -> bool {
        let next = self.rest().starts_with(text);
        if next {
            self.at += text.len();
        }
        next
    }

    fn finish(&mut self) {
        let current = std::mem::take(&mut self.current);
        if current != Simple::default() {
            self.items.push(Item::Command(current));
        }
    }

    fn step(&mut self, c: char) {
        match c {
            '\n' => {
                self.at += 1;
                self.finish();
                self.read_documents();
            }
            '&' if self.rest().starts_with("&>") => {
                self.at += 1;
                self.redirection();
            }
            ';' | '&' | '|' => {
                self.at += 1;
                self.finish();
            }
            '(' | ')' => {
                self.at += 1;
                self.finish();
                self.items.push(if c == '(' { Item::Open } else { Item::Close });
            }
            '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            '<' | '>' => self.redirection(),
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '\\' if self.continues_line() => {}
            _ => {
                let word = self.word();
                // `2>` and `*>` name a stream.
                let stream = word.text == "*" || word.text.bytes().all(|b| b.is_ascii_digit());
                if !(stream && matches!(self.peek(), Some('<' | '>'))) {
                    self.current.words.push(word);
                }
            }
        }
    }

    fn redirection(&mut self) {
        if self.passes("<<<") {
            let word = self.next_word();
            self.current.inputs.push(word.text);
            self.current.words.extend(word.nested.into_iter().map(substitution));
        } else if self.passes("<<") {
            let tabs = self.passes("-");
            let delimiter = self.next_word().text;
            self.awaited.push(Awaited { item: self.items.len(), delimiter, tabs });
            // Keeps the item in place even when the command has no words of its own.
            self.current.inputs.push(String::new());
        } else if self.passes("<(") || self.passes(">(") {
            let script = self.balanced(')');
            self.current.words.push(substitution(script));
        } else if self.passes("<>") || self.passes(">>") || self.passes(">|") || self.passes(">&") {
            let word = self.next_word();
            let stream = word.text == "-" || word.text.bytes().all(|b| b.is_ascii_digit());
            if !stream {
                self.current.writes.push(word);
            }
        } else if self.passes("<") {
            let word = self.next_word();
            self.current.words.extend(word.nested.into_iter().map(substitution));
        } else if self.passes(">") {
            let word = self.next_word();
            self.current.writes.push(word);
        }
    }

    /// Passes an escaped line end, which joins two lines.
    fn continues_line(&mut self) -> bool {
        self.dialect == Dialect::Posix && (self.passes("\\\n") || self.passes("\\\r\n"))
    }

    fn next_word(&mut self) -> Word {
        loop {
            if self.peek().is_some_and(|c| c != '\n' && c.is_whitespace()) {
                self.take();
            } else if !self.continues_line() {
                return self.word();
            }
        }
    }

    /// The bodies of the here-documents announced on the line that just ended.
    fn read_documents(&mut self) {
        for awaited in std::mem::take(&mut self.awaited) {
            let mut body = String::new();
            while !self.rest().is_empty() {
                let rest = self.rest();
                let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let line = &rest[..length];
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if awaited.tabs { bare.trim_start_matches('\t') } else { bare };
                let last = bare == awaited.delimiter;
                if !last {
                    body.push_str(line);
                }
                self.at += length;
                if last {
                    break;
                }
            }
            if let Some(Item::Command(simple)) = self.items.get_mut(awaited.item) {
                simple.inputs.push(body);
            }
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word { literal: true, ..Word::default() };
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() => break,
                ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    let rest = self.rest();
                    let length = rest.find('\'').unwrap_or(rest.len());
                    word.text.push_str(&rest[..length]);
                    self.at += length;
                    self.passes("'");
                    continue;
                }
                '"' => {
                    self.at += 1;
                    self.double_quoted(&mut word);
                }
                '$' | '`' | '\\' => self.special(&mut word, false),
                c => {
                    word.text.push(c);
                    self.at += c.len_utf8();
                }
            }
            word.literal = false;
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '$' | '`' | '\\' => self.special(word, true),
                c => {
                    word.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// A substitution, a variable or an escape.
    fn special(&mut self, word: &mut Word, quoted: bool) {
        let escape = if self.dialect == Dialect::Posix { '\\' } else { '`' };
        if self.passes("$(") {
            let script = self.balanced(')');
            word.nested.push(script);
            word.text.push_str("$()");
        } else if !quoted && self.rest().starts_with("$'") {
            // Quotes with escapes: the quotes are what matters.
            self.at += 1;
        } else if self.peek() == Some(escape) {
            self.at += 1;
            match self.take() {
                Some('\n') | None => {}
                // Within quotes most characters keep the backslash in front of them.
                Some(c) => {
                    if quoted && escape == '\\' && !matches!(c, '"' | '\\' | '$' | '`') {
                        word.text.push(escape);
                    }
                    word.text.push(c);
                }
            }
        } else if self.peek() == Some('`') {
            self.at += 1;
            let script = self.balanced('`');
            word.nested.push(script);
            word.text.push_str("$()");
        } else if let Some(c) = self.take() {
            word.text.push(c);
        }
    }

    /// The text up to the closing character of a substitution, which is passed.
    fn balanced(&mut self, close: char) -> String {
        let start = self.at;
        let mut depth = 1_usize;
        let mut quote = None;
        while let Some(c) = self.take() {
            let end = self.at - c.len_utf8();
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None | Some('"'), '\\') if self.dialect == Dialect::Posix => drop(self.take()),
                (None, '\'' | '"') => quote = Some(c),
                (None, '(') if close == ')' => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        return self.script[start..end].to_owned();
                    }
                }
                _ => {}
            }
        }
        self.script[start..].to_owned()
    }
}

/// A word that is nothing but a substitution.
fn substitution(script: String) -> Word {
    Word { text: "$()".to_owned(), literal: false, nested: vec![script] }
}
