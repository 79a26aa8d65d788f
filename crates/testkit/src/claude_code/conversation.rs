//! A session that stays open for several prompts.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::DEADLINE;
use crate::output::{KillOnDrop, Output, collect, finish};

/// A running client that reads prompts as lines of JSON.
///
/// Prompts sent while one is being answered would be merged into it, hence [`Conversation::say`]
/// waits for the result before it returns. Dropping the conversation kills the client;
/// [`Conversation::end`] lets it finish as a person would.
#[derive(Debug)]
pub struct Conversation {
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    child: Option<KillOnDrop>,
}

impl Conversation {
    #[track_caller]
    pub(super) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the client can be started");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = child.stderr.take().map(collect);
        Self { stdin: child.stdin.take(), lines, stderr, child: Some(KillOnDrop(child)) }
    }

    /// Sends a prompt, or a command such as `/compact`, and returns the client's result line.
    #[track_caller]
    pub fn say(&mut self, text: &str) -> Value {
        let message = json!({
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
            "parent_tool_use_id": null,
            "session_id": "",
        });
        let stdin = self.stdin.as_mut().expect("the conversation is open");
        writeln!(stdin, "{message}").expect("the client takes the prompt");
        stdin.flush().expect("the client takes the prompt");
        loop {
            let line = match self.lines.recv_timeout(DEADLINE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => panic!("no result for {text:?}"),
                Err(RecvTimeoutError::Disconnected) => self.ended_early(text),
            };
            let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
            if line["type"] == "result" {
                assert_eq!(line["is_error"], false, "the client reports {line}");
                return line;
            }
        }
    }

    /// Closes the input, which ends the session, and waits for the end of the client.
    #[track_caller]
    pub fn end(mut self) -> Output {
        drop(self.stdin.take());
        let mut guard = self.child.take().expect("the conversation is open");
        let output = finish(&mut guard, DEADLINE);
        Output { stderr: self.errors(), ..output }
    }

    #[track_caller]
    fn ended_early(&mut self, text: &str) -> ! {
        panic!("the client ended before a result for {text:?}; stderr:\n{}", self.errors())
    }

    fn errors(&mut self) -> String {
        self.stderr.take().map_or_else(String::new, |reader| reader.join().unwrap_or_default())
    }
}
