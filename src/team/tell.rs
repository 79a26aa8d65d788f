//! What is told in the audit log.

use std::net::IpAddr;
use std::sync::Arc;

use afterword_domain::Clock;
use afterword_domain::wire::team::AuditEntry;
use afterword_store::contract::AccountStore as _;
use afterword_store::postgres::PostgresPool;

use super::door::Principal;

/// Where a request comes from and the id that it goes by; it stands in its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) address: IpAddr,
    pub(super) request_id: String,
}

/// Writes the audit log.
#[derive(Clone, Debug)]
pub(super) struct Teller {
    pub(super) pool: PostgresPool,
    pub(super) clock: Arc<dyn Clock>,
}

impl Teller {
    /// Tells what somebody did to what, with the HTTP status that it was answered with. Where that
    /// cannot be written it stands in the server's own log: what was done is done.
    pub(super) async fn note(
        &self,
        principal: &Principal,
        origin: &Origin,
        action: &str,
        subject: &str,
        status: u16,
    ) {
        let token = &principal.0.token;
        let entry = AuditEntry {
            id: 0,
            at: self.clock.now(),
            member: token.member.clone(),
            token: Some(token.id),
            action: action.to_owned(),
            subject: subject.to_owned(),
            status,
            address: origin.address.to_string(),
            request_id: origin.request_id.clone(),
        };
        if let Err(error) = self.pool.note(principal.tenant(), &entry).await {
            tracing::error!(%error, action, subject, status, "the audit log cannot be written");
        }
    }
}
