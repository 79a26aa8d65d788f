//! One question to git, for a short time.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::hook::platform;

/// How long git may take.
const PATIENCE: Duration = Duration::from_millis(150);

/// Builds that are not optimised are tested on busy machines.
const SLOWNESS: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

/// Most bytes of an answer that are read.
const ANSWER: u64 = 256 * 1024;

/// Variables that would lead git elsewhere.
const MISLEADING: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_TRACE"];

/// What git answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// Its exit code.
    pub(super) code: i32,
    /// What it printed, at most 256 KiB.
    pub(super) printed: Vec<u8>,
}

/// Asks git in a folder. None where there is no git, or it does not answer in time: then it is ended.
pub(super) fn ask(top: &Path, arguments: &[&str]) -> Option<Answer> {
    let until = Instant::now() + PATIENCE * SLOWNESS;
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(top)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for name in MISLEADING {
        command.env_remove(name);
    }
    platform::no_window(&mut command);
    let mut child = command.spawn().ok()?;
    let printed = read(&mut child, until);
    if printed.is_none() {
        child.kill().ok();
    }
    let code = child.wait().ok()?.code()?;
    Some(Answer { code, printed: printed? })
}

/// All that the process prints; none when it is not done in time.
fn read(child: &mut Child, until: Instant) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (done, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let whole = stdout.take(ANSWER).read_to_end(&mut bytes).is_ok();
        done.send(whole.then_some(bytes)).ok();
    });
    answer.recv_timeout(until.saturating_duration_since(Instant::now())).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a7_a_git_that_hangs_is_not_waited_for() {
        let Ok(mut child) = Command::new("sleep").arg("60").stdout(Stdio::piped()).spawn() else {
            return;
        };
        let answer = read(&mut child, Instant::now() + Duration::from_millis(5));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(answer, None);
    }
}
