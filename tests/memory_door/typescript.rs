//! The official TypeScript client.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, client, ends_well, package, script};

/// Drives a server by the client.
pub(crate) fn drive(sandbox: &Sandbox, server: &Server) {
    let Some(installed) = package(Package::npm("mem0ai", "3.3.1")) else { return };
    let mut command = client(sandbox, "node", server);
    command.arg(script("typescript.mjs")).env("CLIENT_FOLDER", installed.folder());
    ends_well(command, "typescript.mjs");
}

#[test]
fn the_official_typescript_client_does_everything() {
    let sandbox = Sandbox::new(BIN);
    drive(&sandbox, &Server::daemon(&sandbox));
}
