//! Claude Code.
//!
//! [`wire`] mirrors what the CLI sends, [`event`] is what we care about, [`reply`]
//! writes what it honours. Behaviour as measured with 2.1.332 and 2.1.197.

pub mod event;
pub mod reply;
pub mod wire;

use std::path::PathBuf;
use std::time::Instant;

use afterword_domain::reply::Reply;
use serde_json::Value;

use super::{Adapter, Moment, Reading};
use crate::config::Env;

/// The adapter.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Adapter for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn moment(&self, payload: &Value) -> Option<Moment> {
        wire::moment(payload.get("hook_event_name")?.as_str()?)
    }

    fn project_folder(&self, env: &Env) -> Option<PathBuf> {
        env.get("CLAUDE_PROJECT_DIR").map(PathBuf::from)
    }

    fn read(&self, moment: Moment, payload: Value, deadline: Instant) -> Reading {
        event::read(moment, payload, deadline)
    }

    fn answer(&self, moment: Moment, reply: &Reply) -> Option<Value> {
        reply::encode(moment, reply)
    }
}

#[cfg(test)]
#[path = "../../tests/claude_code.rs"]
mod tests;
