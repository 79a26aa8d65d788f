//! The official TypeScript client.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, client, ends_well, package, script};

#[test]
fn the_official_typescript_client_does_everything() {
    let Some(installed) = package(Package::npm("mem0ai", "3.3.1")) else { return };
    let sandbox = Sandbox::new(BIN);
    let mut command = client(&sandbox, "node", &Server::daemon(&sandbox));
    command.arg(script("typescript.mjs")).env("CLIENT_FOLDER", installed.folder());
    ends_well(command, "typescript.mjs");
}
