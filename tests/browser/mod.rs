//! The viewer in a real browser, before a real daemon.
//!
//! Scripts beside this file do what a person does and say what they saw; the stories judge it.

mod changing;
mod enduring;
mod looking;
mod pictures;
mod reaching;

use std::path::Path;

use afterword_testkit::{Browser, Sandbox};
#[cfg(unix)]
use rustix::process::Signal;
use serde_json::{Value, json};

#[cfg(unix)]
use crate::lifecycle;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// A sandbox whose daemon runs, and what a script in the browser makes of it.
struct Stage {
    browser: Browser,
    sandbox: Sandbox,
    port: u16,
}

impl Stage {
    /// None where there is no browser.
    fn new() -> Option<Self> {
        let browser = Browser::locate_or_skip()?;
        let sandbox = Sandbox::new(BIN);
        sandbox.start_daemon();
        let port = sandbox.endpoint().unwrap().port;
        Some(Self { browser, sandbox, port })
    }

    /// Runs a script of this folder. No page may ask anybody but the daemon, and none may write an
    /// error to its console.
    fn play(&self, script: &str) -> Value {
        self.play_with(script, json!({}))
    }

    /// The same with something handed over.
    fn play_with(&self, script: &str, mut handed: Value) -> Value {
        let token = std::fs::read_to_string(self.sandbox.data().join("token")).unwrap();
        handed["port"] = self.port.into();
        handed["token"] = token.trim().into();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
        let saw = self.browser.play(&self.sandbox, &path, handed, |ask| self.answer(ask));
        assert_eq!(saw["elsewhere"], json!([]), "{script}: only the daemon is asked");
        assert_eq!(saw["errors"], json!([]), "{script}: no page has errors");
        saw
    }

    /// What a script has done.
    fn answer(&self, ask: &Value) -> Value {
        match ask["what"].as_str().unwrap() {
            "link" => self.sandbox.afterword(&["open", "--print"]).success().stdout.trim().into(),
            "kill" => self.sandbox.kill_daemon().into(),
            "start" => self.sandbox.start_daemon_at(self.port).into(),
            #[cfg(unix)]
            "freeze" => {
                lifecycle::freeze(self.sandbox.daemon_pid().unwrap());
                Value::Null
            }
            #[cfg(unix)]
            "thaw" => {
                lifecycle::signal(self.sandbox.daemon_pid().unwrap(), Signal::CONT);
                Value::Null
            }
            other => panic!("nobody knows how to {other}"),
        }
    }
}

/// The words of a list that a script saw.
fn texts<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}
