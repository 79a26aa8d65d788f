//! What every request passes before it is served: who asks, from where, how often, and what is
//! told of it afterwards.

mod callers;
mod front;
mod limit;
mod origin;

pub(super) use callers::{Callers, Principal};
pub(super) use front::answer;
pub(super) use limit::Limits;
pub(super) use origin::{Origins, RequestId};
