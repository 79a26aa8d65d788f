//! `afterword status`

use std::process::ExitCode;

use afterword_domain::Time;
use afterword_domain::amounts::{dollars, grouped};
use afterword_domain::wire::status::{ModelAsked, Spend, Status};

use serde_json::Value;

use super::remote::RemoteStatus;
use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::{Output, visible};
use crate::daemon as process;

/// What is said where there is no model that embeds.
const NO_MEANING: &str = "no: rows are found by words; 'afterword model pull' adds meaning";

/// Shows the counts of every stage. Without a daemon only the spool can be counted: exit 4.
pub(in crate::cli) fn status(tools: &Tools) -> anyhow::Result<ExitCode> {
    let remote = RemoteStatus::here(tools);
    // Where a remote service alone keeps memories, no daemon is started to say that it has none.
    if let Some(remote) = remote.as_ref().filter(|remote| !remote.local)
        && Door::find(tools).is_err()
    {
        return remote_alone(tools, remote);
    }
    let asked = Door::open(tools).and_then(|door| door.get::<Status>("/api/stats"));
    let status = match asked {
        Ok(status) => status,
        Err(error) => return without_daemon(tools, &error),
    };
    if tools.out.json {
        let mut fields = serde_json::to_value(&status)?;
        if let Some(remote) = &remote {
            fields["remote"] = serde_json::to_value(remote)?;
        }
        tools.out.value(&fields)?;
    } else {
        show(tools.out, &status);
        if let Some(remote) = &remote {
            remote.show(tools.out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Where nothing is kept on this machine.
fn remote_alone(tools: &Tools, remote: &RemoteStatus) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        let mut fields = spool_alone(tools)?;
        fields["remote"] = serde_json::to_value(remote)?;
        tools.out.value(&fields)?;
    } else {
        remote.show(tools.out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Every field of the status; what only the daemon knows is null.
fn spool_alone(tools: &Tools) -> anyhow::Result<Value> {
    let (waiting, bad) = process::spool_count(&tools.config.home);
    let mut fields = serde_json::to_value(Status::default())?;
    for (name, value) in fields.as_object_mut().into_iter().flatten() {
        *value = match name.as_str() {
            "spooled" => waiting.into(),
            "spool_bad" => bad.into(),
            _ => Value::Null,
        };
    }
    Ok(fields)
}

/// What can be said when nobody answers.
fn without_daemon(tools: &Tools, error: &anyhow::Error) -> anyhow::Result<ExitCode> {
    let (waiting, bad) = process::spool_count(&tools.config.home);
    if tools.out.json {
        let mut fields = spool_alone(tools)?;
        fields["error"] = format!("{error:#}").into();
        tools.out.value(&fields)?;
    } else {
        tools
            .out
            .line(&tools.out.bold("The daemon does not answer; only the spool can be counted."));
        row(tools.out, "spooled", waiting, "waiting in files for the daemon");
        row(tools.out, "unreadable", bad, "spool files set aside");
        tools.out.note(&format!("error: {error:#}"));
    }
    Ok(ExitCode::from(4))
}

fn show(out: Output, status: &Status) {
    out.line(&out.bold("Events"));
    row(out, "received", status.received, "handed over by hooks");
    row(out, "spooled", status.spooled, "waiting in files for the daemon");
    row(out, "stored", status.stored, "in the database");
    row(out, "distilled", status.distilled, "in observations and summaries");
    row(out, "waiting", status.waiting, "to be distilled");
    if status.parked > 0 {
        row(out, "parked", status.parked, "failed three times; see 'afterword jobs list'");
    }
    row(out, "duplicates", status.duplicates, "came twice, kept once");
    let skipped: u64 = status.skipped.values().sum();
    let reasons: Vec<String> = status.skipped.iter().map(|(why, n)| format!("{why} {n}")).collect();
    row(out, "skipped", skipped, &reasons.join(", "));
    if status.spool_bad > 0 {
        row(out, "unreadable", status.spool_bad, "spool files set aside");
    }
    let model = &status.model;
    if model.waiting + model.parked + model.done > 0 {
        out.line(&out.bold("Read by a model"));
        row(out, "read", model.done, "turns and sessions");
        row(out, "waiting", model.waiting, "told by rules meanwhile");
        if model.kept_back > 0 {
            let why = "of these: their sessions had their share of today's tokens";
            row(out, "kept back", model.kept_back, why);
        }
        row(out, "parked", model.parked, "told by rules; see 'afterword jobs list'");
        if let Some(held) = &model.held {
            out.line(&format!("  left alone: {}", visible(held)));
        }
    }
    out.line(&out.bold("Memory"));
    for (kind, n) in &status.rows {
        row(out, kind, *n, "");
    }
    row(out, "indexed", status.indexed, "rows that search finds by words");
    let meaning = &status.embeddings;
    match &meaning.model {
        None => out.line(&format!("  by meaning      {}", out.dim(NO_MEANING))),
        Some(model) => {
            let told = format!("rows that search finds by meaning too, with {}", visible(model));
            row(out, "embedded", meaning.embedded, &told);
            row(out, "to embed", meaning.waiting, meaning.problem.as_deref().unwrap_or_default());
        }
    }
    row(out, "projects", status.projects, "");
    row(out, "sessions", status.sessions, "");
    out.line(&out.bold("Health"));
    let when = |time: Option<Time>| time.map_or("none yet".to_owned(), Time::rfc3339);
    out.line(&format!("  last event      {}", when(status.last_stored_at)));
    out.line(&format!("  last distilled  {}", when(status.last_distilled_at)));
    out.line(&format!("  database        {}", size(status.database_bytes)));
    out.line(&out.bold("Provider"));
    asked(out, &status.asked);
    spend(out, &status.spend);
}

/// Who is asked by the daemon, and what stands in the way.
fn asked(out: Output, asked: &ModelAsked) {
    out.line(&format!("  asked           {}", visible(&asked.told())));
    if let Some(problem) = &asked.problem {
        out.line(&format!("  {}", out.bad(&visible(problem))));
        out.line(&format!("  {}", visible(&asked.remedy)));
    }
    if asked.model.is_some() {
        out.line(&format!("  mode            {}", visible(&asked.mode)));
        if let Some(problem) = &asked.mode_problem {
            out.line(&format!("  {}", out.bad(&visible(problem))));
        }
        if !asked.price_known {
            out.line("  price           not known: only the cap of tokens is kept");
        }
    }
}

/// What today cost, and what sessions were handed.
fn spend(out: Output, spend: &Spend) {
    out.line(&out.bold("Cost"));
    let of = |cap: Option<String>| cap.map_or_else(String::new, |cap| format!(" of {cap}"));
    let tokens = grouped(spend.tokens_today);
    out.line(&format!("  tokens today    {tokens}{}", of(spend.daily_token_cap.map(grouped))));
    let cost = dollars(spend.cost_today_micros);
    let more = if spend.unpriced_tokens > 0 { ", and what has no price" } else { "" };
    let cap = of(spend.daily_cost_cap_micros.map(dollars));
    out.line(&format!("  cost today      {cost}{cap}{more}"));
    for line in &spend.models {
        let (calls, tokens) = (grouped(line.calls), grouped(line.tokens()));
        out.line(&format!("    {}: {calls} calls, {tokens} tokens", visible(&line.name)));
    }
    let (blocks, handed) = (grouped(spend.injected_blocks), grouped(spend.injected_tokens));
    out.line(&format!("  handed over     {handed} tokens in {blocks} blocks"));
    if let Some(stopped) = &spend.stopped {
        out.line(&format!("  {}", out.bad(&visible(&stopped.why))));
        if !stopped.remedy.is_empty() {
            out.line(&format!("  {}", visible(&stopped.remedy)));
        }
    }
}

fn row(out: Output, name: &str, n: u64, meaning: &str) {
    out.line(format!("  {name:<12} {n:>10}  {}", out.dim(meaning)).trim_end());
}

/// A size in bytes for people.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}
