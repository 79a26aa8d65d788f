//! The memory door, asked by the official clients, our own hooks and generated requests.
//!
//! Scripts in `clients/` take the server's address and a token from their environment, so that one
//! script drives every server that has this door.

pub(crate) mod cli;
mod hooks;
pub(crate) mod openapi;
pub(crate) mod python;
mod refusals;
pub(crate) mod typescript;

use std::path::{Path, PathBuf};
use std::process::Command;

use afterword_testkit::{Absent, Package, Sandbox};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// A server with this door.
pub(crate) struct Server {
    /// Its address, without a slash at the end.
    pub(crate) url: String,
    /// What opens it.
    pub(crate) key: String,
}

impl Server {
    /// The daemon of a sandbox, started if need be.
    pub(crate) fn daemon(sandbox: &Sandbox) -> Self {
        sandbox.start_daemon();
        let port = sandbox.endpoint().unwrap().port;
        let key = std::fs::read_to_string(sandbox.data().join("token")).unwrap();
        Self { url: format!("http://127.0.0.1:{port}"), key: key.trim().to_owned() }
    }
}

/// A package, or none with a notice where it cannot be had; in CI that is a failure.
#[track_caller]
pub(crate) fn package(found: Result<Package, Absent>) -> Option<Package> {
    found.inspect_err(Absent::skip_or_fail).ok()
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory_door/clients").join(name)
}

/// A client's command with an environment of its own, telemetry off.
fn client(sandbox: &Sandbox, program: &str, server: &Server) -> Command {
    let mut command = sandbox.command(program);
    command
        .env("MEMORY_URL", &server.url)
        .env("MEMORY_KEY", &server.key)
        .env("MEM0_TELEMETRY", "false")
        .env("MEM0_DIR", sandbox.root().join("mem0"))
        .env("NO_COLOR", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Runs a script of a Python client to its end.
#[track_caller]
pub(crate) fn python(name: &str, package: &Package, sandbox: &Sandbox, server: &Server) {
    let mut command = client(sandbox, "python3", server);
    let scripts = script("");
    let path = std::env::join_paths([package.folder(), &scripts]).unwrap();
    command.arg(script(name)).env("PYTHONPATH", path);
    ends_well(command, name);
}

/// Runs a command to its end, which must say last that it is done.
#[track_caller]
fn ends_well(mut command: Command, name: &str) {
    let output = command.output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {}\n{out}\n{err}", output.status);
    assert_eq!(out.lines().last(), Some("done"), "{name}\n{out}\n{err}");
}
