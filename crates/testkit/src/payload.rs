//! Payloads as Claude Code sends them to its hooks.
//!
//! Field names and shapes follow what version 2.1.332 was seen to send.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Session id of payloads that name none.
const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// How a tool that ran came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded with this output.
    Ok(String),
    /// It failed with this exit code and output.
    Failed(i32, String),
}

impl Outcome {
    /// Success with this output.
    pub fn ok(output: &str) -> Self {
        Self::Ok(output.to_owned())
    }

    /// Failure with this exit code and output.
    pub fn failed(code: i32, output: &str) -> Self {
        Self::Failed(code, output.to_owned())
    }
}

/// One payload: an event's name and its fields.
///
/// The session is a fixed one and the folder that of the sandbox unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    event: &'static str,
    fields: Map<String, Value>,
}

impl Payload {
    /// A session begins; `source` is `startup`, `resume`, `fork`, `clear` or `compact`.
    pub fn session_start(source: &str) -> Self {
        Self::new("session-start", "SessionStart", json!({"source": source}))
    }

    /// A person sends a prompt.
    pub fn prompt(text: &str) -> Self {
        Self::turn("user-prompt-submit", "UserPromptSubmit", json!({"prompt": text}))
    }

    /// A tool is about to run.
    pub fn before_tool(tool: &str, input: &Value) -> Self {
        Self::tool("pre-tool-use", "PreToolUse", tool, input)
    }

    /// A tool ran and gave `response`.
    pub fn after_tool(tool: &str, input: &Value, response: &Value) -> Self {
        Self::tool("post-tool-use", "PostToolUse", tool, input)
            .with("tool_response", response.clone())
            .with("duration_ms", json!(12))
    }

    /// A tool ran and failed with `error`.
    pub fn failed_tool(tool: &str, input: &Value, error: &str) -> Self {
        Self::tool("post-tool-use-failure", "PostToolUseFailure", tool, input)
            .with("error", json!(error))
            .with("is_interrupt", json!(false))
            .with("duration_ms", json!(12))
    }

    /// A shell command ran.
    pub fn bash(command: &str, outcome: &Outcome) -> Self {
        let input = json!({"command": command, "description": "Run it"});
        match outcome {
            Outcome::Ok(stdout) => Self::after_tool(
                "Bash",
                &input,
                &json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false,
                        "noOutputExpected": false}),
            ),
            Outcome::Failed(code, output) => {
                Self::failed_tool("Bash", &input, &format!("Exit code {code}\n{output}"))
            }
        }
    }

    /// A file was edited: `old` became `new`.
    pub fn edit(path: &str, old: &str, new: &str) -> Self {
        Self::after_tool(
            "Edit",
            &json!({"file_path": path, "old_string": old, "new_string": new,
                    "replace_all": false}),
            &json!({"filePath": path, "oldString": old, "newString": new,
                    "originalFile": format!("{old}\n"), "structuredPatch": [],
                    "userModified": false, "replaceAll": false}),
        )
    }

    /// A file was made.
    pub fn write(path: &str, content: &str) -> Self {
        Self::after_tool(
            "Write",
            &json!({"file_path": path, "content": content}),
            &json!({"type": "create", "filePath": path, "content": content,
                    "structuredPatch": [], "originalFile": null, "userModified": false}),
        )
    }

    /// A file was read.
    pub fn read(path: &str, content: &str) -> Self {
        let lines = content.lines().count();
        Self::after_tool(
            "Read",
            &json!({"file_path": path}),
            &json!({"type": "text", "file": {"filePath": path, "content": content,
                    "numLines": lines, "startLine": 1, "totalLines": lines}}),
        )
    }

    /// The conversation is about to be compacted; `trigger` is `manual` or `auto`.
    pub fn pre_compact(trigger: &str) -> Self {
        let fields = json!({"trigger": trigger, "custom_instructions": null});
        Self::new("pre-compact", "PreCompact", fields)
    }

    /// The conversation was compacted into this summary.
    pub fn post_compact(summary: &str) -> Self {
        let fields = json!({"trigger": "auto", "compact_summary": summary});
        Self::new("post-compact", "PostCompact", fields)
    }

    /// A turn ends with this answer.
    pub fn stop(answer: &str) -> Self {
        Self::turn(
            "stop",
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": answer,
                   "background_tasks": [], "session_crons": []}),
        )
    }

    /// A sub-agent ends with this answer; an empty type is what a compaction sends.
    pub fn subagent_stop(agent_type: &str, answer: &str) -> Self {
        Self::turn(
            "subagent-stop",
            "SubagentStop",
            json!({"stop_hook_active": false, "last_assistant_message": answer,
                   "agent_id": "a21fcb279d35f35ac", "agent_type": agent_type,
                   "background_tasks": [], "session_crons": []}),
        )
    }

    /// The session ends; `reason` is `clear`, `resume`, `logout`, `prompt_input_exit` or `other`.
    pub fn session_end(reason: &str) -> Self {
        Self::new("session-end", "SessionEnd", json!({"reason": reason}))
    }

    /// Sets the session.
    #[must_use]
    pub fn session(self, id: &str) -> Self {
        self.with("session_id", json!(id))
    }

    /// Sets the folder that the event comes from.
    #[must_use]
    pub fn cwd(self, folder: &Path) -> Self {
        self.with("cwd", json!(folder.display().to_string()))
    }

    /// Sets the id that joins a tool's events and makes them unique.
    #[must_use]
    pub fn tool_use_id(self, id: &str) -> Self {
        self.with("tool_use_id", json!(id))
    }

    /// Marks the event as one of a sub-agent.
    #[must_use]
    pub fn inside_subagent(self, id: &str, agent_type: &str) -> Self {
        self.with("agent_id", json!(id)).with("agent_type", json!(agent_type))
    }

    /// Sets any field.
    #[must_use]
    pub fn with(mut self, field: &str, value: Value) -> Self {
        self.fields.insert(field.to_owned(), value);
        self
    }

    /// Takes a field away: versions and modes of the agent leave fields out.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        self.fields.remove(field);
        self
    }

    /// The event in the words of the command line, `post-tool-use` for example.
    pub const fn event(&self) -> &'static str {
        self.event
    }

    /// The whole payload; `folder` is its working folder where none was set.
    pub fn json(&self, folder: &Path) -> Value {
        let mut fields = self.fields.clone();
        fields.entry("cwd").or_insert_with(|| json!(folder.display().to_string()));
        Value::Object(fields)
    }

    fn new(event: &'static str, agents_name: &str, fields: Value) -> Self {
        let Value::Object(fields) = fields else { unreachable!("callers give objects") };
        let payload = Self { event, fields };
        payload
            .with("hook_event_name", json!(agents_name))
            .with("transcript_path", json!(format!("/nowhere/{SESSION}.jsonl")))
            .session(SESSION)
    }

    fn turn(event: &'static str, agents_name: &str, fields: Value) -> Self {
        Self::new(event, agents_name, fields)
            .with("permission_mode", json!("default"))
            .with("prompt_id", json!("1d54a599-de68-42ae-9259-d77d408274e6"))
    }

    fn tool(event: &'static str, agents_name: &str, tool: &str, input: &Value) -> Self {
        // The same tool with the same input keeps its id: sent twice, it is the same event.
        let id = format!("toolu_{:024x}", fingerprint(&format!("{tool} {input}")));
        Self::turn(event, agents_name, json!({"tool_name": tool, "tool_input": input}))
            .tool_use_id(&id)
    }
}

/// FNV-1a: equal in every run and on every platform.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_has_an_error_and_no_response() {
        let payload = Payload::bash("cargo test", &Outcome::failed(101, "1 failed"));
        let json = payload.json(Path::new("/p"));
        assert_eq!(payload.event(), "post-tool-use-failure");
        assert_eq!(json["hook_event_name"], "PostToolUseFailure");
        assert_eq!(json["error"], "Exit code 101\n1 failed");
        assert!(json.get("tool_response").is_none());
    }

    #[test]
    fn the_folder_is_the_callers_unless_set() {
        let prompt = Payload::prompt("hello");
        assert_eq!(prompt.json(Path::new("/p"))["cwd"], "/p");
        assert_eq!(prompt.cwd(Path::new("/q")).json(Path::new("/p"))["cwd"], "/q");
    }

    #[test]
    fn one_use_of_a_tool_keeps_its_id_and_two_uses_differ() {
        let id = |p: Payload| p.json(Path::new("/p"))["tool_use_id"].clone();
        let input = json!({"command": "ls"});
        let before = Payload::before_tool("Bash", &input);
        let after = Payload::after_tool("Bash", &input, &json!({}));
        assert_eq!(id(before), id(after));
        assert_ne!(id(Payload::read("a.rs", "")), id(Payload::read("b.rs", "")));
    }
}
