//! Looking for damage before it spreads.

use std::sync::Arc;

use crate::{Engine, Result};

/// Bytes of a database that is looked through at every start: well below a second.
const SMALL: u64 = 256 << 20;

/// How often a larger one is, in milliseconds.
const LARGE_EVERY_MS: i64 = 24 * 60 * 60 * 1000;

/// The setting that holds when that was.
const CHECKED_AT: &str = "pages_checked_at";

impl Engine {
    /// Looks through the database's pages in the background: a small database at every start, a
    /// large one once a day. What is damaged is not written any more, and said in the log.
    pub(crate) async fn look_for_damage(self: Arc<Self>) {
        match self.check_pages_where_due().await {
            Ok(problems) => {
                for problem in problems {
                    tracing::error!(problem, "the database is damaged");
                }
            }
            Err(error) => tracing::warn!(%error, "the database cannot be looked through"),
        }
    }

    async fn check_pages_where_due(&self) -> Result<Vec<String>> {
        let now = self.clock.now().millis();
        if self.store.counts().await?.database_bytes > SMALL {
            let last = self.store.setting(CHECKED_AT).await?.and_then(|at| at.parse::<i64>().ok());
            if last.is_some_and(|last| now - last < LARGE_EVERY_MS) {
                return Ok(Vec::new());
            }
            self.store.set_setting(CHECKED_AT, &now.to_string()).await?;
        }
        Ok(self.store.check_pages().await?)
    }
}
