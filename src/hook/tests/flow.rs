use std::path::PathBuf;
use std::process::Command;

use afterword_domain::Time;
use afterword_domain::event::StartSource;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::spool;
use serde_json::json;

use super::*;
use crate::config::Env;

const NOW: Time = Time::from_millis(1_796_000_000_123);

struct World {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
    config: fn(&mut Config),
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("home/.afterword");
        std::fs::create_dir_all(&data).unwrap();
        // The brake: no daemon is started from here.
        let brake = format!("{} 20 failed\n", NOW.millis());
        std::fs::write(data.join("daemon.starting"), brake).unwrap();
        let home = folder.path().join("home").display().to_string();
        Self { folder, variables: vec![("HOME", home)], config: |_| {} }
    }

    fn path(&self, name: &str) -> PathBuf {
        let path = self.folder.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// What one call leaves in the spool and prints.
    fn call(&self, args: &[&str], payload: &Value) -> (Vec<Event>, String) {
        let env = Env::from_lookup(|name| {
            self.variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone())
        });
        let (mut config, _) = Config::load(env);
        (self.config)(&mut config);
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut stdout = Vec::new();
        let source = io::Cursor::new(payload.to_string().into_bytes());
        run_with(&args, &config, &FixedClock(NOW), source, &mut stdout);
        let mut events = Vec::new();
        for entry in std::fs::read_dir(config.home.spool()).into_iter().flatten() {
            let path = entry.unwrap().path();
            events.push(spool::decode(&std::fs::read(&path).unwrap()).unwrap());
            std::fs::remove_file(path).unwrap();
        }
        (events, String::from_utf8(stdout).unwrap())
    }

    fn spooled(&self, event: &str, payload: &Value) -> Vec<Event> {
        self.call(&["claude-code", event], payload).0
    }
}

#[test]
fn an_event_is_what_was_said_with_an_id_a_time_and_a_project() {
    let world = World::new();
    let cwd = world.path("work/app");
    let payload = json!({
        "session_id": "a7e825ee-2255-4999-a6ea-f18d6d92c5b9", "cwd": cwd, "source": "clear",
        "model": "m", "transcript_path": "/t.jsonl"
    });
    let [event] = world.spooled("session-start", &payload).try_into().unwrap();
    assert_eq!((event.at, event.uid.get_version_num()), (NOW, 7));
    let (seconds, nanos) = event.uid.get_timestamp().unwrap().to_unix();
    assert_eq!(seconds * 1_000 + u64::from(nanos) / 1_000_000, NOW.millis().unsigned_abs());
    assert_eq!(event.agent, "claude-code");
    assert_eq!((event.project.name.as_str(), event.cwd.as_deref()), ("app", cwd.to_str()));
    assert_eq!(
        event.body,
        EventBody::SessionStart { source: StartSource::Clear, changed_files: Vec::new() }
    );
    let [again] = world.spooled("session-start", &payload).try_into().unwrap();
    assert_ne!(again.uid, event.uid);
}

#[test]
fn the_data_folder_itself_is_no_place_of_work() {
    let world = World::new();
    let payload = json!({"session_id": "s", "cwd": world.path("home/.afterword/observer")});
    assert_eq!(world.spooled("stop", &payload), []);
}

#[test]
fn a_tool_on_the_skip_list_is_not_worth_a_file() {
    let world = World::new();
    for (name, kept) in [("TodoWrite", 0), ("Bash", 1)] {
        let payload = json!({"session_id": "s", "tool_name": name, "tool_input": {"a": "b"}});
        assert_eq!(world.spooled("post-tool-use", &payload).len(), kept, "{name}");
    }
}

#[test]
fn h2_a_worktree_entered_in_a_session_keeps_the_project_and_gets_its_label() {
    let mut world = World::new();
    let main = world.path("repo");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=dev", "-c", "user.email=dev@example.com"]).args(args);
        assert!(command.current_dir(&main).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["worktree", "add", "-q", "-b", "side", ".claude/worktrees/wt"]);
    world.variables.push(("CLAUDE_PROJECT_DIR", main.display().to_string()));
    let project = |cwd: &Path| {
        let [event] =
            world.spooled("stop", &json!({"session_id": "s", "cwd": cwd})).try_into().unwrap();
        event.project
    };
    let (own, wt) = (project(&main), project(&main.join(".claude/worktrees/wt")));
    assert_eq!(own.keys, wt.keys);
    assert_eq!((own.worktree, wt.worktree.as_deref()), (None, Some("wt")));
    assert_eq!(wt.branch.as_deref(), Some("side"));
    let elsewhere = project(&world.path("other"));
    assert_eq!((elsewhere.keys, elsewhere.root), (own.keys, own.root));
}

#[test]
fn settings_switch_replies_off_and_nothing_else() {
    let mut world = World::new();
    world.config = |config| {
        config.file.recall.session_start = false;
        config.file.recall.prompt_recall = false;
    };
    for (event, payload) in [
        ("session-start", json!({"session_id": "s"})),
        ("user-prompt-submit", json!({"session_id": "s", "prompt": "x"})),
    ] {
        assert_eq!(world.spooled(event, &payload).len(), 1, "{event}");
        let (events, _) = world.call(&["claude-code", event, "--recall-only"], &payload);
        assert_eq!(events, [], "{event}");
    }
}

#[test]
fn words_of_the_command_line() {
    let parse = |words: &[&str]| {
        let args: Vec<OsString> = words.iter().map(OsString::from).collect();
        Call::parse(&args).map(|c| (c.moment, c.capture_only, c.recall_only))
    };
    assert_eq!(parse(&["claude-code"]), Some((None, false, false)));
    assert_eq!(
        parse(&["claude-code", "--capture-only", "stop", "--later=1", "more"]),
        Some((Some(Moment::Stop), true, false))
    );
    assert_eq!(parse(&["claude-code", "--recall-only"]), Some((None, false, true)));
    for words in [vec![], vec!["nobody"], vec!["claude-code", "Stop"], vec!["--recall-only"]] {
        assert_eq!(parse(&words), None, "{words:?}");
    }
}
