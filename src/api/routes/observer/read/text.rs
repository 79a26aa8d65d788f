//! What a model reads: tables of titles, every remembered word quoted.
//!
//! The text stands inside the element that the block of a session start has, so that capture knows
//! it as our own and never takes it in again.

use std::fmt::Write as _;

use afterword_domain::quote::{quote, quote_attribute};
use afterword_domain::text::prefix;
use afterword_domain::wire::context::BLOCK_TAG;
use afterword_domain::wire::timeline::{Timeline, TimelineEntry};
use afterword_domain::{Kind, PublicId, Time};
use afterword_engine::observer::ObserverRow;
use serde_json::{Value, json};

/// Most characters of a title.
const TITLE: usize = 160;

/// Most characters of a memory, which is shown whole where it is short.
const MEMORY: usize = 400;

/// Most characters of a query or a name.
const NAME: usize = 120;

/// What a tool of an MCP server answers with.
pub(super) fn content(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// A text inside the element.
fn wrapped(project: Option<&str>, body: &str) -> String {
    let project = quote_attribute(project.unwrap_or("(all)"), NAME);
    format!("<{BLOCK_TAG} project=\"{project}\">\n{}\n</{BLOCK_TAG}>", body.trim_end())
}

/// An id as the observer writes it: a bare number for an observation.
pub(super) fn sign(id: PublicId) -> String {
    match id.kind {
        Kind::Observation => format!("#{}", id.number),
        kind => format!("#{}{}", kind.letter().to_ascii_uppercase(), id.number),
    }
}

/// What was found, in its order, and what can be done with it.
pub(super) fn found(
    query: &str,
    project: Option<&str>,
    rows: &[ObserverRow],
    then: &str,
) -> String {
    let query = quote(query, NAME);
    let about = if query.is_empty() { String::new() } else { format!(" matching \"{query}\"") };
    if rows.is_empty() {
        return wrapped(project, &format!("No results found{about}"));
    }
    let count = |is: fn(&ObserverRow) -> bool| rows.iter().filter(|row| is(row)).count();
    let mut text = format!(
        "Found {} result(s){about} ({} obs, {} sessions, {} prompts, {} memories)\n",
        rows.len(),
        count(|row| matches!(row, ObserverRow::Observation(_))),
        count(|row| matches!(row, ObserverRow::Summary(_))),
        count(|row| matches!(row, ObserverRow::Prompt(_))),
        count(|row| matches!(row, ObserverRow::Memory(_))),
    );
    text.push_str("\n| ID | Date | Type | Title | Read |\n|----|------|------|-------|------|\n");
    for row in rows {
        line(
            &mut text,
            &[
                &sign(row.id()),
                &minute(Time::from_millis(row.created_at_epoch())),
                row.word(),
                &title(row),
                &format!("~{}", row.text_chars().div_ceil(4)),
            ],
        );
    }
    text.push_str(then);
    wrapped(project, &text)
}

fn title(row: &ObserverRow) -> String {
    match row {
        ObserverRow::Observation(row) => quote(&row.title, TITLE),
        ObserverRow::Summary(row) => quote(&row.request, TITLE),
        ObserverRow::Prompt(row) => quote(&row.prompt_text, TITLE),
        ObserverRow::Memory(row) => quote(&row.narrative, MEMORY),
    }
}

/// What stood around a row.
pub(super) fn timeline(heading: &str, project: Option<&str>, found: &Timeline) -> String {
    if found.entries.is_empty() {
        return wrapped(project, &format!("{}: nothing found", quote(heading, NAME)));
    }
    let mut text = format!("# {}\n**Items:** {}\n", quote(heading, NAME), found.entries.len());
    let mut day = String::new();
    for entry in &found.entries {
        let date = entry.created_at.date();
        if date != day {
            write!(
                text,
                "\n### {date}\n\n| ID | Time | Type | Title |\n|----|------|------|-------|\n"
            )
            .expect("a string takes all");
            day = date;
        }
        let anchor = if found.anchor == Some(entry.id) { " <- **ANCHOR**" } else { "" };
        let minute = minute(entry.created_at);
        line(
            &mut text,
            &[
                &sign(entry.id),
                minute.split(' ').nth(1).unwrap_or_default(),
                word(entry),
                &format!("{}{anchor}", quote(&entry.title, TITLE)),
            ],
        );
    }
    let project = project.or_else(|| found.entries.first().map(|entry| entry.project.as_str()));
    wrapped(project, &text)
}

fn word(entry: &TimelineEntry) -> &str {
    if entry.kind == Kind::Observation { &entry.label } else { entry.kind.word() }
}

/// The last sessions in short.
pub(super) fn recent(project: Option<&str>, summaries: &[ObserverRow]) -> String {
    let mut text = "# Recent Session Context\n".to_owned();
    if summaries.is_empty() {
        text.push_str("\nNo previous sessions found.\n");
    }
    for row in summaries {
        let ObserverRow::Summary(row) = row else { continue };
        write!(text, "\n---\n\n**Summary #S{}** ({})\n", row.id, row.created_at.date())
            .expect("a string takes all");
        for (label, said) in [
            ("Request", &row.request),
            ("Completed", &row.completed),
            ("Learned", &row.learned),
            ("Next Steps", &row.next_steps),
        ] {
            let said = quote(said, MEMORY);
            if !said.is_empty() {
                writeln!(text, "**{label}:** {said}").expect("a string takes all");
            }
        }
    }
    wrapped(project, &text)
}

fn line(text: &mut String, cells: &[&str]) {
    for cell in cells {
        // A bar would begin a cell.
        write!(text, "| {} ", cell.replace('|', "\\|")).expect("a string takes all");
    }
    text.push_str("|\n");
}

/// Day and minute in UTC.
fn minute(at: Time) -> String {
    prefix(&at.rfc3339().replace('T', " "), 16).to_owned()
}

/// The block as a person reads it on a terminal: without the element, headings in bold.
pub(super) fn for_people(block: &str) -> String {
    let lines = block.lines().filter(|line| !line.starts_with('<'));
    let mut text = String::new();
    // What comes first is said to the model.
    for line in lines.skip_while(|line| !line.starts_with("## ")) {
        match line.trim_start_matches('#') {
            heading if heading.len() < line.len() => {
                writeln!(text, "\x1b[1m{}\x1b[0m", heading.trim()).expect("a string takes all");
            }
            _ => writeln!(text, "{line}").expect("a string takes all"),
        }
    }
    text
}
