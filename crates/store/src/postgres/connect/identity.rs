//! Who we are in the database, and how a transaction of one tenant begins.

use deadpool_postgres::Object;

use super::errors::Fault;
use super::pool::Reach;
use crate::{Error, Result};

/// The role that transactions run as where the user of the address would see every tenant.
const ROLE: &str = "afterword_app";

/// How long a transaction waits for a row that another one has.
const LOCK_TIMEOUT: &str = "10s";

/// What is known of the user, the schema and the extension.
#[derive(Debug)]
pub(in crate::postgres) struct Identity {
    user: String,
    schema: String,
    /// Where the types of the extension are.
    vector_schema: String,
    /// The extension can go on searching where a filter left too little.
    iterative_scans: bool,
    /// The role to take on; none where the user of the address is an ordinary one.
    role: Option<String>,
}

impl Identity {
    pub(super) async fn of(client: &Object, schema: &str) -> Result<Self> {
        let (vector_schema, version) = extension(client)
            .await?
            .ok_or_else(|| Error::Setup("the extension vector is missing".to_owned()))?;
        let sql = "SELECT rolname::text AS name, rolsuper OR rolbypassrls AS sees_all FROM pg_roles
                   WHERE rolname = current_user";
        let row = client.query_one(sql, &[]).await.map_err(Fault::from)?;
        let sees_all: bool = row.get("sees_all");
        Ok(Self {
            user: row.get("name"),
            schema: schema.to_owned(),
            vector_schema,
            iterative_scans: version >= (0, 8),
            role: sees_all.then(|| ROLE.to_owned()),
        })
    }

    pub(super) fn user(&self) -> &str {
        &self.user
    }

    pub(in crate::postgres) fn schema(&self) -> &str {
        &self.schema
    }

    pub(in crate::postgres) fn vector_schema(&self) -> &str {
        &self.vector_schema
    }

    pub(in crate::postgres) const fn iterative_scans(&self) -> bool {
        self.iterative_scans
    }

    /// The statement that begins a transaction of a tenant, in this mode. All of it ends with the transaction, so
    /// that a connection may serve another tenant next, also through a proxy that hands connections
    /// on.
    pub(super) fn begin(&self, reach: Reach, how: &str) -> String {
        let role =
            self.role.as_ref().map(|role| format!(", set_config('role', {}, true)", text(role)));
        let bound =
            reach.project.map(|id| format!(", set_config('afterword.project', '{id}', true)"));
        format!(
            "BEGIN {how}; SELECT set_config('search_path', {}, true),
             set_config('afterword.tenant', '{}', true),
             set_config('lock_timeout', '{LOCK_TIMEOUT}', true){}{}",
            text(&self.search_path()),
            reach.tenant.0,
            bound.unwrap_or_default(),
            role.unwrap_or_default()
        )
    }

    /// Our schema, then that of the extension.
    pub(super) fn search_path(&self) -> String {
        format!("{}, {}", name(&self.schema), name(&self.vector_schema))
    }

    /// Whether the role that is needed has what it needs.
    pub(super) async fn is_admitted(&self, client: &Object) -> Result<bool> {
        let Some(role) = &self.role else { return Ok(true) };
        let sql = "SELECT coalesce(bool_and(has_table_privilege(r.oid, c.oid, 'INSERT')), false)
                       AND coalesce(bool_or(pg_has_role(current_user, r.oid, 'MEMBER')), false)
                       AS admitted
                   FROM pg_roles r, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE r.rolname = $1 AND n.nspname = $2 AND c.relkind IN ('r', 'p')";
        let row = client.query_one(sql, &[role, &self.schema]).await.map_err(Fault::from)?;
        Ok(row.get("admitted"))
    }

    /// Lets the role in, where one is needed: it is made once a server, and is given once a schema
    /// what it needs there.
    pub(super) async fn admit(&self, client: &Object) -> Result<()> {
        let Some(role) = &self.role else { return Ok(()) };
        self.make(client, role).await?;
        let schema = name(&self.schema);
        let role = name(role);
        let grants = format!(
            "GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT USAGE ON SCHEMA {} TO {role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
             GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};",
            name(&self.vector_schema)
        );
        client.batch_execute(&grants).await.map_err(|error| self.refused(&error))
    }

    async fn make(&self, client: &Object, role: &str) -> Result<()> {
        let sql = "SELECT pg_has_role(current_user, rolname, 'MEMBER') AS member,
                       rolsuper OR rolbypassrls AS sees_all
                   FROM pg_roles WHERE rolname = $1";
        let known = client.query_opt(sql, &[&role]).await.map_err(Fault::from)?;
        match known.map(|row| (row.get::<_, bool>("member"), row.get::<_, bool>("sees_all"))) {
            Some((_, true)) => Err(Error::Setup(format!(
                "the role {role} bypasses row-level security: ALTER ROLE {role} NOSUPERUSER \
                 NOBYPASSRLS"
            ))),
            Some((true, false)) => Ok(()),
            other => {
                let create = if other.is_none() {
                    // Another database of this server may be set up at the same moment.
                    format!(
                        "DO $make$ BEGIN CREATE ROLE {0} NOLOGIN;
                         EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $make$;",
                        name(role)
                    )
                } else {
                    String::new()
                };
                let join = format!("GRANT {} TO CURRENT_USER;", name(role));
                client
                    .batch_execute(&format!("{create} {join}"))
                    .await
                    .map_err(|error| self.refused(&error))
            }
        }
    }

    fn refused(&self, error: &tokio_postgres::Error) -> Error {
        let why = error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_owned());
        Error::Setup(format!(
            "the user {0} bypasses row-level security, and the role {ROLE} cannot be used instead \
             ({why}): connect as an ordinary user who owns the database, or let an administrator run \
             CREATE ROLE {ROLE} NOLOGIN; GRANT {ROLE} TO {0}",
            self.user
        ))
    }
}

/// The schema and the version of the extension; none where it is missing.
pub(super) async fn extension(client: &Object) -> Result<Option<(String, (u32, u32))>> {
    let sql = "SELECT n.nspname::text AS schema, e.extversion AS version
               FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
               WHERE e.extname = 'vector'";
    let row = client.query_opt(sql, &[]).await.map_err(Fault::from)?;
    Ok(row.map(|row| (row.get("schema"), version(row.get("version")))))
}

/// The first two numbers of a version.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// A name in a statement.
pub(in crate::postgres) fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in a statement.
pub(super) fn text(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    // Backslashes mean themselves in this form only.
    if quoted.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_cannot_leave_their_quotes() {
        assert_eq!(name("a\"; DROP"), "\"a\"\"; DROP\"");
        assert_eq!(text("it's"), "'it''s'");
        assert_eq!(text("a\\'b"), "E'a\\\\''b'");
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(version("0.10.1") > version("0.8.2"));
        assert_eq!(version("1"), (1, 0));
        assert_eq!(version("odd"), (0, 0));
    }
}
