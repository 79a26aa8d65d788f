//! Providers over HTTP: one file a dialect.
//!
//! `call` sends one request, `refuse` sorts every answer that is none, `address` makes sense of what
//! a person wrote; the dialects know only their own bodies.

mod address;
mod anthropic;
mod call;
mod gemini;
mod openai;
mod refuse;

pub(super) use anthropic::{Anthropic, usage as anthropic_usage};
pub(super) use gemini::Gemini;
pub(super) use openai::OpenAi;

use serde_json::Value;

use super::contract::{Answer, Usage};
use super::refusal::{Refusal, RefusalKind};
use super::settings::ProviderSettings;

/// The model that the settings name, or the kind's own at the kind's own address.
fn model(settings: &ProviderSettings) -> Result<String, Refusal> {
    let told = settings.model.as_deref().map(str::trim).filter(|model| !model.is_empty());
    let elsewhere = settings.url.as_deref().is_some_and(|url| {
        let host = settings.kind.default_url().split('/').nth(2).unwrap_or_default();
        !url.trim().is_empty() && !url.contains(host)
    });
    match told {
        Some(model) => Ok(model.to_owned()),
        None if elsewhere => {
            let what = "no model is set, and with a url of your own there is none by default";
            Err(Refusal::new(RefusalKind::Misconfigured, what).before_sending())
        }
        None => Ok(settings.kind.default_model().to_owned()),
    }
}

/// Refuses settings without a key.
fn need_key(settings: &ProviderSettings) -> Result<(), Refusal> {
    if !settings.api_key.is_empty() {
        return Ok(());
    }
    let what = format!("no key is set for the provider {}", settings.kind.name());
    Err(Refusal::new(RefusalKind::Auth, what).before_sending())
}

/// An answer that says something, or the refusal of one that does not.
fn answer(text: &str, usage: Option<Usage>, cut: bool) -> Result<Answer, Refusal> {
    if text.trim().is_empty() {
        let what = if cut {
            "the answer met its limit before it said anything: thinking took all of it"
        } else {
            "the model answered nothing"
        };
        return Err(unusable(what, usage));
    }
    Ok(Answer { text: text.to_owned(), usage, cut })
}

fn unusable(what: &str, usage: Option<Usage>) -> Refusal {
    Refusal::new(RefusalKind::Unusable, what).with_status(200).with_usage(usage)
}

/// An answer in JSON that has nothing of the API's shape and tells no use: whoever sent it is no such
/// API, and no other question finds one there.
fn no_api(body: &Value, usage: Option<Usage>, parts: &[&str]) -> Result<(), Refusal> {
    if usage.is_some() || parts.iter().any(|part| body.get(*part).is_some()) {
        return Ok(());
    }
    let what = "the address answers, but not as an API of this kind";
    Err(Refusal::new(RefusalKind::Misconfigured, what).with_status(200))
}

/// What the model or a filter would not answer.
fn declined(why: &str, usage: Option<Usage>) -> Refusal {
    let what = format!("the model refused to answer ({why})");
    Refusal::new(RefusalKind::Refused, what).with_status(200).with_usage(usage)
}

/// A count of tokens, however the server writes numbers; 0 where there is none.
fn count(value: &Value) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as saturates")]
    let whole = |n: f64| n as u64;
    value.as_u64().or_else(|| value.as_f64().map(whole)).unwrap_or(0)
}
