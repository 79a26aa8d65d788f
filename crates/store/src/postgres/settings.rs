//! Small values and counts per stage.

use std::collections::BTreeMap;

use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_domain::wire::status::{Silence, Status};
use async_trait::async_trait;

use super::PostgresStore;
use super::connect::{Sql, Tx};
use super::model_jobs::count_model_jobs;
use super::rows::count_rows;
use super::values::{Text, count, get, time};
use super::{health, search, vectors};
use crate::Result;
use crate::contract::SettingsStore;
use crate::rules::status::embeddings;

#[async_trait]
impl SettingsStore for PostgresStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        self.read(|tx| async move {
            let sql = "SELECT value FROM settings WHERE tenant = $1 AND name = $2";
            tx.first(sql, &[&Text(name)]).await?.map(|row| get(&row, "value")).transpose()
        })
        .await
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        self.write(|tx| async move {
            let sql = "INSERT INTO settings (tenant, name, value) VALUES ($1, $2, $3)
                       ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value";
            tx.run(sql, &[&Text(name), &Text(value)]).await?;
            Ok(())
        })
        .await
    }

    async fn counts(&self) -> Result<Status> {
        let bound = self.project.is_some();
        self.read(|tx| async move { if bound { own(&tx).await } else { counts(&tx).await } }).await
    }

    /// Pages and indexes are the server's own to check; counters are made again where they are
    /// wrong, and so are index entries that are missing.
    async fn check(&self) -> Result<Vec<String>> {
        self.write(|tx| async move { health::mend(&tx).await }).await
    }

    /// Nothing is found: a server that reads a damaged page says so by itself.
    async fn check_pages(&self) -> Result<Vec<String>> {
        self.pool.ping().await?;
        Ok(Vec::new())
    }

    /// Nothing is to be done: the server keeps its own log.
    async fn checkpoint(&self) -> Result<()> {
        Ok(())
    }
}

async fn counts(tx: &Tx) -> Sql<Status> {
    let sql =
        "SELECT name, sum(value)::bigint AS value FROM counters WHERE tenant = $1 GROUP BY name";
    let rows = tx.rows(sql, &[]).await?;
    let counters = rows.iter().map(|row| Ok((get(row, "name")?, get(row, "value")?)));
    let counters = counters.collect::<Sql<BTreeMap<String, i64>>>()?;
    let sql = "SELECT name, max(at) AS at FROM times WHERE tenant = $1 GROUP BY name";
    let rows = tx.rows(sql, &[]).await?;
    let times = rows.iter().map(|row| Ok((get(row, "name")?, time(row, "at")?)));
    let times = times.collect::<Sql<BTreeMap<String, Time>>>()?;
    let of = |name: &str| counters.get(name).map_or(0, |n| count(*n));
    let (waiting, parked) = (of("events.waiting"), of("events.parked"));
    let distilled = of("events.distilled");
    let skipped = counters.iter().filter_map(|(name, n)| {
        name.strip_prefix("skipped.").map(|reason| (reason.to_owned(), count(*n)))
    });
    let rows = count_rows(tx, &Scope::All).await?;
    let indexed = count(search::sizes(tx).await?.0);
    let embeddings = embeddings(vectors::counts(tx).await?, indexed);
    let sql = "SELECT (SELECT count(*) FROM projects WHERE tenant = $1) AS projects,
                   (SELECT count(*) FROM sdk_sessions WHERE tenant = $1) AS sessions,
                   pg_database_size(current_database()) AS bytes";
    let sizes = tx.one(sql, &[]).await?;
    Ok(Status {
        received: of("received"),
        stored: distilled + waiting + parked,
        distilled,
        waiting,
        parked,
        indexed,
        embeddings,
        duplicates: of("duplicates"),
        skipped: skipped.collect(),
        rows: rows.into_iter().map(|(kind, n)| (kind.word().to_owned(), n)).collect(),
        model: count_model_jobs(tx).await?,
        projects: count(get(&sizes, "projects")?),
        sessions: count(get(&sizes, "sessions")?),
        last_stored_at: times.get("last_stored_at").copied(),
        last_distilled_at: times.get("last_distilled_at").copied(),
        silence: silence(tx).await?,
        database_bytes: count(get(&sizes, "bytes")?),
        ..Status::default()
    })
}

/// What a transaction that is bound to a project may know: counters are of all projects together.
async fn own(tx: &Tx) -> Sql<Status> {
    let sql = "SELECT (SELECT count(*) FROM projects WHERE tenant = $1) AS projects,
                   (SELECT count(*) FROM sdk_sessions WHERE tenant = $1) AS sessions,
                   (SELECT count(*) FROM events e JOIN sdk_sessions s
                        ON s.tenant = $1 AND s.id = e.session_id
                    WHERE e.tenant = $1 AND e.state = 'waiting') AS waiting";
    let row = tx.one(sql, &[]).await?;
    let rows = count_rows(tx, &Scope::All).await?;
    Ok(Status {
        waiting: count(get(&row, "waiting")?),
        rows: rows.into_iter().map(|(kind, n)| (kind.word().to_owned(), n)).collect(),
        projects: count(get(&row, "projects")?),
        sessions: count(get(&row, "sessions")?),
        ..Status::default()
    })
}

/// None where nothing had come before the sessions began: perhaps nothing is to be captured here.
async fn silence(tx: &Tx) -> Sql<Option<Silence>> {
    let sql = "SELECT since, began_at, sessions FROM silence
               WHERE tenant = $1 AND since IS NOT NULL";
    let Some(row) = tx.first(sql, &[]).await? else { return Ok(None) };
    Ok(Some(Silence {
        since: time(&row, "since")?,
        began_at: time(&row, "began_at")?,
        sessions: count(get(&row, "sessions")?),
    }))
}
