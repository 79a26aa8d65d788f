//! `afterword search`

use std::process::ExitCode;

use afterword_domain::text;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest, SearchResult};
use afterword_domain::{Kind, Time};
use clap::Args;

use crate::cli::door::Door;
use crate::cli::output::{Output, visible};
use crate::cli::{Tools, project};

/// Find what is remembered
#[derive(Debug, Args)]
pub(in crate::cli) struct SearchArguments {
    /// What to look for; nothing lists the newest
    #[arg(num_args = 0..)]
    query: Vec<String>,
    /// A project's name or folder; the current folder's unless given
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
    /// Look in every project
    #[arg(long, conflicts_with = "project")]
    all_projects: bool,
    /// Only this kind: observation, summary, prompt, memory, snapshot
    #[arg(long)]
    kind: Option<Kind>,
    /// Only what was made on or after this day
    #[arg(long, value_name = "DATE")]
    since: Option<Time>,
    /// Only what concerns this file: its path, or the end of it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only sessions of this agent, such as claude-code
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Most results, 1 to 200
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
}

/// Asks the daemon and shows what it found.
pub(in crate::cli) fn search(
    tools: &Tools,
    arguments: &SearchArguments,
) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let project = if arguments.all_projects {
        None
    } else {
        Some(project::chosen(tools, &door, arguments.project.as_deref())?)
    };
    let request = SearchRequest {
        query: arguments.query.join(" "),
        project,
        kind: arguments.kind,
        since: arguments.since,
        file: arguments.file.clone(),
        agent: arguments.agent.clone(),
        limit: Some(usize::from(arguments.limit)),
    };
    let answer: SearchAnswer = door.post("/api/search", &request)?;
    if tools.out.json {
        tools.out.value(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    if answer.results.is_empty() {
        let place = request.project.map_or_else(String::new, |p| format!(" in {}", p.name));
        tools.out.line(&format!("Nothing found{place}. Try --all-projects, or other words."));
    }
    for result in &answer.results {
        show(tools.out, result, arguments.all_projects);
    }
    if answer.total > answer.results.len() {
        let more =
            format!("{} of {} shown; --limit shows more", answer.results.len(), answer.total);
        tools.out.line(&tools.out.dim(&more));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(out: Output, result: &SearchResult, with_project: bool) {
    let project = if with_project { format!("  {}", result.project) } else { String::new() };
    out.line(&format!(
        "{}  {}  {}{}",
        out.accent(&result.id.to_string()),
        out.bold(&visible(&text::cut_chars(&text::one_line(&result.title), 100))),
        out.dim(&format!("{:.2}  {}", result.score, result.created_at.date())),
        out.dim(&project),
    ));
    let body = text::one_line(&result.text);
    if !body.is_empty() && body != text::one_line(&result.title) {
        out.line(&format!("    {}", visible(&text::cut_chars(&body, 220))));
    }
}
