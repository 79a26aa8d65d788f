//! Organisations and tokens, as the store speaks of them.

use afterword_domain::Time;
use afterword_domain::team::Role;
use afterword_domain::wire::team::Token;
use uuid::Uuid;

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
