//! What a store of accounts promises.

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::{AuditEntry, Member, Token};
use async_trait::async_trait;
use uuid::Uuid;

use super::{Admission, IssuedToken, Organisation, TenantId};
use crate::Result;

/// Accounts. Everything but [`admit`](Self::admit) and the organisations themselves is of one
/// organisation, and a call for another one finds nothing of it.
#[async_trait]
pub trait AccountStore: Send + Sync + std::fmt::Debug {
    /// Every organisation, by name: for whoever has the database itself.
    async fn organisations(&self) -> Result<Vec<Organisation>>;

    /// The organisation of a name, made where there is none.
    async fn organisation(&self, name: &str, now: Time) -> Result<Organisation>;

    /// On a database without an organisation: makes the first one with a member of the token's role
    /// and its token. None where there is one, also where another server was quicker.
    async fn first_organisation(
        &self,
        name: &str,
        token: &IssuedToken,
        now: Time,
    ) -> Result<Option<Organisation>>;

    /// Whose a secret is, by its hash; none where it is nobody's.
    async fn admit(&self, hash: &str) -> Result<Option<Admission>>;

    /// The members, by name.
    async fn members(&self, tenant: TenantId) -> Result<Vec<Member>>;

    /// Gives a member a role; somebody unknown becomes one.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`](crate::Error::Conflict) where it would take away the last admin.
    async fn set_member(
        &self,
        tenant: TenantId,
        name: &str,
        role: Role,
        now: Time,
    ) -> Result<Member>;

    /// Removes a member with every token of theirs; whether there was one.
    ///
    /// # Errors
    ///
    /// As [`set_member`](Self::set_member).
    async fn remove_member(&self, tenant: TenantId, name: &str) -> Result<bool>;

    /// Keeps a new token.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound) without the member or the project,
    /// [`Error::Conflict`](crate::Error::Conflict) where the member may less than the token.
    async fn issue_token(&self, tenant: TenantId, token: &IssuedToken, now: Time) -> Result<Token>;

    /// Every token, revoked and expired ones too, the newest first.
    async fn tokens(&self, tenant: TenantId) -> Result<Vec<Token>>;

    /// Revokes a token; whether there is one of this id. One that was revoked before stays so since
    /// then.
    async fn revoke_token(&self, tenant: TenantId, id: Uuid, now: Time) -> Result<bool>;

    /// Notes when a token was used.
    async fn note_use(&self, tenant: TenantId, id: Uuid, at: Time) -> Result<()>;

    /// Adds to the audit log; the entry's number is given by the log.
    async fn note(&self, tenant: TenantId, entry: &AuditEntry) -> Result<()>;

    /// The newest entries with numbers below `before`, the newest first.
    async fn audit(
        &self,
        tenant: TenantId,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>>;

    /// Deletes entries of the audit log from before a time; how many.
    async fn trim_audit(&self, tenant: TenantId, before: Time) -> Result<u64>;
}
