//! What is configured.

use std::process::ExitCode;

use afterword_engine::provider::{Price, Prices, Refusal};
use serde_json::json;

use crate::cli::Tools;
use crate::cli::output::visible;
use crate::{config, daemon};

/// Shows the provider, its model, where its key comes from and the price; exit 3 where the settings
/// cannot work. Sends nothing.
pub(super) fn status(tools: &Tools) -> anyhow::Result<ExitCode> {
    let told = config::provider::resolve(&tools.config);
    let opened = daemon::open_provider(&tools.config);
    let (prices, _) = Prices::with_file(&tools.config.home.prices_file());
    let provider = opened.as_ref().ok().and_then(Option::as_ref);
    let model = provider.map(|provider| provider.model().to_owned());
    let price = model.as_deref().and_then(|model| prices.of(model));
    let problem = opened.as_ref().err();
    if tools.out.json {
        tools.out.value(&json!({
            "provider": told.as_ref().map_or("none", |told| told.kind.as_str()),
            "model": model,
            "url": told.as_ref().and_then(|told| told.url.as_deref()).map(without_name),
            "key": told.as_ref().map(|told| !told.api_key.is_empty()),
            "key_from": told.as_ref().map(|told| told.key_from.as_str()),
            "price": price.map(|p| json!({"input": p.input, "output": p.output})),
            "error": problem.map(ToString::to_string),
            "remedy": problem.map(Refusal::remedy),
        }))?;
    } else if let Some(told) = told {
        let out = tools.out;
        out.line(&format!("provider  {}", visible(&told.kind)));
        if let Some(url) = &told.url {
            // A name or a password may stand in front of the host.
            out.line(&format!("url       {}", visible(without_name(url))));
        }
        if let Some(model) = &model {
            out.line(&format!("model     {}", visible(model)));
            out.line(&format!("price     {}", price.map_or_else(unknown, shown)));
        }
        let key = match (told.key_from.as_str(), told.api_key.is_empty()) {
            ("", _) => "none".to_owned(),
            (from, true) => format!("none: {from} is empty"),
            (from, false) => format!("from {from}"),
        };
        out.line(&format!("key       {key}"));
        if let Some(refusal) = problem {
            out.line(&format!("{} {}", out.bad("FAIL"), visible(&refusal.message)));
            out.line(&format!("     {}", out.bold(refusal.remedy())));
        }
    } else {
        tools.out.line("provider  none: everything is done by rules");
    }
    Ok(if problem.is_some() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

fn unknown() -> String {
    "not known".to_owned()
}

fn shown(price: Price) -> String {
    format!("${} in, ${} out, for a million tokens", price.input, price.output)
}

/// An address without the name and the password that may stand in front of its host.
fn without_name(url: &str) -> &str {
    url.rsplit('@').next().unwrap_or_default()
}
