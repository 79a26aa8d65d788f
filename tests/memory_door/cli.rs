//! mem0's command line.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, package, python};

/// Drives a server by the command line.
pub(crate) fn drive(sandbox: &Sandbox, server: &Server) {
    let Some(client) = package(Package::python("mem0-cli", "0.2.13")) else { return };
    python("cli.py", &client, sandbox, server);
}

#[test]
fn mem0s_command_line_does_everything() {
    let sandbox = Sandbox::new(BIN);
    drive(&sandbox, &Server::daemon(&sandbox));
}
