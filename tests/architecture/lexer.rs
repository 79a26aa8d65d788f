//! Splitting Rust text into code, strings and comments.

/// The parts of a Rust file. All keep their line numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The text with comments and the insides of strings and characters blanked.
    pub(super) code: String,
    /// Strings with the line they begin on.
    pub(super) strings: Vec<(usize, String)>,
    /// Comments with the line they begin on.
    pub(super) comments: Vec<(usize, String)>,
}

/// Takes a Rust text apart.
pub(super) fn split(text: &str) -> Parts {
    let mut lexer = Lexer { rest: text, line: 1, parts: Parts::default() };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.parts
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    parts: Parts,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.comment(end);
        } else if rest.starts_with("/*") {
            self.comment(block_comment_end(rest));
        } else if let Some(literal) = string_start(rest, self.parts.code.chars().last()) {
            let (open, close) = (literal.inside, &literal.close);
            let end = string_end(&rest[open..], &literal).map_or(rest.len(), |end| open + end);
            let inside = &rest[open..end.saturating_sub(close.len()).max(open)];
            self.parts.strings.push((self.line, inside.to_owned()));
            self.blank(end, '"');
        } else if let Some(end) = char_end(rest) {
            self.blank(end, '\'');
        } else {
            let next = rest.chars().next().expect("the rest is not empty");
            self.line += usize::from(next == '\n');
            self.parts.code.push(next);
            self.rest = &rest[next.len_utf8()..];
        }
    }

    fn comment(&mut self, end: usize) {
        self.parts.comments.push((self.line, self.rest[..end].to_owned()));
        self.blank(end, ' ');
    }

    /// Leaves only the ends and the line breaks of a stretch.
    fn blank(&mut self, end: usize, edge: char) {
        let breaks = self.rest[..end].matches('\n').count();
        self.line += breaks;
        self.parts.code.push(edge);
        self.parts.code.extend(std::iter::repeat_n('\n', breaks));
        self.parts.code.push(edge);
        self.rest = &self.rest[end..];
    }
}

fn block_comment_end(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The beginning of a string literal.
struct Literal {
    /// Where its inside begins.
    inside: usize,
    /// What closes it.
    close: String,
    /// Whether a backslash hides what follows it.
    escapes: bool,
}

fn string_start(text: &str, before: Option<char>) -> Option<Literal> {
    let prefix = text.len() - text.trim_start_matches(['b', 'c', 'r']).len();
    let raw = match &text[..prefix] {
        "" | "b" | "c" => false,
        "r" | "br" | "cr" => true,
        _ => return None,
    };
    // The letters open a string only where no identifier goes on.
    if prefix > 0 && before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let hashes = text[prefix..].len() - text[prefix..].trim_start_matches('#').len();
    if (hashes > 0 && !raw) || !text[prefix + hashes..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    Some(Literal { inside: prefix + hashes + 1, close, escapes: !raw })
}

/// The end of the literal behind its closing mark, from the beginning of its inside.
fn string_end(inside: &str, literal: &Literal) -> Option<usize> {
    if !literal.escapes {
        return inside.find(&literal.close).map(|at| at + literal.close.len());
    }
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The end of a character literal; none for a lifetime.
fn char_end(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' {
        let escaped = 1 + inside[1..].chars().next()?.len_utf8();
        return inside[escaped..].find('\'').map(|at| at + escaped + 2);
    }
    let end = first.len_utf8();
    inside[end..].starts_with('\'').then_some(end + 2)
}

/// Blanks items marked `#[cfg(test)]`, line breaks kept. Takes code as [`split`] gives it.
pub(super) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        let end = at + MARK.len() + item_end(&rest[at + MARK.len()..]);
        out.push_str(&rest[..at]);
        out.extend(rest[at..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    out + rest
}

/// The end of the item that begins here: its semicolon, or the brace that closes its body.
pub(super) fn item_end(code: &str) -> usize {
    let mut depth = 0_usize;
    let mut inner = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => inner += 1,
            ')' | ']' => inner = inner.saturating_sub(1),
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    // `use a::{b};` ends behind the semicolon.
                    let semicolon = code[at + 1..].starts_with(';');
                    return at + 1 + usize::from(semicolon);
                }
            }
            ';' if depth == 0 && inner == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn strings_and_comments_are_no_code() {
    let parts = split(
        "let a = \"// no { comment \\\" \"; // a { comment\nlet b = r#\"raw \" { \"#; /* x /* y */ { \
         */ let c = '{'; let d: &'static str = b\"{\"; let e = '\\''; let f = r\"\\\";\n",
    );
    assert!(!parts.code.contains(['{', '}']), "{}", parts.code);
    assert!(parts.code.contains("let c") && parts.code.contains("'static str"));
    assert!(parts.code.contains("let f"), "{}", parts.code);
    let strings: Vec<&str> = parts.strings.iter().map(|(_, s)| s.as_str()).collect();
    assert_eq!(strings[..3], ["// no { comment \\\" ", "raw \" { ", "{"]);
    assert_eq!(parts.comments.len(), 2);
    assert_eq!(parts.comments[1].0, 2);
}

#[test]
fn lines_keep_their_numbers() {
    let text = "a\n\"x\ny\"\n/* 1\n2 */ b\nr#\"\n\"# c";
    let code = split(text).code;
    assert_eq!(code.matches('\n').count(), text.matches('\n').count());
    assert!(code.lines().nth(4).unwrap().contains('b'));
}

#[test]
fn test_items_are_left_out() {
    let code = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { if x { } }\n}\n\
                #[cfg(test)]\nmod more;\n#[cfg(test)]\nuse x::{y, z};\nfn c() {}\n";
    let kept = without_tests(code);
    assert_eq!(kept.split_whitespace().collect::<Vec<_>>(), ["fn", "a()", "{}", "fn", "c()", "{}"]);
    assert_eq!(kept.matches('\n').count(), code.matches('\n').count());
}
