//! A real browser: Debian's Chromium, driven by scripts for Node.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::Value;

use crate::absent::{Absent, target};
use crate::env;
use crate::output::{KillOnDrop, collect, finish};
use crate::packages::{npm, once};
use crate::sandbox::Sandbox;

/// What messages call it.
const BROWSER: &str = "Chromium";

/// Bounds a broken run; the longest script takes a fraction of it.
const DEADLINE: Duration = Duration::from_mins(4);

/// The browser, and what scripts drive it with.
#[derive(Clone, Debug)]
pub struct Browser {
    program: PathBuf,
    node: PathBuf,
    modules: PathBuf,
}

impl Browser {
    /// The version of `playwright-core` that scripts import.
    pub const PLAYWRIGHT: &str = "1.65.1";

    /// The version of `axe-core` that scripts import.
    pub const AXE: &str = "4.14.1";

    /// Finds `chromium` and `node` on the search path, and what scripts import below
    /// `target/browser`, where npm installs it when it is not there.
    ///
    /// Parallel callers install once. What stands in the way is in the error.
    pub fn locate() -> Result<Self, Absent> {
        let absent = |why: String| Absent::new(BROWSER, why);
        let find = |name: &str| {
            env::program(name).ok_or_else(|| absent(format!("no {name} is on the search path")))
        };
        let (program, node) = (find("chromium")?, find("node")?);
        let [playwright, axe] = [Self::PLAYWRIGHT, Self::AXE];
        let folder = target().join("browser").join(format!("{playwright}-{axe}"));
        let modules = folder.join("node_modules");
        let packages = [format!("playwright-core@{playwright}"), format!("axe-core@{axe}")];
        let installed = || modules.join("axe-core/axe.min.js").exists();
        let packages = packages.each_ref().map(String::as_str);
        once(&folder, "", installed, || npm(&folder, &packages, &[])).map_err(absent)?;
        Ok(Self { program, node, modules })
    }

    /// The browser, or none with a notice where it cannot be had. In CI that is a failure.
    #[track_caller]
    pub fn locate_or_skip() -> Option<Self> {
        Self::locate().map_err(|absent| absent.skip_or_fail()).ok()
    }

    /// Runs a script to its end and returns what it saw.
    ///
    /// The script reads lines of JSON and writes them. The first that it is given is `handed`, with
    /// `chromium` (the program), `modules` (a folder to import from) and `sandboxed` (whether the
    /// browser may fence its own processes in, which it cannot as root). A line `{"ask": …}` is
    /// answered by `answer`; `{"saw": …}` is the last one. Panics with what the script wrote to its
    /// standard error where it fails.
    #[track_caller]
    pub fn play(
        &self,
        sandbox: &Sandbox,
        script: &Path,
        mut handed: Value,
        mut answer: impl FnMut(&Value) -> Value,
    ) -> Value {
        handed["chromium"] = self.program.display().to_string().into();
        handed["modules"] = self.modules.display().to_string().into();
        handed["sandboxed"] = (!is_root()).into();
        let mut run = Run::start(self.node.as_path(), sandbox, script);
        run.tell(&handed);
        loop {
            let line = run.line();
            if let Some(ask) = line.get("ask") {
                run.tell(&answer(ask));
            } else if let Some(saw) = line.get("saw") {
                run.end();
                return saw.clone();
            }
        }
    }
}

/// A script that runs.
struct Run {
    name: String,
    child: KillOnDrop,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Run {
    #[track_caller]
    fn start(node: &Path, sandbox: &Sandbox, script: &Path) -> Self {
        let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = sandbox.command(node);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("node was found");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { name, stdin: child.stdin.take(), child: KillOnDrop(child), lines }
    }

    #[track_caller]
    fn tell(&mut self, value: &Value) {
        let stdin = self.stdin.as_mut().expect("it is closed at the end");
        // A script that has ended says why where its next line is waited for.
        drop(writeln!(stdin, "{value}").and_then(|()| stdin.flush()));
    }

    /// The next line that is JSON.
    #[track_caller]
    fn line(&mut self) -> Value {
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => {
                    if let Ok(value) = serde_json::from_str::<Value>(&line) {
                        return value;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("{} says nothing", self.name),
                Err(RecvTimeoutError::Disconnected) => {
                    let errors = self.child.0.stderr.take().map(collect);
                    let errors = errors.map(|reader| reader.join().unwrap_or_default());
                    panic!("{} ended early:\n{}", self.name, errors.unwrap_or_default())
                }
            }
        }
    }

    #[track_caller]
    fn end(mut self) {
        drop(self.stdin.take());
        finish(&mut self.child, DEADLINE).success();
    }
}

fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}
