//! A server of the real binary, and its database.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use afterword_testkit::{Database, Postgres, Sandbox, eventually};
use serde_json::Value;

use super::client::Client;

pub(super) const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// How long a server may take to begin or to end before the test is broken.
const DEADLINE: Duration = Duration::from_mins(1);

/// A database that nobody has used; none, with a notice, where there is no PostgreSQL.
pub(super) fn database() -> Option<Database> {
    Some(Postgres::locate_or_skip()?.database())
}

/// A running server.
pub(super) struct Server {
    pub(super) sandbox: Sandbox,
    pub(super) port: u16,
    /// The token of the first start on an empty database.
    pub(super) first_token: Option<String>,
    url: String,
    child: Child,
    /// What it prints; held, so that it can.
    prints: Option<BufReader<ChildStdout>>,
}

impl Server {
    pub(super) fn on(database: &Database) -> Self {
        Self::with(database, |_| {})
    }

    /// Starts one, with more arguments or variables, and waits until it listens.
    pub(super) fn with(database: &Database, set: impl Fn(&mut Command)) -> Self {
        let sandbox = Sandbox::new(BIN);
        let mut command = sandbox.command(BIN);
        command.args(["--json", "serve", "--database-url", &database.url]);
        command.args(["--listen", "127.0.0.1:0"]);
        set(&mut command);
        let log = File::create(sandbox.root().join("serve.log")).unwrap();
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let url = database.url.clone();
        // Whatever it tells, it ends with this.
        let mut server = Self { sandbox, port: 0, first_token: None, url, child, prints: None };
        while server.port == 0 {
            let mut line = String::new();
            let told = lines.read_line(&mut line).unwrap();
            assert!(told > 0, "the server ended: {}", server.log());
            let told: Value = serde_json::from_str(&line).unwrap();
            match told["listening"].as_str() {
                Some(url) => server.port = url.rsplit_once(':').unwrap().1.parse().unwrap(),
                None => server.first_token = Some(told["token"].as_str().unwrap().to_owned()),
            }
        }
        server.prints = Some(lines);
        server
    }

    /// Whoever has the first token.
    pub(super) fn admin(&self) -> Client {
        let token = self.first_token.clone().expect("the database was empty");
        Client { port: self.port, token }
    }

    /// Whoever has a token that the command line makes.
    pub(super) fn issue(&self, org: &str, member: &str, role: &str, more: &[&str]) -> Client {
        let made = self.token(&["create", "--org", org, "--member", member, "--role", role], more);
        Client { port: self.port, token: made["token"].as_str().unwrap().to_owned() }
    }

    /// `afterword token …`, as JSON.
    pub(super) fn token(&self, arguments: &[&str], more: &[&str]) -> Value {
        let database = ["--database-url", self.url.as_str()];
        let all: Vec<&str> = [["--json", "token"].as_slice(), arguments, more, &database].concat();
        let output = self.sandbox.afterword(&all).success();
        serde_json::from_str(&output.stdout).unwrap()
    }

    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(self.sandbox.root().join("serve.log")).unwrap()
    }

    /// Asks it to end, as the system does.
    pub(super) fn ask_to_end(&self) {
        let id = i32::try_from(self.child.id()).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end; whether it was a good one.
    pub(super) fn ended(&mut self) -> bool {
        let ended = || self.child.try_wait().unwrap();
        eventually("the end of the server", DEADLINE, ended).success()
    }

    /// Ends it without warning.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.prints.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
