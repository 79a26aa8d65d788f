//! Small values and counts per stage.

use std::collections::BTreeMap;
use std::path::Path;

use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_domain::wire::status::{Silence, Status};
use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::connect::Sql;
use super::events::{SILENT_FROM, SILENT_SESSIONS, SILENT_SINCE};
use super::model_jobs::count_model_jobs;
use super::rows::count_rows;
use super::values::{count, optional};
use super::{health, search, vectors};
use crate::Result;
use crate::contract::SettingsStore;
use crate::rules::status::embeddings;

#[async_trait]
impl SettingsStore for SqliteStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.read(move |db| {
            let mut one = db.prepare_cached("SELECT value FROM settings WHERE name = ?1")?;
            optional(one.query_row([name], |row| row.get(0)))
        })
        .await
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(move |db| {
            db.prepare_cached(
                "INSERT INTO settings (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?
            .execute(params![name, value])?;
            Ok(())
        })
        .await
    }

    async fn counts(&self) -> Result<Status> {
        let path = self.path.clone();
        self.read(move |db| counts(db, &path)).await
    }

    async fn check(&self) -> Result<Vec<String>> {
        let damaged = self.check_pages().await?;
        if !damaged.is_empty() {
            return Ok(damaged);
        }
        let mut problems = self.read(health::check).await?;
        problems.extend(health::mend(self).await?);
        Ok(problems)
    }

    async fn check_pages(&self) -> Result<Vec<String>> {
        let problems = self.read(health::pages).await?;
        if let Some(first) = problems.first() {
            self.damage.close(first);
        }
        Ok(problems)
    }

    async fn checkpoint(&self) -> Result<()> {
        self.writer.run_alone(|db| health::checkpoint(db)).await
    }
}

fn counts(db: &Connection, path: &Path) -> Sql<Status> {
    let mut list = db.prepare_cached("SELECT name, value FROM counters")?;
    let rows = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let counters = rows.collect::<rusqlite::Result<BTreeMap<String, i64>>>()?;
    let of = |name: &str| counters.get(name).map_or(0, |n| count(*n));
    let at = |name: &str| counters.get(name).map(|ms| Time::from_millis(*ms));
    let (waiting, parked) = (of("events.waiting"), of("events.parked"));
    let distilled = of("events.distilled");
    let skipped = counters.iter().filter_map(|(name, n)| {
        name.strip_prefix("skipped.").map(|reason| (reason.to_owned(), count(*n)))
    });
    let rows = count_rows(db, &Scope::All)?;
    let indexed = search::indexed_rows(db)?;
    let embeddings = embeddings(vectors::counts(db)?, indexed);
    let number = |sql: &str| -> Sql<u64> {
        Ok(count(db.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
    };
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
        model: count_model_jobs(db)?,
        projects: number("SELECT count(*) FROM projects")?,
        sessions: number("SELECT count(*) FROM sdk_sessions")?,
        last_stored_at: at("last_stored_at"),
        last_distilled_at: at("last_distilled_at"),
        silence: silence(&counters),
        database_bytes: bytes(path),
        ..Status::default()
    })
}

fn silence(counters: &BTreeMap<String, i64>) -> Option<Silence> {
    Some(Silence {
        since: Time::from_millis(*counters.get(SILENT_SINCE)?),
        began_at: Time::from_millis(*counters.get(SILENT_FROM)?),
        sessions: count(*counters.get(SILENT_SESSIONS)?),
    })
}

/// The size of the file and of its log.
fn bytes(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
    size(path) + size(Path::new(&log))
}
