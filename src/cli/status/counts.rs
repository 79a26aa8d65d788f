//! `afterword status`

use std::process::ExitCode;

use afterword_domain::amounts::{counted, dollars, grouped};
use afterword_domain::wire::status::{ModelAsked, ModelQueue, Spend, Status};

use serde_json::Value;

use super::page::Page;
use super::remote::RemoteStatus;
use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::visible;
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
        show(page(tools), &status);
        if let Some(remote) = &remote {
            remote.show(page(tools));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn page(tools: &Tools) -> Page {
    Page { out: tools.out, now: tools.clock.now() }
}

/// Where nothing is kept on this machine.
fn remote_alone(tools: &Tools, remote: &RemoteStatus) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        let mut fields = spool_alone(tools)?;
        fields["remote"] = serde_json::to_value(remote)?;
        tools.out.value(&fields)?;
    } else {
        remote.show(page(tools));
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
        page(tools).count("spooled", waiting, "waiting in files for the daemon");
        page(tools).pressing("unreadable", bad, "spool files set aside");
        tools.out.note(&format!("error: {error:#}"));
    }
    Ok(ExitCode::from(4))
}

fn show(page: Page, status: &Status) {
    events(page, status);
    read_by_model(page, &status.model);
    page.head("Memory");
    for (kind, n) in &status.rows {
        page.count(kind, *n, "");
    }
    page.count("indexed", status.indexed, "rows that search finds by words");
    let meaning = &status.embeddings;
    match &meaning.model {
        None => page.told_aside("by meaning", NO_MEANING),
        Some(model) => {
            let told = format!("rows that search finds by meaning too, with {}", visible(model));
            page.count("embedded", meaning.embedded, &told);
            let problem = visible(meaning.problem.as_deref().unwrap_or_default());
            page.count("to embed", meaning.waiting, &problem);
        }
    }
    page.count("projects", status.projects, "");
    page.count("sessions", status.sessions, "");
    page.head("Health");
    page.time("last event", status.last_stored_at);
    page.time("last distilled", status.last_distilled_at);
    page.told("database", &size(status.database_bytes));
    page.head("Provider");
    asked(page, &status.asked, status.spend.daily_cost_cap_micros.is_some());
    spend(page, &status.spend);
}

/// What became of the events that hooks told.
fn events(page: Page, status: &Status) {
    page.head("Events");
    page.count("received", status.received, "handed over by hooks");
    page.count("spooled", status.spooled, "waiting in files for the daemon");
    page.count("stored", status.stored, "in the database");
    page.count("distilled", status.distilled, "in observations and summaries");
    page.count("waiting", status.waiting, "to be distilled");
    if status.parked > 0 {
        page.pressing("parked", status.parked, "failed three times; see 'afterword jobs list'");
    }
    page.count("duplicates", status.duplicates, "came twice, kept once");
    let skipped: u64 = status.skipped.values().sum();
    let reasons: Vec<String> = status.skipped.iter().map(|(why, n)| format!("{why} {n}")).collect();
    page.count("skipped", skipped, &reasons.join(", "));
    if status.spool_bad > 0 {
        page.pressing("unreadable", status.spool_bad, "spool files set aside");
    }
}

/// How far a model has come, where one is or was asked.
fn read_by_model(page: Page, model: &ModelQueue) {
    if model.waiting + model.parked + model.done == 0 {
        return;
    }
    page.head("Read by a model");
    page.count("read", model.done, "turns and sessions");
    page.count("waiting", model.waiting, "told by rules meanwhile");
    if model.kept_back > 0 {
        let why = "of these: their sessions had their share of today's tokens";
        page.count("kept back", model.kept_back, why);
    }
    page.pressing("parked", model.parked, "told by rules; see 'afterword jobs list'");
    if let Some(held) = &model.held {
        page.say(&format!("left alone: {held}"));
    }
}

/// Who is asked by the daemon, and what stands in the way.
fn asked(page: Page, asked: &ModelAsked, cost_is_capped: bool) {
    page.told("asked", &asked.told());
    if let Some(problem) = &asked.problem {
        page.alarm(problem);
        page.say(&asked.remedy);
    }
    if asked.model.is_some() {
        page.told("mode", &asked.mode);
        if let Some(problem) = &asked.mode_problem {
            page.alarm(problem);
        }
        if !asked.price_known {
            page.told(
                "price",
                if cost_is_capped {
                    "not known: daily_cost cannot be kept, so no model is asked"
                } else {
                    "not known: only the cap of tokens is kept"
                },
            );
        }
    }
}

/// What today cost, and what sessions were handed.
fn spend(page: Page, spend: &Spend) {
    page.head("Cost");
    let of = |cap: Option<String>| cap.map_or_else(String::new, |cap| format!(" of {cap}"));
    let tokens = grouped(spend.tokens_today);
    let meter =
        spend.daily_token_cap.map_or_else(String::new, |cap| page.meter(spend.tokens_today, cap));
    let cap = of(spend.daily_token_cap.map(grouped));
    page.figures("tokens today", &format!("{tokens}{cap}"), &meter);
    let (cost, more) = match (spend.cost_today_micros, spend.unpriced_tokens) {
        (micros, 0) => (dollars(micros), ""),
        (0, _) => ("unknown".to_owned(), ""),
        (micros, _) => (dollars(micros), ", and what has no price"),
    };
    let meter = spend
        .daily_cost_cap_micros
        .map_or_else(String::new, |cap| page.meter(spend.cost_today_micros, cap));
    let cap = of(spend.daily_cost_cap_micros.map(dollars));
    page.figures("cost today", &format!("{cost}{cap}{more}"), &meter);
    // A model that was never reached has cost nothing.
    for line in spend.models.iter().filter(|line| line.calls > 0 || line.tokens() > 0) {
        let (calls, tokens) = (counted(line.calls, "call"), counted(line.tokens(), "token"));
        page.say(&format!("  {}: {calls}, {tokens}", visible(&line.name)));
    }
    let (blocks, handed) = (spend.injected_blocks, spend.injected_tokens);
    let (blocks, handed) = (counted(blocks, "block"), counted(handed, "token"));
    page.told("handed over", &format!("{handed} in {blocks}"));
    if let Some(stopped) = &spend.stopped {
        page.alarm(&stopped.why);
        page.say(&stopped.remedy);
    }
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
