//! Accounts of a team server: organisations, members, tokens, and who did what.

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::{AuditEntry, Member, Token};
use async_trait::async_trait;
use uuid::Uuid;

use crate::Result;

/// Whose data a store reads and writes: one organisation of a team server.
///
/// Numbers are given by whoever keeps the accounts; those below 1 are nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TenantId(pub i64);

impl TenantId {
    /// The tenant of a database that one person or one team has for itself, and of the first
    /// organisation.
    pub const DEFAULT: Self = Self(1);

    /// Nobody's: for tables that belong to no tenant. Every other table looks empty to it.
    pub(crate) const NOBODY: Self = Self(0);
}

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organisation {
    /// Its number.
    pub tenant: TenantId,
    /// Its name, unique in the database.
    pub name: String,
    /// When it was made.
    pub created_at: Time,
}

/// A token that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// Its id.
    pub id: Uuid,
    /// The member's name.
    pub member: String,
    /// What it may do.
    pub role: Role,
    /// The only project that it reaches.
    pub project: Option<i64>,
    /// SHA-256 of the secret, hexadecimal.
    pub hash: String,
    /// How the secret begins.
    pub mark: String,
    /// When it stops counting.
    pub expires_at: Option<Time>,
}

/// Whose a secret is that somebody has shown. It may be revoked or expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The organisation.
    pub organisation: Organisation,
    /// The token, with the role that counts: no more than its member's.
    pub token: Token,
    /// The only project that it reaches.
    pub project: Option<i64>,
}

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
