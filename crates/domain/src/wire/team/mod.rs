//! Accounts of a team server, as its routes under `/api/team/` speak of them.

mod audit;
mod members;
mod tokens;

pub use audit::{Audit, AuditEntry};
pub use members::{Me, Member, MemberRequest, Members};
pub use tokens::{NewToken, Token, TokenRequest, Tokens};
