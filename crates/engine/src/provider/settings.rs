//! How a provider is set up: plain values, resolved by whoever reads the settings.

use std::path::PathBuf;
use std::time::Duration;

use afterword_domain::Secret;

/// Which kind of API is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions, of whoever speaks them.
    OpenAi,
    /// Gemini `generateContent`.
    Gemini,
    /// The person's own Claude Code.
    ClaudeCli,
}

impl ProviderKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::ClaudeCli];

    /// The word of the settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::ClaudeCli => "claude-cli",
        }
    }

    /// The kind that a word of the settings means.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name.trim())
    }

    /// The address that is asked unless another is set.
    pub const fn default_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::ClaudeCli => "",
        }
    }

    /// The model that is asked at that address unless another is set: small, quick and cheap.
    pub const fn default_model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-haiku-4-5",
            Self::OpenAi => "gpt-6-luna",
            Self::Gemini => "gemini-2.5-flash-lite",
            Self::ClaudeCli => "haiku",
        }
    }
}

/// How a provider is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettings {
    /// What is spoken.
    pub kind: ProviderKind,
    /// Address, with or without a version at its end; the kind's own unless set.
    pub url: Option<String>,
    /// The key; may be empty where the address asks for none.
    pub api_key: Secret,
    /// The model; the kind's own unless set.
    pub model: Option<String>,
    /// Most time for a call, from the first byte sent to the last one received.
    pub timeout: Duration,
    /// A proxy for the call; none is used unless set, whatever the environment says.
    pub proxy: Option<String>,
    /// For [`ProviderKind::ClaudeCli`].
    pub claude: ClaudeSettings,
}

/// How Claude Code is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// The program.
    pub program: PathBuf,
    /// An empty folder of ours in which it runs; made when it is not there.
    pub folder: PathBuf,
    /// Its whole environment, but for what the observer itself sets.
    pub env: Vec<(String, Secret)>,
}
