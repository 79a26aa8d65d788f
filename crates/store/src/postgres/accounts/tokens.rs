//! Tokens: whose a secret is, new ones, and their end.

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::Token;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{organisations, role};
use crate::Error;
use crate::contract::{Admission, IssuedToken, TenantId};
use crate::postgres::connect::{Sql, Tx, required};
use crate::postgres::values::{Text, get, time, time_if_any};

/// A token with the names of its member and its project; the tenant is `$2`.
const TOKENS: &str = "SELECT t.*, m.name AS member, m.role AS most, p.name AS project
    FROM tokens t JOIN members m ON m.tenant = $2 AND m.id = t.member_id
    LEFT JOIN projects p ON p.tenant = $2 AND p.id = t.project_id
    WHERE t.tenant = $2 AND $1::bigint IS NOT NULL";

fn from_row(row: &Row) -> Sql<Token> {
    Ok(Token {
        id: get(row, "uid")?,
        member: get(row, "member")?,
        // Whoever may less than before takes every token along.
        role: role(row, "role")?.min(role(row, "most")?),
        project: get(row, "project")?,
        mark: get(row, "mark")?,
        created_at: time(row, "created_at")?,
        expires_at: time_if_any(row, "expires_at")?,
        revoked_at: time_if_any(row, "revoked_at")?,
        last_used_at: time_if_any(row, "last_used_at")?,
    })
}

pub(super) async fn all(tx: &Tx) -> Sql<Vec<Token>> {
    let sql = format!("{TOKENS} ORDER BY t.created_at DESC, t.uid");
    tx.rows(&sql, &[&tx.tenant()]).await?.iter().map(from_row).collect()
}

async fn one(tx: &Tx, tenant: i64, id: Uuid) -> Sql<Token> {
    let sql = format!("{TOKENS} AND t.uid = $3");
    from_row(&required(tx.first(&sql, &[&tenant, &id]).await?, "token")?)
}

/// Whose a secret is. Nothing of any tenant can be seen but the row of this very hash, until that
/// row has said whose it is.
pub(super) async fn admit(tx: &Tx, hash: &str) -> Sql<Option<Admission>> {
    let show = "SELECT set_config('afterword.shown', $2, true) WHERE $1::bigint IS NOT NULL";
    tx.rows(show, &[&hash]).await?;
    let sql = "SELECT tenant, uid, project_id FROM tokens
               WHERE hash = $2 AND $1::bigint IS NOT NULL";
    let Some(row) = tx.first(sql, &[&hash]).await? else { return Ok(None) };
    let tenant: i64 = get(&row, "tenant")?;
    organisations::enter(tx, TenantId(tenant)).await?;
    let sql = "SELECT * FROM organisations WHERE tenant = $2 AND $1::bigint IS NOT NULL";
    let organisation = required(tx.first(sql, &[&tenant]).await?, "organisation")?;
    Ok(Some(Admission {
        organisation: organisations::from_row(&organisation)?,
        token: one(tx, tenant, get(&row, "uid")?).await?,
        project: get(&row, "project_id")?,
    }))
}

/// The tenant is named apart: a transaction that has just made it began as nobody.
pub(super) async fn issue(tx: &Tx, tenant: i64, token: &IssuedToken, now: Time) -> Sql<Token> {
    let sql = "SELECT id, role FROM members
               WHERE tenant = $2 AND name = $3 AND $1::bigint IS NOT NULL FOR SHARE";
    let member = tx.first(sql, &[&tenant, &Text(&token.member)]).await?;
    let member = required(member, "member")?;
    let most: Role = role(&member, "role")?;
    if most < token.role {
        let what = format!(
            "the role: {} is {most}, and a token may do no more than its member",
            token.member
        );
        return Err(Error::Conflict(what).into());
    }
    let member_id: i64 = get(&member, "id")?;
    let sql = "INSERT INTO tokens (tenant, uid, member_id, hash, mark, role, project_id,
                   created_at, expires_at)
               SELECT $2, $3, $4, $5, $6, $7, $8, $9, $10 WHERE $1::bigint IS NOT NULL";
    let expires = token.expires_at.map(Time::millis);
    tx.run(
        sql,
        &[
            &tenant,
            &token.id,
            &member_id,
            &token.hash,
            &Text(&token.mark),
            &token.role.word(),
            &token.project,
            &now.millis(),
            &expires,
        ],
    )
    .await?;
    one(tx, tenant, token.id).await
}

pub(super) async fn revoke(tx: &Tx, id: Uuid, now: Time) -> Sql<bool> {
    let sql = "UPDATE tokens SET revoked_at = coalesce(revoked_at, $3)
               WHERE tenant = $1 AND uid = $2";
    Ok(tx.run(sql, &[&id, &now.millis()]).await? > 0)
}

pub(super) async fn note_use(tx: &Tx, id: Uuid, at: Time) -> Sql<()> {
    let sql = "UPDATE tokens SET last_used_at = greatest(last_used_at, $3)
               WHERE tenant = $1 AND uid = $2";
    tx.run(sql, &[&id, &at.millis()]).await?;
    Ok(())
}
