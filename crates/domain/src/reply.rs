//! What a hook answers its agent.

use serde::{Deserialize, Serialize};

/// The answer to a hook event, before it is written in an agent's dialect.
///
/// There is no "allow": in several agents it would skip the person's permission prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reply {
    /// Nothing to say; the agent goes on.
    #[default]
    None,
    /// Text for the model, and perhaps a line for the person.
    Context {
        /// What the model is given; empty when only the notice matters.
        text: String,
        /// One line shown to the person, never to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
    },
    /// The tool must not run.
    Deny {
        /// Why, and what to do instead: the model reads it.
        reason: String,
    },
}
