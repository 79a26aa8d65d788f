//! Members and their roles.

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::Member;
use tokio_postgres::Row;

use super::role;
use crate::Error;
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, get, time};

fn from_row(row: &Row) -> Sql<Member> {
    Ok(Member {
        name: get(row, "name")?,
        role: role(row, "role")?,
        created_at: time(row, "created_at")?,
    })
}

pub(super) async fn all(tx: &Tx) -> Sql<Vec<Member>> {
    let sql = "SELECT * FROM members WHERE tenant = $1 ORDER BY name";
    tx.rows(sql, &[]).await?.iter().map(from_row).collect()
}

/// The tenant is named apart: a transaction that has just made it began as nobody.
pub(super) async fn set(tx: &Tx, tenant: i64, name: &str, role: Role, now: Time) -> Sql<Member> {
    let sql = "INSERT INTO members (tenant, name, role, created_at)
               SELECT $2, $3, $4, $5 WHERE $1::bigint IS NOT NULL
               ON CONFLICT (tenant, name) DO UPDATE SET role = excluded.role RETURNING *";
    from_row(&tx.one(sql, &[&tenant, &Text(name), &role.word(), &now.millis()]).await?)
}

pub(super) async fn remove(tx: &Tx, name: &str) -> Sql<bool> {
    let sql = "DELETE FROM members WHERE tenant = $1 AND name = $2";
    Ok(tx.run(sql, &[&Text(name)]).await? > 0)
}

/// Whether somebody keeps the accounts. Two who give the role up at once come here one after the
/// other.
pub(super) async fn has_admin(tx: &Tx) -> Sql<bool> {
    tx.rows("SELECT 1 FROM organisations WHERE tenant = $1 FOR UPDATE", &[]).await?;
    let sql = "SELECT 1 FROM members WHERE tenant = $1 AND role = $2 LIMIT 1";
    tx.exists(sql, &[&Role::Admin.word()]).await
}

/// Refuses what left nobody who keeps the accounts, where somebody did before.
pub(super) async fn want_an_admin(tx: &Tx, before: bool) -> Sql<()> {
    if before && !has_admin(tx).await? {
        let what = "the last admin: make somebody else one first".to_owned();
        return Err(Error::Conflict(what).into());
    }
    Ok(())
}
