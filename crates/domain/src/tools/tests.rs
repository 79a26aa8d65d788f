use serde_json::{Value, json};

use super::{class_of, describe};
use crate::event::ToolClass;

#[test]
fn names_of_one_family_are_one_class() {
    for (class, names) in [
        (ToolClass::Read, vec!["Read", "NotebookRead", "read_file", "ReadFile", "openDocument"]),
        (ToolClass::Write, vec!["Write", "write_file", "WriteToFile", "createFile", "create_file"]),
        (
            ToolClass::Edit,
            vec![
                "Edit",
                "MultiEdit",
                "NotebookEdit",
                "edit_file",
                "FileSave",
                "FileEdit",
                "SaveFile",
                "save-document",
                "apply_patch",
                "replace_in_file",
                "str_replace_editor",
                "deleteFile",
                "SearchReplace",
            ],
        ),
        (ToolClass::Shell, vec!["Bash", "PowerShell", "run_shell_command", "local_shell"]),
        (ToolClass::Search, vec!["Grep", "Glob", "LS", "list_directory", "file_search"]),
        (ToolClass::Web, vec!["WebFetch", "WebSearch", "google_web_search"]),
        (ToolClass::Agent, vec!["Agent", "Task"]),
        (ToolClass::Mcp, vec!["mcp__fs__write_file"]),
        (
            ToolClass::Other,
            vec!["", "TodoWrite", "TaskCreate", "BashOutput", "KillShell", "SlashCommand", "Skill"],
        ),
    ] {
        for name in names {
            assert_eq!(class_of(name), class, "{name}");
        }
    }
}

#[test]
fn editors_name_their_files_in_many_ways() {
    let paths = |name: &str, input: Value| describe(name, input, Value::Null).paths;
    for input in [
        json!({"path": "/p/a b.rs"}),
        json!({"file_path": "/p/a b.rs"}),
        json!({"filePath": "/p/a b.rs", "path": "/p/a b.rs"}),
        json!({"absolute_path": "/p/a b.rs"}),
        json!({"uri": "file:///p/a%20b.rs"}),
        json!({"uri": {"scheme": "file", "path": "/p/a b.rs"}}),
        json!({"paths": ["/p/a b.rs", "", 5]}),
        json!({"edits": [{"filePath": "/p/a b.rs"}, {"filePath": "/p/a b.rs"}]}),
    ] {
        assert_eq!(paths("FileSave", input.clone()), ["/p/a b.rs"], "{input}");
    }
    assert_eq!(paths("FileSave", json!({"path": "/c:/x/y.rs"})), ["c:/x/y.rs"]);
    assert_eq!(paths("FileSave", json!({"uri": "file:///p/%zz%e9"})), ["/p/%zz%e9"]);
    assert!(paths("FileSave", json!("no object")).is_empty());
    assert!(paths("Grep", json!({"path": "/p"})).is_empty());
}

#[test]
fn a_patch_names_its_files() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n";
    let unified =
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n--- b.rs\n+++ b.rs\t2026\n+++ /dev/null";
    for input in [json!(patch), json!({"input": patch}), json!({"patch": unified})] {
        assert_eq!(describe("apply_patch", input, Value::Null).paths, ["src/a.rs", "b.rs"]);
    }
}

#[test]
fn a_tool_of_many_commands_is_what_it_is_told_to_do() {
    let class = |command: &str| {
        let input = json!({"command": command, "path": "/p/a.rs"});
        let tool = describe("str_replace_based_edit_tool", input, Value::Null);
        assert_eq!(tool.paths, ["/p/a.rs"]);
        (tool.class, tool.command)
    };
    assert_eq!(class("view"), (ToolClass::Read, None));
    assert_eq!(class("create"), (ToolClass::Write, None));
    assert_eq!(class("str_replace"), (ToolClass::Edit, None));
}
