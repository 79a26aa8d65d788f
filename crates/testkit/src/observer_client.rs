//! The hooks and the MCP server of the five-stage observer, one exact version, run against our daemon.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::absent::{Absent, target};
use crate::output::Output;
use crate::packages::{npm, once, unpack};
use crate::sandbox::Sandbox;

/// What messages call it.
const CLIENT: &str = "claude-mem";

/// The program that its hooks are run by.
const BUN: &str = "1.4.5";

/// The two libraries that the hooks load.
const LIBRARIES: [&str; 2] = ["zod@4.4.3", "shell-quote@1.9.0"];

/// Where the hooks look for the version that is installed.
const MARKET: &str = ".claude/plugins/marketplaces/thedotmack";

/// The unpacked package, and what runs it. Its own server is never started.
#[derive(Clone, Debug)]
pub struct ObserverClient {
    package: PathBuf,
    bun: PathBuf,
}

impl ObserverClient {
    /// The version that tests run.
    pub const VERSION: &str = "13.25.3";

    /// Finds the package below `target/claude-mem`, and unpacks it there from npm when it is not;
    /// not installed: what it depends on is hundreds of megabytes that hooks do not load.
    ///
    /// Parallel callers install once. What stands in the way is in the error.
    pub fn locate() -> Result<Self, Absent> {
        let absent = |why: String| Absent::new(CLIENT, why);
        let platform = platform().ok_or_else(|| absent("no build for this platform".to_owned()))?;
        let folder = target().join("claude-mem").join(Self::VERSION);
        let modules = folder.join("node_modules");
        let bun_package = format!("@oven/bun-{platform}");
        let client = Self {
            package: folder.join("package"),
            bun: modules.join(&bun_package).join("bin").join("bun"),
        };
        let parts = [client.script("worker-service.cjs"), client.script("mcp-server.cjs")];
        let parts = [&client.bun, &modules.join("zod"), &parts[0], &parts[1]];
        let install = || {
            let bun = format!("{bun_package}@{BUN}");
            npm(&folder, &[&bun, LIBRARIES[0], LIBRARIES[1]], &[])?;
            unpack(&folder, &format!("claude-mem@{}", Self::VERSION))
        };
        let installed = || parts.iter().all(|part| part.exists());
        once(&folder, Self::VERSION, installed, install).map_err(absent)?;
        Ok(client)
    }

    /// The package, or none with a notice where it cannot be had. In CI that is a failure.
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

    fn script(&self, name: &str) -> PathBuf {
        self.package.join("plugin").join("scripts").join(name)
    }

    /// Where the client keeps its own files in a sandbox.
    pub fn data(sandbox: &Sandbox) -> PathBuf {
        sandbox.home().join(".claude-mem")
    }

    /// A hook of Claude Code's event, with a payload; `context`, `session-init`, `file-context`,
    /// `observation`, `summarize` or `session-end`.
    #[track_caller]
    pub fn hook(&self, sandbox: &Sandbox, port: u16, event: &str, payload: &Value) -> Output {
        self.worker_command(sandbox, port, &["hook", "claude-code", event], payload)
    }

    /// What Claude Code runs first: starts the client's server where none answers.
    #[track_caller]
    pub fn start(&self, sandbox: &Sandbox, port: u16) -> Output {
        self.worker_command(sandbox, port, &["start"], &Value::Null)
    }

    #[track_caller]
    fn worker_command(&self, sandbox: &Sandbox, port: u16, args: &[&str], stdin: &Value) -> Output {
        let mut command = self.command(sandbox, port, &self.bun);
        command.arg(self.script("worker-service.cjs")).args(args);
        sandbox.run(command, stdin.to_string().as_bytes())
    }

    /// The MCP server, which speaks over pipes.
    pub fn mcp_server(&self, sandbox: &Sandbox, port: u16) -> Command {
        let mut command = self.command(sandbox, port, Path::new("node"));
        command.arg(self.script("mcp-server.cjs"));
        command
    }

    /// A command in the sandbox with nothing but the settings of the client, which takes whatever
    /// listens on the port for its server. It tells nobody of its use.
    fn command(&self, sandbox: &Sandbox, port: u16, program: &Path) -> Command {
        self.install_in(sandbox);
        let mut command = sandbox.command(program);
        command
            .env("SHELL", "/bin/bash")
            .env("CLAUDE_PLUGIN_ROOT", self.package.join("plugin"))
            .env("CLAUDE_MEM_DATA_DIR", Self::data(sandbox))
            .env("CLAUDE_MEM_WORKER_HOST", "127.0.0.1")
            .env("CLAUDE_MEM_WORKER_PORT", port.to_string())
            .env("CLAUDE_MEM_CHROMA_ENABLED", "false")
            .env("CLAUDE_MEM_TELEMETRY", "0")
            .env("DO_NOT_TRACK", "1");
        command
    }

    /// Makes the hooks know their own version, so that they look at the server's.
    fn install_in(&self, sandbox: &Sandbox) {
        let market = sandbox.home().join(MARKET);
        let manifest = market.join("package.json");
        if !manifest.exists() {
            std::fs::create_dir_all(&market).expect("folders in a home of our own");
            std::fs::copy(self.package.join("package.json"), manifest).expect("a copy");
        }
    }
}

/// The ending of the npm package that holds the program for this platform.
fn platform() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("linux-x64"),
        ("linux", "aarch64") => Some("linux-aarch64"),
        ("macos", "x86_64") => Some("darwin-x64"),
        ("macos", "aarch64") => Some("darwin-aarch64"),
        _ => None,
    }
}
