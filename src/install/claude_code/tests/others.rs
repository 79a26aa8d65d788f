//! Living beside others: their entries, their changes, other memories.

use std::fs;

use super::Machine;
use crate::install::detect_claude_code;

#[test]
fn a_foreign_entry_in_our_group_survives() {
    let machine = Machine::with("{\n  \"a\": 1\n}\n");
    machine.install();
    let ours = "hook claude-code stop\",\n            \"timeout\": 30\n          }";
    assert!(machine.text().contains(ours));
    let theirs = format!("{ours},\n          {{ \"type\": \"command\", \"command\": \"theirs\" }}");
    let merged = machine.text().replace(ours, &theirs);
    machine.write(&merged);

    // The hooks stand as they should, so a second install leaves the file alone.
    assert_eq!(machine.install().files, []);
    assert_eq!(machine.text(), merged);

    machine.uninstall();
    let expected = "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          \
                    { \"type\": \"command\", \"command\": \"theirs\" }\n        ]\n      }\n    ]\n  }\n}\n";
    assert_eq!(machine.text(), expected);
}

#[test]
fn entries_of_an_older_place_go_and_longer_lines_stay() {
    let line = "afterword hook claude-code stop && notify-send done";
    let machine = Machine::with(&format!(
        "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"command\": \"/old/bin/afterword hook claude-code \
         stop\"}}, {{\"command\": \"{line}\"}}, {{\"command\": \"echo afterword\"}}]}}]}}}}"
    ));
    let report = machine.install();
    assert!(!machine.text().contains("/old/"));
    assert!(report.notes.iter().any(|note| note.ends_with(line)), "{:?}", report.notes);
    fs::remove_dir_all(machine.request.home.installs()).unwrap();
    machine.uninstall();
    assert_eq!(
        machine.text(),
        format!(
            "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [ {{\"command\": \"{line}\"}}, \
             {{\"command\": \"echo afterword\"}}]}}]}}}}"
        )
    );
}

#[test]
fn empty_containers_of_before_are_kept_when_others_changed_the_file() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}";
    let machine = Machine::with(before);
    machine.install();
    machine.write(&(machine.text() + "\n"));
    machine.uninstall();
    assert_eq!(machine.text(), format!("{before}\n"));
}

#[test]
fn a_file_made_by_us_stays_when_others_use_it() {
    let machine = Machine::new();
    machine.install();
    machine.write(&machine.text().replacen('{', "{\n  \"model\": \"opus\",", 1));
    let report = machine.uninstall();
    assert_eq!(machine.text(), "{\n  \"model\": \"opus\"\n}\n");
    assert!(report.files[0].after.is_some());
    assert!(!machine.request.home.installs().exists());
}

#[test]
fn a_file_made_by_us_goes_though_others_rewrote_it() {
    let machine = Machine::new();
    machine.install();
    let value: serde_json::Value = serde_json::from_str(&machine.text()).unwrap();
    machine.write(&value.to_string());
    machine.uninstall();
    assert!(!machine.settings().parent().unwrap().exists());
}

#[test]
fn uninstall_says_when_there_is_nothing_of_ours() {
    let machine = Machine::with("{\"a\": 1}");
    let before = machine.everything();
    let report = machine.uninstall();
    assert_eq!(report.files, []);
    assert!(report.notes[0].contains("holds no hooks"), "{:?}", report.notes);
    assert_eq!(machine.everything(), before);
}

const THREE: &str = r#"{
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [ { "type": "command", "command": "node \"${CLAUDE_PLUGIN_ROOT}/worker-service.cjs\" start" } ] },
      { "hooks": [ { "type": "command", "command": "adbpgmem-claude-context", "timeout": 15 }, { "command": "theirs" } ] }
    ],
    "Stop": [ { "hooks": [ { "type": "command", "command": "python3 -m mem0.hook" } ] } ]
  },
  "enabledPlugins": { "claude-mem@thedotmack": true, "other@x": true }
}
"#;

#[test]
fn other_memories_are_named_and_left_alone() {
    let machine = Machine::with(THREE);
    let report = machine.install();
    let found: Vec<_> = report
        .other_memories
        .iter()
        .map(|other| (other.product.as_str(), other.event.as_str(), other.switched_off))
        .collect();
    assert_eq!(
        found,
        [
            ("claude-mem", "SessionStart", false),
            ("adbpgmem", "SessionStart", false),
            ("mem0", "Stop", false),
            ("claude-mem", "plugin", false),
        ]
    );
    assert!(machine.text().contains("mem0.hook"));
    machine.uninstall();
    assert_eq!(machine.text(), THREE);
}

#[test]
fn other_memories_are_switched_off_on_request_and_come_back() {
    let mut machine = Machine::with(THREE);
    machine.install();
    machine.request.disable_other_memories = true;
    let report = machine.install();
    assert!(report.other_memories.iter().all(|other| other.switched_off));
    let off = machine.text();
    for gone in ["worker-service", "adbpgmem", "mem0"] {
        assert!(!off.contains(gone), "{off}");
    }
    assert!(off.contains("\"claude-mem@thedotmack\": false"), "{off}");
    assert!(off.contains("{ \"command\": \"theirs\" }"), "{off}");

    // An upgrade without the word does not switch them on again.
    machine.request.disable_other_memories = false;
    assert_eq!(machine.install().files, []);
    assert_eq!(machine.text(), off);
    machine.uninstall();
    assert_eq!(machine.text(), THREE);
}

#[test]
fn switched_off_memories_come_back_though_others_changed_the_file() {
    let mut machine = Machine::with(THREE);
    machine.request.disable_other_memories = true;
    machine.install();
    machine.write(&machine.text().replace("\"other@x\": true", "\"other@x\": false"));
    machine.uninstall();
    let text = machine.text();
    for back in ["worker-service.cjs", "adbpgmem-claude-context", "mem0.hook", "theirs"] {
        assert_eq!(text.matches(back).count(), 1, "{text}");
    }
    assert!(text.contains("\"claude-mem@thedotmack\": true"), "{text}");
    assert!(text.contains("\"other@x\": false"), "{text}");
    assert!(!text.contains("hook claude-code"), "{text}");
}

#[test]
fn a_home_named_after_another_memory_is_still_ours() {
    let mut machine = Machine::with_home("mem0 and claude-mem");
    machine.write("{}");
    machine.request.disable_other_memories = true;
    machine.install();
    let report = machine.install();
    assert_eq!(report.other_memories, []);
    assert_eq!(machine.events().len(), 11);
}

#[test]
fn m2_native_memory_is_mentioned_and_not_switched() {
    let mut machine = Machine::with("{}");
    machine.request.guard = true;
    let report = machine.install();
    assert!(report.notes.iter().any(|note| note.contains("autoMemoryEnabled")));
    assert!(!machine.text().contains("autoMemoryEnabled"));
    machine.write("{\"autoMemoryEnabled\": false, \"disableAllHooks\": true}");
    let report = machine.install();
    assert!(!report.notes.iter().any(|note| note.contains("autoMemoryEnabled")));
    assert!(report.notes.iter().any(|note| note.contains("disableAllHooks")));
}

#[test]
fn hooks_of_another_type_in_both_scopes_are_told() {
    let mut machine = Machine::with("{}");
    machine.request.hook_set = crate::install::HookSet::Read;
    machine.install();
    machine.request.project = Some(machine.root().join("project"));
    assert!(machine.install().notes.is_empty());
    machine.request.hook_set = crate::install::HookSet::All;
    let notes = machine.install().notes;
    assert!(notes.iter().any(|note| note.contains("another type")), "{notes:?}");
}

#[test]
fn the_agent_is_found_by_its_folder() {
    let machine = Machine::new();
    assert!(!detect_claude_code(None, &machine.request.claude_folder));
    fs::create_dir(&machine.request.claude_folder).unwrap();
    assert!(detect_claude_code(None, &machine.request.claude_folder));
}
