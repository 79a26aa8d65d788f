//! mem0's command line.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, package, python};

#[test]
fn mem0s_command_line_does_everything() {
    let Some(client) = package(Package::python("mem0-cli", "0.2.13")) else { return };
    let sandbox = Sandbox::new(BIN);
    python("cli.py", &client, &sandbox, &Server::daemon(&sandbox));
}
