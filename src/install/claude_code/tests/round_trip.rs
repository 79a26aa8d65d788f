//! What was there comes back.

use std::fmt::Write;
use std::fs;

use proptest::prelude::*;

use super::Machine;
use crate::install::json_file::sample::{Hand, Value, hands, objects, values};
use crate::install::{BinaryChange, HookSet};

/// 16 keys and 59 foreign hooks.
fn full_settings() -> String {
    let mut text = String::from("{\n");
    for i in 0..14 {
        let _ = writeln!(text, "  \"key{i}\": [{i}, \"{i}\", null, {{\"deep\": 1.50e+2}}],");
    }
    text.push_str("  \"hooks\": {\n");
    let events = ["PreToolUse", "Stop", "PostToolUse", "Notification"];
    for (e, event) in events.iter().enumerate() {
        let _ = writeln!(text, "    \"{event}\": [");
        let count = if e == 3 { 14 } else { 15 };
        for i in 0..count {
            let comma = if i + 1 < count { "," } else { "" };
            let _ = writeln!(
                text,
                "      {{ \"matcher\": \"T{i}\", \"hooks\": [ {{ \"type\": \"command\", \"command\": \
                 \"their-{event}-{i}\" }} ] }}{comma}"
            );
        }
        text.push_str(if e == 3 { "    ]\n" } else { "    ],\n" });
    }
    text.push_str("  },\n  \"last\": true\n}\n");
    text
}

#[test]
fn m1_foreign_hooks_come_back_byte_for_byte() {
    let before = full_settings();
    assert_eq!(before.matches("their-").count(), 59);
    let machine = Machine::with(&before);
    machine.install();
    let text = machine.text();
    assert_eq!(text.matches("their-").count(), 59);
    for line in before.lines().map(|line| line.trim_end_matches(',')) {
        assert!(text.contains(line), "{line}");
    }
    machine.uninstall();
    assert_eq!(machine.text(), before);

    // And without the record too.
    machine.install();
    fs::remove_dir_all(machine.request.home.installs()).unwrap();
    machine.uninstall();
    assert_eq!(machine.text(), before);
}

#[test]
fn the_registered_hooks_are_these() {
    let mut machine = Machine::with("{\n  \"model\": \"opus\"\n}\n");
    machine.request.hook_set = HookSet::Read;
    machine.install();
    let program = machine.request.home.binary().display().to_string();
    let expected = r#"{
  "model": "opus",
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup|resume|clear|compact|fork",
        "hooks": [
          {
            "type": "command",
            "command": "PROGRAM hook claude-code session-start",
            "timeout": 15
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "PROGRAM hook claude-code user-prompt-submit --recall-only",
            "timeout": 10
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Read|Write|Edit|MultiEdit|NotebookEdit",
        "hooks": [
          {
            "type": "command",
            "command": "PROGRAM hook claude-code pre-tool-use --recall-only",
            "timeout": 2
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(machine.text(), expected.replace("PROGRAM", &program));
}

#[test]
fn every_hand_of_writing_comes_back() {
    for before in [
        "",
        "{}",
        "{\n}\n",
        "{\"model\":\"opus\"}",
        "\u{feff}{\r\n\t\"model\": \"opus\"\r\n}\r\n",
        "// mine\n{\n    \"a\": 1, // one\n    /* two */\n    \"hooks\": {\n        // none\n    },\n}",
        "{\"hooks\": {\"Stop\": []}}",
        "{\n  \"hooks\": {},\n  \"z\": 1\n}",
        "{\n  \"hooks\": {\"Stop\": [{\"hooks\": []}, 7, {\"hooks\": \"odd\"}]}\n}",
    ] {
        let machine = Machine::with(before);
        machine.install();
        let once = machine.text();
        assert_eq!(once.starts_with('\u{feff}'), before.starts_with('\u{feff}'));
        if before.contains("\r\n") {
            assert_eq!(once.matches('\n').count(), once.matches("\r\n").count());
        }
        assert_eq!(machine.events().len(), 11, "{once}");
        machine.install();
        assert_eq!(machine.text(), once);
        machine.uninstall();
        assert_eq!(machine.text(), before);
        assert!(!machine.request.home.folder().exists());
    }
}

#[test]
fn what_did_not_exist_is_gone_again() {
    let mut machine = Machine::new();
    let before = machine.everything();
    for project in [None, Some(machine.root().join("work/后记 project"))] {
        machine.request.project = project.clone();
        if let Some(project) = &project {
            fs::create_dir_all(project).unwrap();
        }
        let report = machine.install();
        assert_eq!(report.files[0].before, None);
        assert_eq!(report.files[0].backup, None);
        assert!(machine.settings().exists());
        let report = machine.uninstall();
        assert_eq!(report.files[0].after, None);
        assert!(!machine.settings().parent().unwrap().exists());
        if let Some(project) = &project {
            assert!(project.exists());
            fs::remove_dir_all(machine.root().join("work")).unwrap();
        }
        assert_eq!(machine.everything(), before);
    }
}

#[test]
fn the_second_install_changes_nothing() {
    let machine = Machine::with("{\"a\": 1}");
    let report = machine.install();
    assert_eq!(report.binary, BinaryChange::Placed(machine.request.home.binary()));
    let everything = machine.everything();
    let report = machine.install();
    assert_eq!(report.files, []);
    assert_eq!(report.binary, BinaryChange::Unchanged);
    assert_eq!(machine.everything(), everything);
}

#[test]
fn another_type_leaves_no_old_entries() {
    let mut machine = Machine::with("{\n  \"a\": 1\n}\n");
    machine.request.guard = true;
    for set in [HookSet::Read, HookSet::Write, HookSet::All, HookSet::Read] {
        machine.request.hook_set = set;
        machine.install();
        let wanted = super::super::registrations(&machine.request.home.binary(), set, true, true);
        let wanted: Vec<String> = wanted.into_iter().map(|one| one.command).collect();
        let found: Vec<String> = machine.installed().hooks.into_iter().map(|h| h.command).collect();
        assert_eq!(found, wanted);
    }
    machine.uninstall();
    assert_eq!(machine.text(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn another_type_after_a_foreign_change_leaves_no_old_entries() {
    let mut machine = Machine::with("{\n  \"a\": 1\n}\n");
    machine.request.hook_set = HookSet::Read;
    machine.install();
    machine.write(&machine.text().replace("\"a\": 1", "\"a\": 2"));
    machine.request.hook_set = HookSet::Write;
    machine.install();
    assert!(!machine.events().contains(&"SessionStart".to_owned()));
    machine.uninstall();
    assert_eq!(machine.text(), "{\n  \"a\": 2\n}\n");
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let mut machine = Machine::with("{\n  \"a\": 1\n}\n");
    let before = machine.everything();
    machine.request.dry_run = true;
    let planned = machine.install();
    assert_eq!(machine.everything(), before);
    let diff = planned.diff();
    assert!(diff.contains("-  \"a\": 1\n+  \"a\": 1,\n+  \"hooks\": {\n"), "{diff}");

    machine.request.dry_run = false;
    let done = machine.install();
    assert_eq!(done.files, planned.files);
    assert_eq!(done.files[0].after.as_deref(), Some(machine.text().as_str()));
    let backup = done.files[0].backup.as_ref().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), "{\n  \"a\": 1\n}\n");

    let installed = machine.everything();
    machine.request.dry_run = true;
    let planned = machine.uninstall();
    assert_eq!(machine.everything(), installed);
    assert_eq!(planned.binary, BinaryChange::Removed(machine.request.home.binary()));
    machine.request.dry_run = false;
    assert_eq!(machine.uninstall().files, planned.files);
    assert_eq!(machine.everything(), before);
}

#[test]
fn both_scopes_have_their_own_record() {
    let mut machine = Machine::with("{\"user\":1}");
    machine.install();
    let user = machine.settings();
    machine.request.project = Some(machine.root().join("project"));
    machine.write("{\"project\":1}");
    machine.install();
    machine.uninstall();
    assert_eq!(machine.text(), "{\"project\":1}");
    assert!(machine.request.home.binary().exists());
    assert!(fs::read_to_string(&user).unwrap().contains("hook claude-code stop"));
    machine.request.project = None;
    let report = machine.uninstall();
    assert_eq!(machine.text(), "{\"user\":1}");
    assert_eq!(report.binary, BinaryChange::Removed(machine.request.home.binary()));
    assert!(!machine.request.home.folder().exists());
}

#[test]
fn the_running_program_is_not_taken_away() {
    let mut machine = Machine::with("{}");
    machine.install();
    machine.request.current_exe = machine.request.home.binary();
    let report = machine.uninstall();
    assert_eq!(report.binary, BinaryChange::Unchanged);
    assert!(machine.request.home.binary().exists());
    assert!(report.notes.iter().any(|note| note.contains("by hand")), "{:?}", report.notes);
}

#[test]
fn any_folder_name_works_in_the_shell() {
    for name in ["a b", "it's \"q\"", "😀 后记", "$HOME `x`;&|"] {
        let machine = Machine::with_home(name);
        machine.write("{}");
        fs::write(&machine.request.current_exe, "#!/bin/sh\necho \"$@\"\n").unwrap();
        machine.install();
        let installed = machine.installed();
        assert_eq!(installed.hooks.len(), 11, "{name}");
        assert!(installed.hooks.iter().all(|hook| hook.stable));
        #[cfg(unix)]
        for hook in &installed.hooks {
            let run = std::process::Command::new("/bin/sh").args(["-c", &hook.command]).output();
            let printed = String::from_utf8(run.unwrap().stdout).unwrap();
            assert!(printed.starts_with("hook claude-code "), "{name}: {printed}");
        }
        machine.uninstall();
        assert_eq!(machine.text(), "{}");
    }
}

fn settings() -> impl Strategy<Value = Value> {
    let command = "[a-z ]{1,8}".prop_map(|c| Value::Scalar(format!("\"their {c}\"")));
    let entry = command.prop_map(|c| {
        let kind = Value::Scalar("\"command\"".to_owned());
        Value::Object(vec![("type".to_owned(), kind), ("command".to_owned(), c)])
    });
    let group = prop::collection::vec(entry, 0..3)
        .prop_map(|entries| Value::Object(vec![("hooks".to_owned(), Value::Array(entries))]));
    let groups = prop::collection::vec(prop_oneof![4 => group, 1 => values()], 0..3);
    let events = ["Stop", "PostToolUse", "Notification"];
    let hooks = prop::collection::vec(groups, 0..4).prop_map(move |all| {
        let named = all.into_iter().zip(events);
        Value::Object(named.map(|(g, e)| (e.to_owned(), Value::Array(g))).collect())
    });
    (objects(values()), prop::option::of(hooks), any::<prop::sample::Index>()).prop_map(
        |(rest, hooks, at)| {
            let Value::Object(mut members) = rest else { unreachable!("objects() makes objects") };
            if let Some(hooks) = hooks {
                members.insert(at.index(members.len() + 1), ("hooks".to_owned(), hooks));
            }
            Value::Object(members)
        },
    )
}

fn check_round_trip(value: &Value, hand: &Hand) -> Result<(), TestCaseError> {
    let before = hand.write(value);
    let machine = Machine::with(&before);
    machine.install();
    let once = machine.text();
    prop_assert_eq!(machine.events().len(), 11);
    machine.install();
    prop_assert_eq!(&machine.text(), &once);
    machine.uninstall();
    prop_assert_eq!(&machine.text(), &before);

    // Another one changes the file: exactly our entries go.
    machine.install();
    let changed = machine.text() + "\n";
    machine.write(&changed);
    machine.uninstall();
    prop_assert_eq!(machine.text(), before + "\n");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_settings_come_back_byte_for_byte(value in settings(), hand in hands()) {
        check_round_trip(&value, &hand)?;
    }
}
