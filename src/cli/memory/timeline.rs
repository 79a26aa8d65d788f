//! `afterword timeline`

use std::process::ExitCode;

use afterword_domain::text;
use afterword_domain::wire::timeline::{Anchor, DEFAULT_NEIGHBOURS, Timeline, TimelineRequest};
use clap::Args;

use crate::cli::door::Door;
use crate::cli::output::visible;
use crate::cli::width::{fit, pad};
use crate::cli::{Tools, project};

/// Columns of the word that says what a row is.
const WORD: usize = 11;

/// Columns in front of a title.
const BEFORE_TITLE: usize = 2 + 5 + 2 + 6 + 2 + WORD + 2;

/// Show what came before and after
#[derive(Debug, Args)]
pub(in crate::cli) struct TimelineArguments {
    /// An id such as o12, a day, or words whose best match is the middle; nothing shows the newest
    #[arg(num_args = 0.., value_name = "ID|DATE|QUERY")]
    middle: Vec<String>,
    /// Most rows before the middle, up to 100
    #[arg(long, value_name = "N", default_value_t = DEFAULT_NEIGHBOURS)]
    before: usize,
    /// Most rows after the middle, up to 100
    #[arg(long, value_name = "N", default_value_t = DEFAULT_NEIGHBOURS)]
    after: usize,
    /// A project's name or folder; the current folder's, or that of the id, unless given
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
}

/// Asks the daemon and shows the rows by day.
pub(in crate::cli) fn timeline(
    tools: &Tools,
    arguments: &TimelineArguments,
) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let anchor = match arguments.middle.as_slice() {
        [one] => one.parse::<Anchor>().ok(),
        _ => None,
    };
    let project = match (anchor, &arguments.project) {
        (Some(Anchor::Row(_)), None) => None,
        (_, name) => Some(project::chosen(tools, &door, name.as_deref())?),
    };
    let query = if anchor.is_some() { String::new() } else { arguments.middle.join(" ") };
    let (before, after) = (Some(arguments.before), Some(arguments.after));
    let request = TimelineRequest { anchor, query, project, before, after };
    let timeline: Timeline = door.post("/api/timeline", &request)?;
    if tools.out.json {
        tools.out.value(&timeline)?;
    } else {
        show(tools, &timeline);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(tools: &Tools, timeline: &Timeline) {
    let out = tools.out;
    if timeline.entries.is_empty() {
        out.line("Nothing there. Try other words, or 'afterword search --all-projects'.");
        return;
    }
    if timeline.more_before {
        out.line(&out.dim("… earlier rows: --before shows more"));
    }
    let mut day = String::new();
    for row in &timeline.entries {
        let (date, time) = (row.created_at.date(), row.created_at.rfc3339());
        if date != day {
            out.line(&out.bold(&date));
            day = date;
        }
        let middle = timeline.anchor == Some(row.id);
        let title = visible(&text::one_line(&row.title));
        let title = fit(&title, out.columns().saturating_sub(BEFORE_TITLE)).into_owned();
        let word = visible(if row.label.is_empty() { row.kind.word() } else { &row.label });
        out.line(&format!(
            "{} {}  {}  {}  {}",
            if middle { ">" } else { " " },
            out.dim(&time[11..16]),
            out.accent(&format!("{:>6}", row.id.to_string())),
            out.dim(&pad(&fit(&word, WORD), WORD)),
            if middle { out.bold(&title) } else { title },
        ));
    }
    if timeline.more_after {
        out.line(&out.dim("… later rows: --after shows more"));
    }
}
