//! Tokens as the FTS5 table keeps them, and as its query language takes them.
//!
//! The table's tokeniser is told that every class of character belongs to a token except blanks
//! and controls, so nearly every token stands in the index as it is. The few characters that it
//! would still split on, or that end a query text, move to private code points; an analyzer never
//! makes such tokens, but no string may raise an error.

use std::borrow::Cow;

/// Where the characters that would split a token go: the private plane, which nothing else uses.
const PRIVATE: u32 = 0x0010_0000;

/// The token as the tokeniser keeps it: exactly one token, and the same for equal tokens only
/// (after the tokeniser's own folding of case).
pub(super) fn token(text: &str) -> Cow<'_, str> {
    if text.chars().any(splits) {
        Cow::Owned(text.chars().map(kept).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// A field of tokens joined by blanks. Runs of blanks and controls between tokens become one blank.
pub(super) fn field(tokens: &str) -> Cow<'_, str> {
    if !tokens.chars().any(|c| c != ' ' && splits(c)) {
        return Cow::Borrowed(tokens);
    }
    let mut text = String::with_capacity(tokens.len() + 8);
    for word in tokens.split(' ').filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&token(word));
    }
    Cow::Owned(text)
}

/// A term as a quoted string of the query language: data, never syntax.
pub(super) fn quoted(term: &str) -> String {
    let kept = token(term);
    let mut text = String::with_capacity(kept.len() + 2);
    text.push('"');
    for c in kept.chars() {
        if c == '"' {
            text.push('"');
        }
        text.push(c);
    }
    text.push('"');
    text
}

/// Whether the tokeniser takes the character for the space between tokens: blanks by its own
/// table, which knows U+180E as one, and controls.
fn splits(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            ' ' | '\u{a0}' | '\u{1680}' | '\u{180e}' | '\u{2000}'
                ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
        )
}

fn kept(c: char) -> char {
    if !splits(c) {
        return c;
    }
    match char::from_u32(PRIVATE + c as u32) {
        Some(moved) => moved,
        None => c,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn table() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        let ddl = include_str!("../../../migrations/sqlite/0002_search.sql");
        let start = ddl.find("CREATE VIRTUAL TABLE").unwrap();
        let end = start + ddl[start..].find(';').unwrap() + 1;
        db.execute_batch(&ddl[start..end]).unwrap();
        db.execute_batch("CREATE VIRTUAL TABLE vocab USING fts5vocab(search_index, instance)")
            .unwrap();
        db
    }

    fn insert(db: &Connection, id: i64, text: &str) {
        db.execute("INSERT INTO search_index (rowid, text) VALUES (?1, ?2)", (id, text)).unwrap();
    }

    fn instances(db: &Connection) -> usize {
        let n: i64 = db.query_row("SELECT count(*) FROM vocab", [], |row| row.get(0)).unwrap();
        usize::try_from(n).unwrap()
    }

    #[test]
    fn every_character_there_is_stays_inside_its_token() {
        let db = table();
        let mut expected = 0;
        for (n, chunk) in ('\0'..=char::MAX).collect::<Vec<_>>().chunks(4096).enumerate() {
            let tokens: Vec<String> =
                chunk.iter().map(|c| token(&format!("x{c}y")).into_owned()).collect();
            insert(&db, i64::try_from(n).unwrap(), &tokens.join(" "));
            expected += chunk.len();
        }
        assert_eq!(instances(&db), expected);
    }

    #[test]
    fn every_character_there_is_can_be_a_token() {
        let db = table();
        let mut expected = 0;
        for (n, chunk) in ('\0'..=char::MAX).collect::<Vec<_>>().chunks(4096).enumerate() {
            let tokens: Vec<String> =
                chunk.iter().map(|c| token(&c.to_string()).into_owned()).collect();
            insert(&db, i64::try_from(n).unwrap(), &tokens.join(" "));
            expected += chunk.len();
        }
        assert_eq!(instances(&db), expected);
    }

    #[test]
    fn k3_any_term_finds_itself_and_none_is_syntax() {
        let db = table();
        let terms = [
            "bd-42",
            "auto-memory",
            "title:x",
            r"C:\x",
            "-x",
            "don't",
            "AND",
            "foo\u{0}bar",
            "(",
            "a\"b",
            "*",
            "^x",
            "NEAR(a",
            "retry_queue",
            "src/a.rs",
            "记忆",
            "🦀",
            "e\u{301}",
            "a\tb",
            "{x}",
            "+",
            "\"",
            "\"\"",
            "x*",
            "NOT",
            "or",
        ];
        for (n, term) in terms.iter().enumerate() {
            insert(&db, i64::try_from(n).unwrap(), &token(term));
        }
        for (n, term) in terms.iter().enumerate() {
            let mut find =
                db.prepare("SELECT rowid FROM search_index WHERE search_index MATCH ?1").unwrap();
            let found: Vec<i64> = find
                .query_map([quoted(term)], |row| row.get(0))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(found, [i64::try_from(n).unwrap()], "{term:?}");
        }
    }

    #[test]
    fn fields_keep_their_tokens_apart() {
        assert_eq!(field("retry_queue bd-42"), "retry_queue bd-42");
        assert_eq!(field("a\u{1}b c"), format!("a{}b c", '\u{100001}'));
        assert_eq!(token("plain"), "plain");
    }
}
