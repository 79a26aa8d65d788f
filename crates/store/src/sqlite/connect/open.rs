//! The file and its folder, and connections to it.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::errors::Sql;
use super::schema;
use crate::{Error, Result};

/// How long a connection waits for another process to let go of the file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Tries of what SQLite refuses at once instead of waiting, and the pause between two of them.
const TRIES: u32 = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// Where `user_version` stands in a database file, big-endian.
const VERSION_OFFSET: usize = 60;

const CACHED_STATEMENTS: usize = 160;

/// Makes the folder and the file when they are missing, refuses a newer schema without touching a
/// byte, and brings an older one up to date.
pub(crate) fn prepare_file(path: &Path) -> Result<()> {
    make_private_file(path)?;
    refuse_newer_header(path)?;
    let mut db = connect(path, Role::Writer)?;
    // A newer database may have a log of its own that is not ours to merge.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(fault)?;
    schema::refuse_newer(&db)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(fault)?;
    use_wal(&db)?;
    schema::migrate(&mut db, path)?;
    let repaired = schema::repair(&mut db)?;
    for what in repaired {
        tracing::warn!(what, "the database was repaired");
    }
    Ok(())
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Writer,
    Reader,
}

pub(super) fn connect(path: &Path, role: Role) -> Result<Connection> {
    let access = match role {
        Role::Writer => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Role::Reader => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(fault)?;
    configure(&db, role).map_err(Error::from)?;
    Ok(db)
}

fn configure(db: &Connection, role: Role) -> Sql<()> {
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Sizes in KiB: together they stay far inside the memory an idle daemon may have.
    let pragmas = match role {
        Role::Writer => {
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -4096;
             PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216;
             PRAGMA secure_delete = ON;"
        }
        Role::Reader => "PRAGMA query_only = ON; PRAGMA cache_size = -6144;",
    };
    db.execute_batch(pragmas)?;
    Ok(())
}

/// Switching to WAL wants the file for itself and is refused at once when another process has just
/// opened it too, without regard to the busy timeout.
fn use_wal(db: &Connection) -> Result<()> {
    for _ in 0..TRIES {
        match db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(Error::Unwritable(format!(
                    "the file system allows only the journal mode '{mode}', not 'wal'"
                )));
            }
            Err(error) if is_busy(&error) => thread::sleep(PAUSE),
            Err(error) => return Err(fault(error)),
        }
    }
    Err(Error::Busy)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Reads the version where SQLite keeps it, before any library opens the file.
fn refuse_newer_header(path: &Path) -> Result<()> {
    let mut head = [0_u8; VERSION_OFFSET + 4];
    let mut file = File::open(path).map_err(unwritable)?;
    if file.read_exact(&mut head).is_err() {
        return Ok(()); // Shorter than a header: new, or for SQLite to judge.
    }
    let word = [head[VERSION_OFFSET], head[VERSION_OFFSET + 1], head[62], head[63]];
    if head.starts_with(b"SQLite format 3\0") {
        schema::refuse_version(i64::from(u32::from_be_bytes(word)))?;
    }
    Ok(())
}

#[cfg(unix)]
fn make_private_file(path: &Path) -> Result<()> {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    if let Some(folder) = folder_of(path) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unwritable)?;
    }
    // SQLite gives the log and the shared memory the permissions of the file.
    let file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(unwritable)?;
    drop(file);
    Ok(())
}

#[cfg(not(unix))]
fn make_private_file(path: &Path) -> Result<()> {
    if let Some(folder) = folder_of(path) {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(unwritable)?;
    drop(file);
    Ok(())
}

fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
pub(super) fn unwritable(error: std::io::Error) -> Error {
    Error::Unwritable(error.to_string())
}

pub(super) fn fault(error: rusqlite::Error) -> Error {
    super::Fault::from(error).into()
}
