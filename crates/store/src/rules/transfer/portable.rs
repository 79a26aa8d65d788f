//! A row as a line of an export file.

use afterword_domain::memory::Memory;
use afterword_domain::observation::ObservationContent;
use afterword_domain::summary::SummaryContent;
use afterword_domain::wire::portable::PortableRow;
use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::{Row, RowBody};

/// What a line says before its row is filled in: whose it is, and when it was made.
pub(crate) fn line(row: &Row, agent: Option<String>, project_keys: Vec<String>) -> PortableRow {
    PortableRow {
        uid: Some(row.uid),
        kind: Some(row.id.kind),
        project: Some(row.project.clone()),
        project_keys,
        agent,
        session: row.session_id.map(|_| row.session.clone()),
        created_at: Some(row.created_at),
        ..PortableRow::default()
    }
}

/// Fills in what a row itself says.
pub(crate) fn fill(line: PortableRow, body: RowBody) -> serde_json::Result<PortableRow> {
    Ok(match body {
        RowBody::Observation(o) => PortableRow {
            title: o.content.title.clone(),
            text: observation_text(&o.content),
            prompt_number: Some(o.prompt_number),
            files: files(&o.content.files_read, &o.content.files_modified),
            content: content(&o.content, json!({"subagent": o.subagent, "source": o.source}))?,
            ..line
        },
        RowBody::Summary(s) => PortableRow {
            title: s.content.request.clone(),
            text: summary_text(&s.content),
            prompt_number: Some(s.prompt_number),
            files: files(&s.content.files_read, &s.content.files_modified),
            content: content(&s.content, json!({"level": s.level, "source": s.source}))?,
            ..line
        },
        RowBody::Prompt(p) => PortableRow { text: p.text, prompt_number: Some(p.number), ..line },
        RowBody::Memory(m) => PortableRow {
            content: memory_content(&m),
            title: m.title,
            text: m.text,
            files: m.files,
            metadata: m.metadata,
            ..line
        },
        RowBody::Snapshot(n) => PortableRow {
            text: n.text,
            content: json!({"trigger": n.trigger, "agent_summary": n.agent_summary}),
            ..line
        },
    })
}

fn memory_content(memory: &Memory) -> Value {
    let mut content = json!({"origin": memory.origin, "updated_at": memory.updated_at});
    if let Some(by) = memory.superseded_by {
        content["superseded_by"] = json!(by);
    }
    if !memory.owner.is_nobody() {
        content["owner"] = json!(memory.owner);
    }
    if !memory.attributes.is_empty() {
        content["attributes"] = json!(memory.attributes);
    }
    content
}

/// The fields of a distilled row and what else belongs to it, as one object.
fn content(fields: &impl Serialize, more: Value) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(fields)?;
    if let (Value::Object(all), Value::Object(more)) = (&mut value, more) {
        all.extend(more);
    }
    Ok(value)
}

fn files(read: &[String], modified: &[String]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in modified.iter().chain(read) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}

fn paragraphs<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// What an observation says, for people and for the index of another store.
fn observation_text(content: &ObservationContent) -> String {
    let text = paragraphs(
        [content.subtitle.as_str(), content.narrative.as_str()]
            .into_iter()
            .chain(content.facts.iter().map(String::as_str)),
    );
    if text.is_empty() { content.title.clone() } else { text }
}

fn summary_text(content: &SummaryContent) -> String {
    let parts = [
        &content.investigated,
        &content.learned,
        &content.completed,
        &content.next_steps,
        &content.notes,
    ];
    let text = paragraphs(parts.map(String::as_str));
    if text.is_empty() { content.request.clone() } else { text }
}
