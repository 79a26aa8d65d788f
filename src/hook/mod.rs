//! stdin → event → reply, in milliseconds, whatever happens.

pub mod platform;
pub mod project;
