//! Who is asked, and within which bounds.

use serde::{Deserialize, Serialize};

/// Who runs a language model for the daemon, by the settings that the daemon was started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ModelAsked {
    /// `none`, or the `kind` of `[provider]`.
    pub provider: String,
    /// The model; none where no provider can be asked.
    pub model: Option<String>,
    /// Why no model is asked although a provider is named.
    pub problem: Option<String>,
    /// What to do about that.
    pub remedy: String,
    /// Whether the price of the model is known: where not, only the cap of tokens can be kept.
    pub price_known: bool,
    /// What the model looks for: a mode's name.
    pub mode: String,
    /// Why it is not the mode of the settings.
    pub mode_problem: Option<String>,
    /// Equal where address, key, model and their like are those of the settings: a mark from which
    /// nobody can tell the key. Empty where an older daemon answers.
    pub settings_mark: String,
    /// Tokens of one session and day.
    pub session_token_share: u64,
    /// Tokens of a day that may go on what waits while no session lives.
    pub backlog_tokens: u64,
}

impl Default for ModelAsked {
    fn default() -> Self {
        Self {
            provider: "none".to_owned(),
            model: None,
            problem: None,
            remedy: String::new(),
            price_known: false,
            mode: String::new(),
            mode_problem: None,
            settings_mark: String::new(),
            session_token_share: 0,
            backlog_tokens: 0,
        }
    }
}

impl ModelAsked {
    /// Whom it names, for people.
    pub fn told(&self) -> String {
        match &self.model {
            Some(model) => format!("{}, model {model}", self.provider),
            None if self.provider == "none" => "none: everything is done by rules".to_owned(),
            None => format!("{}, which cannot be asked", self.provider),
        }
    }
}
