//! One happening is one row, and work belongs to one project, whatever the surroundings look like.

use std::fs;
use std::path::Path;

use afterword_testkit::{Outcome, Payload, Sandbox};
use serde_json::{Value, json};

use crate::remember::{context_of, first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// The same payload as an agent sends it that has no id for a turn.
fn without_ids(payload: Payload) -> Payload {
    payload.without("prompt_id").without("tool_use_id")
}

/// Every row of an export.
fn exported(sandbox: &Sandbox) -> Vec<Value> {
    let out = sandbox.afterword(&["export"]).success().stdout;
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn n(status: &Value, name: &str) -> u64 {
    status[name].as_u64().unwrap()
}

#[test]
fn g2_hooks_registered_twice_have_a_single_effect() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let before = settle(&sandbox);
    let session = [
        Payload::session_start("startup"),
        Payload::prompt("Is the journal of the retry queue compacted at start?"),
        Payload::bash("cargo test journal", &Outcome::ok("ok")),
        Payload::pre_compact("manual"),
        Payload::stop("It is not. Decision: compact the journal before the queue is read."),
        Payload::session_end("other"),
    ];
    let count = session.len() as u64;
    let mut blocks = 0;
    for (n, payload) in session.into_iter().enumerate() {
        let payload = if n == 2 { payload } else { without_ids(payload) }.session("twice");
        let replies = std::thread::scope(|scope| {
            [(); 2]
                .map(|()| scope.spawn(|| sandbox.send(&payload).success().stdout))
                .map(|hook| hook.join().unwrap())
        });
        blocks += u32::from(n == 0 && replies.iter().filter(|r| !r.is_empty()).count() == 1);
        assert!(replies.iter().any(String::is_empty), "answered twice: {replies:?}");
    }
    assert_eq!(blocks, 1, "exactly one of both is given the block");
    let after = settle(&sandbox);
    assert_eq!(n(&after, "stored") - n(&before, "stored"), count, "{after}");
    assert_eq!(n(&after, "duplicates") - n(&before, "duplicates"), count, "{after}");
    assert_eq!(after["rows"]["snapshot"].as_u64().unwrap(), 1, "{after}");
}

#[test]
fn g1_what_is_said_and_done_again_is_kept_again() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    for _ in 0..3 {
        for payload in [
            Payload::prompt("continue"),
            Payload::edit("src/a.rs", "a", "b"),
            Payload::stop("Done: the next part of the parser is written and its tests pass."),
        ] {
            sandbox.send(&without_ids(payload).session("s")).success();
        }
    }
    let status = settle(&sandbox);
    assert_eq!((n(&status, "stored"), n(&status, "duplicates")), (9, 0), "{status}");
    assert_eq!(status["rows"]["prompt"], 3);
}

#[test]
fn g1_a_hook_that_timed_out_and_spooled_is_one_row() {
    let sandbox = Sandbox::new(BIN);
    let lock = sandbox.keep_daemon_away();
    sandbox.send(&without_ids(Payload::prompt("Once and only once")).session("s")).success();
    let spool = sandbox.data().join("spool");
    let file = fs::read_dir(&spool)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().ends_with(".event.json"))
        .unwrap();
    let bytes = fs::read(&file).unwrap();
    drop(lock);
    sandbox.start_daemon();
    settle(&sandbox);
    // Something comes between, and then the same report once more.
    sandbox.send(&Payload::edit("src/a.rs", "a", "b").session("s")).success();
    fs::write(&file, bytes).unwrap();
    sandbox.send(&Payload::edit("src/b.rs", "a", "b").session("s")).success();
    let status = settle(&sandbox);
    assert_eq!((n(&status, "stored"), n(&status, "duplicates")), (3, 1), "{status}");
}

#[test]
fn g3_twenty_stops_are_twenty_turns_and_one_session_summary() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let send = |payload: Payload| sandbox.send(&without_ids(payload).session("long")).success();
    for turn in 0..20 {
        send(Payload::prompt(&format!("Write part {turn} of the exporter")));
        send(Payload::edit(&format!("src/part_{turn}.rs"), "a", "b"));
        let stop = Payload::stop(&format!("Part {turn} of the exporter streams its rows now."));
        send(stop.clone());
        send(stop);
    }
    settle(&sandbox);
    let rows = exported(&sandbox);
    let of_level = |level: &str| {
        let fits = |row: &&Value| row["kind"] == "summary" && row["content"]["level"] == level;
        rows.iter().filter(fits).count()
    };
    assert_eq!(of_level("session"), 1);
    assert_eq!(of_level("turn"), 20);
    let start = Payload::session_start("startup").session("next");
    let block = context_of(&sandbox.send(&start).success().stdout);
    assert!(block.contains("exporter"), "{block}");
}

#[test]
fn g8_a_forked_session_brings_only_what_is_new() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let line = |kind: &str, n: usize, text: &str| {
        json!({"type": kind, "uuid": format!("u{n}"), "sessionId": "b", "isSidechain": false,
               "timestamp": "2026-01-02T03:04:05.000Z",
               "message": {"id": format!("m{n}"), "role": kind,
                           "content": [{"type": "text", "text": text}]}})
        .to_string()
    };
    let send = |session: &str, payload: Payload| {
        sandbox.send(&payload.session(session)).success();
    };
    let said = "The old way of paging was kept for the first release of the exporter.";
    send("a", without_ids(Payload::prompt("How is paging done?")));
    send("a", without_ids(Payload::stop(said)));
    let before = settle(&sandbox);
    // The fork's log holds the history under the new id, then its own answer.
    let log = sandbox.root().join("b.jsonl");
    let new = "Paging by cursor replaces paging by offset in the fork of the exporter.";
    let lines = [
        line("user", 0, "How is paging done?"),
        line("assistant", 1, said),
        line("user", 2, "Try paging by cursor"),
        line("assistant", 3, new),
    ];
    fs::write(&log, lines.join("\n") + "\n").unwrap();
    let told = |payload: Payload| payload.with("transcript_path", json!(log.display().to_string()));
    send("b", told(Payload::session_start("fork")));
    send("b", told(without_ids(Payload::prompt("Try paging by cursor"))));
    send("b", told(without_ids(Payload::stop("")).without("last_assistant_message")));
    let after = settle(&sandbox);
    assert_eq!(n(&after, "stored") - n(&before, "stored"), 3, "{after}");
    let rows = exported(&sandbox);
    let holding = |text: &str, session: &str| {
        let fits = |row: &&Value| row["session"] == session && row.to_string().contains(text);
        rows.iter().filter(fits).count()
    };
    assert!(holding("by cursor replaces", "b") > 0, "{rows:#?}");
    assert_eq!(holding("The old way of paging", "b"), 0, "{rows:#?}");
}

/// Says something in a folder, so that its project remembers it.
fn say(sandbox: &Sandbox, folder: &Path, word: &str) {
    let payload = Payload::prompt(&format!("Please look into {word} today")).cwd(folder);
    sandbox.send(&payload.session(&format!("session-{word}"))).success();
}

/// Whether the project of a folder remembers a word.
fn remembers(sandbox: &Sandbox, folder: &Path, word: &str) -> bool {
    remembers_as(sandbox, folder, word, None)
}

fn remembers_as(sandbox: &Sandbox, folder: &Path, word: &str, project: Option<&str>) -> bool {
    let mut command = sandbox.command(sandbox.binary());
    command.current_dir(folder).args(["search", word, "--json"]);
    if let Some(project) = project {
        command.env("AFTERWORD_PROJECT", project);
    }
    sandbox.run(command, b"").success().json()["total"].as_u64() > Some(0)
}

fn folder(sandbox: &Sandbox, path: &str) -> std::path::PathBuf {
    let folder = sandbox.project().parent().unwrap().join(path);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn h2_worktrees_share_the_memory_and_a_deleted_one_leaves_it() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let main = sandbox.project();
    drop(sandbox.git(main, &["worktree", "add", "-q", "-b", "topic", "../wt"]));
    let worktree = main.with_file_name("wt");
    say(&sandbox, &worktree, "walrus");
    say(&sandbox, main, "marmot");
    settle(&sandbox);
    assert!(remembers(&sandbox, main, "walrus") && remembers(&sandbox, &worktree, "marmot"));
    drop(sandbox.git(main, &["worktree", "remove", "--force", "../wt"]));
    // The session in it goes on: its project is pinned.
    let payload = Payload::prompt("Please look into otters today").cwd(&worktree);
    sandbox.send(&payload.session("session-walrus")).success();
    settle(&sandbox);
    assert!(remembers(&sandbox, main, "walrus") && remembers(&sandbox, main, "otters"));
}

#[test]
fn h3_a_submodule_belongs_to_the_repository_around_it() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let (main, leaf) = (sandbox.project(), sandbox.another_project("leaf"));
    let allow = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", leaf.to_str().unwrap(), "deps/leaf"];
    drop(sandbox.git(main, &[&allow[..], &add[..]].concat()));
    say(&sandbox, &main.join("deps/leaf"), "walrus");
    say(&sandbox, main, "marmot");
    settle(&sandbox);
    assert!(remembers(&sandbox, main, "walrus"));
    assert!(remembers(&sandbox, &main.join("deps/leaf"), "marmot"));
    assert!(!remembers(&sandbox, &leaf, "walrus"), "the leaf's own repository is another project");
}

#[test]
fn h1_h5_folders_of_one_name_without_git_stay_apart() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let (work, play) = (folder(&sandbox, "work/api"), folder(&sandbox, "play/api"));
    say(&sandbox, &work, "walrus");
    settle(&sandbox);
    assert!(remembers(&sandbox, &work, "walrus"), "capture and read agree");
    assert!(!remembers(&sandbox, &play, "walrus"));
    drop(sandbox.git(&work, &["init", "-q"]));
    assert!(remembers(&sandbox, &work, "walrus"), "h4: also when it becomes a repository");
}

#[test]
fn h6_h7_a_session_keeps_its_project_wherever_its_shell_goes() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let elsewhere = sandbox.another_project("elsewhere");
    sandbox.send(&Payload::session_start("startup").session("s")).success();
    sandbox.send(&Payload::prompt("Look into the walrus").session("s")).success();
    for (at, name) in [(elsewhere.as_path(), "otter"), (Path::new("/"), "marmot")] {
        let payload = Payload::edit(&format!("src/{name}.rs"), "a", "b").session("s");
        sandbox.send(&payload.cwd(at)).success();
    }
    let mut bare = Payload::edit("src/heron.rs", "a", "b").session("s").json(Path::new("/"));
    let fields = bare.as_object_mut().unwrap();
    fields.remove("cwd");
    fields.remove("transcript_path");
    sandbox.hook("post-tool-use", &bare).success();
    settle(&sandbox);
    for name in ["walrus", "otter", "marmot", "heron"] {
        assert!(remembers(&sandbox, sandbox.project(), name), "{name}");
        assert!(!remembers(&sandbox, &elsewhere, name), "{name}");
    }
}

#[test]
fn h8_home_is_a_place_of_its_own() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let home = sandbox.home().to_owned();
    drop(sandbox.git(&home, &["init", "-q"]));
    let notes = home.join("notes");
    fs::create_dir_all(&notes).unwrap();
    say(&sandbox, &home, "walrus");
    say(&sandbox, &notes, "marmot");
    settle(&sandbox);
    assert!(remembers(&sandbox, &home, "walrus") && remembers(&sandbox, &notes, "marmot"));
    assert!(!remembers(&sandbox, &notes, "walrus") && !remembers(&sandbox, &home, "marmot"));
}

#[test]
#[cfg(unix)]
fn d4_d13_links_case_and_length_of_a_path() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let real = folder(&sandbox, "plain/real");
    let link = real.with_file_name("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    say(&sandbox, &link, "walrus");
    // 260 characters are the limit of old Windows programs; four of these are far beyond it.
    let deep = folder(&sandbox, &["a-rather-long-folder-name-".repeat(3).as_str(); 4].join("/"));
    assert!(deep.as_os_str().len() > 260);
    say(&sandbox, &deep, "marmot");
    let (upper, lower) = (folder(&sandbox, "case/Repo"), folder(&sandbox, "case/repo"));
    say(&sandbox, &upper, "heron");
    settle(&sandbox);
    assert!(remembers(&sandbox, &real, "walrus") && remembers(&sandbox, &deep, "marmot"));
    assert!(!remembers(&sandbox, deep.parent().unwrap(), "marmot"));
    assert!(remembers(&sandbox, &upper, "heron"));
    let one_folder = upper.canonicalize().unwrap() == lower.canonicalize().unwrap();
    assert_eq!(remembers(&sandbox, &lower, "heron"), one_folder, "as the file system sees it");
}

#[test]
fn h4_a_repository_that_is_renamed_and_moved_keeps_its_memory() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let old = sandbox.another_project("before");
    say(&sandbox, &old, "walrus");
    settle(&sandbox);
    let new = folder(&sandbox, "moved").join("after");
    fs::rename(&old, &new).unwrap();
    assert!(remembers(&sandbox, &new, "walrus"));
    say(&sandbox, &new, "marmot");
    settle(&sandbox);
    // It gets a remote, and later another address; the folder stays.
    for remote in ["https://example.com/team/after", "https://example.org/other/name"] {
        drop(sandbox.git(&new, &["config", "remote.origin.url", remote]));
        say(&sandbox, &new, if remote.contains("team") { "heron" } else { "otter" });
        settle(&sandbox);
        assert!(remembers(&sandbox, &new, "walrus"), "{remote}");
    }
    // Known by its remote now: a clone elsewhere has all of it.
    let clone = folder(&sandbox, "clone");
    drop(sandbox.git(&clone, &["init", "-q"]));
    drop(sandbox.git(&clone, &["config", "remote.origin.url", "git@example.com:team/after.git"]));
    for word in ["walrus", "marmot", "heron", "otter"] {
        assert!(remembers(&sandbox, &clone, word), "{word}");
    }
    assert!(!remembers(&sandbox, sandbox.project(), "walrus"));
}

#[test]
fn h9_a_name_that_was_given_decides() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let (one, two) = (sandbox.another_project("one"), sandbox.another_project("two"));
    for repository in [&one, &two] {
        fs::write(repository.join(".afterword.toml"), "project = \"suite\"\n").unwrap();
    }
    say(&sandbox, &one, "walrus");
    settle(&sandbox);
    assert!(remembers(&sandbox, &two, "walrus"), "both say that they are one project");
    assert!(!remembers(&sandbox, sandbox.project(), "walrus"));
    assert!(remembers_as(&sandbox, sandbox.project(), "walrus", Some("suite")));
    assert!(!remembers_as(&sandbox, &two, "walrus", Some("else")), "the variable goes first");
    let mut hook = sandbox.command(sandbox.binary());
    hook.args(["hook", "claude-code", "user-prompt-submit"]).env("AFTERWORD_PROJECT", "else");
    let payload = Payload::prompt("Please look into the heron today").session("s").json(&one);
    sandbox.run(hook, payload.to_string().as_bytes()).success();
    settle(&sandbox);
    assert!(remembers_as(&sandbox, sandbox.project(), "heron", Some("else")));
    assert!(!remembers(&sandbox, &one, "heron"));
}

#[test]
fn o1_two_terminals_that_are_cleared_go_on_each_by_itself() {
    let sandbox = Sandbox::new(BIN);
    sandbox.start_daemon();
    let send = |session: &str, payload: Payload| {
        sandbox.send(&payload.session(session)).success();
    };
    for side in ["left", "right"] {
        send(side, Payload::session_start("startup"));
        send(side, Payload::prompt(&format!("Work on the {side} side")));
    }
    send("left", Payload::session_end("clear"));
    send("right", Payload::edit("src/right.rs", "a", "b"));
    send("left-2", Payload::session_start("clear"));
    send("right", Payload::session_end("clear"));
    send("right-2", Payload::session_start("clear"));
    settle(&sandbox);
    sandbox.afterword(&["daemon", "stop"]).success();
    let store = afterword_store::sqlite::SqliteStore::open(&sandbox.data().join("afterword.db"));
    let store: std::sync::Arc<dyn afterword_store::Store> = std::sync::Arc::new(store.unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let conversation = |session: &str| {
        let found = runtime.block_on(store.find_session("claude-code", session)).unwrap();
        found.unwrap().conversation_id
    };
    assert_eq!(conversation("left-2"), conversation("left"));
    assert_eq!(conversation("right-2"), conversation("right"));
    assert_ne!(conversation("left"), conversation("right"));
}

#[test]
fn j2_what_was_given_is_not_given_again_after_a_restart() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    let ask = || {
        let text = "Why does the retry queue lose jobs when the process restarts?";
        let payload = without_ids(Payload::prompt(text)).session("asking");
        let reply = sandbox.send(&payload).success().stdout;
        let lines = reply.split("\\n- ").skip(1).filter_map(|line| line.split(' ').next());
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let mut given = ask();
    assert!(!given.is_empty(), "the first time it is answered");
    sandbox.send(&Payload::edit("src/a.rs", "a", "b").session("asking")).success();
    settle(&sandbox);
    sandbox.kill_daemon();
    sandbox.start_daemon();
    for n in 0..3 {
        let more = ask();
        assert!(more.iter().all(|id| !given.contains(id)), "{more:?} after {given:?}");
        given.extend(more);
        let edit = Payload::edit(&format!("src/b{n}.rs"), "a", "b").session("asking");
        sandbox.send(&edit).success();
    }
}
