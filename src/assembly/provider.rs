//! From the settings to whoever runs a language model.

use std::sync::Arc;

use afterword_engine::provider::{
    self, ClaudeSettings, Provider, ProviderKind, ProviderSettings, Refusal, RefusalKind,
};

use afterword_domain::text::hex;
use sha2::{Digest as _, Sha256};

use crate::config::{self, Config};

/// The provider that the settings name; none where they name none. Sends and starts nothing.
pub fn open_provider(config: &Config) -> Result<Option<Arc<dyn Provider>>, Refusal> {
    let Some(told) = config::provider::resolve(config) else { return Ok(None) };
    if config.file.in_doubt {
        // It may hold caps that are not known.
        let what = "config.toml cannot be read whole, so no model is asked until it is corrected";
        let refusal = Refusal::new(RefusalKind::Misconfigured, what).before_sending();
        return Err(
            refusal.with_remedy("correct config.toml: any afterword command names the slip")
        );
    }
    let Some(kind) = ProviderKind::from_name(&told.kind) else {
        let names = ProviderKind::ALL.map(ProviderKind::name).join(", ");
        let what = format!("there is no provider {:?}: it is none or one of {names}", told.kind);
        return Err(Refusal::new(RefusalKind::Misconfigured, what).before_sending());
    };
    let settings = ProviderSettings {
        kind,
        url: told.url,
        api_key: told.api_key,
        model: told.model,
        timeout: told.timeout,
        proxy: told.proxy,
        claude: ClaudeSettings {
            program: told.command,
            folder: config.home.observer_folder(),
            env: told.env,
        },
    };
    match provider::open(&settings) {
        Ok(provider) => Ok(Some(provider)),
        // The person named a place for the key; that it is empty is what went wrong.
        Err(refusal) if refusal.kind == RefusalKind::Auth && !told.key_from.is_empty() => {
            let what = format!("{} ({} was looked at)", refusal.message, told.key_from);
            Err(Refusal { message: what, ..refusal })
        }
        Err(refusal) => Err(refusal),
    }
}

/// Equal for equal settings of a provider on this data folder. A hash: neither key nor address can be
/// read from it.
pub fn settings_mark(config: &Config) -> String {
    let mut hash = Sha256::new();
    // Parts are told apart by their lengths.
    let mut add = |part: &[u8]| {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    add(config.home.folder().as_os_str().as_encoded_bytes());
    if let Some(told) = config::provider::resolve(config) {
        let or_empty = |text: &Option<String>| text.clone().unwrap_or_default();
        add(told.kind.as_bytes());
        add(told.api_key.expose().as_bytes());
        for text in [&told.url, &told.model, &told.proxy] {
            add(or_empty(text).as_bytes());
        }
        add(told.command.as_os_str().as_encoded_bytes());
        add(&told.timeout.as_millis().to_le_bytes());
    }
    hex(&hash.finalize()[..8])
}
