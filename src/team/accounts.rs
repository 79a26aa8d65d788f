//! New tokens, for routes and for the command line.

use std::sync::Arc;

use afterword_domain::Clock;
use afterword_domain::project::ProjectRef;
use afterword_domain::team::{Role, account_name};
use afterword_domain::wire::team::{AuditEntry, NewToken, Token, TokenRequest};
use afterword_store::Error;
use afterword_store::contract::{AccountStore as _, IssuedToken, ProjectStore as _, TenantId};
use afterword_store::postgres::{PostgresOptions, PostgresPool};
use uuid::Uuid;

use super::secret::Secret;

/// Who does what is done without a token: whoever has the database itself.
pub(super) const OPERATOR: &str = "operator";

/// Most days that a token may be asked to last.
const MOST_DAYS: u32 = 3_650;

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Why an account stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// What was asked cannot be: the text says what is wrong and what can be.
    #[error("{0}")]
    Asked(String),
    /// The database refused, or does not answer.
    #[error(transparent)]
    Store(#[from] Error),
    /// Nothing of the person's doing.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// A token that somebody on the command line asks for.
#[derive(Clone, Debug)]
pub struct TokenOrder {
    /// The organisation, made where there is none of this name.
    pub organisation: String,
    /// The member, who is made one where they are not; whose role is raised where it is too low.
    pub member: String,
    /// What the token may do.
    pub role: Role,
    /// The only project that it reaches.
    pub project: Option<String>,
    /// Days after which it stops counting.
    pub expires_days: Option<u32>,
}

/// Accounts in a database, for whoever has its address.
#[derive(Debug)]
pub struct Accounts {
    pool: PostgresPool,
    clock: Arc<dyn Clock>,
}

impl Accounts {
    /// Connects to the database and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// As [`PostgresPool::connect`].
    pub async fn open(address: &str, clock: Arc<dyn Clock>) -> Result<Self, AccountError> {
        let options = PostgresOptions { tells: true, connections: 2, ..PostgresOptions::default() };
        Ok(Self { pool: PostgresPool::connect(address, &options).await?, clock })
    }

    /// Makes a token, with its organisation and member where they are new.
    ///
    /// # Errors
    ///
    /// [`AccountError::Asked`] for a name that is none, or days beyond 1 to 3650.
    pub async fn create(&self, order: &TokenOrder) -> Result<NewToken, AccountError> {
        let organisation = account_name(&order.organisation).map_err(AccountError::Asked)?;
        let member = account_name(&order.member).map_err(AccountError::Asked)?;
        expiry(order.expires_days)?;
        let now = self.clock.now();
        let tenant = self.pool.organisation(organisation, now).await?.tenant;
        let members = self.pool.members(tenant).await?;
        let known = members.iter().find(|known| known.name == member);
        if known.is_none_or(|known| known.role < order.role) {
            self.pool.set_member(tenant, member, order.role, now).await?;
        }
        let request = TokenRequest {
            member: member.to_owned(),
            role: Some(order.role),
            project: order.project.clone(),
            expires_days: order.expires_days,
        };
        let (made, _) = issue(&self.pool, tenant, &request, order.role, &*self.clock).await?;
        self.note(tenant, "token.create", made.id).await?;
        Ok(made)
    }

    /// Every token of an organisation, or of all of them, beside the organisation's name.
    ///
    /// # Errors
    ///
    /// [`AccountError::Asked`] where there is no organisation of this name.
    pub async fn list(
        &self,
        organisation: Option<&str>,
    ) -> Result<Vec<(String, Vec<Token>)>, AccountError> {
        let mut listed = Vec::new();
        for known in self.pool.organisations().await? {
            if organisation.is_none_or(|wanted| wanted.trim() == known.name) {
                listed.push((known.name, self.pool.tokens(known.tenant).await?));
            }
        }
        match organisation {
            Some(name) if listed.is_empty() => {
                Err(AccountError::Asked(format!("there is no organisation {name:?}")))
            }
            _ => Ok(listed),
        }
    }

    /// Revokes a token, of whichever organisation it is.
    ///
    /// # Errors
    ///
    /// [`AccountError::Asked`] where there is none of this id.
    pub async fn revoke(&self, id: Uuid) -> Result<(), AccountError> {
        for known in self.pool.organisations().await? {
            if self.pool.revoke_token(known.tenant, id, self.clock.now()).await? {
                return self.note(known.tenant, "token.revoke", id).await;
            }
        }
        Err(AccountError::Asked(format!(
            "there is no token {id}: `afterword token list` shows their ids"
        )))
    }

    async fn note(&self, tenant: TenantId, action: &str, id: Uuid) -> Result<(), AccountError> {
        let entry = AuditEntry {
            at: self.clock.now(),
            member: OPERATOR.to_owned(),
            action: action.to_owned(),
            subject: id.to_string(),
            ..AuditEntry::default()
        };
        Ok(self.pool.note(tenant, &entry).await?)
    }
}

/// The days after which a token stops counting.
fn expiry(days: Option<u32>) -> Result<Option<i64>, AccountError> {
    match days {
        Some(days) if !(1..=MOST_DAYS).contains(&days) => {
            let what = format!("a token lasts 1 to {MOST_DAYS} days, not {days}");
            Err(AccountError::Asked(what))
        }
        days => Ok(days.map(|days| i64::from(days) * DAY_MS)),
    }
}

/// Makes and keeps a token of somebody who is a member.
pub(super) async fn issue(
    pool: &PostgresPool,
    tenant: TenantId,
    request: &TokenRequest,
    role: Role,
    clock: &dyn Clock,
) -> Result<(NewToken, Token), AccountError> {
    let now = clock.now();
    let expires_at = expiry(request.expires_days)?.map(|ms| now.plus_millis(ms));
    let project = match request.project.as_deref().map(str::trim) {
        None => None,
        Some("") => return Err(AccountError::Asked("the project has no name".to_owned())),
        Some(name) => {
            let project = ProjectRef::named(name);
            Some(pool.tenant(tenant).resolve_project(&project, now).await?.id)
        }
    };
    let secret = Secret::make()?;
    let token = wanted(&secret, &request.member, role, project, expires_at);
    let kept = pool.issue_token(tenant, &token, now).await?;
    Ok((NewToken { id: kept.id, token: secret.text().to_owned() }, kept))
}

/// A token as the store is to keep it.
pub(super) fn wanted(
    secret: &Secret,
    member: &str,
    role: Role,
    project: Option<i64>,
    expires_at: Option<afterword_domain::Time>,
) -> IssuedToken {
    IssuedToken {
        id: Uuid::new_v4(),
        member: member.trim().to_owned(),
        role,
        project,
        hash: secret.hash(),
        mark: secret.mark().to_owned(),
        expires_at,
    }
}
