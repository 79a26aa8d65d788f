//! Faults for tests of the whole program: what goes wrong with a database file, brought about on
//! purpose from outside of the store. Only compiled with the feature `faults`.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// Panics where a fault cannot be brought about: the test's surroundings are wrong then.
#[derive(Debug)]
pub struct Faults {
    path: PathBuf,
}

/// Another process's hold on the file, until it is dropped.
#[derive(Debug)]
pub struct Hold(Connection);

impl Drop for Hold {
    fn drop(&mut self) {
        // A connection that cannot roll back is closed, which does the same.
        drop(self.0.execute_batch("ROLLBACK"));
    }
}

impl Faults {
    /// Faults of the file at `path`.
    pub fn of(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn open(&self) -> Connection {
        Connection::open(&self.path).expect("the database can be opened")
    }

    fn run(&self, sql: &str) {
        self.open().execute_batch(sql).expect("the fault can be brought about");
    }

    fn number(&self, sql: &str) -> i64 {
        self.open().query_row(sql, [], |row| row.get(0)).expect("the database can be read")
    }

    fn hold(&self, sql: &str) -> Hold {
        let db = self.open();
        db.execute_batch(sql).expect("the file can be held");
        Hold(db)
    }

    /// Holds the writer's lock.
    pub fn hold_writer(&self) -> Hold {
        self.hold("BEGIN IMMEDIATE")
    }

    /// Keeps looking at one state of the database.
    pub fn hold_reader(&self) -> Hold {
        self.hold("BEGIN; SELECT count(*) FROM events")
    }

    /// The schema's version.
    pub fn schema(&self) -> i64 {
        self.number("PRAGMA user_version")
    }

    /// Says that the schema has another version than it has.
    pub fn set_schema(&self, version: i64) {
        self.run(&format!("PRAGMA user_version = {version}"));
    }

    /// Takes a column away.
    pub fn drop_column(&self, table: &str, column: &str) {
        self.run(&format!("ALTER TABLE {table} DROP COLUMN {column}"));
    }

    /// Empties the full-text index behind its back: as a whole, or of the words only.
    pub fn break_index(&self, whole: bool) {
        let kept = if whole { "" } else { " WHERE id > 10" };
        self.run(&format!("DELETE FROM search_index_data{kept}"));
    }

    /// Flips bytes of the first page of a table. The file must not be open elsewhere.
    pub fn flip_page(&self, table: &str) {
        let page =
            self.number(&format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'"));
        let size = self.number("PRAGMA page_size");
        let start = usize::try_from((page - 1) * size).expect("a file fits into memory");
        let mut bytes = std::fs::read(&self.path).expect("the file can be read");
        for byte in &mut bytes[start..start + 64] {
            *byte ^= 0xA5;
        }
        std::fs::write(&self.path, bytes).expect("the file can be written");
    }

    /// Makes the file from a dump in SQL.
    pub fn load(&self, dump: &str) {
        self.run(dump);
    }

    /// Makes this many turns wait, ten to a session, each with one event that says what the newest
    /// event of the database says. The file must not be open elsewhere.
    pub fn make_turns_wait(&self, turns: u64) {
        let numbers = |most: u64| {
            format!(
                "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {most} - 1)"
            )
        };
        let (sessions, turns) = (numbers(turns.div_ceil(10)), numbers(turns));
        self.run(&format!(
            "BEGIN;
             {sessions} INSERT INTO sdk_sessions (id, uid, agent, agent_session_id, project_id)
             SELECT 1000 + i, printf('01928000-0000-7000-8000-%012x', i), 'made', 'made-' || i, 1
             FROM n;
             {turns} INSERT INTO events
             (session_id, prompt_number, kind, state, at, dedupe_key, digest)
             SELECT 1000 + i / 10, i % 10, e.kind, 'waiting', e.at, 'made-' || i, e.digest
             FROM n, (SELECT * FROM events ORDER BY id DESC LIMIT 1) e;
             {turns} INSERT INTO jobs (session_id, prompt_number, run_after)
             SELECT 1000 + i / 10, i % 10, i FROM n;
             COMMIT; PRAGMA wal_checkpoint(TRUNCATE)"
        ));
    }

    /// Events that still have a payload, and the bytes of all payloads.
    pub fn payloads(&self) -> (u64, u64) {
        let count = self.number("SELECT count(*) FROM event_payloads");
        let bytes =
            self.number("SELECT coalesce(sum(octet_length(payload)), 0) FROM event_payloads");
        (count.unsigned_abs(), bytes.unsigned_abs())
    }

    /// The newest event that has a payload.
    pub fn newest_payload(&self) -> i64 {
        self.number("SELECT max(event_id) FROM event_payloads")
    }

    /// The longest payload.
    pub fn largest_payload(&self) -> String {
        let sql = "SELECT payload FROM event_payloads ORDER BY octet_length(payload) DESC LIMIT 1";
        self.open().query_row(sql, [], |row| row.get(0)).expect("an event with a payload")
    }
}
