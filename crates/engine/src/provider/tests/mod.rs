//! Providers against servers on loopback that answer as a test tells them.

mod dialects;
mod limits;
mod refusals;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use afterword_domain::Secret;
use afterword_testkit::ProviderStub;
use tokio::runtime::{Builder, Runtime};

use super::{Answer, Ask, ClaudeSettings, Provider, ProviderKind, ProviderSettings, Refusal, open};

/// A key as providers make them.
const KEY: &str = "sk-test-0123456789abcdef";

const HTTP: [ProviderKind; 3] =
    [ProviderKind::Anthropic, ProviderKind::OpenAi, ProviderKind::Gemini];

fn settings(kind: ProviderKind, url: &str) -> ProviderSettings {
    ProviderSettings {
        kind,
        url: Some(url.to_owned()),
        api_key: Secret::new(KEY),
        model: Some("small-1".to_owned()),
        timeout: Duration::from_secs(30),
        proxy: None,
        claude: ClaudeSettings::default(),
    }
}

fn provider(kind: ProviderKind, stub: &ProviderStub) -> Arc<dyn Provider> {
    open(&settings(kind, &stub.url())).unwrap()
}

fn ask() -> Ask {
    Ask { system: "ROLE".to_owned(), prompt: "QUESTION 问".to_owned(), max_output_tokens: 321 }
}

/// One for all tests: connections that are kept belong to the runtime that made them.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

fn run<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.block_on(future)
}

fn complete(provider: &Arc<dyn Provider>) -> Result<Answer, Refusal> {
    run(provider.complete(&ask()))
}
