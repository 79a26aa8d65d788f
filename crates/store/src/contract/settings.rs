//! Small values, counts per stage, and the health of the store itself.

use afterword_domain::wire::status::Status;
use async_trait::async_trait;

use crate::Result;

/// Values that live with the data, and what `status` and `doctor` ask.
#[async_trait]
pub trait SettingsStore {
    /// A value by its name.
    async fn setting(&self, name: &str) -> Result<Option<String>>;

    /// Sets a value.
    async fn set_setting(&self, name: &str, value: &str) -> Result<()>;

    /// The counts of every stage that the database knows, taken in one transaction; `spooled`,
    /// `spool_bad` and `spend` are left at zero for the caller to fill in, and `received` counts
    /// what reached the database.
    async fn counts(&self) -> Result<Status>;

    /// Checks the files, the schema, the index and the counters; what is wrong, as sentences. Empty
    /// when all is well. Index and counters are made again from the rows at once, which is said
    /// too; the next call then finds nothing wrong with them.
    async fn check(&self) -> Result<Vec<String>>;

    /// Reads every page of the database and says what is wrong with them; empty when all is well.
    /// Where something is, nothing is written any more until the store is opened again.
    async fn check_pages(&self) -> Result<Vec<String>>;

    /// Brings the log back into the database file, so that the files can be copied; called at a
    /// clean stop.
    async fn checkpoint(&self) -> Result<()>;
}
