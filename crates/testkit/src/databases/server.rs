//! The server of a test process: on a socket in a folder of its own, gone with the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::wait::eventually;

/// Starts the server, and ends it by its id as soon as nobody holds the other end of its input any
/// more: a test process that is killed lets go of it too.
const KEEPER: &str = r#"
"$1/postgres" -D "$2/data" </dev/null >"$2/log" 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
rm -rf "$2"
"#;

/// What a server for tests is set to: nothing has to outlive it.
const SETTINGS: &str = "
listen_addresses = ''
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 64MB
max_connections = 300
wal_level = minimal
max_wal_senders = 0
";

/// How long it may take to be ready on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server.
#[derive(Debug)]
pub(super) struct Server {
    programs: PathBuf,
    folder: PathBuf,
    /// Its input is what keeps the server running.
    _keeper: Child,
}

impl Server {
    pub(super) fn start(programs: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new()
            .prefix("afterword-postgres-")
            .tempdir()
            .map_err(|error| format!("no folder for it: {error}"))?
            .keep();
        let user = user::other_than_root()?;
        let programs = user::readable(programs, &folder, user)?;
        user::give(&folder, user).map_err(|error| format!("no folder for it: {error}"))?;
        let data = folder.join("data");
        let mut initdb = Command::new(programs.join("initdb"));
        initdb
            .args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"])
            .args(["--no-sync", "--no-instructions", "--pgdata"])
            .arg(&data)
            .stdin(Stdio::null());
        user::run_as(&mut initdb, user);
        let output = initdb.output().map_err(|error| format!("initdb cannot be run: {error}"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("initdb failed: {}", errors.trim()));
        }
        let sockets = folder.display();
        fs::write(
            data.join("postgresql.auto.conf"),
            format!("{SETTINGS}unix_socket_directories = '{sockets}'\n"),
        )
        .map_err(|error| format!("its settings cannot be written: {error}"))?;
        let mut keeper = Command::new("sh");
        keeper
            .args(["-c", KEEPER, "keeper"])
            .args([&programs, &folder])
            .current_dir(&folder)
            .stdin(Stdio::piped());
        user::run_as(&mut keeper, user);
        let keeper = keeper.spawn().map_err(|error| format!("sh cannot be run: {error}"))?;
        let server = Self { programs, folder, _keeper: keeper };
        eventually("a database server that answers", PATIENCE, || {
            let asked = Command::new(server.psql())
                .args(["--no-psqlrc", "--quiet", "--command", "SELECT 1", "--dbname"])
                .arg(server.url("postgres", "postgres"))
                .stdin(Stdio::null())
                .output();
            asked.is_ok_and(|output| output.status.success()).then_some(())
        });
        Ok(server)
    }

    pub(super) fn psql(&self) -> PathBuf {
        self.programs.join("psql")
    }

    /// The URL of a database for a user.
    pub(super) fn url(&self, user: &str, database: &str) -> String {
        let host = self.folder.to_string_lossy().replace('/', "%2F");
        format!("postgresql://{user}@{host}/{database}")
    }
}

/// The server refuses to run as root, so tests that do run it as somebody else.
#[cfg(unix)]
mod user {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown};
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// User and group.
    pub(super) type User = Option<(u32, u32)>;

    /// Somebody to run as; none where we are not root.
    pub(super) fn other_than_root() -> Result<User, String> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
        let id = |line: &str| {
            let mut fields = line.split(':').skip(2);
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        let named = |name: &str| {
            users.lines().find(|line| line.split(':').next() == Some(name)).and_then(id)
        };
        let found = named("postgres").or_else(|| named("nobody"));
        found.map(Some).ok_or_else(|| "it cannot run as root, and there is nobody else".to_owned())
    }

    pub(super) fn run_as(command: &mut Command, user: User) {
        if let Some((user, group)) = user {
            command.uid(user).gid(group);
        }
    }

    pub(super) fn give(folder: &Path, user: User) -> std::io::Result<()> {
        user.map_or(Ok(()), |(user, group)| chown(folder, Some(user), Some(group)))
    }

    /// The programs where that user can reach them: a copy where a folder on the way is closed.
    pub(super) fn readable(programs: &Path, folder: &Path, user: User) -> Result<PathBuf, String> {
        let is_open = |path: &Path| fs::metadata(path).is_ok_and(|found| found.mode() & 0o005 == 5);
        if user.is_none() || programs.ancestors().all(is_open) {
            return Ok(programs.to_owned());
        }
        let installed = programs.ancestors().nth(3).unwrap_or(programs);
        let copied =
            Command::new("cp").arg("-r").arg(installed).arg(folder.join("programs")).status();
        if !copied.is_ok_and(|status| status.success()) {
            return Err("its programs cannot be copied".to_owned());
        }
        let inside = programs.strip_prefix(installed).map_err(|error| error.to_string())?;
        Ok(folder.join("programs").join(inside))
    }
}

#[cfg(not(unix))]
mod user {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    pub(super) type User = Option<(u32, u32)>;

    pub(super) fn other_than_root() -> Result<User, String> {
        Ok(None)
    }

    pub(super) fn run_as(_command: &mut Command, _user: User) {}

    pub(super) fn give(_folder: &Path, _user: User) -> std::io::Result<()> {
        Ok(())
    }

    pub(super) fn readable(
        programs: &Path,
        _folder: &Path,
        _user: User,
    ) -> Result<PathBuf, String> {
        Ok(programs.to_owned())
    }
}
