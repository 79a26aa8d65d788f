//! A parser that takes what it can.
//!
//! It never gives up: what does not belong where it stands is passed over, and the end of the text
//! closes whatever is open. Recursion is bounded by [`MAX_DEPTH`]; deeper values are skipped without it.

use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, MAX_MEMBERS, MAX_PARTS, TOO_DEEP, TOO_MANY};

/// The first usable value of a text: an object where there is one.
pub(super) fn parse(text: &str) -> Option<Value> {
    let mut parser = Parser { text, at: 0, left: MAX_PARTS };
    parser.skip_blank();
    let first = match parser.peek()? {
        b'{' | b'[' | b'"' => parser.value(0),
        // Something else was printed in front of the object.
        _ => None,
    };
    if let Some(Value::Object(_)) = first {
        return first;
    }
    let behind = text[parser.at..].find('{').map(|offset| parser.at + offset);
    let object = behind.and_then(|at| Parser { text, at, left: MAX_PARTS }.value(0));
    match (object, first) {
        (Some(Value::Object(members)), Some(first)) if members.is_empty() => Some(first),
        (Some(object), _) => Some(object),
        (None, first) => first,
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// How many values inside the outermost members may still be kept.
    left: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes white space, also the kinds JSON does not know, and stray marks and NULs.
    fn skip_blank(&mut self) {
        while let Some(c) = self.text[self.at..].chars().next() {
            if !(c.is_whitespace() || c.is_control() || c == '\u{feff}') {
                break;
            }
            self.at += c.len_utf8();
        }
    }

    fn skip_char(&mut self) {
        self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
    }

    /// The value at this place; none when there is none, or only a part of a number or word.
    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            b'{' | b'[' if depth == MAX_DEPTH => {
                self.skip(0);
                Some(TOO_DEEP.into())
            }
            b'{' => Some(Value::Object(self.object(depth + 1))),
            b'[' => Some(Value::Array(self.array(depth + 1))),
            b'"' => Some(Value::String(self.string().0)),
            b',' | b':' | b'}' | b']' => None,
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        self.at += 1;
        loop {
            self.skip_blank();
            match self.peek() {
                None => return members,
                Some(b'}') => {
                    self.at += 1;
                    return members;
                }
                Some(b'"') if !self.takes_one(depth, members.len()) => {
                    self.skip(1);
                    return members;
                }
                Some(b'"') => self.member(depth, &mut members),
                Some(b'[' | b'{') => self.skip(0),
                Some(_) => self.skip_char(),
            }
        }
    }

    /// One key with its value; a key without one is dropped.
    fn member(&mut self, depth: usize, members: &mut Map<String, Value>) {
        let (key, whole) = self.string();
        self.skip_blank();
        if !whole || self.peek() != Some(b':') {
            return;
        }
        self.at += 1;
        self.skip_blank();
        if let Some(value) = self.value(depth) {
            members.insert(key, value);
        }
    }

    fn array(&mut self, depth: usize) -> Vec<Value> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_blank();
            match self.peek() {
                // At `}` the object around this list ends: the list was never closed.
                None | Some(b'}') => return items,
                Some(b']') => {
                    self.at += 1;
                    return items;
                }
                Some(b',' | b':') => self.at += 1,
                Some(_) if !self.takes_one(depth, items.len()) => {
                    self.skip(1);
                    items.push(TOO_MANY.into());
                    return items;
                }
                Some(_) => items.extend(self.value(depth)),
            }
        }
    }

    /// A number or a word up to the next mark of structure.
    ///
    /// Cut off by the end of the text it is worth nothing: more digits might have followed.
    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, ',' | ':' | '}' | ']' | '"' | '{' | '[')
        });
        let word = &rest[..length.unwrap_or(rest.len())];
        self.at += word.len();
        length?;
        Some(match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => match serde_json::from_str::<Number>(word) {
                Ok(number) => Value::Number(number),
                // A number too large to hold keeps its digits; other words (`NaN`) mean nothing.
                Err(_) if is_number(word) => Value::String(word.to_owned()),
                Err(_) => Value::Null,
            },
        })
    }

    /// The string at this place, and whether its closing quote was there.
    fn string(&mut self) -> (String, bool) {
        let mut string = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.find(['"', '\\', '\0']) else {
                string.push_str(rest);
                self.at = self.text.len();
                return (string, false);
            };
            string.push_str(&rest[..plain]);
            self.at += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return (string, true),
                b'\\' => self.escape(&mut string),
                // NUL: nothing after us can keep it.
                _ => {}
            }
        }
    }

    /// The escape behind a backslash; one that JSON does not know stays as it is written.
    fn escape(&mut self, string: &mut String) {
        let Some(c) = self.text[self.at..].chars().next() else { return };
        self.at += c.len_utf8();
        match c {
            '"' | '\\' | '/' => string.push(c),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            'n' => string.push('\n'),
            'r' => string.push('\r'),
            't' => string.push('\t'),
            'u' => self.unicode(string),
            other => string.extend(['\\', other]),
        }
    }

    fn unicode(&mut self, string: &mut String) {
        let Some(first) = self.hex() else {
            // Cut by the end of the text, or not an escape at all.
            if self.text.len() - self.at >= 4 {
                string.push_str("\\u");
            } else {
                self.skip_hex();
            }
            return;
        };
        let mut c = char::from_u32(first);
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            match self.hex() {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    c = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                }
                _ => self.at = back,
            }
        }
        if c != Some('\0') {
            string.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    /// Four hexadecimal digits.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn skip_hex(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
            self.at += 1;
        }
    }

    /// Whether one more value may be kept in a container that has `before` of them.
    fn takes_one(&mut self, depth: usize, before: usize) -> bool {
        if depth == 1 {
            return before < MAX_MEMBERS;
        }
        let takes = self.left > 0;
        self.left = self.left.saturating_sub(1);
        takes
    }

    /// Passes what is left of `depth` open containers, or the whole next one when none is open,
    /// without recursion.
    fn skip(&mut self, mut depth: usize) {
        let bytes = self.text.as_bytes();
        let mut inside_string = false;
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' if inside_string => self.at = self.ahead(),
                b'"' => inside_string = !inside_string,
                b'[' | b'{' if !inside_string => depth += 1,
                b']' | b'}' if !inside_string => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// One character further.
    fn ahead(&self) -> usize {
        self.at + self.text[self.at..].chars().next().map_or(0, char::len_utf8)
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'))
}
