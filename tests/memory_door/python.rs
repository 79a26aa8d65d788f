//! The official Python client, today's and that of the year before.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, package, python};

/// Drives a server by today's client.
pub(crate) fn drive_today(sandbox: &Sandbox, server: &Server) {
    let Some(client) = package(Package::python("mem0ai", "2.2.1")) else { return };
    python("python_2.py", &client, sandbox, server);
}

/// Drives a server by the client of the year before.
pub(crate) fn drive_year_before(sandbox: &Sandbox, server: &Server) {
    let Some(client) = package(Package::python("mem0ai", "1.0.11")) else { return };
    python("python_1.py", &client, sandbox, server);
}

#[test]
fn the_official_python_client_does_everything() {
    let sandbox = Sandbox::new(BIN);
    drive_today(&sandbox, &Server::daemon(&sandbox));
}

#[test]
fn the_python_client_of_the_year_before_does_everything() {
    let sandbox = Sandbox::new(BIN);
    drive_year_before(&sandbox, &Server::daemon(&sandbox));
}
