//! One small question to the provider.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use afterword_domain::amounts::grouped;
use afterword_engine::distill::model::answer::{Prose, Reading, read};
use afterword_engine::distill::model::budget::{Budget as _, Call, Charge, Purpose};
use afterword_engine::provider::{Answer, Ask, Prices, Provider, Refusal, RefusalKind};
use serde_json::{Value, json};

use crate::cli::Tools;
use crate::cli::output::{Failure, visible};
use crate::{config, daemon};

/// Enough for one word, also of a model that thinks first.
const MOST_OUTPUT: u32 = 256;

/// A question that was answered.
#[derive(Debug)]
pub(in crate::cli) struct Trial {
    pub(in crate::cli) answer: Answer,
    pub(in crate::cli) took: Duration,
}

/// Asks once, within the caps of the day, and lets go of whatever the provider holds.
///
/// # Errors
///
/// The ledger cannot be written, or a cap leaves no room: nothing was sent then.
pub(in crate::cli) fn trial(
    tools: &Tools,
    provider: &dyn Provider,
) -> anyhow::Result<Result<Trial, Refusal>> {
    let ledger = daemon::open_ledger(&tools.config, &tools.clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ask = Ask {
        system: "You are tried out. Answer in one word.".to_owned(),
        prompt: "Say the word: ready".to_owned(),
        max_output_tokens: MOST_OUTPUT,
    };
    let call = Call {
        provider: provider.name().to_owned(),
        model: provider.model().to_owned(),
        purpose: Purpose::Test,
        project_id: None,
        session_id: None,
        input_tokens: provider.input_bound(&ask),
        max_output_tokens: u64::from(ask.max_output_tokens),
        backlog: false,
    };
    runtime.block_on(async {
        let reservation = match ledger.reserve(&call).await {
            Ok(reservation) => reservation,
            Err(over) => return Err(Failure::Config(over.to_string()).into()),
        };
        let begun = Instant::now();
        let answer = provider.complete(&ask).await;
        let took = begun.elapsed();
        provider.close().await;
        if let Err(error) = ledger.settle(reservation, Charge::of(&answer)).await {
            // The answer is paid for; what was set aside stays charged in full.
            tools.out.note(&format!("warning: the ledger was not told what it used: {error}"));
        }
        Ok(answer.and_then(no_notice).map(|answer| Trial { answer, took }))
    })
}

/// Refuses an answer that is a notice about the account: to the daemon it is no answer either.
fn no_notice(answer: Answer) -> Result<Answer, Refusal> {
    let kind = match read(&answer.text) {
        Reading::Prose(Prose::Auth) => RefusalKind::Auth,
        Reading::Prose(Prose::Quota) => RefusalKind::Payment,
        _ => return Ok(answer),
    };
    let what = format!("the answer is a notice about the account: {}", answer.text.trim());
    Err(Refusal::new(kind, what).with_usage(answer.usage))
}

/// Asks and says which model answered, how fast, with how many tokens and for how much. A refusal
/// is told with its remedy: exit 1.
pub(super) fn test(tools: &Tools) -> anyhow::Result<ExitCode> {
    let opened = match daemon::open_provider(&tools.config) {
        Ok(opened) => opened,
        Err(refusal) if tools.out.json => {
            let told = config::provider::resolve(&tools.config).map(|told| told.kind);
            tools.out.value(&told_refusal(told.as_deref(), None, &refusal))?;
            return Ok(ExitCode::from(3));
        }
        Err(refusal) => {
            return Err(Failure::Config(format!("{refusal}\n{}", refusal.remedy())).into());
        }
    };
    let Some(provider) = opened else {
        let what = "no provider is configured: everything is done by rules; \
                    docs/guide/providers.md shows how to set one up";
        return Err(Failure::Config(what.to_owned()).into());
    };
    let (prices, problem) = Prices::with_file(&tools.config.home.prices_file());
    if let Some(problem) = problem {
        tools.out.note(&format!("warning: {problem}"));
    }
    match trial(tools, &*provider)? {
        Ok(trial) => told(tools, &*provider, &prices, &trial),
        Err(refusal) => refused(tools, &*provider, &refusal),
    }
}

fn told(
    tools: &Tools,
    provider: &dyn Provider,
    prices: &Prices,
    trial: &Trial,
) -> anyhow::Result<ExitCode> {
    let usage = trial.answer.usage;
    let cost = prices.of(provider.model()).zip(usage).map(|(price, usage)| price.cost(&usage));
    let millis = u64::try_from(trial.took.as_millis()).unwrap_or(u64::MAX);
    if tools.out.json {
        tools.out.value(&json!({
            "ok": true,
            "provider": provider.name(),
            "model": provider.model(),
            "answer": trial.answer.text,
            "latency_ms": millis,
            "input_tokens": usage.map(|usage| usage.input_total()),
            "output_tokens": usage.map(|usage| usage.output_tokens),
            "cost_usd": cost.map(dollars),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = tools.out;
    out.line(&format!("{} {} answers", out.good("ok"), provider.name()));
    out.line(&format!("  model    {}", visible(provider.model())));
    out.line(&format!("  answer   {}", visible(trial.answer.text.trim())));
    out.line(&format!("  latency  {millis} ms"));
    out.line(&match usage {
        Some(usage) => {
            let [input, output] = [usage.input_total(), usage.output_tokens].map(grouped);
            format!("  tokens   {input} in, {output} out")
        }
        None => "  tokens   not reported: calls are counted by their reservation".to_owned(),
    });
    out.line(&match (cost, usage) {
        (Some(cost), _) => format!("  cost     ${:.6}", dollars(cost)),
        (None, None) => "  cost     not known without tokens".to_owned(),
        (None, Some(_)) => {
            let file = tools.config.home.prices_file();
            format!("  cost     not known: no price of this model; add it to {}", file.display())
        }
    });
    Ok(ExitCode::SUCCESS)
}

fn refused(tools: &Tools, provider: &dyn Provider, refusal: &Refusal) -> anyhow::Result<ExitCode> {
    let remedy = refusal.remedy();
    if tools.out.json {
        let (name, model) = (Some(provider.name()), Some(provider.model()));
        tools.out.value(&told_refusal(name, model, refusal))?;
        return Ok(ExitCode::FAILURE);
    }
    let out = tools.out;
    out.line(&format!(
        "{} {} ({})",
        out.bad("FAIL"),
        visible(&refusal.message),
        refusal.kind.name()
    ));
    if !remedy.is_empty() {
        out.line(&format!("     {}", out.bold(remedy)));
    }
    if let Some(wait) = refusal.retry_after {
        out.line(&format!("     it wants to be left alone for {} s", wait.as_secs()));
    }
    Ok(ExitCode::FAILURE)
}

/// A refusal for programs.
fn told_refusal(provider: Option<&str>, model: Option<&str>, refusal: &Refusal) -> Value {
    json!({
        "ok": false,
        "provider": provider,
        "model": model,
        "kind": refusal.kind.name(),
        "status": refusal.status,
        "error": refusal.message,
        "remedy": refusal.remedy(),
        "retry_after_s": refusal.retry_after.map(|wait| wait.as_secs()),
    })
}

#[expect(clippy::cast_precision_loss, reason = "shown with six decimals")]
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}
