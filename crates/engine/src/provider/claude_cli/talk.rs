//! A running Claude Code: a line in, lines out, until the result.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::observer::PROGRAM;
use crate::provider::refusal::{Refusal, RefusalKind};

/// Longest line that is read; a result of a few thousand tokens has a few dozen kilobytes.
const MOST_BYTES: u64 = 8 << 20;

/// What is kept of the program's complaints, in bytes.
const COMPLAINT: u64 = 4096;

/// How long the program may take to leave once its input is closed.
const LEAVE: Duration = Duration::from_secs(2);

/// A process and its ends. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
    /// Whether it has said anything of the protocol.
    spoke: bool,
}

/// What ends a turn.
#[derive(Debug)]
pub(super) enum Said {
    /// The line with the result.
    Whole(Value),
    /// What was said until the limit; the process is gone.
    Cut(String),
}

impl Talk {
    pub(super) fn start(mut command: Command) -> Result<Self, Refusal> {
        let mut child = command.spawn().map_err(|error| {
            let program = command.as_std().get_program().to_string_lossy();
            let what = format!("{program} cannot be run: {error}");
            let refusal = Refusal::new(RefusalKind::Misconfigured, what).before_sending();
            refusal.with_remedy(PROGRAM)
        })?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        let complaint = tokio::spawn(async move {
            let mut stderr = stderr;
            let mut kept = Vec::new();
            drop((&mut stderr).take(COMPLAINT).read_to_end(&mut kept).await);
            // A full pipe would stop the program.
            drop(tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await);
            String::from_utf8_lossy(&kept).into_owned()
        });
        let stdout = BufReader::new(stdout);
        Ok(Self { child, stdin, stdout, complaint: Some(complaint), spoke: false })
    }

    /// Whether the process still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Says one thing and returns what ends the turn. Nothing else may be said meanwhile: the program
    /// merges what comes during a turn into it.
    ///
    /// The program has an answer that met its limit gone on with by further requests, which nobody has
    /// counted: it is killed when such an answer is there.
    pub(super) async fn say(&mut self, text: &str) -> Result<Said, Refusal> {
        let message = json!({
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
            "parent_tool_use_id": null,
            "session_id": "",
        });
        let line = format!("{message}\n");
        let stdin = self.stdin.as_mut().expect("open until the talk ends");
        let written = stdin.write_all(line.as_bytes()).await;
        if written.is_err() || stdin.flush().await.is_err() {
            return Err(self.ended().await);
        }
        let mut so_far = String::new();
        loop {
            let mut line = Vec::new();
            let read = (&mut self.stdout).take(MOST_BYTES).read_until(b'\n', &mut line).await;
            if read.is_err() || line.is_empty() {
                return Err(self.ended().await);
            }
            if line.last() != Some(&b'\n') && line.len() as u64 >= MOST_BYTES {
                let what = format!("claude sent a line of more than {MOST_BYTES} bytes");
                return Err(Refusal::new(RefusalKind::Unusable, what));
            }
            let Ok(line) = serde_json::from_slice::<Value>(&line) else { continue };
            self.spoke |= line["type"].is_string();
            if line["type"] == "result" {
                return Ok(Said::Whole(line));
            }
            let event = &line["event"];
            match event["type"].as_str() {
                Some("message_start") => so_far.clear(),
                Some("content_block_delta") => {
                    so_far.push_str(event["delta"]["text"].as_str().unwrap_or_default());
                }
                Some("message_delta") if event["delta"]["stop_reason"] == "max_tokens" => {
                    drop(self.child.start_kill());
                    return Ok(Said::Cut(so_far));
                }
                _ => {}
            }
        }
    }

    /// Why the process left without a result.
    async fn ended(&mut self) -> Refusal {
        let status = tokio::time::timeout(LEAVE, self.child.wait()).await;
        let complaint = match self.complaint.take() {
            Some(complaint) => tokio::time::timeout(LEAVE, complaint).await.ok(),
            None => None,
        };
        let complaint = complaint.and_then(Result::ok).unwrap_or_default();
        let how = match status {
            Ok(Ok(status)) => status.to_string(),
            _ => "no status".to_owned(),
        };
        // One that ended by itself before it said a word of the protocol is too old, or is no Claude
        // Code: the next question would end the same.
        let ended = matches!(&status, Ok(Ok(status)) if status.code().is_some());
        if complaint.contains("unknown option") || (ended && !self.spoke) {
            let what = format!("the program does not talk as Claude Code does ({how}) {complaint}");
            return Refusal::new(RefusalKind::Misconfigured, what).with_remedy(PROGRAM);
        }
        let what = format!("claude ended without an answer ({how}) {complaint}");
        Refusal::new(RefusalKind::Unavailable, what)
    }

    /// Lets the process leave, and kills it where it does not.
    pub(super) async fn end(mut self) {
        drop(self.stdin.take());
        if tokio::time::timeout(LEAVE, self.child.wait()).await.is_err() {
            drop(self.child.kill().await);
        }
    }
}
