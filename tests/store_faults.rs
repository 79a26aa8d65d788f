//! The database under faults: nothing is lost, and what is wrong is said.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use afterword_store::sqlite::faults::Faults;
use afterword_testkit::{Payload, Sandbox, eventually};
use serde_json::Value;

use crate::durability::assert_adds_up;
use crate::remember::settle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

fn edit(sandbox: &Sandbox, n: usize) {
    let payload = Payload::edit(&format!("src/file_{n}.rs"), "a", "b").session("s");
    let out = sandbox.send(&payload.tool_use_id(&format!("t{n}"))).success();
    assert_eq!((out.stdout.as_str(), out.stderr.as_str()), ("", ""), "never in the way");
}

fn database(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.data().join("afterword.db")
}

fn faults(sandbox: &Sandbox) -> Faults {
    Faults::of(&database(sandbox))
}

fn spooled(sandbox: &Sandbox) -> usize {
    let ending = |entry: &fs::DirEntry| entry.path().to_string_lossy().ends_with(".event.json");
    let Ok(entries) = fs::read_dir(sandbox.data().join("spool")) else { return 0 };
    entries.flatten().filter(ending).count()
}

/// A data folder with ten events, its daemon stopped and its log brought in.
fn stopped_with_ten(sandbox: &Sandbox) {
    sandbox.start_daemon();
    (0..10).for_each(|n| edit(sandbox, n));
    settle(sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
}

fn all_are_in(sandbox: &Sandbox, count: u64) -> Value {
    let status = settle(sandbox);
    assert_adds_up(&status);
    assert_eq!(status["stored"], count, "{status}");
    status
}

fn log(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.data().join("logs/daemon.log")).unwrap_or_default()
}

#[test]
fn e1_a_lock_that_another_process_holds_delays_and_loses_nothing() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    edit(&sandbox, 0);
    let held = faults(&sandbox).hold_writer();
    // Hooks get their 150 ms each and go on: the events wait in the spool or in the daemon. Nine of
    // them take longer than a second; the lock is held until all have come back.
    (1..10).for_each(|n| edit(&sandbox, n));
    assert!(spooled(&sandbox) > 0, "the daemon could not have stored them");
    drop(held);
    // The next hook that gets through says that something waits in the spool.
    edit(&sandbox, 10);
    all_are_in(&sandbox, 11);
}

#[test]
fn e8_a_slow_reader_holds_up_nothing() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    edit(&sandbox, 0);
    let held = faults(&sandbox).hold_reader();
    (1..20).for_each(|n| edit(&sandbox, n));
    all_are_in(&sandbox, 20);
    drop(held);
    sandbox.afterword(&["daemon", "stop"]).success();
    let log = sandbox.data().join("afterword.db-wal");
    assert!(!log.exists() || fs::metadata(log).unwrap().len() == 0);
}

#[test]
fn e3_a_newer_schema_is_refused_once_and_left_as_it_is() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    let version = faults(&sandbox).schema();
    faults(&sandbox).set_schema(999);
    let before = fs::read(database(&sandbox)).unwrap();
    (10..16).for_each(|n| edit(&sandbox, n));
    let refused = sandbox.afterword(&["daemon", "run"]);
    assert_ne!(refused.code, Some(0));
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("999") && said.contains("newer"), "{said}");
    let doctor = sandbox.afterword(&["doctor"]);
    assert_ne!(doctor.code, Some(0), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("newer") && doctor.stdout.contains("999"), "{}", doctor.stdout);
    assert_eq!(fs::read(database(&sandbox)).unwrap(), before, "not a byte");
    assert_eq!(spooled(&sandbox), 6);
    faults(&sandbox).set_schema(version);
    sandbox.start_daemon();
    all_are_in(&sandbox, 16);
}

#[test]
fn e2_a_column_that_got_lost_is_put_back() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    faults(&sandbox).drop_column("observations", "narrative");
    (10..13).for_each(|n| edit(&sandbox, n));
    sandbox.start_daemon();
    all_are_in(&sandbox, 13);
    assert!(log(&sandbox).contains("narrative"), "it is said: {}", log(&sandbox));
    let found = sandbox.afterword(&["search", "file_12", "--json"]).success().json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
}

#[test]
fn e6_a_broken_index_is_made_again() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    faults(&sandbox).break_index(true);
    sandbox.start_daemon();
    edit(&sandbox, 10);
    all_are_in(&sandbox, 11);
    let found = sandbox.afterword(&["search", "file_3", "--json"]).success().json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
    // And once more under a running daemon.
    faults(&sandbox).break_index(false);
    (11..14).for_each(|n| edit(&sandbox, n));
    all_are_in(&sandbox, 14);
    sandbox.afterword(&["daemon", "stop"]).success();
    sandbox.start_daemon();
    let found = sandbox.afterword(&["search", "file_13", "--json"]).success().json();
    assert!(found["total"].as_u64() > Some(0), "{found}");
}

#[test]
fn e6_a_damaged_page_is_said_and_nothing_more_is_written() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    let whole = fs::read(database(&sandbox)).unwrap();
    faults(&sandbox).flip_page("events");
    sandbox.start_daemon();
    eventually("the damage is found", Duration::from_mins(1), || {
        log(&sandbox).contains("is not written any more").then_some(())
    });
    assert_eq!(log(&sandbox).matches("is not written any more").count(), 1, "once");
    let damaged = fs::read(database(&sandbox)).unwrap();
    (10..15).for_each(|n| edit(&sandbox, n));
    assert_eq!(spooled(&sandbox), 5, "hooks keep what the daemon cannot");
    let doctor = sandbox.afterword(&["doctor"]);
    assert_ne!(doctor.code, Some(0));
    assert!(doctor.stdout.contains("repair.md"), "{}", doctor.stdout);
    sandbox.kill_daemon();
    assert_eq!(fs::read(database(&sandbox)).unwrap(), damaged, "the file stays as it is");
    // The remedy: a whole copy. What came meanwhile is taken in.
    for ending in ["-wal", "-shm"] {
        fs::remove_file(sandbox.data().join(format!("afterword.db{ending}"))).ok();
    }
    fs::write(database(&sandbox), whole).unwrap();
    sandbox.start_daemon();
    all_are_in(&sandbox, 15);
}

/// A daemon of the sandbox that a test starts with limits of its own.
struct Limited(Child);

impl Limited {
    fn start(sandbox: &Sandbox, limits: &str) -> Self {
        let mut command: Command = sandbox.command("sh");
        let script = format!("{limits}; exec \"$0\" daemon run");
        command.args(["-c", &script]).arg(sandbox.binary());
        let said = fs::File::create(sandbox.root().join("limited.log")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let daemon = Self(command.spawn().unwrap());
        sandbox.wait_for_daemon();
        daemon
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_full_disk_sends_events_to_the_spool_and_they_come_in_later() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    edit(&sandbox, 0);
    settle(&sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
    let size = fs::metadata(database(&sandbox)).unwrap().len();
    // No file of the daemon may grow beyond this: blocks of 512 bytes, a log's worth of room.
    let limit = format!("trap '' XFSZ; ulimit -f {}", (size + 300_000) / 512);
    let daemon = Limited::start(&sandbox, &limit);
    let text = "x".repeat(40_000);
    let send = |n: usize| {
        let payload = Payload::write(&format!("src/big_{n}.rs"), &text).session("s");
        sandbox.send(&payload.tool_use_id(&format!("b{n}"))).success();
    };
    let mut count = 0;
    while spooled(&sandbox) < 5 {
        send(count);
        count += 1;
        assert!(count < 200, "the limit was never reached");
    }
    drop(daemon);
    let said = fs::read_to_string(sandbox.root().join("limited.log")).unwrap();
    assert!(said.contains("cannot be written"), "{said}");
    sandbox.start_daemon();
    let status = all_are_in(&sandbox, count as u64 + 1);
    assert_eq!(status["spool_bad"], 0, "nothing was torn: {status}");
}

#[test]
fn a_database_that_cannot_be_opened_leaves_everything_to_the_spool() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    let aside = sandbox.data().join("aside.db");
    fs::rename(database(&sandbox), &aside).unwrap();
    fs::create_dir(database(&sandbox)).unwrap();
    (10..14).for_each(|n| edit(&sandbox, n));
    let refused = sandbox.afterword(&["daemon", "run"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("cannot be written"), "{}", refused.stderr);
    assert_eq!(spooled(&sandbox), 4);
    fs::remove_dir(database(&sandbox)).unwrap();
    fs::rename(&aside, database(&sandbox)).unwrap();
    sandbox.start_daemon();
    all_are_in(&sandbox, 14);
}

fn may(folder: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_data_folder_is_made_writable_where_it_is_ours_and_loses_nothing_where_not() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let sandbox = Sandbox::without_privileges(BIN);
    stopped_with_ten(&sandbox);
    let owner = fs::metadata(sandbox.data()).unwrap().uid();
    may(&sandbox.data(), 0o500);
    (10..14).for_each(|n| edit(&sandbox, n));
    sandbox.start_daemon();
    all_are_in(&sandbox, 14);
    sandbox.afterword(&["daemon", "stop"]).success();
    // Only root can give a folder away.
    if chown(sandbox.data(), Some(owner ^ 1), None).is_err() {
        return;
    }
    may(&sandbox.data(), 0o755);
    (14..17).for_each(|n| edit(&sandbox, n));
    assert_eq!(spooled(&sandbox), 3, "the spool folder is its own and can be written");
    let refused = sandbox.afterword(&["daemon", "run"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("data folder"), "{}", refused.stderr);
    assert_ne!(sandbox.afterword(&["doctor"]).code, Some(0));
    chown(sandbox.data(), Some(owner), None).unwrap();
    sandbox.start_daemon();
    all_are_in(&sandbox, 17);
}

#[test]
fn a_read_only_database_is_refused_and_what_comes_is_spooled() {
    let sandbox = Sandbox::without_privileges(BIN);
    stopped_with_ten(&sandbox);
    may(&database(&sandbox), 0o400);
    let before = fs::read(database(&sandbox)).unwrap();
    (10..13).for_each(|n| edit(&sandbox, n));
    let refused = sandbox.afterword(&["daemon", "run"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("cannot be written"), "{}", refused.stderr);
    assert_eq!((spooled(&sandbox), fs::read(database(&sandbox)).unwrap()), (3, before));
    may(&database(&sandbox), 0o600);
    sandbox.start_daemon();
    all_are_in(&sandbox, 13);
}

#[test]
fn a_spool_that_cannot_be_written_costs_what_came_meanwhile_and_is_told() {
    let sandbox = Sandbox::without_privileges(BIN);
    stopped_with_ten(&sandbox);
    let spool = sandbox.data().join("spool");
    let away = sandbox.keep_daemon_away();
    edit(&sandbox, 10);
    may(&spool, 0o500);
    (11..14).for_each(|n| edit(&sandbox, n));
    let start = sandbox.send(&Payload::session_start("startup").session("next")).success();
    assert!(start.json()["systemMessage"].as_str().unwrap().contains("cannot be kept"));
    may(&spool, 0o700);
    drop(away);
    sandbox.start_daemon();
    all_are_in(&sandbox, 11);
    let doctor = sandbox.afterword(&["doctor"]);
    assert!(doctor.stdout.contains("4 events could not be kept anywhere"), "{}", doctor.stdout);
}

/// Runs a hook that may let no file grow beyond this many blocks of 512 bytes.
fn edit_with_file_limit(sandbox: &Sandbox, n: usize, blocks: u32) {
    let payload = Payload::edit(&format!("src/file_{n}.rs"), "a", &"b".repeat(2_000)).session("s");
    let payload = payload.tool_use_id(&format!("t{n}")).json(sandbox.project());
    let mut hook = sandbox.command("sh");
    let script =
        format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" hook claude-code post-tool-use");
    hook.args(["-c", &script]).arg(sandbox.binary());
    let output = sandbox.run(hook, payload.to_string().as_bytes()).success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "never in the way");
}

#[test]
fn a_disk_that_is_full_for_the_spool_too_loses_only_what_came_then_and_tears_nothing() {
    let sandbox = Sandbox::new(BIN);
    stopped_with_ten(&sandbox);
    let away = sandbox.keep_daemon_away();
    edit(&sandbox, 10);
    // Half an event fits.
    edit_with_file_limit(&sandbox, 11, 2);
    edit_with_file_limit(&sandbox, 12, 0);
    edit(&sandbox, 13);
    assert_eq!(spooled(&sandbox), 2);
    drop(away);
    sandbox.start_daemon();
    let status = all_are_in(&sandbox, 12);
    assert_eq!(status["spool_bad"], 0, "nothing was torn: {status}");
    // The log of hooks was full as well; what could be noted is told.
    let doctor = sandbox.afterword(&["doctor"]);
    assert!(doctor.stdout.contains("could not be kept anywhere"), "{}", doctor.stdout);
}

#[test]
fn e12_an_older_schema_is_brought_up_to_date_and_a_copy_is_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/store/tests/fixtures");
    let older =
        (1..).map_while(|n| fs::read_to_string(folder.join(format!("schema-{n}.sql"))).ok());
    let dumps: Vec<String> = older.collect();
    assert!(dumps.len() >= 4);
    for (version, dump) in (1..dumps.len()).zip(&dumps) {
        let sandbox = Sandbox::new(BIN);
        fs::create_dir_all(sandbox.data()).unwrap();
        faults(&sandbox).load(dump);
        edit(&sandbox, 0);
        sandbox.start_daemon();
        let status = settle(&sandbox);
        assert_adds_up(&status);
        assert_eq!(status["stored"], 3, "{version}: {status}");
        assert!(sandbox.data().join(format!("afterword.db.schema-{version}.bak")).exists());
        for kind in ["prompt", "observation", "memory", "snapshot"] {
            let args = ["search", "lighthouse", "--all-projects", "--kind", kind, "--json"];
            let found = sandbox.afterword(&args).success().json();
            assert!(found["total"].as_u64() > Some(0), "the {kind} of {version} is found");
        }
    }
}
