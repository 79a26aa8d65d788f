//! `afterword spend`

use std::fmt::Write as _;
use std::process::ExitCode;

use afterword_domain::amounts::{counted, dollars, grouped};
use afterword_domain::wire::spend::{SpendBy, SpendLine, SpendReport};
use clap::Args;

use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::{Output, visible};

/// Show what was spent with models, and what sessions were handed for it
#[derive(Debug, Args)]
pub(in crate::cli) struct SpendArguments {
    /// How many days, today counted
    #[arg(long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=3_660))]
    days: u32,
    /// What to add up by: day, project, provider, model, purpose
    #[arg(long, value_name = "BY", default_value_t = SpendBy::Day)]
    by: SpendBy,
}

/// Asks the daemon and shows a table.
pub(in crate::cli) fn spend(tools: &Tools, arguments: &SpendArguments) -> anyhow::Result<ExitCode> {
    let path = format!("/api/spend?days={}&by={}", arguments.days, arguments.by);
    let report: SpendReport = Door::open(tools)?.get(&path)?;
    if tools.out.json {
        tools.out.value(&report)?;
    } else {
        show(tools.out, &report);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(out: Output, report: &SpendReport) {
    let SpendReport { from, to, by, .. } = report;
    let period = if from == to { to.to_string() } else { format!("{from} to {to}") };
    out.line(&out.bold(&format!("Tokens spent on memory and handed to sessions, {period} (UTC)")));
    let width = report.lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0);
    let width = width.max(10);
    let handed = matches!(by, SpendBy::Day | SpendBy::Project);
    let mut head =
        format!("  {:<width$} {:>6} {:>13} {:>13} {:>12}", by.word(), "calls", "in", "out", "cost");
    if handed {
        write!(head, " {:>8} {:>13}", "blocks", "handed over").expect("a string takes all");
    }
    out.line(&out.dim(&head));
    for line in &report.lines {
        out.line(&row(line, width, handed));
    }
    out.line(&out.bold(&row(&report.total, width, handed)));
    for note in notes(report) {
        out.line(&out.dim(&note));
    }
}

fn name(line: &SpendLine) -> String {
    if line.name.is_empty() { "(no project)".to_owned() } else { visible(&line.name) }
}

fn row(line: &SpendLine, width: usize, handed: bool) -> String {
    let mut row = format!(
        "  {:<width$} {:>6} {:>13} {:>13} {:>12}",
        name(line),
        grouped(line.calls),
        grouped(line.input_tokens),
        grouped(line.output_tokens),
        cost(line)
    );
    if handed {
        let (blocks, tokens) = (line.injected_blocks, line.injected_tokens);
        let column = |n: Option<u64>| n.map(grouped).unwrap_or_default();
        write!(row, " {:>8} {:>13}", column(blocks), column(tokens)).expect("a string takes all");
    }
    row
}

/// What a line cost, as far as it is known.
fn cost(line: &SpendLine) -> String {
    match (line.cost_micros, line.unpriced_tokens) {
        (0, n) if n > 0 => "unknown".to_owned(),
        (micros, 0) => dollars(micros),
        (micros, _) => format!("> {}", dollars(micros)),
    }
}

/// What the figures mean and where they end.
fn notes(report: &SpendReport) -> Vec<String> {
    let mut notes = Vec::new();
    let total = &report.total;
    if matches!(report.by, SpendBy::Model | SpendBy::Purpose | SpendBy::Provider)
        && let (Some(blocks), Some(tokens)) = (total.injected_blocks, total.injected_tokens)
    {
        let (tokens, blocks) = (counted(tokens, "token"), counted(blocks, "block"));
        notes.push(format!("  {tokens} were handed over in {blocks}"));
    }
    if total.open_tokens > 0 {
        let open = grouped(total.open_tokens);
        notes.push(format!("  {open} of these are charged for calls that told no use"));
    }
    if total.unpriced_tokens > 0 {
        let n = grouped(total.unpriced_tokens);
        notes.push(format!("  {n} are of models without a price; prices.toml takes one"));
    }
    let mut caps = format!("  cap a day: {} tokens", grouped(report.daily_token_cap));
    if let Some(cap) = report.daily_cost_cap_micros {
        write!(caps, ", {}", dollars(cap)).expect("a string takes all");
    }
    notes.push(caps);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_says_what_it_does_not_know() {
        let line = |cost_micros, unpriced_tokens| SpendLine {
            cost_micros,
            unpriced_tokens,
            ..SpendLine::default()
        };
        assert_eq!(cost(&line(0, 0)), "$0.00");
        assert_eq!(cost(&line(0, 9)), "unknown");
        assert_eq!(cost(&line(1_500_000, 0)), "$1.50");
        assert_eq!(cost(&line(1_500_000, 9)), "> $1.50");
    }

    #[test]
    fn lines_stand_below_each_other() {
        let line = SpendLine {
            name: "shop".to_owned(),
            calls: 12,
            input_tokens: 123_456,
            injected_blocks: Some(3),
            injected_tokens: Some(900),
            ..SpendLine::default()
        };
        let (short, long) = (row(&line, 10, false), row(&line, 10, true));
        assert!(long.starts_with(&short) && long.ends_with("3           900"), "{long}");
        let empty = SpendLine::default();
        assert_eq!(row(&empty, 12, true).chars().count(), row(&line, 12, true).chars().count());
        assert!(row(&empty, 12, false).contains("(no project)"));
    }
}
