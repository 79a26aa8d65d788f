//! How marks are written: `<private>`, `</private>` and their relatives.
//!
//! A mark is recognised in any case, with white space or attributes inside, written with full-width
//! characters, and with invisible characters in its name. What cannot be told for sure is treated
//! as a mark that hides text, and only an exact closing mark ends it.

/// Longest name worth reading, in characters; the longest known one has 31.
const MAX_NAME: usize = 40;
/// Bytes of attributes read in search of the end of a mark.
const MAX_ATTRIBUTES: usize = 1024;

/// Names whose text is private, or memory handed back: left open, they hide the rest of the field.
const PRIVATE: [&str; 3] = ["private", "afterword-context", "claude-mem-context"];
/// Names that hosts wrap their own additions in: left open, they hide nothing but themselves.
const HOST: [&str; 7] = [
    "system-reminder",
    "system_reminder",
    "system-instruction",
    "system_instruction",
    "persisted-output",
    "hook_context",
    "qwen:user-prompt-submit-context",
];

/// Which name a mark bears; the numbers index [`PRIVATE`] and [`HOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Private(usize),
    Host(usize),
}

/// An opening or closing mark and the bytes it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) closing: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Where the first mark starts.
pub(super) fn first(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = next_bracket(text, from) {
        if mark_at(text, at).is_some() {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// The next opening bracket, plain or one of its wide and small forms, at or after `from`.
pub(super) fn next_bracket(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|b| matches!(b, b'<' | 0xef))?;
        let bracket = match bytes[at] {
            b'<' => true,
            _ => {
                bytes[at..].starts_with("＜".as_bytes()) || bytes[at..].starts_with("﹤".as_bytes())
            }
        };
        if bracket {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether a mark of ours can go on with this byte: a first letter of a name, a slash, a blank, or
/// something that is not ASCII or cannot be seen. Spares a longer look at most brackets.
const fn may_follow(byte: u8) -> bool {
    matches!(
        byte,
        0..=b' ' | b'/' | 0x7f.. | b'p' | b'P' | b'a' | b'A' | b'c' | b'C' | b's' | b'S' | b'h' | b'H' | b'q' | b'Q'
    )
}

/// The mark that begins with the bracket at `start`, if it is one.
pub(super) fn mark_at(text: &str, start: usize) -> Option<Mark> {
    let mut reader = Reader { text, at: start };
    reader.bump();
    if !text.as_bytes().get(reader.at).copied().is_some_and(may_follow) {
        return None;
    }
    let mut spaced = reader.skip_blank();
    let closing = reader.peek() == Some('/');
    if closing {
        reader.bump();
        reader.skip_blank();
        spaced = false;
    }
    let kind = reader.name()?;
    let named = reader.at;
    if closing {
        reader.skip_blank();
        if reader.peek() != Some('>') {
            return None;
        }
        reader.bump();
        return Some(Mark { kind, closing, start, end: reader.at });
    }
    let end = match reader.attributes(spaced) {
        Some(end) => end,
        // `a < private` is a comparison, `<private` without an end is a mark that was cut.
        None if spaced || matches!(kind, Kind::Host(_)) => return None,
        None => named,
    };
    Some(Mark { kind, closing, start, end })
}

/// Reads characters as a person sees them: wide ones folded to ASCII.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn raw(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn peek(&self) -> Option<char> {
        self.raw().map(fold)
    }

    fn bump(&mut self) {
        self.at += self.raw().map_or(0, char::len_utf8);
    }

    /// Passes white space and invisible characters; true when there was white space.
    fn skip_blank(&mut self) -> bool {
        let mut space = false;
        while let Some(c) = self.raw() {
            if c.is_whitespace() {
                space = true;
            } else if !ignorable(c) {
                break;
            }
            self.bump();
        }
        space
    }

    /// Reads a name and stands behind it; none when it is not one of ours.
    fn name(&mut self) -> Option<Kind> {
        let (mut name, mut length) = ([0; MAX_NAME], 0);
        while let Some(c) = self.raw() {
            // A line end or a blank inside a name that is not over yet.
            if c.is_whitespace() && begins_private(&name[..length]) {
                self.skip_blank();
                continue;
            }
            if !ignorable(c) {
                let c = fold(c);
                if !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')) {
                    break;
                }
                // Ours are short, and spelled in ASCII.
                *name.get_mut(length)? = u8::try_from(c).ok()?.to_ascii_lowercase();
                length += 1;
            }
            self.bump();
        }
        let index =
            |names: &[&str]| names.iter().position(|known| known.as_bytes() == &name[..length]);
        index(&PRIVATE).map(Kind::Private).or_else(|| index(&HOST).map(Kind::Host))
    }

    /// The end of an opening mark whose name has been read; none when it has no end.
    ///
    /// With `strict`, only attributes with a value may stand before the closing bracket.
    fn attributes(&mut self, strict: bool) -> Option<usize> {
        let limit = self.at + MAX_ATTRIBUTES;
        let mut has_value = true;
        while self.at < limit {
            match self.peek()? {
                '>' => {
                    if strict && !has_value {
                        return None;
                    }
                    self.bump();
                    return Some(self.at);
                }
                '<' => return None,
                '=' => {
                    self.bump();
                    self.skip_blank();
                    self.value(limit);
                    has_value = true;
                }
                c if c.is_whitespace() || c == '/' || ignorable(c) => self.bump(),
                c => {
                    if strict && !(has_value && is_attribute_name(c)) {
                        return None;
                    }
                    has_value = false;
                    while self.at < limit && self.peek().is_some_and(is_attribute_name) {
                        self.bump();
                    }
                    if !is_attribute_name(c) {
                        self.bump();
                    }
                }
            }
        }
        None
    }

    /// Passes a value: quoted to its closing quote where there is one near, else one word.
    fn value(&mut self, limit: usize) {
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            while self.at < limit
                && self.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, '<' | '>'))
            {
                self.bump();
            }
            return;
        };
        let opening = self.at;
        self.bump();
        while self.at < limit && self.peek().is_some_and(|c| c != quote) {
            self.bump();
        }
        if self.peek() == Some(quote) {
            self.bump();
        } else {
            self.at = opening;
            self.bump();
        }
    }
}

fn is_attribute_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

/// Whether letters are the beginning of the private mark's name and not all of it.
fn begins_private(letters: &[u8]) -> bool {
    letters.len() > 1
        && letters.len() < PRIVATE[0].len()
        && PRIVATE[0].as_bytes().starts_with(letters)
}

/// Full-width and small forms, and letters of other alphabets, as the ASCII character they look
/// like.
fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(c) - 0xfee0).expect("full-width forms mirror ASCII")
        }
        '﹤' => '<',
        '﹥' => '>',
        '﹣' | '\u{2010}' | '\u{2011}' => '-',
        'ı' | 'і' | 'ι' => 'i',
        'а' | 'α' => 'a',
        'е' | 'ε' => 'e',
        'р' | 'ρ' => 'p',
        'т' | 'τ' => 't',
        'ν' | 'ѵ' => 'v',
        'г' => 'r',
        _ => c,
    }
}

/// Characters that take no room on the screen and so can hide inside a name.
pub(super) fn ignorable(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}'
        )
}
