//! What servers on one database tell each other: that something changed, and where to look.
//!
//! A notice carries no more than whose data it is about; whoever hears it reads the tables. It goes
//! out after the transaction, not within it, because PostgreSQL lets transactions that notify end
//! one by one; and however much changes, one statement is out at a time, with what has gathered
//! since the one before. A notice that is lost with its server is made good by whoever looks now
//! and then without being told.

use std::collections::BTreeSet;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client};

use super::errors::Fault;
use super::identity::name;
use super::pool::PostgresPool;
use crate::Result;
use crate::contract::TenantId;

/// Least time between two statements that notify.
const GATHER: Duration = Duration::from_millis(10);

/// How long is waited before a broken connection is made anew; doubled with each failure.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(10)];

/// What happened on some server, this one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notice {
    /// Rows of a tenant changed, or work came for it.
    Changed(TenantId),
    /// A token or a member of a tenant changed.
    Accounts(TenantId),
    /// The connection was broken for a while: anything may have happened.
    Missed,
}

impl Notice {
    fn payload(self) -> String {
        match self {
            Self::Changed(TenantId(tenant)) => format!("c{tenant}"),
            Self::Accounts(TenantId(tenant)) => format!("a{tenant}"),
            Self::Missed => "m".to_owned(),
        }
    }

    /// What cannot be read is of another release, and may mean anything.
    fn read(payload: &str) -> Self {
        let of = |text: &str| text.parse().ok().map(TenantId);
        let read = match payload.split_at_checked(1) {
            Some(("c", tenant)) => of(tenant).map(Self::Changed),
            Some(("a", tenant)) => of(tenant).map(Self::Accounts),
            _ => None,
        };
        read.unwrap_or(Self::Missed)
    }
}

/// Notices that are to go out.
#[derive(Debug, Default)]
pub(in crate::postgres) struct Outbox(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    notices: BTreeSet<Notice>,
    /// Somebody is sending.
    sending: bool,
}

impl Outbox {
    /// Adds one; whether somebody has to begin to send.
    fn add(&self, notice: Notice) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.notices.insert(notice);
        !std::mem::replace(&mut waiting.sending, true)
    }

    /// What is to be sent now; nothing ends the sending.
    fn take(&self) -> BTreeSet<Notice> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let notices = std::mem::take(&mut waiting.notices);
        waiting.sending = !notices.is_empty();
        notices
    }
}

impl PostgresPool {
    /// Tells every server that listens, soon.
    pub(in crate::postgres) fn tell(&self, notice: Notice) {
        if !self.outbox().add(notice) {
            return;
        }
        let pool = self.clone();
        tokio::spawn(async move {
            loop {
                let notices = pool.outbox().take();
                if notices.is_empty() {
                    return;
                }
                if let Err(error) = pool.send(&notices).await {
                    tracing::warn!(%error, "other servers cannot be told of changes");
                }
                tokio::time::sleep(GATHER).await;
            }
        });
    }

    /// Tells every server that listens, now.
    pub(in crate::postgres) async fn send(&self, notices: &BTreeSet<Notice>) -> Result<()> {
        let payloads: Vec<String> = notices.iter().map(|notice| notice.payload()).collect();
        let client = self.client().await?;
        let sql = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS new (payload)";
        let statement = client.prepare_cached(sql).await.map_err(Fault::from)?;
        let channel = self.identity().schema();
        client.query(&statement, &[&channel, &payloads]).await.map_err(Fault::from)?;
        Ok(())
    }

    /// Listens to what servers tell each other, on a connection of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`](crate::Error::Unreachable) where the server does not answer.
    pub async fn listen(&self) -> Result<Listener> {
        let (client, messages) = connect(self).await?;
        Ok(Listener { pool: self.clone(), connection: Some((client, messages)) })
    }
}

/// Hears notices.
pub struct Listener {
    pool: PostgresPool,
    connection: Option<(Client, mpsc::UnboundedReceiver<Notice>)>,
}

impl Listener {
    /// The next notice. A connection that breaks is made anew, however long that takes, and then
    /// [`Notice::Missed`] is given.
    pub async fn next(&mut self) -> Notice {
        let [mut pause, longest] = PAUSES;
        loop {
            if let Some((_, notices)) = &mut self.connection {
                if let Some(notice) = notices.recv().await {
                    return notice;
                }
                self.connection = None;
            }
            match connect(&self.pool).await {
                Ok(connection) => {
                    self.connection = Some(connection);
                    return Notice::Missed;
                }
                Err(error) => {
                    tracing::warn!(%error, "changes of other servers are not heard");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(longest);
                }
            }
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("pool", &self.pool).finish_non_exhaustive()
    }
}

async fn connect(pool: &PostgresPool) -> Result<(Client, mpsc::UnboundedReceiver<Notice>)> {
    let (config, tls) = pool.presence().way();
    let (client, mut connection) = config.connect(tls.clone()).await.map_err(Fault::from)?;
    let (send, notices) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        // The end of the connection, or of whoever listens, ends this.
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if let AsyncMessage::Notification(told) = message
                && send.send(Notice::read(told.payload())).is_err()
            {
                return;
            }
        }
    });
    let channel = name(pool.identity().schema());
    client.batch_execute(&format!("LISTEN {channel}")).await.map_err(Fault::from)?;
    Ok((client, notices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_read_back_and_anything_else_may_mean_anything() {
        for notice in [Notice::Changed(TenantId(7)), Notice::Accounts(TenantId(1)), Notice::Missed]
        {
            assert_eq!(Notice::read(&notice.payload()), notice);
        }
        for odd in ["", "c", "cx", "é1", "z9"] {
            assert_eq!(Notice::read(odd), Notice::Missed, "{odd:?}");
        }
    }

    #[test]
    fn one_sends_at_a_time_what_has_gathered() {
        let outbox = Outbox::default();
        let (one, two) = (Notice::Changed(TenantId(1)), Notice::Changed(TenantId(2)));
        assert!(outbox.add(one) && !outbox.add(two) && !outbox.add(one));
        assert_eq!(outbox.take(), [one, two].into());
        assert!(!outbox.add(two), "the one who sends goes on");
        assert_eq!(outbox.take(), [two].into());
        assert!(outbox.take().is_empty());
        assert!(outbox.add(one), "it has ended");
    }
}
