//! The real Claude Code CLI, one exact version, run offline against the model stub.

mod conversation;
mod install;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

pub use conversation::Conversation;

use crate::absent::Absent;
use crate::model_stub::ModelStub;
use crate::output::{Output, run};
use crate::sandbox::Sandbox;

/// Bounds a broken run; a prompt takes about a second.
const DEADLINE: Duration = Duration::from_mins(2);

/// Tools that the model may use without being asked.
const ALLOWED: [&str; 5] = ["--allowedTools", "Bash", "Read", "Write", "Edit"];

/// The installed client.
#[derive(Clone, Debug)]
pub struct ClaudeCode {
    program: PathBuf,
}

impl ClaudeCode {
    /// The version that tests run.
    pub const VERSION: &str = "2.1.332";

    /// Finds the client below `target/claude-code`, and installs it there with npm when it is not.
    ///
    /// Parallel callers install once. What stands in the way is in the error.
    pub fn locate() -> Result<Self, Absent> {
        install::program(Self::VERSION).map(|program| Self { program })
    }

    /// The client, or none with a notice where it cannot be had. In CI that is a failure.
    #[track_caller]
    pub fn locate_or_skip() -> Option<Self> {
        match Self::locate() {
            Ok(client) => Some(client),
            Err(absent) => {
                absent.skip_or_fail();
                None
            }
        }
    }

    /// The native program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A command in the sandbox's project with only its environment, the stub's address and the
    /// switches that keep the client from calling anyone else.
    pub fn command(&self, sandbox: &Sandbox, stub: &ModelStub) -> Command {
        let mut command = sandbox.command(&self.program);
        command
            .env("ANTHROPIC_BASE_URL", stub.url())
            .env("ANTHROPIC_API_KEY", "sk-ant-dummy")
            .env("TERM", "xterm-256color");
        for switch in [
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        ] {
            command.env(switch, "1");
        }
        command
    }

    /// Runs the client with these arguments to its end.
    #[track_caller]
    pub fn run<A: AsRef<OsStr>>(
        &self,
        sandbox: &Sandbox,
        stub: &ModelStub,
        args: impl IntoIterator<Item = A>,
        stdin: &str,
    ) -> Output {
        let mut command = self.command(sandbox, stub);
        command.args(args);
        run(command, stdin.as_bytes(), DEADLINE)
    }

    /// One session of one prompt, with the usual tools allowed; returns the client's result.
    ///
    /// `options` go in between, `--resume` for example. Panics unless the client succeeds.
    #[track_caller]
    pub fn ask(
        &self,
        sandbox: &Sandbox,
        stub: &ModelStub,
        prompt: &str,
        options: &[&str],
    ) -> Value {
        let mut args = vec!["-p", prompt, "--output-format", "json"];
        args.extend(options);
        args.extend(ALLOWED);
        let result = self.run(sandbox, stub, args, "").success().json();
        assert_eq!(result["is_error"], false, "the client reports {result}");
        result
    }

    /// Starts a session that takes prompts one after the other.
    #[track_caller]
    pub fn converse(&self, sandbox: &Sandbox, stub: &ModelStub, options: &[&str]) -> Conversation {
        let mut command = self.command(sandbox, stub);
        command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
        command.arg("--verbose").args(options).args(ALLOWED);
        Conversation::start(command)
    }
}
