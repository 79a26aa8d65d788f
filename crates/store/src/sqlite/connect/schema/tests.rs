use std::collections::BTreeSet;

use rusqlite::Connection;

use super::migrate::{MIGRATIONS, apply, copy_path, migrate_by};
use super::shape::{differences, repair};

#[test]
fn e10_numbers_are_unique_and_go_on_by_one() {
    let numbers: Vec<i64> = MIGRATIONS.iter().map(|step| step.0).collect();
    let unique: BTreeSet<i64> = numbers.iter().copied().collect();
    assert_eq!(unique.len(), numbers.len());
    let expected: Vec<i64> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, expected);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
    let files: BTreeSet<i64> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().to_str().unwrap()[..4].parse().unwrap())
        .collect();
    assert_eq!(files, unique, "every file is a step, and every step has a file");
}

fn dump(db: &Connection) -> Vec<String> {
    let mut list = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    list.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn e12_every_older_schema_comes_up_to_the_same_and_twice_is_once() {
    let mut fresh = Connection::open_in_memory().unwrap();
    apply(&mut fresh, MIGRATIONS).unwrap();
    for from in 1..MIGRATIONS.len() {
        let mut older = Connection::open_in_memory().unwrap();
        apply(&mut older, &MIGRATIONS[..from]).unwrap();
        apply(&mut older, MIGRATIONS).unwrap();
        apply(&mut older, MIGRATIONS).unwrap();
        assert_eq!(dump(&older), dump(&fresh), "from schema {from}");
    }
}

#[test]
fn a_copy_is_kept_before_the_schema_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let mut db = Connection::open(&path).unwrap();
    migrate_by(&mut db, &path, &MIGRATIONS[..1]).unwrap();
    assert!(!copy_path(&path, 0).exists(), "a fresh file needs no copy");
    db.execute("INSERT INTO settings (name, value) VALUES ('a', 'b')", []).unwrap();
    migrate_by(&mut db, &path, MIGRATIONS).unwrap();
    let copy = copy_path(&path, 1);
    let old = Connection::open(&copy).unwrap();
    let version: i64 = old.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let value: String = old.query_row("SELECT value FROM settings", [], |row| row.get(0)).unwrap();
    assert_eq!((version, value.as_str()), (1, "b"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let mut db = Connection::open(&path).unwrap();
    apply(&mut db, MIGRATIONS).unwrap();
    let before = dump(&db);
    let mut steps = MIGRATIONS.to_vec();
    steps.push((99, "CREATE TABLE one (a); CREATE TABLE one (a);"));
    assert!(migrate_by(&mut db, &path, &steps).is_err());
    assert_eq!(dump(&db), before);
}

#[test]
fn e2_what_is_missing_is_told_and_put_back() {
    let mut db = Connection::open_in_memory().unwrap();
    apply(&mut db, MIGRATIONS).unwrap();
    assert_eq!(differences(&db).unwrap(), [""; 0]);
    db.execute_batch(
        "ALTER TABLE observations DROP COLUMN subtitle; DROP TABLE memory_history;
         DROP INDEX jobs_due; DROP TRIGGER events_in;",
    )
    .unwrap();
    let told = [
        "the table memory_history is missing",
        "the table observations lacks the column subtitle",
        "events_in is missing",
        "jobs_due is missing",
        "memory_history_by_memory is missing",
    ];
    assert_eq!(differences(&db).unwrap(), told);
    assert_eq!(repair(&mut db).unwrap(), told);
    assert_eq!(differences(&db).unwrap(), [""; 0]);
    db.execute_batch("SELECT subtitle FROM observations; SELECT * FROM memory_history").unwrap();
}
