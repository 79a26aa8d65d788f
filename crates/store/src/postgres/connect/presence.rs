//! Whether a server that claimed jobs is still there.
//!
//! Each process that claims holds an advisory lock under a number of its own, on a connection of
//! its own. The database lets go of it the moment that process or its connection is gone, and then
//! others may take over what it had claimed. No clock has to agree with another.

use std::fmt;

use tokio::sync::Mutex;
use tokio_postgres::{Client, Config};
use uuid::Uuid;

use super::errors::Fault;
use super::tls::Tls;
use crate::Result;

/// The presence of this process.
pub(in crate::postgres) struct Presence {
    config: Config,
    tls: Tls,
    key: i64,
    held: Mutex<Option<Client>>,
}

impl Presence {
    pub(super) fn new(config: Config, tls: Tls) -> Self {
        let (_, low) = Uuid::new_v4().as_u64_pair();
        Self { config, tls, key: low.cast_signed(), held: Mutex::default() }
    }

    /// How the server is reached.
    pub(super) const fn way(&self) -> (&Config, &Tls) {
        (&self.config, &self.tls)
    }

    /// The number of this process.
    pub(in crate::postgres) const fn key(&self) -> i64 {
        self.key
    }

    /// The number of this process, after making sure that it counts as there.
    pub(in crate::postgres) async fn hold(&self) -> Result<i64> {
        let mut held = self.held.lock().await;
        if held.as_ref().is_none_or(Client::is_closed) {
            let (client, connection) =
                self.config.connect(self.tls.clone()).await.map_err(Fault::from)?;
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::warn!(%error, "the connection that holds our claims is gone");
                }
            });
            client
                .execute("SELECT pg_advisory_lock_shared($1)", &[&self.key])
                .await
                .map_err(Fault::from)?;
            *held = Some(client);
        }
        Ok(self.key)
    }
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presence").field("key", &self.key).finish_non_exhaustive()
    }
}
