//! `afterword search`

use std::process::ExitCode;

use afterword_domain::text;
use afterword_domain::wire::search::{
    Highlight, Part, SearchAnswer, SearchRequest, SearchResult, Why,
};
use afterword_domain::{Kind, Time};
use clap::Args;

use crate::cli::door::Door;
use crate::cli::input::words_or_input;
use crate::cli::output::{Output, visible};
use crate::cli::{Tools, project};

/// Most characters of a title in a list.
const TITLE: usize = 100;

/// Find what is remembered
#[derive(Debug, Args)]
pub(in crate::cli) struct SearchArguments {
    /// What to look for; nothing lists the newest, `-` reads standard input
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
    /// Only what was made on or before this day
    #[arg(long, value_name = "DATE", value_parser = Time::end_of)]
    until: Option<Time>,
    /// Only what concerns this file: a path from here, an absolute one, one from the project's root, or
    /// the end of it, such as a bare name
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only sessions of this agent, such as claude-code
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Most results, 1 to 200
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Say of each result why it ranks where it does
    #[arg(long)]
    explain: bool,
}

/// Asks the daemon and shows what it found.
pub(in crate::cli) fn search(
    tools: &Tools,
    arguments: &SearchArguments,
) -> anyhow::Result<ExitCode> {
    let query = words_or_input(&arguments.query)?;
    let door = Door::open(tools)?;
    let project = if arguments.all_projects {
        None
    } else {
        Some(project::chosen(tools, &door, arguments.project.as_deref())?)
    };
    let file = arguments.file.as_deref();
    let file = file.map(|file| project::file_asked(tools, project.as_ref(), file)).transpose()?;
    let request = SearchRequest {
        query,
        project,
        kind: arguments.kind,
        since: arguments.since,
        until: arguments.until,
        highlight: true,
        file,
        agent: arguments.agent.clone(),
        limit: Some(usize::from(arguments.limit)),
        explain: arguments.explain,
    };
    let answer: SearchAnswer = door.post("/api/search", &request)?;
    if tools.out.json {
        tools.out.value(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    if answer.results.is_empty() {
        tools.out.line(&nothing(&request, answer.hint.as_deref()));
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

/// That nothing was found, and what may help: the reason that is known, else whatever narrows the search.
fn nothing(request: &SearchRequest, hint: Option<&str>) -> String {
    let place = request.project.as_ref();
    let place = place.map_or_else(String::new, |p| format!(" in {}", visible(&p.name)));
    if let Some(hint) = hint {
        return format!("Nothing found{place}: {}.", visible(hint));
    }
    let narrowing = [
        ("--kind", request.kind.is_some()),
        ("--since", request.since.is_some()),
        ("--until", request.until.is_some()),
        ("--file", request.file.is_some()),
        ("--agent", request.agent.is_some()),
    ];
    let mut tries: Vec<String> = Vec::new();
    if request.project.is_some() {
        tries.push("--all-projects".to_owned());
    }
    tries.extend(
        narrowing.iter().filter(|(_, given)| *given).map(|(name, _)| format!("without {name}")),
    );
    if !request.query.trim().is_empty() {
        tries.push("other words".to_owned());
    }
    match tries.as_slice() {
        [] => format!("Nothing found{place}."),
        [one] => format!("Nothing found{place}. Try {one}."),
        [most @ .., last] => {
            format!("Nothing found{place}. Try {}, or {last}.", most.join(", "))
        }
    }
}

fn show(out: Output, result: &SearchResult, with_project: bool) {
    let project = if with_project { format!("  {}", result.project) } else { String::new() };
    let title = cut(&shown(result.highlight.as_ref(), |h| &h.title, &result.title), TITLE);
    let snippet = shown(result.highlight.as_ref(), |h| &h.snippet, &snippet_of(result));
    out.line(&format!(
        "{}  {}  {}{}",
        out.accent(&result.id.to_string()),
        marked(&title, |text| out.bold(text), |text| out.strong(text)),
        out.dim(&format!("{:.2}  {}", result.score, result.created_at.date())),
        out.dim(&visible(&project)),
    ));
    if !snippet.is_empty() {
        let body = marked(&snippet, str::to_owned, |text| out.strong(text));
        out.line(&format!("    {body}"));
    }
    if let Some(why) = &result.why {
        let words = result.highlight.as_ref().map_or(&[][..], |shown| &shown.words);
        out.line(&format!("    {}", out.dim(&visible(&told(why, words)))));
    }
}

/// The marked parts of a text; the text in one part where nothing was looked for in it.
fn shown(
    highlight: Option<&Highlight>,
    which: impl Fn(&Highlight) -> &Vec<Part>,
    plain: &str,
) -> Vec<Part> {
    match highlight {
        Some(highlight) => which(highlight).clone(),
        None if plain.is_empty() => Vec::new(),
        None => vec![Part { text: text::one_line(plain), matched: false }],
    }
}

/// The beginning of a row's text, where it says more than the title.
fn snippet_of(result: &SearchResult) -> String {
    let body = text::one_line(&result.text);
    if body == text::one_line(&result.title) { String::new() } else { text::cut_chars(&body, 220) }
}

/// The parts up to so many characters, with an ellipsis for the rest.
fn cut(parts: &[Part], most: usize) -> Vec<Part> {
    let mut left = most;
    let mut out = Vec::new();
    for part in parts {
        let length = part.text.chars().count();
        if left == 0 {
            out.push(Part { text: "…".into(), matched: false });
            break;
        }
        out.push(Part { text: text::cut_chars(&part.text, left), ..part.clone() });
        if length > left {
            break;
        }
        left -= length;
    }
    out
}

fn marked(
    parts: &[Part],
    plain: impl Fn(&str) -> String,
    strong: impl Fn(&str) -> String,
) -> String {
    let parts = parts.iter().map(|part| {
        let text = visible(&part.text);
        if part.matched { strong(&text) } else { plain(&text) }
    });
    parts.collect()
}

/// `why: words (retried, queue) 0.41 + meaning 0.12 - age 0.02`, with the words as the row has them.
///
/// Where they are too far down in the row to be looked for, the terms of the index stand for them.
fn told(why: &Why, written: &[String]) -> String {
    let named = if written.is_empty() { &why.matched } else { written };
    let words = match named {
        [] => "words".to_owned(),
        named => format!("words ({})", named.join(", ")),
    };
    let parts = [
        (words.as_str(), why.words),
        ("meaning", why.meaning),
        ("neighbours", why.neighbours),
        ("date", why.date),
    ];
    let mut parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, share)| *share >= 0.005)
        .map(|(name, share)| format!("{name} {share:.2}"))
        .collect();
    if parts.is_empty() {
        parts.push("listed".to_owned());
    }
    let less = if why.superseded { "a newer row says otherwise" } else { "age" };
    let less = match -why.recency {
        share if share >= 0.005 => format!(" - {less} {share:.2}"),
        _ => String::new(),
    };
    format!("why: {}{less}", parts.join(" + "))
}

#[cfg(test)]
mod tests {
    use afterword_domain::project::ProjectRef;

    use super::*;

    #[test]
    fn a_title_is_cut_and_keeps_its_marks() {
        let part = |text: &str, matched| Part { text: text.into(), matched };
        let parts = [part("the ", false), part("retry", true), part(" queue", false)];
        let show = |most| marked(&cut(&parts, most), str::to_owned, |text| format!("[{text}]"));
        assert_eq!(show(99), "the [retry] queue");
        assert_eq!(show(9), "the [retry]…");
        assert_eq!(show(6), "the [r…]");
        let hostile = [part("\u{1b}[31m", true)];
        assert_eq!(marked(&hostile, str::to_owned, str::to_owned), "[31m");
    }

    #[test]
    fn what_may_help_is_what_was_asked_too_much() {
        let mut request = SearchRequest { query: "x".into(), ..SearchRequest::default() };
        assert_eq!(nothing(&request, None), "Nothing found. Try other words.");
        request.project = Some(ProjectRef::named("shop"));
        request.file = Some("a.rs".into());
        assert_eq!(
            nothing(&request, None),
            "Nothing found in shop. Try --all-projects, without --file, or other words."
        );
        assert_eq!(nothing(&request, Some("why")), "Nothing found in shop: why.");
        assert_eq!(nothing(&SearchRequest::default(), None), "Nothing found.");
    }

    #[test]
    fn why_is_told_in_one_line() {
        let mut why = Why {
            words: 0.412,
            meaning: 0.12,
            recency: -0.02,
            matched: vec!["retri".into(), "queue".into()],
            ..Why::default()
        };
        let written = ["Retried".to_owned(), "queues".to_owned()];
        let line = "why: words (Retried, queues) 0.41 + meaning 0.12 - age 0.02";
        assert_eq!(told(&why, &written), line);
        assert!(told(&why, &[]).starts_with("why: words (retri, queue) 0.41"), "a word far down");
        why.superseded = true;
        assert!(told(&why, &written).ends_with(" - a newer row says otherwise 0.02"));
        assert_eq!(told(&Why::default(), &[]), "why: listed");
    }
}
