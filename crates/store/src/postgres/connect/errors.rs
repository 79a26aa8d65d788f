//! What PostgreSQL says, in the store's words.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::Error;

/// The result inside this folder, before the driver's types are left behind.
pub(crate) type Sql<T> = std::result::Result<T, Fault>;

/// What can go wrong inside this folder.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The driver said so.
    Driver(tokio_postgres::Error),
    /// A stored text is not what was written.
    Stored(serde_json::Error),
    /// A rule of the store.
    Store(Error),
}

impl Fault {
    /// Whether the same work may succeed when it is done again from the beginning: another
    /// transaction was quicker, and what it wrote is seen by then.
    pub(super) fn lost_a_race(&self) -> bool {
        let Self::Driver(error) = self else { return false };
        matches!(
            error.code(),
            Some(
                &SqlState::T_R_SERIALIZATION_FAILURE
                    | &SqlState::T_R_DEADLOCK_DETECTED
                    | &SqlState::UNIQUE_VIOLATION
            )
        )
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
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

fn from_driver(error: tokio_postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        // No answer of the server: the way to it is broken, or its answer cannot be read.
        return if error.is_closed()
            || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
        {
            Error::Unreachable(sentence(&error))
        } else {
            Error::Other(Box::new(error))
        };
    };
    let code = told.code();
    match code.code() {
        "40001" | "40P01" | "55P03" | "53300" => Error::Busy,
        "23505" => Error::Conflict(told.constraint().unwrap_or("a unique key").to_owned()),
        "23503" => Error::NotFound("row that this one belongs to"),
        // Disk full, out of memory, read-only: a replica or a server that protects itself.
        "53100" | "53200" | "53400" | "25006" => Error::Unwritable(told.message().to_owned()),
        "XX001" | "XX002" => Error::Corrupt(told.message().to_owned()),
        // Shut down, crashed, starting, and everything about logging in.
        "57P01" | "57P02" | "57P03" | "3D000" => Error::Unreachable(told.message().to_owned()),
        code if code.starts_with("28") || code.starts_with("08") => {
            Error::Unreachable(told.message().to_owned())
        }
        "42501" if told.message().contains("row-level security") => {
            Error::NotFound("row within reach")
        }
        "42501" => Error::Setup(format!(
            "{}: grant it to the user that afterword connects as",
            told.message()
        )),
        _ => Error::Other(Box::new(error)),
    }
}

/// An error with its causes, which the driver leaves out of its own words.
fn sentence(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// What stands between a caller and a connection of the pool.
pub(super) fn from_pool(error: deadpool_postgres::PoolError) -> Error {
    use deadpool_postgres::PoolError;
    match error {
        PoolError::Backend(error) => from_driver(error),
        PoolError::Timeout(_) => Error::Busy,
        other => Error::Unreachable(other.to_string()),
    }
}
