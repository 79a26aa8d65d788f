//! Program text cut into words, texts and signs.

use super::Language;

/// A piece of program text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Names joined by dots or colons, such as `fs.writeFileSync`; `.name` behind a call.
    Word(String),
    /// What stood in quotes, escapes as they are written.
    Text(String),
    /// `(`, `[` or `{`.
    Open(char),
    /// `)`, `]` or `}`.
    Close,
    /// Between arguments.
    Comma,
    /// `=`, `=>` or `:`: what follows is the value of what stood before.
    Assign,
    /// `/` or `+`: two pieces of one path; the sign says which.
    Join(char),
    /// `>` or `>>`.
    Redirect,
    /// `|`.
    Pipe,
    /// The end of a statement.
    End,
    /// Anything else.
    Other,
}

/// Cuts a text; any text is accepted. One pass.
pub(super) fn tokens(code: &str, language: Language) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let (token, length) = match c {
            '\n' | ';' => (Some(Token::End), 1),
            '\\' if rest.starts_with("\\\n") => (None, 2),
            c if c.is_whitespace() => (None, c.len_utf8()),
            '#' if language != Language::Script => (None, line(rest)),
            '/' if language == Language::Script && rest.starts_with("//") => (None, line(rest)),
            '\'' | '"' | '`' => quoted(rest, c, language),
            '(' | '[' | '{' => (Some(Token::Open(c)), 1),
            ')' | ']' | '}' => (Some(Token::Close), 1),
            ',' => (Some(Token::Comma), 1),
            '/' | '+' => (Some(Token::Join(c)), 1),
            '=' => assigned(rest),
            '>' => (Some(Token::Redirect), if rest.starts_with(">>") { 2 } else { 1 }),
            '|' => (Some(Token::Pipe), if rest.starts_with("||") { 2 } else { 1 }),
            c if in_word(c) => word(rest),
            c => (Some(Token::Other), c.len_utf8()),
        };
        found.extend(token);
        rest = &rest[length..];
    }
    found
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ':' | '@')
}

fn word(rest: &str) -> (Option<Token>, usize) {
    let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
    let text = &rest[..length];
    // `name:` in front of a value.
    let bare = text.trim_end_matches(':');
    if bare.is_empty() {
        return (Some(Token::Assign), length);
    }
    if bare.len() < length {
        return (Some(Token::Word(bare.to_owned())), bare.len());
    }
    (Some(Token::Word(text.to_owned())), length)
}

/// Comparisons are no assignments.
fn assigned(rest: &str) -> (Option<Token>, usize) {
    let length = rest.find(|c| !matches!(c, '=' | '>' | '~')).unwrap_or(rest.len());
    let token =
        if rest.starts_with("==") || rest.starts_with("=~") { Token::Other } else { Token::Assign };
    (Some(token), length)
}

/// A text in quotes. One that is not closed ends with its line, so that an apostrophe hides nothing.
fn quoted(rest: &str, quote: char, language: Language) -> (Option<Token>, usize) {
    let triple = match quote {
        '\'' => "'''",
        '"' => "\"\"\"",
        _ => "```",
    };
    if rest.starts_with(triple) {
        let inside = &rest[3..];
        let (length, close) = inside.find(triple).map_or((inside.len(), 0), |end| (end, 3));
        return (Some(Token::Text(inside[..length].to_owned())), 3 + length + close);
    }
    let backslash = language != Language::PowerShell;
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        let ends_line = c == '\n' && quote != '`';
        if ends_line || (c == quote && !escaped) {
            let length = if ends_line { at } else { at + 1 };
            return (Some(Token::Text(rest[1..at].to_owned())), length);
        }
        escaped = backslash && c == '\\' && !escaped;
    }
    (Some(Token::Text(rest[1..].to_owned())), rest.len())
}
