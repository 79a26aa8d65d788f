//! What SQLite says, in the store's words.

use rusqlite::ErrorCode;

use crate::Error;

/// The result inside this folder, before the driver's types are left behind.
pub(crate) type Sql<T> = std::result::Result<T, Fault>;

/// What can go wrong inside this folder.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The driver said so.
    Driver(rusqlite::Error),
    /// A stored text is not what was written.
    Stored(serde_json::Error),
    /// A rule of the store.
    Store(Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Stored(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Store(error) => error,
            Fault::Stored(error) => Self::Corrupt(format!("a stored row cannot be read: {error}")),
            Fault::Driver(error) => from_driver(error),
        }
    }
}

fn from_driver(error: rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt(error.to_string())
        }
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::SystemIoFailure,
        ) => Error::Unwritable(error.to_string()),
        Some(ErrorCode::ConstraintViolation) => Error::Conflict(error.to_string()),
        _ => Error::Other(Box::new(error)),
    }
}

/// The same failure for another caller who shared the transaction.
pub(super) fn same(error: &Error) -> Error {
    match error {
        Error::Busy => Error::Busy,
        Error::Corrupt(why) => Error::Corrupt(why.clone()),
        Error::Unwritable(why) => Error::Unwritable(why.clone()),
        Error::Conflict(what) => Error::Conflict(what.clone()),
        Error::Unreachable(why) => Error::Unreachable(why.clone()),
        Error::Setup(why) => Error::Setup(why.clone()),
        Error::NotFound(what) => Error::NotFound(what),
        Error::NewerSchema { found, known } => Error::NewerSchema { found: *found, known: *known },
        Error::Other(cause) => Error::Other(cause.to_string().into()),
    }
}
