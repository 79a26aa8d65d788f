//! Who did what when from where.

use afterword_domain::Time;
use afterword_domain::text::cut_chars;
use afterword_domain::wire::team::AuditEntry;

use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, get, limit as sql_limit, time};

/// Most characters of a field: callers name subjects and requests.
const CHARS: usize = 200;

pub(super) async fn note(tx: &Tx, entry: &AuditEntry) -> Sql<()> {
    let sql = "INSERT INTO audit_log
                   (tenant, at, member, token, action, subject, status, address, request_id)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let (subject, request) =
        (cut_chars(&entry.subject, CHARS), cut_chars(&entry.request_id, CHARS));
    let status = i16::try_from(entry.status).unwrap_or(i16::MAX);
    tx.run(
        sql,
        &[
            &entry.at.millis(),
            &Text(&entry.member),
            &entry.token,
            &Text(&entry.action),
            &Text(&subject),
            &status,
            &Text(&entry.address),
            &Text(&request),
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn page(tx: &Tx, before: Option<i64>, limit: usize) -> Sql<Vec<AuditEntry>> {
    let sql = "SELECT * FROM audit_log WHERE tenant = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let rows = tx.rows(sql, &[&before.unwrap_or(i64::MAX), &sql_limit(limit)]).await?;
    let entry = |row: &tokio_postgres::Row| {
        Ok(AuditEntry {
            id: get(row, "id")?,
            at: time(row, "at")?,
            member: get(row, "member")?,
            token: get(row, "token")?,
            action: get(row, "action")?,
            subject: get(row, "subject")?,
            status: u16::try_from(get::<i16>(row, "status")?).unwrap_or(0),
            address: get(row, "address")?,
            request_id: get(row, "request_id")?,
        })
    };
    rows.iter().map(entry).collect()
}

pub(super) async fn trim(tx: &Tx, before: Time) -> Sql<u64> {
    tx.run("DELETE FROM audit_log WHERE tenant = $1 AND at < $2", &[&before.millis()]).await
}
