//! The store on one machine: a SQLite file in WAL mode, one writer and a few readers.
//!
//! Writes are closures on one thread, several to a transaction, durable when their caller gets the
//! answer. Reads run on threads of their own with read-only connections, so a long read never
//! holds a write up. Nothing here reads a clock: times come with the calls.

mod answers;
mod changes;
mod connect;
mod events;
#[cfg(feature = "faults")]
pub mod faults;
mod given;
mod health;
mod jobs;
mod memories;
mod model_jobs;
mod owned;
mod portable;
mod projects;
mod rows;
mod search;
mod sessions;
mod settings;
mod spend;
mod values;
mod vectors;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::{Error, Result};
use connect::{Damage, Readers, Sql, Writer};

/// A store in one SQLite file. Dropping it waits for what was handed in, and closes the file.
pub struct SqliteStore {
    path: PathBuf,
    // Readers close first, so that the last connection to close may bring the log back in.
    readers: Readers,
    writer: Writer,
    damage: Arc<Damage>,
    served: Arc<jobs::Served>,
}

impl SqliteStore {
    /// Opens the file at `path`, and makes it with its folder when it is missing (0600 and 0700 on
    /// Unix, log files included).
    ///
    /// Blocks: for a moment as a rule, for up to 5 s while another process has the file for
    /// itself. Any number of processes may open a fresh file at once. An older schema is brought
    /// up to date after a copy was put beside the file; a newer one is refused with
    /// [`Error::NewerSchema`](crate::Error) and the file stays as it is. Missing
    /// columns, tables and indexes are put back, and a full-text index that cannot be used is made
    /// again from the stored tokens, also when that shows later. A damaged page that a call meets,
    /// or that [`check_pages`](crate::contract::SettingsStore::check_pages) finds, ends all writing
    /// until the file is opened again: writes then answer [`Error::Corrupt`].
    pub fn open(path: &Path) -> Result<Self> {
        connect::prepare_file(path)?;
        search::ensure_usable(path)?;
        let damage = Arc::new(Damage::default());
        let writer = Writer::start(path, Arc::clone(&damage))?;
        let readers = Readers::start(path, Arc::clone(&damage))?;
        Ok(Self { path: path.to_owned(), readers, writer, damage, served: Arc::default() })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    async fn write<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Connection) -> Sql<T> + Send + 'static,
    ) -> Result<T> {
        let outcome = self.writer.run(f).await;
        self.mend_index(outcome.is_err()).await;
        outcome
    }

    async fn read<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Connection) -> Sql<T> + Send + 'static,
    ) -> Result<T> {
        let outcome = self.readers.run(f).await;
        self.mend_index(outcome.is_err()).await;
        outcome
    }

    /// Makes an index again that a call stumbled over. That call has failed; the next one finds a
    /// whole index.
    async fn mend_index(&self, failed: bool) {
        if !failed || !self.damage.takes_index() {
            return;
        }
        let rebuilt = self.writer.run_alone(|db| search::rebuild(db).map_err(Error::from)).await;
        match rebuilt {
            Ok(rows) => tracing::warn!(rows, "the full-text index was damaged and is made again"),
            Err(error) => self.damage.close(&error.to_string()),
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}
