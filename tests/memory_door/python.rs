//! The official Python client, today's and that of the year before.

use afterword_testkit::{Package, Sandbox};

use super::{BIN, Server, package, python};

#[test]
fn the_official_python_client_does_everything() {
    let Some(client) = package(Package::python("mem0ai", "2.2.1")) else { return };
    let sandbox = Sandbox::new(BIN);
    python("python_2.py", &client, &sandbox, &Server::daemon(&sandbox));
}

#[test]
fn the_python_client_of_the_year_before_does_everything() {
    let Some(client) = package(Package::python("mem0ai", "1.0.11")) else { return };
    let sandbox = Sandbox::new(BIN);
    python("python_1.py", &client, &sandbox, &Server::daemon(&sandbox));
}
