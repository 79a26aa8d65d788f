//! Whose a shown secret is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use afterword_domain::{Clock, Time};
use afterword_store::contract::{AccountStore as _, Admission, TenantId};
use afterword_store::postgres::PostgresPool;
use axum::http::{HeaderMap, StatusCode};
use tokio::time::Instant;

use crate::api::{ApiError, ApiResult, Caller, shown_secret};
use crate::team::secret;

/// How long an admission is believed without asking the database. A change of accounts is told to
/// every server at once; this bounds how long one that hears nothing goes on.
const BELIEVED: Duration = Duration::from_secs(5);

/// Admissions that are remembered.
const MOST: usize = 10_000;

/// How often it is noted that a token was used, in milliseconds.
const NOTED_MS: i64 = 60_000;

/// Somebody whose token counts.
#[derive(Clone, Debug)]
pub(in crate::team) struct Principal(pub(in crate::team) Arc<Admission>);

impl Principal {
    /// What the routes need to know of them.
    pub(in crate::team) fn caller(&self) -> Caller {
        Caller { role: self.0.token.role, bound: self.0.project.is_some() }
    }

    pub(in crate::team) fn tenant(&self) -> TenantId {
        self.0.organisation.tenant
    }
}

/// Knows callers by their secrets.
#[derive(Debug)]
pub(in crate::team) struct Callers {
    pool: PostgresPool,
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    admission: Arc<Admission>,
    since: Instant,
    noted: Option<Time>,
}

impl Callers {
    pub(in crate::team) fn new(pool: PostgresPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accounts of an organisation have changed, or anything may have.
    pub(in crate::team) fn forget(&self, tenant: Option<TenantId>) {
        let of = |known: &Known| Some(known.admission.organisation.tenant) == tenant;
        self.known().retain(|_, known| tenant.is_some() && !of(known));
    }

    /// Whoever asks; else why not, and whose the token was where it was somebody's.
    pub(in crate::team) async fn admit(
        &self,
        headers: &HeaderMap,
    ) -> Result<Principal, (ApiError, Option<Principal>)> {
        let nobody = |error| (error, None);
        let hash = shown_secret(headers).and_then(secret::hash_of);
        let hash = hash.ok_or_else(|| nobody(unknown()))?;
        let admission = self.admission(&hash).await.map_err(nobody)?;
        let principal = Principal(admission.ok_or_else(|| nobody(unknown()))?);
        let (token, now) = (&principal.0.token, self.clock.now());
        if token.revoked_at.is_some() {
            return Err((ended("revoked"), Some(principal)));
        }
        if token.expires_at.is_some_and(|end| end <= now) {
            return Err((ended("expired"), Some(principal)));
        }
        self.note_use(&hash, &principal, now);
        Ok(principal)
    }

    async fn admission(&self, hash: &str) -> ApiResult<Option<Arc<Admission>>> {
        if let Some(known) = self.known().get(hash).filter(|known| known.since.elapsed() < BELIEVED)
        {
            return Ok(Some(Arc::clone(&known.admission)));
        }
        let Some(found) = self.pool.admit(hash).await? else { return Ok(None) };
        let admission = Arc::new(found);
        let mut known = self.known();
        if known.len() >= MOST {
            known.retain(|_, known| known.since.elapsed() < BELIEVED);
        }
        if known.len() < MOST {
            let noted = known.get(hash).and_then(|known| known.noted);
            let noted = noted.or(admission.token.last_used_at);
            let entry = Known { admission: Arc::clone(&admission), since: Instant::now(), noted };
            known.insert(hash.to_owned(), entry);
        }
        Ok(Some(admission))
    }

    /// Once a minute, and beside the answer: only people look at it.
    fn note_use(&self, hash: &str, principal: &Principal, now: Time) {
        if let Some(known) = self.known().get_mut(hash) {
            if known.noted.is_some_and(|at| now.millis() - at.millis() < NOTED_MS) {
                return;
            }
            known.noted = Some(now);
        }
        let (pool, principal) = (self.pool.clone(), principal.clone());
        tokio::spawn(async move {
            let id = principal.0.token.id;
            if let Err(error) = pool.note_use(principal.tenant(), id, now).await {
                tracing::debug!(%error, "the use of a token cannot be noted");
            }
        });
    }
}

fn unknown() -> ApiError {
    refused("the token is missing or wrong")
}

fn ended(how: &str) -> ApiError {
    refused(&format!("the token is {how}"))
}

fn refused(what: &str) -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        what,
        Some("send 'Authorization: Bearer <token>'; an admin of your organisation makes tokens"),
    )
}
