//! What only a file on one machine can get wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "stories/build.rs"]
#[allow(dead_code, reason = "the stories use the rest")]
mod build;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::thread;

use afterword_domain::event::EventBody;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{
    IndexDoc, KeywordQuery, PayloadLimits, Recorded, RowVectors, SessionName,
};
use afterword_store::sqlite::SqliteStore;
use afterword_store::{Error, Store};
use rusqlite::Connection;

use build::{
    AGENT, Any, claimed_turn, event, finding, keyed, outcome, prompt, remember, stored_project, t,
    tool,
};

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("afterword.db");
    (folder, path)
}

fn open(path: &Path) -> Any {
    Arc::new(SqliteStore::open(path).unwrap())
}

async fn found(store: &Any, term: &str) -> Vec<PublicId> {
    let query = KeywordQuery { terms: vec![term.to_owned()], limit: 99, ..KeywordQuery::default() };
    store.keyword(query).await.unwrap().hits.into_iter().map(|hit| hit.id).collect()
}

#[tokio::test]
async fn e6_twenty_open_a_fresh_file_at_once() {
    let (_folder, path) = folder();
    let start = Arc::new(Barrier::new(20));
    let threads: Vec<_> = (0..20)
        .map(|_| {
            let (path, start) = (path.clone(), Arc::clone(&start));
            thread::spawn(move || {
                start.wait();
                SqliteStore::open(&path).unwrap()
            })
        })
        .collect();
    let stores: Vec<Any> = threads
        .into_iter()
        .map(|thread| Arc::new(thread.join().unwrap()) as Arc<dyn Store>)
        .collect();
    for (n, store) in stores.iter().enumerate() {
        let project = stored_project(store, "p").await;
        remember(store, project.id, &format!("note {n}"), 0).await;
    }
    assert_eq!(stores[7].counts().await.unwrap().rows["memory"], 20);
    assert_eq!(stores[7].counts().await.unwrap().projects, 1);
    assert_eq!(stores[3].check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn e3_a_newer_schema_is_refused_and_left_as_it_is() {
    let (_folder, path) = folder();
    drop(open(&path));
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    drop(db);
    let before = std::fs::read(&path).unwrap();
    match SqliteStore::open(&path) {
        Err(Error::NewerSchema { found: 999, known }) => assert!(known < 999),
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn e3_a_newer_schema_in_the_log_is_left_there() {
    let (_folder, path) = folder();
    drop(open(&path));
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    let log = path.with_file_name("afterword.db-wal");
    let before = (std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap());
    // As a crash leaves them: file and log, and nobody who has them open.
    let copy = path.with_file_name("crashed.db");
    std::fs::write(&copy, &before.0).unwrap();
    std::fs::write(path.with_file_name("crashed.db-wal"), &before.1).unwrap();
    assert!(matches!(SqliteStore::open(&copy), Err(Error::NewerSchema { found: 999, .. })));
    assert_eq!(std::fs::read(&copy).unwrap(), before.0);
    assert_eq!(std::fs::read(path.with_file_name("crashed.db-wal")).unwrap(), before.1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn g1_ten_reports_at_once_are_one_row() {
    let (_folder, path) = folder();
    let store = open(&path);
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                store.record(vec![keyed(event("s", 0, tool("Bash")), "same")]).await.unwrap()
            })
        })
        .collect();
    let mut rows = 0;
    for task in tasks {
        rows += usize::from(matches!(task.await.unwrap()[..], [Recorded::Stored { .. }]));
    }
    let counts = store.counts().await.unwrap();
    assert_eq!((rows, counts.stored, counts.duplicates, counts.sessions), (1, 1, 9, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn e1_a_lock_held_elsewhere_is_waited_for() {
    let (_folder, path) = folder();
    let store = open(&path);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.set_setting("a", "b").await }
    });
    // Reads go on while the writer waits.
    assert_eq!(store.setting("a").await.unwrap(), None);
    assert!(!writing.is_finished());
    other.execute_batch("COMMIT").unwrap();
    writing.await.unwrap().unwrap();
    assert_eq!(store.setting("a").await.unwrap().as_deref(), Some("b"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_failing_write_spoils_no_neighbour() {
    let (_folder, path) = folder();
    let store = open(&path);
    let (job, _) = claimed_turn(&store, "s").await;
    let missing = afterword_store::contract::Job { id: 404, ..job };
    let mut tasks = Vec::new();
    for n in 0..40 {
        let (store, missing) = (Arc::clone(&store), missing.clone());
        tasks.push(tokio::spawn(async move {
            if n % 2 == 0 {
                store.set_setting(&n.to_string(), "kept").await.is_ok()
            } else {
                matches!(store.fail_job(&missing, "x", t(0)).await, Err(Error::NotFound("job")))
            }
        }));
    }
    for task in tasks {
        assert!(task.await.unwrap());
    }
    for n in (0..40).step_by(2) {
        assert_eq!(store.setting(&n.to_string()).await.unwrap().as_deref(), Some("kept"));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn f7_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = folder();
    let store = open(&path);
    store.set_setting("a", "b").await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert!(path.with_file_name("afterword.db-wal").exists());
}

#[tokio::test]
async fn k12_a_restart_finds_the_same() {
    let (_folder, path) = folder();
    let store = open(&path);
    let (job, last) = claimed_turn(&store, "s").await;
    store.save_turn(outcome(&job, last, vec![finding("a", "alpha", &[last])])).await.unwrap();
    let before = (found(&store, "alpha").await, store.counts().await.unwrap().rows);
    assert_eq!(before.0.len(), 1);
    drop(store);
    assert!(!path.with_file_name("afterword.db-wal").exists(), "closing brings the log in");
    let store = open(&path);
    assert_eq!((found(&store, "alpha").await, store.counts().await.unwrap().rows), before);
}

#[tokio::test]
async fn e7_what_was_written_is_found_though_nothing_was_closed() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    let memory = remember(&store, project.id, "survives", 0).await;
    let copy = path.with_file_name("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(path.with_file_name("afterword.db-wal"), path.with_file_name("copy.db-wal"))
        .unwrap();
    let after_crash = open(&copy);
    let expected = [PublicId::new(Kind::Memory, memory.id)];
    assert_eq!(found(&after_crash, "survives").await, expected);
    assert_eq!(after_crash.check().await.unwrap(), [""; 0]);
}

/// Breaks the index of a store with two memories behind its back.
async fn damaged(path: &Path, how: &str) -> (Any, i64) {
    let store = open(path);
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "first words", 0).await;
    let second = remember(&store, project.id, "second words", 1).await;
    drop(store);
    let db = Connection::open(path).unwrap();
    let store = open(path);
    db.execute_batch(how).unwrap();
    (store, second.id)
}

#[tokio::test]
async fn e6_a_damaged_index_is_told_and_made_again() {
    for how in [
        "DELETE FROM search_index_data WHERE id > 10",
        "DELETE FROM search_index_docsize WHERE id = 1",
        "DELETE FROM search_index_docsize",
    ] {
        let (_folder, path) = folder();
        let (store, second) = damaged(&path, how).await;
        let problems = store.check().await.unwrap();
        assert_eq!(problems.len(), 1, "{how}: {problems:?}");
        assert!(problems[0].contains("made again from 2 rows"), "{problems:?}");
        assert_eq!(store.check().await.unwrap(), [""; 0], "{how}");
        assert_eq!(found(&store, "words").await.len(), 2, "{how}");
        let id = PublicId::new(Kind::Memory, second);
        assert_eq!(store.forget(Scope::All, &[id], t(2)).await.unwrap(), [id], "{how}");
        assert_eq!(found(&store, "words").await.len(), 1, "{how}");
    }
}

#[tokio::test]
async fn e6_an_unusable_index_is_made_again_at_open() {
    for how in [
        "DELETE FROM search_index_docsize WHERE id = 2",
        "DELETE FROM search_index_data",
        "DROP TABLE search_index",
        "DROP TABLE search_index_data",
        "DROP TABLE search_index_config",
    ] {
        let (_folder, path) = folder();
        let (store, _) = damaged(&path, how).await;
        drop(store);
        let store = open(&path);
        assert_eq!(found(&store, "words").await.len(), 2, "{how}");
        assert_eq!(store.check().await.unwrap(), [""; 0], "{how}");
    }
}

#[tokio::test]
async fn e2_a_lost_column_is_told_and_put_back_at_open() {
    let (_folder, path) = folder();
    let store = open(&path);
    let db = Connection::open(&path).unwrap();
    db.execute_batch("ALTER TABLE observations DROP COLUMN subtitle").unwrap();
    let problems = store.check().await.unwrap();
    assert_eq!(problems, ["the table observations lacks the column subtitle"]);
    let (job, last) = claimed_turn(&store, "s").await;
    let turn = outcome(&job, last, vec![finding("a", "alpha", &[])]);
    assert!(store.save_turn(turn.clone()).await.is_err(), "loud, not silent");
    drop((store, db));
    let store = open(&path);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
    assert_eq!(store.save_turn(turn).await.unwrap().new_observations.len(), 1);
}

#[tokio::test]
async fn wrong_counters_are_told_and_counted_again() {
    let (_folder, path) = folder();
    let store = open(&path);
    claimed_turn(&store, "s").await;
    let db = Connection::open(&path).unwrap();
    db.execute_batch("UPDATE counters SET value = 77 WHERE name = 'events.waiting'").unwrap();
    let problems = store.check().await.unwrap();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("events.waiting said 77, there are 2"), "{problems:?}");
    assert_eq!(store.counts().await.unwrap().waiting, 2);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn deleting_a_session_takes_its_children_along() {
    let (_folder, path) = folder();
    let store = open(&path);
    let (job, last) = claimed_turn(&store, "gone").await;
    store.save_turn(outcome(&job, last, vec![finding("a", "alpha", &[last])])).await.unwrap();
    store.record(vec![event("stays", 0, prompt("words that stay"))]).await.unwrap();
    let db = Connection::open(&path).unwrap();
    let name = SessionName { agent: AGENT.into(), agent_session_id: "gone".into() };
    store.note_file_given(&name, "a.rs", &[]).await.unwrap();
    db.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM sdk_sessions WHERE id = 1").unwrap();
    assert!(!store.file_given(&name, "a.rs").await.unwrap());
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.stored, counts.indexed, counts.sessions), (1, 1, 1));
    assert!(found(&store, "alpha").await.is_empty());
    assert_eq!(found(&store, "stay").await.len(), 1);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn what_is_no_database_is_an_error_and_stays() {
    let (_folder, path) = folder();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = b"this is a letter to a friend and no database at all, whatever its name".repeat(90);
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(Error::Corrupt(_))));
    assert_eq!(std::fs::read(&path).unwrap(), text);
    let blocked = path.join("below").join("afterword.db");
    assert!(matches!(SqliteStore::open(&blocked), Err(Error::Unwritable(_))));
}

#[tokio::test]
async fn e8_a_checkpoint_empties_the_log() {
    let (_folder, path) = folder();
    let store = open(&path);
    for n in 0..20 {
        store.set_setting(&n.to_string(), &"x".repeat(10_000)).await.unwrap();
    }
    let log = path.with_file_name("afterword.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 100_000);
    store.checkpoint().await.unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);
}

/// Everything the files of a database hold.
fn bytes_on_disk(path: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        // The shared memory of the log holds page numbers only.
        if !file.to_string_lossy().ends_with("-shm") {
            all.extend(std::fs::read(file).unwrap());
        }
    }
    all
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
}

async fn sweep(store: &Any) {
    while store.sweep_forgotten().await.unwrap() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_nothing_of_a_forgotten_text_stays_in_the_files() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    let long = "xylophoneprime ".repeat(2_000);
    for n in 0..60 {
        remember(&store, project.id, &format!("ordinary words number {n}"), n).await;
    }
    let memory = remember(&store, project.id, &format!("the plan zebracanary {long}"), 70).await;
    for n in 100..160 {
        remember(&store, project.id, &format!("more ordinary words {n}"), n).await;
    }
    let secret = event("s", 0, prompt("please use quokkacanary for the login"));
    store.record(vec![secret]).await.unwrap();
    let mut use_of_it = event("s", 1, tool("Bash"));
    use_of_it.digest.command = "login --with wombatcanary".to_owned();
    if let EventBody::ToolUse { tool } = &mut use_of_it.event.body {
        tool.command = Some("login --with wombatcanary".to_owned());
    }
    let mut shared = event("s", 2, tool("Bash"));
    shared.digest.command = "sharedevidence".to_owned();
    let recorded = store.record(vec![use_of_it, shared]).await.unwrap();
    let ids: Vec<i64> = recorded
        .iter()
        .map(|r| match r {
            Recorded::Stored { event_id, .. } => *event_id,
            other => panic!("{other:?}"),
        })
        .collect();
    let job = store.claim_job(t(10_000)).await.unwrap().unwrap();
    let found = vec![finding("a", "used wombatcanary", &ids), finding("b", "kept", &ids[1..])];
    let saved = store.save_turn(outcome(&job, ids[1], found)).await.unwrap();
    let before = store.counts().await.unwrap();
    let canaries = ["zebracanary", "xylophoneprime", "quokkacanary", "wombatcanary"];
    let bytes = bytes_on_disk(&path);
    for canary in canaries {
        assert!(holds(&bytes, canary), "{canary} was there");
    }
    let prompt_id = store.recent_prompts(Scope::All, 1).await.unwrap()[0].id;
    let forgotten = [
        PublicId::new(Kind::Memory, memory.id),
        PublicId::new(Kind::Observation, saved.new_observations[0]),
        PublicId::new(Kind::Prompt, prompt_id),
    ];
    assert_eq!(store.forget(Scope::All, &forgotten, t(20_000)).await.unwrap(), forgotten);
    sweep(&store).await;
    let bytes = bytes_on_disk(&path);
    for canary in canaries {
        assert!(!holds(&bytes, canary), "{canary} is still in the files");
    }
    assert!(holds(&bytes, "sharedevidence"), "another row rests on it");
    let after = store.counts().await.unwrap();
    assert_eq!((after.received, after.stored), (before.received, before.stored));
    assert_eq!(found_words(&store).await, 120);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
    assert!(!store.sweep_forgotten().await.unwrap());
}

async fn found_words(store: &Any) -> usize {
    let query =
        KeywordQuery { terms: vec!["ordinary".to_owned()], limit: 500, ..KeywordQuery::default() };
    store.keyword(query).await.unwrap().total
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_a_sweep_that_was_interrupted_goes_on_after_a_restart() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    let memory = remember(&store, project.id, "zebracanary", 0).await;
    let id = PublicId::new(Kind::Memory, memory.id);
    // A reader keeps the log from being emptied.
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
    store.forget(Scope::All, &[id], t(1)).await.unwrap();
    sweep(&store).await;
    assert!(holds(&bytes_on_disk(&path), "zebracanary"), "the reader still sees it");
    drop((store, reader));
    let store = open(&path);
    sweep(&store).await;
    assert!(!holds(&bytes_on_disk(&path), "zebracanary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn e8_a_slow_reader_holds_nothing_up_and_the_log_stays_short() {
    let (_folder, path) = folder();
    let store = open(&path);
    let log = path.with_file_name("afterword.db-wal");
    let size = || std::fs::metadata(&log).unwrap().len();
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM settings").unwrap();
    let text = "x".repeat(400_000);
    let mut n = 0;
    while size() <= 24 << 20 {
        store.set_setting(&format!("k{}", n % 7), &format!("{n}{text}")).await.unwrap();
        n += 1;
    }
    reader.execute_batch("COMMIT").unwrap();
    let (mut most, mut written) = (0, 0);
    while written < 60 {
        store.set_setting(&format!("k{}", n % 7), &format!("{n}{text}")).await.unwrap();
        (n, written) = (n + 1, written + 1);
        most = if written > 20 { size().max(most) } else { 0 };
    }
    assert!(most <= 17 << 20, "{most} bytes of log without a reader in the way");
}

#[tokio::test(flavor = "multi_thread")]
async fn e6_an_index_that_breaks_while_open_is_made_again() {
    let (_folder, path) = folder();
    let (store, second) = damaged(&path, "DELETE FROM search_index_data WHERE id > 10").await;
    let id = PublicId::new(Kind::Memory, second);
    // The call that meets it fails and mends it; the next one finds a whole index.
    let mut failures = 0;
    failures += u8::from(store.forget(Scope::All, &[id], t(2)).await.is_err());
    store.forget(Scope::All, &[id], t(2)).await.unwrap();
    while store.sweep_forgotten().await.unwrap_or_else(|_| {
        failures += 1;
        true
    }) {
        assert!(failures < 2, "mended once");
    }
    assert_eq!(failures, 1);
    assert_eq!(found(&store, "words").await.len(), 1);
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "third words", 3).await;
    assert_eq!(found(&store, "words").await.len(), 2);
}

/// Flips bytes of a page that holds rows of events. The file must be closed.
fn flip_a_page(path: &Path) {
    let db = Connection::open(path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'events'";
    let page: i64 = db.query_row(sql, [], |row| row.get(0)).unwrap();
    let size: i64 = db.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    drop(db);
    let mut bytes = std::fs::read(path).unwrap();
    let start = usize::try_from((page - 1) * size).unwrap();
    for byte in &mut bytes[start..start + 64] {
        *byte ^= 0xA5;
    }
    std::fs::write(path, bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn e6_a_damaged_page_ends_all_writing_and_the_file_stays() {
    let (_folder, path) = folder();
    let store = open(&path);
    for n in 0..50 {
        store.record(vec![event("s", n, prompt("words"))]).await.unwrap();
    }
    drop(store);
    flip_a_page(&path);
    let before = std::fs::read(&path).unwrap();
    let store = open(&path);
    let told = store.check_pages().await.unwrap();
    assert!(!told.is_empty());
    let refused = store.record(vec![event("s", 99, prompt("words"))]).await;
    assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
    assert!(matches!(store.set_setting("a", "b").await, Err(Error::Corrupt(_))));
    assert_eq!(store.recent_prompts(Scope::All, 99).await.unwrap().len(), 50, "reading goes on");
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Met by a write instead of looked for.
    let store = open(&path);
    let refused = store.record(vec![event("s", 99, tool("Bash"))]).await;
    assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
    assert!(matches!(store.set_setting("a", "b").await, Err(Error::Corrupt(_))));
}

/// Databases of every schema that was ever in use, oldest first.
fn fixtures() -> Vec<(i64, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let version = path.file_stem()?.to_str()?.strip_prefix("schema-")?.parse().ok()?;
            Some((version, std::fs::read_to_string(&path).unwrap()))
        })
        .collect();
    found.sort();
    found
}

fn schema_of(path: &Path) -> Vec<String> {
    let db = Connection::open(path).unwrap();
    let mut list = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    list.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Every row of every ordinary table, as text.
fn contents(path: &Path) -> BTreeMap<String, Vec<String>> {
    let db = Connection::open(path).unwrap();
    let mut list = db
        .prepare(
            "SELECT name FROM pragma_table_list
             WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        )
        .unwrap();
    let tables: Vec<String> =
        list.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let all = |table: &String| -> Vec<String> {
        let mut rows = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let values: Vec<_> =
                (0..columns).map(|n| format!("{:?}", row.get_ref(n).unwrap())).collect();
            Ok(values.join("|"))
        };
        rows.query_map([], text).unwrap().map(Result::unwrap).collect()
    };
    tables.iter().map(|table| (table.clone(), all(table))).collect()
}

#[tokio::test]
async fn e12_a_database_of_any_schema_comes_up_whole_and_twice_is_once() {
    let (_fresh_folder, fresh) = folder();
    drop(open(&fresh));
    let fixtures = fixtures();
    let newest = Connection::open(&fresh)
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        .unwrap();
    let versions: Vec<i64> = fixtures.iter().map(|(version, _)| *version).collect();
    assert_eq!(versions, (1..=newest).collect::<Vec<_>>(), "every schema has a fixture");
    for (version, dump) in fixtures {
        let (_folder, path) = folder();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        Connection::open(&path).unwrap().execute_batch(&dump).unwrap();
        let before = contents(&path);
        // Only the first schema had no index, which the store cannot make by itself.
        let unindexed = if version == 1 { 4 } else { 0 };
        assert_comes_up_whole(&path, version, unindexed).await;
        let after = contents(&path);
        for (table, rows) in before.iter().filter(|(table, _)| *table != "counters") {
            assert!(!rows.is_empty() || after[table].is_empty(), "{table} from {version}");
            assert_eq!(after[table].len(), rows.len(), "{table} from {version}");
        }
        assert_comes_up_whole(&path, version, 0).await;
        assert_eq!(contents(&path), after, "twice is once, from {version}");
        assert_eq!(schema_of(&path), schema_of(&fresh), "from {version}");
        let copy = path.with_file_name(format!("afterword.db.schema-{version}.bak"));
        assert_eq!(copy.exists(), version < newest);
        if version < newest {
            assert_eq!(contents(&copy), before, "the copy is what was there");
        }
    }
}

/// Opens a fixture's database, brings in what is not indexed, and looks for all that it held.
async fn assert_comes_up_whole(path: &Path, version: i64, unindexed: usize) {
    let store = open(path);
    let missing = store.unindexed(99).await.unwrap();
    assert_eq!(missing.len(), unindexed, "from {version}: {missing:?}");
    let doc = || IndexDoc { text: "lighthous".to_owned(), ..IndexDoc::default() };
    store.index_rows(missing.into_iter().map(|id| (id, doc())).collect()).await.unwrap();
    assert_eq!(store.unindexed(99).await.unwrap(), []);
    assert_eq!(store.check().await.unwrap(), [""; 0], "from {version}");
    assert_eq!(found(&store, "lighthous").await.len(), 4, "from {version}");
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.received, counts.stored, counts.waiting), (2, 2, 1), "from {version}");
    assert_eq!((counts.rows["prompt"], counts.rows["memory"], counts.indexed), (1, 1, 4));
    assert_eq!(store.evidence(1).await.unwrap().len(), 1, "from {version}");
    let left = store.trim_payloads(PayloadLimits::default()).await.unwrap().left;
    assert!(left > 0, "from {version}");
    assert_eq!(store.setting("kept").await.unwrap().as_deref(), Some("yes"));
}

#[tokio::test]
async fn e5_rows_that_point_nowhere_come_up_too_and_are_told() {
    let (_folder, path) = folder();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let (_, dump) = fixtures().remove(0);
    let db = Connection::open(&path).unwrap();
    db.execute_batch(&dump).unwrap();
    db.execute_batch(
        "PRAGMA foreign_keys = OFF;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO observations (uid, session_id, project_id, title)
         SELECT 'orphan-' || i, 4000 + i, 1, 'orphan' FROM n;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO events (session_id, dedupe_key) SELECT 4000 + i, 'orphan-' || i FROM n",
    )
    .unwrap();
    drop(db);
    let store = open(&path);
    let db = Connection::open(&path).unwrap();
    let count = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        db.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!((count("observations"), count("events"), count("event_payloads")), (101, 102, 102));
    let problems = store.check().await.unwrap();
    assert!(problems.iter().any(|p| p.contains("does not exist")), "{problems:?}");
}

/// Makes this many sessions, each with ten turns that wait.
fn with_waiting_jobs(path: &Path, sessions: i64) {
    drop(open(path));
    let db = Connection::open(path).unwrap();
    db.execute_batch(&format!(
        "BEGIN; INSERT INTO projects (id, uid, name) VALUES (1, 'p', 'p');
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {sessions})
         INSERT INTO sdk_sessions (id, uid, agent, agent_session_id, project_id)
         SELECT i, 's' || i, 'a', 's' || i, 1 FROM n;
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {sessions} * 10 - 1)
         INSERT INTO jobs (session_id, prompt_number, run_after) SELECT i / 10 + 1, i % 10, i FROM n;
         COMMIT; PRAGMA wal_checkpoint(TRUNCATE)"
    ))
    .unwrap();
}

/// What a daemon does before it can work: open, take up what was claimed, claim.
async fn until_the_first_turns(path: &Path) -> std::time::Duration {
    let started = std::time::Instant::now();
    let store = open(path);
    assert_eq!(store.release_claimed_jobs().await.unwrap(), 0);
    for _ in 0..20 {
        assert!(store.claim_job(t(0)).await.unwrap().is_some());
    }
    assert!(store.next_job_at().await.unwrap().is_some());
    started.elapsed()
}

#[tokio::test]
async fn i9_a_million_waiting_turns_start_like_ten_thousand() {
    let (_small_folder, small) = folder();
    with_waiting_jobs(&small, 1_000);
    let (_large_folder, large) = folder();
    with_waiting_jobs(&large, 100_000);
    let (few, many) = (until_the_first_turns(&small).await, until_the_first_turns(&large).await);
    assert!(many < few * 10, "{few:?} with 10,000 turns, {many:?} with 1,000,000");
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_nothing_of_a_forgotten_rows_vectors_stays_in_the_files() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    for n in 0..40 {
        remember(&store, project.id, &format!("words {n}"), n).await;
    }
    let space = store.open_space("m", 800).await.unwrap();
    let rows = store.rows_without_vectors(space, 99).await.unwrap();
    let vector = |n: usize| format!("<vector {n}>").repeat(60).into_bytes();
    let all = rows.iter().enumerate().map(|(n, row)| RowVectors {
        key: row.key,
        version: row.version,
        vectors: vec![vector(n), vector(n + 1000)],
    });
    assert_eq!(store.save_vectors(space, all.collect()).await.unwrap(), 40);
    assert!(holds(&bytes_on_disk(&path), "<vector 1007>"));
    store.forget(Scope::All, &[rows[7].row.id], t(99)).await.unwrap();
    sweep(&store).await;
    let left = bytes_on_disk(&path);
    assert!(!holds(&left, "<vector 7>") && !holds(&left, "<vector 1007>"));
    assert!(holds(&left, "<vector 8>"));
    drop(store);
    let store = open(&path);
    assert_eq!(store.vectors(space, 0, 99).await.unwrap().len(), 39, "the rest is kept");
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn who_is_too_far_behind_is_told_to_read_all_vectors_again() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "words", 0).await;
    let space = store.open_space("m", 4).await.unwrap();
    let row = store.rows_without_vectors(space, 9).await.unwrap().remove(0);
    let save = || {
        let vectors = vec![vec![1; 4]];
        store.save_vectors(space, vec![RowVectors { key: row.key, version: row.version, vectors }])
    };
    save().await.unwrap();
    let db = Connection::open(&path).unwrap();
    db.execute_batch("UPDATE vector_changes SET seq = seq + 49999").unwrap();
    db.execute_batch("UPDATE sqlite_sequence SET seq = 50000 WHERE name = 'vector_changes'")
        .unwrap();
    drop(db);
    save().await.unwrap();
    save().await.unwrap();
    assert!(store.vector_changes(space, 49_998).await.unwrap().lost);
    let known = store.vector_changes(space, 50_000).await.unwrap();
    assert_eq!((known.lost, known.seq, known.rows.len()), (false, 50_002, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i1_two_processes_keep_one_cap() {
    use afterword_store::contract::{NewSpend, Reserved, SpendLimits, SpendStore as _};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("afterword.db");
    let stores = [0, 1].map(|_| Arc::new(SqliteStore::open(&path).unwrap()));
    let limits = SpendLimits { tokens: 100, cost: None, session_tokens: 100, backlog_tokens: 0 };
    let call = NewSpend {
        at: t(0),
        provider: "p".to_owned(),
        model: "m".to_owned(),
        purpose: "turn".to_owned(),
        project_id: None,
        session_id: None,
        input_tokens: 5,
        output_tokens: 2,
        cost: None,
        backlog: false,
    };
    let asked = (0..40).map(|n: usize| {
        let (store, call) = (Arc::clone(&stores[n % 2]), call.clone());
        tokio::spawn(async move { store.reserve_spend(&call, &limits).await.unwrap() })
    });
    let mut let_through = 0;
    for answer in asked.collect::<Vec<_>>() {
        let_through += usize::from(matches!(answer.await.unwrap(), Reserved::Within(_)));
    }
    assert_eq!(let_through, 14, "14 times 7 is 98");
}

#[tokio::test]
async fn the_log_of_changes_is_bounded_and_its_numbers_go_on() {
    let (_folder, path) = folder();
    let store = open(&path);
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "first", 0).await;
    drop(store);
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10299)
         INSERT INTO live_changes (change, kind, subject, project_id) SELECT 'changed', 'memory', 1, 1 FROM n",
    )
    .unwrap();
    let kept: i64 =
        db.query_row("SELECT count(*) FROM live_changes", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 10_000);
    // Even where nothing is left the numbers go on.
    db.execute("DELETE FROM live_changes", []).unwrap();
    drop(db);
    let store = open(&path);
    assert_eq!(store.live_changes(None, 9).await.unwrap().last, 10_300);
    remember(&store, project.id, "second", 1).await;
    let log = store.live_changes(Some(10_300), 9).await.unwrap();
    assert_eq!(log.changes.iter().map(|change| change.id).collect::<Vec<_>>(), [10_301]);
    assert!(store.live_changes(Some(10_299), 9).await.unwrap().lost);
}
