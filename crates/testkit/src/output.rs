//! What a finished process left behind.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use crate::wait::eventually;

/// Exit code and texts of a process that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output, invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, invalid UTF-8 replaced.
    pub stderr: String,
}

impl Output {
    /// Panics with both texts unless the exit code is 0.
    #[expect(clippy::return_self_not_must_use, reason = "the check itself may be all one wants")]
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard output as one JSON value; panics with both texts where it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("no JSON ({error}); stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr)
        })
    }
}

/// Bytes that every pipe takes without a reader.
const PIPE_BYTES: usize = 4096;

/// Runs a command to its end with `stdin`; kills it and panics when `deadline` passes.
#[track_caller]
pub(crate) fn run(mut command: Command, stdin: &[u8], deadline: Duration) -> Output {
    let (reader, mut pipe) = std::io::pipe().expect("a pipe can be made");
    // What fits lies there before the program starts: on a busy machine a hook would otherwise stop
    // waiting before this process has come to write.
    let (first, rest) = stdin.split_at(stdin.len().min(PIPE_BYTES));
    pipe.write_all(first).expect("an empty pipe takes a few bytes");
    let child =
        command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(
            |error| panic!("cannot run {}: {error}", command.get_program().display()),
        );
    let mut child = KillOnDrop(child);
    // The command holds the end that the program reads.
    drop(command);
    let bytes = rest.to_owned();
    // A program may end without reading its input: a broken pipe is no failure of the test.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = finish(&mut child, deadline);
    writer.join().expect("the writer does not panic");
    output
}

/// Waits for the end of a child, and of what it still writes to its pipes.
#[track_caller]
pub(crate) fn finish(child: &mut KillOnDrop, deadline: Duration) -> Output {
    let stdout = child.0.stdout.take().map(collect);
    let stderr = child.0.stderr.take().map(collect);
    let status = eventually("the end of a child process", deadline, || {
        child.0.try_wait().expect("a child of ours can be waited for")
    });
    let text = |reader: Option<JoinHandle<String>>| {
        reader.map_or_else(String::new, |r| r.join().expect("a reader does not panic"))
    };
    Output { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Reads a pipe to its end on a thread of its own, so that a full pipe cannot stall the child.
pub(crate) fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Leaves no child behind when a wait gives up.
#[derive(Debug)]
pub(crate) struct KillOnDrop(pub(crate) Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            drop(self.0.kill());
            drop(self.0.wait());
        }
    }
}
