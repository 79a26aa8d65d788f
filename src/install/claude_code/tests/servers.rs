//! The tools among the agent's MCP servers.

use std::fs;
use std::path::PathBuf;

use super::Machine;
use crate::install::{HookSet, install_claude_code};

/// A machine whose person has a file with servers.
fn machine(text: Option<&str>) -> (Machine, PathBuf) {
    let mut machine = Machine::with("{}\n");
    let file = machine.root().join(".claude.json");
    if let Some(text) = text {
        fs::write(&file, text).unwrap();
    }
    machine.request.mcp_file = Some(file.clone());
    (machine, file)
}

fn read(file: &PathBuf) -> String {
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_registered_server_is_this() {
    let (machine, file) = machine(Some("{\n  \"numStartups\": 4\n}\n"));
    let report = machine.install();
    let expected = r#"{
  "numStartups": 4,
  "mcpServers": {
    "afterword": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": [
        "mcp"
      ]
    }
  }
}
"#;
    let program = machine.request.home.binary().display().to_string();
    assert_eq!(read(&file), expected.replace("PROGRAM", &program));
    assert_eq!(report.files.len(), 2);
    let backup = report.files[1].backup.clone().unwrap();
    assert_eq!(read(&backup), "{\n  \"numStartups\": 4\n}\n");
}

#[test]
fn m1_every_hand_of_writing_comes_back() {
    for before in [
        "",
        "{}",
        "{\"a\":1}",
        "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n",
        "{\"mcpServers\": {}}",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"args\": []}\n  },\n  \"z\": [1]\n}",
        "{ // mine\n  \"mcpServers\": { /* none */ },\n}",
    ] {
        let (machine, file) = machine(Some(before));
        machine.install();
        let once = read(&file);
        assert!(once.contains("\"afterword\""), "{once}");
        machine.install();
        assert_eq!(read(&file), once, "twice is once");
        machine.uninstall();
        assert_eq!(read(&file), before);
        assert!(!machine.request.home.binary().exists());
        assert!(!machine.request.home.installs().exists());
    }
    let (machine, file) = machine(None);
    machine.install();
    assert!(file.exists());
    machine.uninstall();
    assert!(!file.exists(), "a file that was not there goes again");
}

#[test]
fn m4_what_the_agent_wrote_meanwhile_stays() {
    for before in [None, Some("{\n  \"mcpServers\": {}\n}\n"), Some("{\n  \"a\": 1\n}\n")] {
        let (machine, file) = machine(before);
        machine.install();
        let text = read(&file).replacen('{', "{\n  \"projects\": {\"/p\": {\"cost\": 1.50}},", 1);
        fs::write(&file, &text).unwrap();
        machine.install();
        assert_eq!(read(&file), text, "a second install finds all in place");
        let report = machine.uninstall();
        let rest = read(&file);
        assert!(rest.contains("\"cost\": 1.50") && !rest.contains("afterword"), "{rest}");
        assert_eq!(rest.contains("mcpServers"), before.is_some_and(|b| b.contains("mcpServers")));
        let told = report.notes.join(" ");
        assert_eq!(told.contains("changed by others"), before.is_some(), "{told}");
    }
}

#[test]
fn m9_a_server_of_that_name_that_is_not_ours_stays() {
    let text = "{\"mcpServers\": {\"afterword\": {\"command\": \"docker\", \"args\": [\"mcp\"]}}}";
    let (machine, file) = machine(Some(text));
    let report = machine.install();
    assert_eq!(read(&file), text);
    assert!(report.notes.iter().any(|note| note.contains("stays")), "{:?}", report.notes);
    machine.uninstall();
    assert_eq!(read(&file), text);
}

#[test]
fn tools_come_with_the_read_hooks_and_go_with_the_switch() {
    let (mut machine, file) = machine(Some("{}\n"));
    let has = |file: &PathBuf| read(file).contains("afterword");
    for (set, mcp, expected) in [
        (HookSet::Read, true, true),
        (HookSet::Write, true, false),
        (HookSet::All, true, true),
        (HookSet::All, false, false),
    ] {
        (machine.request.hook_set, machine.request.mcp) = (set, mcp);
        machine.install();
        assert_eq!(has(&file), expected, "{set:?} {mcp}");
    }
    assert_eq!(read(&file), "{}\n");
}

#[test]
fn an_older_program_is_replaced() {
    let text =
        "{\"mcpServers\": {\"memory\": {\"command\": \"/old/afterword\", \"args\": [\"mcp\"]}}}";
    let (machine, file) = machine(Some(text));
    machine.install();
    let now = read(&file);
    assert!(!now.contains("/old/") && !now.contains("\"memory\""), "{now}");
    machine.uninstall();
    assert!(!read(&file).contains("/old/"), "it was ours and is gone");
}

#[test]
fn m2_a_broken_file_stops_the_install_before_anything_changes() {
    for broken in ["{\"mcpServers\": [}", "[]", "{\"mcpServers\": 7}"] {
        let (machine, file) = machine(Some(broken));
        let before = machine.everything();
        let error = install_claude_code(&machine.request).unwrap_err().to_string();
        assert!(error.contains(".claude.json") && error.contains("nothing was changed"), "{error}");
        assert_eq!(read(&file), broken);
        assert_eq!(machine.everything(), before);
    }
}

#[cfg(unix)]
#[test]
fn m6_when_the_settings_cannot_be_written_the_server_goes_again() {
    let (machine, file) = machine(Some("{}\n"));
    // Something is in the way of the program's stable path, which comes after the server.
    fs::create_dir_all(machine.request.home.binary()).unwrap();
    let before = machine.everything();
    assert!(install_claude_code(&machine.request).is_err());
    assert_eq!(read(&file), "{}\n");
    assert_eq!(machine.everything(), before);
}

#[test]
fn a_project_has_a_file_of_its_own() {
    let (mut machine, file) = machine(Some("{}\n"));
    let project = machine.root().join("project");
    fs::create_dir(&project).unwrap();
    machine.request.project = Some(project.clone());
    machine.install();
    assert!(read(&project.join(".mcp.json")).contains("afterword"));
    assert_eq!(read(&file), "{}\n");
    machine.uninstall();
    assert!(!project.join(".mcp.json").exists());
    assert!(!machine.request.home.binary().exists(), "the last one takes the program along");
}

#[test]
fn two_scopes_share_the_program_until_the_last_goes() {
    let (mut machine, _) = machine(Some("{}\n"));
    let project = machine.root().join("project");
    fs::create_dir(&project).unwrap();
    machine.install();
    machine.request.project = Some(project);
    machine.install();
    machine.uninstall();
    assert!(machine.request.home.binary().exists());
    machine.request.project = None;
    machine.uninstall();
    assert!(!machine.request.home.binary().exists());
}
