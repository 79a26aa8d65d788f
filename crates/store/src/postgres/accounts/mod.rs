//! Accounts: organisations, members, tokens, and the audit log.

mod audit;
mod members;
mod organisations;
mod tokens;

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::{AuditEntry, Member, Token};
use async_trait::async_trait;
use uuid::Uuid;

use super::connect::{Notice, PostgresPool, TenantId};
use crate::contract::{AccountStore, Admission, IssuedToken, Organisation};
use crate::{Error, Result};

impl PostgresPool {
    /// A change of accounts takes effect at once on every server: it is told before the call ends,
    /// for a command may end with it.
    async fn tell_accounts(&self, tenant: TenantId) {
        if self.tells()
            && let Err(error) = self.send(&[Notice::Accounts(tenant)].into()).await
        {
            tracing::warn!(%error, "other servers cannot be told of changed accounts");
        }
    }
}

#[async_trait]
impl AccountStore for PostgresPool {
    async fn organisations(&self) -> Result<Vec<Organisation>> {
        self.read(TenantId::NOBODY, |tx| async move { organisations::all(&tx).await }).await
    }

    async fn organisation(&self, name: &str, now: Time) -> Result<Organisation> {
        let make = |tx| async move { organisations::of_name(&tx, name, now).await };
        self.write(TenantId::NOBODY, make).await
    }

    async fn first_organisation(
        &self,
        name: &str,
        token: &IssuedToken,
        now: Time,
    ) -> Result<Option<Organisation>> {
        self.write(TenantId::NOBODY, |tx| async move {
            let Some(made) = organisations::first(&tx, name, now).await? else { return Ok(None) };
            organisations::enter(&tx, made.tenant).await?;
            members::set(&tx, made.tenant.0, &token.member, token.role, now).await?;
            tokens::issue(&tx, made.tenant.0, token, now).await?;
            Ok(Some(made))
        })
        .await
    }

    async fn admit(&self, hash: &str) -> Result<Option<Admission>> {
        // Two statements follow each other, the second as whoever the first one found.
        self.follow(TenantId::NOBODY, |tx| async move { tokens::admit(&tx, hash).await }).await
    }

    async fn members(&self, tenant: TenantId) -> Result<Vec<Member>> {
        self.read(tenant, |tx| async move { members::all(&tx).await }).await
    }

    async fn set_member(
        &self,
        tenant: TenantId,
        name: &str,
        role: Role,
        now: Time,
    ) -> Result<Member> {
        let set = |tx| async move {
            let kept = members::has_admin(&tx).await?;
            let member = members::set(&tx, tenant.0, name, role, now).await?;
            members::want_an_admin(&tx, kept).await?;
            Ok(member)
        };
        let member = self.write(tenant, set).await?;
        self.tell_accounts(tenant).await;
        Ok(member)
    }

    async fn remove_member(&self, tenant: TenantId, name: &str) -> Result<bool> {
        let remove = |tx| async move {
            let kept = members::has_admin(&tx).await?;
            let removed = members::remove(&tx, name).await?;
            members::want_an_admin(&tx, kept).await?;
            Ok(removed)
        };
        let removed = self.write(tenant, remove).await?;
        self.tell_accounts(tenant).await;
        Ok(removed)
    }

    async fn issue_token(&self, tenant: TenantId, token: &IssuedToken, now: Time) -> Result<Token> {
        let issue = |tx| async move { tokens::issue(&tx, tenant.0, token, now).await };
        self.write(tenant, issue).await
    }

    async fn tokens(&self, tenant: TenantId) -> Result<Vec<Token>> {
        self.read(tenant, |tx| async move { tokens::all(&tx).await }).await
    }

    async fn revoke_token(&self, tenant: TenantId, id: Uuid, now: Time) -> Result<bool> {
        let revoke = |tx| async move { tokens::revoke(&tx, id, now).await };
        let known = self.write(tenant, revoke).await?;
        self.tell_accounts(tenant).await;
        Ok(known)
    }

    async fn note_use(&self, tenant: TenantId, id: Uuid, at: Time) -> Result<()> {
        self.write(tenant, |tx| async move { tokens::note_use(&tx, id, at).await }).await
    }

    async fn note(&self, tenant: TenantId, entry: &AuditEntry) -> Result<()> {
        self.write(tenant, |tx| async move { audit::note(&tx, entry).await }).await
    }

    async fn audit(
        &self,
        tenant: TenantId,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>> {
        self.read(tenant, |tx| async move { audit::page(&tx, before, limit).await }).await
    }

    async fn trim_audit(&self, tenant: TenantId, before: Time) -> Result<u64> {
        self.write(tenant, |tx| async move { audit::trim(&tx, before).await }).await
    }
}

/// A role as it is stored.
fn role(row: &tokio_postgres::Row, column: &str) -> super::connect::Sql<Role> {
    let word: &str = row.try_get(column)?;
    word.parse().map_err(|error: afterword_domain::team::BadRole| {
        Error::Corrupt(format!("a stored account cannot be read: {error}")).into()
    })
}
