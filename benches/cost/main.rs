//! What memory costs in tokens on recorded sessions: by rules, with a model, and the way of the
//! best-known peer.
//!
//! `cargo bench --bench cost -- TRANSCRIPT.jsonl…` plays sessions as Claude Code writes them down
//! through adapter, intake and distilling, with a scripted model whose tokens are estimated from what
//! it is sent; the ledger then says what was spent. What the peer would send is reckoned on the same session from how its conversation is known to be put together.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to people")]

mod model;
mod peer;
mod play;
mod recorded;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use afterword_domain::amounts::grouped;
use recorded::Recorded;

fn main() -> ExitCode {
    let files: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if std::env::args().any(|argument| argument == "--test") {
        return ExitCode::SUCCESS;
    }
    if files.is_empty() {
        eprintln!("usage: cargo bench --bench cost -- TRANSCRIPT.jsonl…");
        return ExitCode::from(2);
    }
    println!(
        "| session | turns | tool calls | what | shown | model calls | in | out | per 100 tool calls |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for file in files {
        if let Err(error) = measure(Path::new(&file)) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What was spent on one session in one way.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    calls: u64,
    input: u64,
    output: u64,
}

fn measure(path: &Path) -> Result<(), String> {
    let session = Recorded::read(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(8).collect();
    let (turns, tools) = (session.turns(), session.tool_calls());
    let row = |what: &str, shown: u64, cost: Cost| {
        let each = (cost.input + cost.output) * 100 / tools.max(1);
        let [calls, input, output, each] = [cost.calls, cost.input, cost.output, each].map(grouped);
        println!(
            "| {name} | {turns} | {tools} | {what} | {shown} | {calls} | {input} | {output} | {each} |"
        );
    };
    row("rules", 0, play::play(&session, None)?);
    let (model, shown) = model::scripted();
    let cost = play::play(&session, Some(model))?;
    row("with a model", shown.load(Ordering::Relaxed), cost);
    let peer = peer::at_least(&session);
    row("the peer's way, at least", peer.calls, peer);
    Ok(())
}
