//! Values as columns hold them.

use afterword_domain::{Kind, Time};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::connect::{Fault, Sql};
use crate::Error;

pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Sql<String> {
    Ok(serde_json::to_string(value)?)
}

/// A column of JSON text.
pub(super) fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| unreadable(error.into()))
}

pub(super) fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<Time> {
    Ok(Time::from_millis(row.get(column)?))
}

pub(super) fn uid(row: &Row<'_>) -> rusqlite::Result<Uuid> {
    let text: String = row.get("uid")?;
    Uuid::parse_str(&text).map_err(|error| unreadable(error.into()))
}

/// A column that holds a uid or nothing.
pub(super) fn optional_uid(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Uuid>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| Uuid::parse_str(&text).map_err(|error| unreadable(error.into()))).transpose()
}

pub(super) fn kind(row: &Row<'_>, column: &str) -> rusqlite::Result<Kind> {
    let word: String = row.get(column)?;
    word.parse().map_err(|error: afterword_domain::ids::BadKind| unreadable(error.into()))
}

fn unreadable(error: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error)
}

/// A limit as SQLite takes it.
pub(super) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A count as callers take it; counts are never negative.
pub(super) fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// Adds to a counter and makes it when it is new.
pub(super) fn add_to_counter(db: &Connection, name: &str, n: u64) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO counters (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
    )?
    .execute(params![name, i64::try_from(n).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// Raises a counter that holds a time.
pub(super) fn raise_time(db: &Connection, name: &str, at: Time) -> Sql<()> {
    db.prepare_cached(
        "INSERT INTO counters (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    )?
    .execute(params![name, at.millis()])?;
    Ok(())
}

/// Turns "no row" into none.
pub(super) fn optional<T>(outcome: rusqlite::Result<T>) -> Sql<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        Err(error) => Err(Fault::Driver(error)),
    }
}

/// Turns "no row" into an error that names what is missing.
pub(super) fn required<T>(outcome: rusqlite::Result<T>, what: &'static str) -> Sql<T> {
    optional(outcome)?.ok_or(Fault::Store(Error::NotFound(what)))
}
