//! The memory door of the team server, on PostgreSQL: the same clients and generated requests that
//! drive the daemon's.

use std::fs;

use afterword_testkit::Sandbox;

use super::server::{Server, database};
use crate::memory_door::{self, cli, openapi, python, typescript};

/// Drives a server that nobody has used.
fn driven(drive: impl Fn(&Sandbox, &memory_door::Server)) {
    let Some(database) = database() else { return };
    let server = Server::with(&database, |command| {
        let folder = command.get_envs().find(|(name, _)| *name == "AFTERWORD_HOME");
        let folder = folder.and_then(|(_, folder)| folder).map(std::path::PathBuf::from).unwrap();
        fs::create_dir_all(&folder).unwrap();
        // Generated requests come faster than any member's.
        let settings = "[server]\nrequests_per_minute = 0\n";
        fs::write(folder.join("config.toml"), settings).unwrap();
    });
    let admin = server.admin();
    let url = format!("http://127.0.0.1:{}", server.port);
    drive(&server.sandbox, &memory_door::Server { url, key: admin.token });
}

#[test]
fn the_official_python_client_does_everything_on_postgresql() {
    driven(python::drive_today);
}

#[test]
fn the_python_client_of_the_year_before_does_everything_on_postgresql() {
    driven(python::drive_year_before);
}

#[test]
fn the_official_typescript_client_does_everything_on_postgresql() {
    driven(typescript::drive);
}

#[test]
fn mem0s_command_line_does_everything_on_postgresql() {
    driven(cli::drive);
}

#[test]
fn generated_requests_find_no_failure_on_postgresql() {
    driven(openapi::generate);
}
