//! `afterword demo`: a recorded session is played into a throwaway home, ends, and the next session
//! shows what it is given. Everything is real but the agent: this program's own hooks and daemon.

mod stage;

use std::process::ExitCode;

use afterword_domain::text;
use afterword_domain::wire::search::SearchAnswer;
use clap::Args;
use serde_json::{Value, json};

use super::Tools;
use stage::Stage;

/// The recorded session: one hook call a line.
const SESSION: &str = include_str!("session.jsonl");

/// The question that the demo asks at the end, in both languages of the recording.
const QUESTIONS: [&str; 2] = ["why did rounding fail", "金额"];

/// See a memory cross sessions, in a throwaway home
#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// Keep the throwaway home and say where it is
    #[arg(long)]
    keep: bool,
}

/// Plays the recording; fails when the second session is given nothing of the first.
pub(super) fn demo(tools: &Tools, arguments: &DemoArguments) -> anyhow::Result<ExitCode> {
    let out = tools.out;
    let stage = Stage::set(arguments.keep)?;
    if !out.json {
        out.line(
            &out.bold("Session one: a recorded session of Claude Code runs through the hooks."),
        );
    }
    let mut calls = 0_u32;
    for line in SESSION.lines().filter(|line| !line.trim().is_empty()) {
        let step: Value = serde_json::from_str(line)?;
        let event = step["event"].as_str().unwrap_or_default();
        let took = stage.hook("demo-session-one", event, &step["payload"])?.took;
        calls += 1;
        if !out.json {
            let ms = format!("{:>5.1} ms", took.as_secs_f64() * 1000.0);
            let say = step["say"].as_str().unwrap_or_default();
            out.line(&format!("  {}  {event:<19} {say}", out.dim(&ms)));
        }
    }
    stage.wait_until_distilled()?;
    if !out.json {
        out.line(&format!(
            "\n{}",
            out.bold("Session two: a new session starts in the same project.")
        ));
    }
    let start = stage.hook("demo-session-two", "session-start", &json!({ "source": "startup" }))?;
    let block = start.context();
    let found: Vec<(&str, SearchAnswer)> =
        QUESTIONS.iter().map(|q| Ok((*q, stage.search(q)?))).collect::<anyhow::Result<_>>()?;
    let crossed = block.contains("src/cart.rs");
    if out.json {
        let hits: Vec<_> =
            found.iter().map(|(q, a)| json!({ "query": q, "total": a.total })).collect();
        out.value(&json!({
            "hooks": calls, "crossed": crossed, "context": block, "searches": hits,
            "home": arguments.keep.then(|| stage.folder()),
        }))?;
    } else {
        let ms = start.took.as_secs_f64() * 1000.0;
        out.line(&format!("  Before its first word it is given this, in {ms:.1} ms:\n"));
        for line in block.lines() {
            out.line(&format!("  {} {line}", out.accent("│")));
        }
        for (question, answer) in &found {
            out.line(&format!("\n{}", out.bold(&format!("afterword search {question}"))));
            for hit in answer.results.iter().take(3) {
                let title = text::cut_chars(&text::one_line(&hit.title), 90);
                out.line(&format!("  {}  {title}", out.accent(&hit.id.to_string())));
            }
        }
        out.line(&format!(
            "\n{}",
            if crossed {
                out.good(
                    "The memory crossed: no model, no network, nothing outside a throwaway home.",
                )
            } else {
                out.bad("The second session was given nothing of the first: please report this.")
            }
        ));
        if arguments.keep {
            out.line(&format!("Kept in {}.", stage.folder().display()));
        } else {
            out.line("Next: afterword install");
        }
    }
    Ok(if crossed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
