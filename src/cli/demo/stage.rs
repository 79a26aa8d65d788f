//! A throwaway home with a project in it, and this program run in it as an agent would.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use afterword_domain::wire::search::SearchAnswer;
use afterword_domain::wire::status::Status;
use anyhow::{Context as _, bail};
use serde_json::Value;
use tempfile::TempDir;

/// How long distilling a recorded session may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The throwaway home. Its daemon is stopped and its files are deleted when it goes.
#[derive(Debug)]
pub(super) struct Stage {
    folder: Option<TempDir>,
    path: PathBuf,
    exe: PathBuf,
}

/// What a hook printed, and how long its process took.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) took: Duration,
    stdout: String,
}

impl Played {
    /// The text that the agent would put before the model.
    pub(super) fn context(&self) -> String {
        let reply: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }
}

impl Stage {
    pub(super) fn set(keep: bool) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("afterword-demo-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        let path = folder.path().to_owned();
        std::fs::create_dir_all(path.join("shop"))?;
        let exe = std::env::current_exe().context("cannot find this program's own file")?;
        let folder = if keep {
            drop(folder.keep());
            None
        } else {
            Some(folder)
        };
        let stage = Self { folder, path, exe };
        stage.run(&["daemon", "start"])?;
        Ok(stage)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.path
    }

    /// This program with the throwaway home, and nothing of the person's environment.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.exe);
        command
            .env_clear()
            .env("HOME", &self.path)
            .env("USERPROFILE", &self.path)
            .env("AFTERWORD_HOME", self.path.join("memory"))
            .env("AFTERWORD_PORT", "0")
            .current_dir(self.path.join("shop"));
        command
    }

    fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.command().args(args).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            bail!("{} failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Calls a hook as the agent does: the payload on standard input, the reply on standard output.
    pub(super) fn hook(
        &self,
        session: &str,
        event: &str,
        payload: &Value,
    ) -> anyhow::Result<Played> {
        let cwd = self.path.join("shop");
        let filled = payload.to_string().replace("${CWD}", &cwd.to_string_lossy());
        let mut payload: Value = serde_json::from_str(&filled)?;
        payload["session_id"] = session.into();
        payload["cwd"] = cwd.to_string_lossy().into();
        let begun = Instant::now();
        let mut child = self
            .command()
            .args(["hook", "claude-code", event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(payload.to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let took = begun.elapsed();
        Ok(Played { took, stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    pub(super) fn wait_until_distilled(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status: Status = serde_json::from_str(&self.run(&["status", "--json"])?)?;
            if status.spooled == 0 && status.waiting == 0 {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("{} events are still waiting to be distilled", status.waiting);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(super) fn search(&self, query: &str) -> anyhow::Result<SearchAnswer> {
        Ok(serde_json::from_str(&self.run(&["search", query, "--json"])?)?)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(self.run(&["daemon", "stop"]));
        drop(self.folder.take());
    }
}
