//! `afterword show`

use std::process::ExitCode;

use afterword_domain::PublicId;
use afterword_domain::text;
use afterword_domain::wire::timeline::{RowsAnswer, RowsRequest, WholeRow};
use clap::Args;

use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::{Output, visible};
use crate::cli::width::{fit, wrap};

/// Show rows whole, and what is behind them
#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArguments {
    /// Ids as `search` shows them, such as o12 or m4
    #[arg(required = true)]
    ids: Vec<PublicId>,
}

/// Shows the rows; exit 2 when an id names none.
pub(in crate::cli) fn show(tools: &Tools, arguments: &ShowArguments) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let request = RowsRequest { ids: arguments.ids.clone(), evidence: true };
    let answer: RowsAnswer = door.post("/api/rows", &request)?;
    if tools.out.json {
        tools.out.value(&answer)?;
    } else {
        for (n, row) in answer.rows.iter().enumerate() {
            if n > 0 {
                tools.out.line("");
            }
            print(tools.out, row);
        }
        if !answer.unknown.is_empty() {
            let ids: Vec<String> = answer.unknown.iter().map(ToString::to_string).collect();
            tools.out.note(&format!("No such row: {}.", ids.join(", ")));
        }
    }
    Ok(ExitCode::from(if answer.unknown.is_empty() { 0 } else { 2 }))
}

fn print(out: Output, row: &WholeRow) {
    let title = visible(&text::one_line(&row.title));
    out.line(&format!("{}  {}", out.accent(&row.id.to_string()), out.bold(&title)));
    let label = if row.label.is_empty() { String::new() } else { format!(", {}", row.label) };
    field(out, "kind", &format!("{}{label}", row.kind));
    field(out, "made", &row.created_at.rfc3339());
    field(out, "project", &row.project);
    field(out, "session", &row.session);
    field(out, "files", &row.files.join("\n"));
    field(out, "source", row.fields["source"].as_str().unwrap_or_default());
    field(out, "uid", &row.uid.to_string());
    if !row.text.is_empty() && visible(&text::one_line(&row.text)) != title {
        out.line("");
        for line in row.text.lines() {
            for part in wrap(&visible(line), reading_width(out)) {
                out.line(&part);
            }
        }
    }
    if !row.evidence.is_empty() {
        out.line("");
        out.line(&out.bold("Evidence"));
        for event in &row.evidence {
            let time = event.at.rfc3339();
            let told = visible(&event.line);
            let told = fit(&told, out.columns().saturating_sub(12));
            out.line(&format!("  {}  {told}", out.dim(&time[11..19])));
        }
    }
}

fn field(out: Output, name: &str, value: &str) {
    for (n, line) in value.lines().enumerate() {
        let name = if n == 0 { name } else { "" };
        out.line(&format!("  {}  {}", out.dim(&format!("{name:<8}")), visible(line)));
    }
}

/// Lines that are longer are hard to read, however wide the terminal is.
fn reading_width(out: Output) -> usize {
    match out.columns() {
        usize::MAX => usize::MAX,
        columns => columns.min(100),
    }
}
