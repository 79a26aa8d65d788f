//! What must not be touched is not touched.

use std::fs;

use super::Machine;
use crate::install::claude_code::{install_claude_code, installed_hooks, uninstall_claude_code};

#[test]
fn m5_what_cannot_be_changed_safely_is_refused_and_nothing_changes() {
    for (text, place) in [
        ("{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3"),
        ("[1]", "line 1, column 1"),
        ("\"text\"", "line 1, column 1"),
        ("{\n  \"hooks\": []\n}", "line 2, column 12"),
        ("{\"hooks\": null}", "line 1, column 11"),
        ("{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}", "line 3, column 13"),
        ("{\"hooks\": {}, \"hooks\": {}}", "line 1, column 15"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "line 1, column 24"),
        ("{\"a\": 1} {\"b\": 2}", "line 1"),
    ] {
        let machine = Machine::with(text);
        let before = machine.everything();
        for error in [
            install_claude_code(&machine.request).unwrap_err(),
            uninstall_claude_code(&machine.request).unwrap_err(),
        ] {
            let error = format!("{error:#}");
            assert!(error.contains("settings.json"), "{error}");
            assert!(error.contains(place), "{text}: {error}");
            assert!(error.contains("nothing was changed"), "{error}");
        }
        assert_eq!(machine.everything(), before, "{text}");
    }
}

#[test]
fn what_is_not_utf_8_is_refused() {
    let machine = Machine::with("");
    fs::write(machine.settings(), b"{\n\"a\": \"\xff\"}").unwrap();
    let before = machine.everything();
    let error = install_claude_code(&machine.request).unwrap_err().to_string();
    assert!(error.contains("not UTF-8 (line 2"), "{error}");
    assert_eq!(machine.everything(), before);
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let machine = Machine::new();
    fs::create_dir_all(machine.settings()).unwrap();
    let before = machine.everything();
    assert!(install_claude_code(&machine.request).is_err());
    assert_eq!(machine.everything(), before);
}

#[test]
fn a_read_only_file_is_refused() {
    let machine = Machine::with("{}");
    let mut permissions = fs::metadata(machine.settings()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(machine.settings(), permissions).unwrap();
    let before = machine.everything();
    let error = install_claude_code(&machine.request).unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    assert_eq!(machine.everything(), before);
}

#[test]
fn a_missing_program_stops_before_anything_is_written() {
    let mut machine = Machine::with("{}");
    machine.request.current_exe = machine.root().join("none");
    let before = machine.everything();
    assert!(install_claude_code(&machine.request).is_err());
    assert_eq!(machine.everything(), before);
}

#[test]
fn a_failure_halfway_takes_everything_back() {
    let machine = Machine::new();
    // The records cannot be kept: a file stands where their folder belongs.
    fs::create_dir_all(machine.request.home.folder()).unwrap();
    fs::create_dir_all(machine.request.home.binary().parent().unwrap()).unwrap();
    fs::create_dir_all(machine.request.home.installs()).unwrap();
    let record = crate::install::backup::Records::new(machine.request.home.installs())
        .place(super::super::AGENT, &machine.settings());
    // Written names are taken by a folder that is not empty, so the rename fails.
    fs::create_dir_all(record.with_extension("before").join("x")).unwrap();
    machine.write("{}");
    let before = machine.everything();
    assert!(install_claude_code(&machine.request).is_err());
    let after: Vec<_> = machine.everything();
    let settings = |all: &[(std::path::PathBuf, Vec<u8>)]| -> Vec<_> {
        all.iter()
            .filter(|(path, _)| path.starts_with(machine.root().join(".claude")))
            .cloned()
            .collect()
    };
    assert_eq!(settings(&after), settings(&before));
    assert!(!machine.request.home.binary().exists());
}

#[cfg(unix)]
#[test]
fn m5_a_link_stays_a_link() {
    use std::os::unix::fs::symlink;
    let machine = Machine::new();
    let real = machine.root().join("dotfiles/claude.json");
    fs::create_dir_all(real.parent().unwrap()).unwrap();
    fs::write(&real, "{\"a\":1}").unwrap();
    fs::create_dir_all(machine.settings().parent().unwrap()).unwrap();
    symlink(&real, machine.settings()).unwrap();
    machine.install();
    assert!(fs::symlink_metadata(machine.settings()).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hook claude-code stop"));
    machine.uninstall();
    assert!(fs::symlink_metadata(machine.settings()).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\":1}");
}

#[cfg(unix)]
#[test]
fn modes_are_kept_and_new_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |machine: &Machine| fs::metadata(machine.settings()).unwrap().permissions().mode();
    for wanted in [0o600, 0o644] {
        let machine = Machine::with("{}");
        fs::set_permissions(machine.settings(), fs::Permissions::from_mode(wanted)).unwrap();
        machine.install();
        assert_eq!(mode(&machine) & 0o777, wanted);
        machine.uninstall();
        assert_eq!(mode(&machine) & 0o777, wanted);
    }
    let machine = Machine::new();
    machine.install();
    assert_eq!(mode(&machine) & 0o777, 0o600);
}

#[test]
fn m4_hooks_that_a_session_dropped_are_seen_and_come_back() {
    let machine = Machine::with("{\"a\": 1}");
    machine.install();
    machine.write("{\"a\": 2}");
    assert_eq!(machine.events(), [""; 0]);
    machine.install();
    assert_eq!(machine.events().len(), 11);
    machine.uninstall();
    assert_eq!(machine.text(), "{\"a\": 2}");
}

#[test]
fn the_doctor_sees_what_stands_in_a_text() {
    let binary = std::path::Path::new("/h/bin/afterword");
    let text = r#"{"disableAllHooks": true, "hooks": {"Stop": [{"matcher": "", "hooks": [
        {"type": "command", "command": "/old/afterword hook claude-code stop", "timeout": 2000},
        {"type": "command", "command": "/h/bin/afterword", "args": ["hook", "claude-code", "stop"]},
        {"type": "http", "command": "/h/bin/afterword hook claude-code stop"},
        {"command": "theirs"}
    ]}]}}"#;
    let found = installed_hooks(text, binary).unwrap();
    assert!(found.all_disabled);
    let seen: Vec<_> = found.hooks.iter().map(|h| (h.timeout, h.stable)).collect();
    assert_eq!(seen, [(Some(2000), false), (None, true)]);
    assert_eq!(found.hooks[0].matcher.as_deref(), Some(""));
    assert_eq!(installed_hooks("{\n,}", binary).unwrap_err().line, 2);
    assert_eq!(installed_hooks("", binary).unwrap().hooks, []);
}

#[test]
fn e13_a_torn_record_is_passed_over_and_neither_it_nor_the_copy_is_overwritten() {
    let before = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    for tear in 0..4 {
        let machine = Machine::with(before);
        install_claude_code(&machine.request).unwrap();
        let installs = machine.request.home.installs();
        let kept = |ending: &str| {
            let files = fs::read_dir(&installs).unwrap().map(|file| file.unwrap().path());
            files.filter(|file| file.extension().is_some_and(|e| e == ending)).min().unwrap()
        };
        let (record, copy) = (kept("json"), kept("before"));
        let whole = fs::read(&record).unwrap();
        let torn = match tear {
            0 => whole[..whole.len() / 2].to_vec(),
            1 => Vec::new(),
            2 => b"\xff\xfe{".to_vec(),
            _ => [&whole, b"{}".as_slice()].concat(),
        };
        fs::write(&record, &torn).unwrap();
        install_claude_code(&machine.request).unwrap();
        uninstall_claude_code(&machine.request).unwrap();
        assert_eq!(fs::read(&record).unwrap(), torn);
        assert_eq!(fs::read_to_string(&copy).unwrap(), before, "the only copy");
        let after = fs::read_to_string(machine.settings()).unwrap();
        assert!(after.contains("// mine") && after.contains("opus"), "{after}");
        let left = installed_hooks(&after, &machine.request.home.binary()).unwrap();
        assert!(left.hooks.is_empty(), "{after}");
    }
}
