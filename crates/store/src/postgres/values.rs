//! Values as columns hold them.

use std::collections::BTreeMap;

use afterword_domain::{Kind, Time};
use bytes::BytesMut;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::connect::{Fault, Sql, Tx};
use crate::Error;
use crate::rules::hash::fnv;

/// A text of a caller. NUL characters, which PostgreSQL cannot hold, are dropped, as they are from
/// everything that agents send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a>(pub(super) &'a str);

impl ToSql for Text<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        if self.0.contains('\0') {
            self.0.replace('\0', "").as_str().to_sql(ty, out)
        } else {
            self.0.to_sql(ty, out)
        }
    }

    fn accepts(ty: &Type) -> bool {
        <&str as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

/// A text that may be missing.
pub(super) fn text(value: Option<&String>) -> Option<Text<'_>> {
    value.map(|value| Text(value))
}

/// The longest key that an index takes as it is, in bytes.
const SHORT: usize = 500;

/// What stands for a key in an index: the key itself, or its beginning and two hashes of it.
pub(super) fn short(key: &str) -> String {
    let key = if key.contains('\0') { &key.replace('\0', "") } else { key };
    if key.len() <= SHORT {
        return key.to_owned();
    }
    let beginning = afterword_domain::text::prefix(key, SHORT - 60);
    format!("{beginning}…{:016x}{:016x}", fnv(key.bytes()), fnv(key.bytes().rev()))
}

pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Sql<String> {
    Ok(serde_json::to_string(value)?)
}

/// A column by its name.
pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Sql<T> {
    Ok(row.try_get(column)?)
}

/// A column of JSON text.
pub(super) fn from_json<T: DeserializeOwned>(row: &Row, column: &str) -> Sql<T> {
    Ok(serde_json::from_str(row.try_get(column)?)?)
}

pub(super) fn time(row: &Row, column: &str) -> Sql<Time> {
    Ok(Time::from_millis(row.try_get(column)?))
}

pub(super) fn time_if_any(row: &Row, column: &str) -> Sql<Option<Time>> {
    Ok(row.try_get::<_, Option<i64>>(column)?.map(Time::from_millis))
}

pub(super) fn kind(row: &Row, column: &str) -> Sql<Kind> {
    let word: &str = row.try_get(column)?;
    word.parse().map_err(|error: afterword_domain::ids::BadKind| {
        Fault::Store(Error::Corrupt(format!("a stored row cannot be read: {error}")))
    })
}

/// A limit as PostgreSQL takes it.
pub(super) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A count as callers take it; counts are never negative.
pub(super) fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// Adds to counters, in the slot of this connection.
pub(super) async fn add_to_counters(tx: &Tx, counters: &BTreeMap<String, i64>) -> Sql<()> {
    let (names, values): (Vec<&str>, Vec<i64>) =
        counters.iter().map(|(name, value)| (name.as_str(), *value)).unzip();
    tx.run(
        "INSERT INTO counters AS c (tenant, name, slot, value)
         SELECT $1, name, pg_backend_pid() % 64, value
         FROM unnest($2::text[], $3::bigint[]) AS new (name, value) ORDER BY name
         ON CONFLICT (tenant, name, slot) DO UPDATE SET value = c.value + excluded.value",
        &[&names, &values],
    )
    .await?;
    Ok(())
}

/// Raises times, in the slot of this connection.
pub(super) async fn raise_times(tx: &Tx, times: &BTreeMap<&'static str, i64>) -> Sql<()> {
    let (names, values): (Vec<&str>, Vec<i64>) = times.iter().map(|(n, at)| (*n, *at)).unzip();
    tx.run(
        "INSERT INTO times AS t (tenant, name, slot, at)
         SELECT $1, name, pg_backend_pid() % 64, at
         FROM unnest($2::text[], $3::bigint[]) AS new (name, at) ORDER BY name
         ON CONFLICT (tenant, name, slot) DO UPDATE SET at = excluded.at WHERE t.at < excluded.at",
        &[&names, &values],
    )
    .await?;
    Ok(())
}

/// Notes that something was stored for projects. One that somebody else is noting for at the very
/// moment is left out: it is hardly older.
pub(super) async fn touch_projects(tx: &Tx, projects: &BTreeMap<i64, i64>) -> Sql<()> {
    let (ids, times): (Vec<i64>, Vec<i64>) = projects.iter().map(|(id, at)| (*id, *at)).unzip();
    tx.run(
        "UPDATE projects p SET last_seen_at = free.at
         FROM (SELECT p.id, new.at FROM projects p
               JOIN unnest($2::bigint[], $3::bigint[]) AS new (id, at) ON new.id = p.id
               WHERE p.tenant = $1 AND p.last_seen_at < new.at
               FOR NO KEY UPDATE OF p SKIP LOCKED) AS free
         WHERE p.tenant = $1 AND p.id = free.id",
        &[&ids, &times],
    )
    .await?;
    Ok(())
}
