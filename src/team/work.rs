//! Who has the jobs of every organisation done: told by the database that there is something, and
//! once in a while asking it, for a notice may be lost with the server that sent it, and nobody tells
//! of the jobs of a server that was killed.

use std::sync::Arc;
use std::time::Duration;

use afterword_domain::{Clock, Time};
use afterword_store::Result;
use afterword_store::contract::{AccountStore as _, SessionStore as _};
use afterword_store::postgres::{Listener, Notice, PostgresPool};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::accounts::DAY_MS;
use super::state::Team;

/// Longest time between two looks for work.
const LOOK: Duration = Duration::from_secs(20);

/// Shortest time between two looks.
const GAP: Duration = Duration::from_millis(100);

/// Time between two roundings-off of what is idle or old.
const TIDY: Duration = Duration::from_mins(10);

/// A session without an event for this long is over, in milliseconds.
const SESSION_IDLE_MS: i64 = 6 * 60 * 60 * 1000;

/// Listens and looks until `stop` turns true.
pub(super) async fn run(
    team: Arc<Team>,
    mut listener: Listener,
    audit_days: u32,
    mut stop: watch::Receiver<bool>,
) {
    let mut look = Instant::now();
    let mut tidy = Instant::now();
    loop {
        tokio::select! {
            () = async { drop(stop.wait_for(|stop| *stop).await) } => return,
            notice = listener.next() => match notice {
                Notice::Changed(tenant) => team.engines.heard(tenant),
                Notice::Accounts(tenant) => team.callers.forget(Some(tenant)),
                Notice::Missed => {
                    team.callers.forget(None);
                    team.engines.heard_nothing();
                    look = Instant::now();
                }
            },
            () = sleep_until(look) => look = Instant::now() + look_for_work(&team).await,
            () = sleep_until(tidy) => {
                team.engines.sweep();
                if let Err(error) = round_off(&team.pool, &*team.clock, audit_days).await {
                    tracing::warn!(%error, "what is idle or old stays for now");
                }
                tidy = Instant::now() + TIDY;
            }
        }
    }
}

/// Wakes whoever has work that is due; when to look next.
async fn look_for_work(team: &Team) -> Duration {
    let now = team.clock.now();
    match team.pool.tenants_with_work().await {
        Ok(waiting) => {
            let (due, later): (Vec<_>, Vec<_>) =
                waiting.into_iter().partition(|(_, at)| *at <= now);
            for (tenant, _) in due {
                team.engines.heard(tenant);
            }
            let until = |at: Time| at.millis().saturating_sub(now.millis());
            let next = later.iter().map(|(_, at)| until(*at)).min();
            let next = next.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis);
            next.unwrap_or(LOOK).clamp(GAP, LOOK)
        }
        Err(error) => {
            tracing::warn!(%error, "work cannot be looked for");
            LOOK
        }
    }
}

/// Ends sessions that nobody ended, and takes old entries out of the audit logs.
async fn round_off(pool: &PostgresPool, clock: &dyn Clock, audit_days: u32) -> Result<()> {
    let now = clock.now();
    for organisation in pool.organisations().await? {
        let before = now.plus_millis(-SESSION_IDLE_MS);
        pool.tenant(organisation.tenant).complete_idle_sessions(before).await?;
        if audit_days > 0 {
            let before = now.plus_millis(-i64::from(audit_days) * DAY_MS);
            pool.trim_audit(organisation.tenant, before).await?;
        }
    }
    Ok(())
}
