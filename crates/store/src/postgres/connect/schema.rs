//! Tables, and the steps from one shape of them to the next.
//!
//! Steps are numbered and forward only; a released step never changes. Several servers of different
//! releases may run on one database at a time, so a step either *expands* (adds what older releases
//! do not mind: tables, columns with defaults, indexes) or *contracts* (takes away what no release
//! uses any more that may still run). Each step says the oldest schema that a program must know to
//! go on working beside it: an expanding step repeats the number before it, a contracting step
//! raises it to its own. `docs/design/postgres.md` tells more.

use deadpool_postgres::Object;

use super::errors::Fault;
use super::identity::{self, Identity, name};
use crate::{Error, Result};

/// A step to its number.
struct Step {
    number: i64,
    /// The oldest schema whose programs can work with this one.
    needs: i64,
    sql: &'static str,
}

/// Every step, in order.
const STEPS: &[Step] = &[
    Step { number: 1, needs: 1, sql: include_str!("../../../migrations/postgres/0001_first.sql") },
    Step {
        number: 2,
        needs: 1,
        sql: include_str!("../../../migrations/postgres/0002_accounts.sql"),
    },
];

/// The oldest server that is supported, as it tells its own version.
const OLDEST_SERVER: i32 = 150_000;

/// The oldest version of the extension, which has half-precision vectors.
const OLDEST_VECTOR: (u32, u32) = (0, 7);

/// The advisory lock of whoever changes the schema: one for all schemas of a database, because the
/// extension is theirs together. The number is `afterwrd` in ASCII.
const LOCK: i64 = 0x6166_7465_7277_7264;

/// Where a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    number: i64,
    needs: i64,
}

/// Brings the schema up to date and says who we are in it.
pub(super) async fn prepare(client: &Object, schema: &str) -> Result<Identity> {
    check_server(client).await?;
    if !is_ready(client, schema).await? {
        client.batch_execute("BEGIN").await.map_err(Fault::from)?;
        let outcome = change(client, schema, STEPS).await;
        let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
        client.batch_execute(end).await.map_err(Fault::from)?;
        outcome?;
    }
    Identity::of(client, schema).await
}

async fn check_server(client: &Object) -> Result<()> {
    let sql = "SELECT current_setting('server_version_num')::int AS number,
                   current_setting('server_version') AS words,
                   current_setting('server_encoding') AS encoding";
    let row = client.query_one(sql, &[]).await.map_err(Fault::from)?;
    if row.get::<_, i32>("number") < OLDEST_SERVER {
        let words: &str = row.get("words");
        return Err(Error::Setup(format!("PostgreSQL 15 or newer is needed, this is {words}")));
    }
    let encoding: &str = row.get("encoding");
    if encoding != "UTF8" {
        return Err(Error::Setup(format!(
            "the database keeps texts as {encoding}: make one with ENCODING 'UTF8'"
        )));
    }
    Ok(())
}

/// Whether everything is as this release leaves it.
async fn is_ready(client: &Object, schema: &str) -> Result<bool> {
    let Some(version) = version(client, schema).await? else { return Ok(false) };
    refuse_newer(version, newest())?;
    if version.number < newest() || identity::extension(client).await?.is_none() {
        return Ok(false);
    }
    let identity = Identity::of(client, schema).await?;
    identity.is_admitted(client).await
}

/// Everything that is to be changed, inside a transaction that no other server can enter.
async fn change(client: &Object, schema: &str, steps: &[Step]) -> Result<()> {
    client.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(Fault::from)?;
    make_extension(client).await?;
    make_schema(client, schema).await?;
    let identity = Identity::of(client, schema).await?;
    let path = format!("SET LOCAL search_path = {}", identity.search_path());
    client.batch_execute(&path).await.map_err(Fault::from)?;
    apply(client, schema, steps).await?;
    identity.admit(client).await
}

async fn apply(client: &Object, schema: &str, steps: &[Step]) -> Result<()> {
    client
        .batch_execute(
            "CREATE TABLE IF NOT EXISTS schema_version (
                 version bigint PRIMARY KEY, needs bigint NOT NULL,
                 applied_at timestamptz NOT NULL DEFAULT now())",
        )
        .await
        .map_err(Fault::from)?;
    let found = version(client, schema).await?.unwrap_or(Version { number: 0, needs: 0 });
    let known = steps.last().map_or(0, |step| step.number);
    refuse_newer(found, known)?;
    for step in steps.iter().filter(|step| step.number > found.number) {
        client.batch_execute(step.sql).await.map_err(Fault::from)?;
        client
            .execute(
                "INSERT INTO schema_version (version, needs) VALUES ($1, $2)",
                &[&step.number, &step.needs],
            )
            .await
            .map_err(Fault::from)?;
    }
    Ok(())
}

fn newest() -> i64 {
    STEPS.last().map_or(0, |step| step.number)
}

fn refuse_newer(found: Version, known: i64) -> Result<()> {
    if found.needs > known {
        return Err(Error::NewerSchema { found: found.number, known });
    }
    Ok(())
}

/// Where the schema stands; none where there is none.
async fn version(client: &Object, schema: &str) -> Result<Option<Version>> {
    let table = format!("{}.schema_version", name(schema));
    let there = client
        .query_one("SELECT to_regclass($1) IS NOT NULL AS there", &[&table])
        .await
        .map_err(Fault::from)?;
    if !there.get::<_, bool>("there") {
        return Ok(None);
    }
    let sql = format!("SELECT max(version) AS number, max(needs) AS needs FROM {table}");
    let row = client.query_one(&sql, &[]).await.map_err(Fault::from)?;
    let (number, needs): (Option<i64>, Option<i64>) = (row.get("number"), row.get("needs"));
    Ok(number.zip(needs).map(|(number, needs)| Version { number, needs }))
}

async fn make_schema(client: &Object, schema: &str) -> Result<()> {
    let sql = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    if client.query_opt(sql, &[&schema]).await.map_err(Fault::from)?.is_some() {
        return Ok(());
    }
    client.batch_execute(&format!("CREATE SCHEMA {}", name(schema))).await.map_err(|error| {
        Error::Setup(format!(
            "the schema {schema} cannot be made ({}): let an administrator run CREATE SCHEMA {} \
             AUTHORIZATION the user that afterword connects as",
            said(&error),
            name(schema)
        ))
    })
}

async fn make_extension(client: &Object) -> Result<()> {
    if identity::extension(client).await?.is_none() {
        client.batch_execute("CREATE EXTENSION vector").await.map_err(|error| {
            Error::Setup(format!(
                "the extension vector (pgvector) is missing and cannot be made ({}): install \
                 pgvector on the server where it is not there yet, and let an administrator run \
                 CREATE EXTENSION vector in this database",
                said(&error)
            ))
        })?;
    }
    match identity::extension(client).await? {
        Some((_, version)) if version < OLDEST_VECTOR => Err(Error::Setup(format!(
            "the extension vector is {}.{}, and {}.{} or newer is needed: let an administrator \
             install a newer pgvector and run ALTER EXTENSION vector UPDATE",
            version.0, version.1, OLDEST_VECTOR.0, OLDEST_VECTOR.1
        ))),
        _ => Ok(()),
    }
}

fn said(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |told| told.message().to_owned())
}
