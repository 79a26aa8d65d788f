//! Rows on their way out.

use afterword_domain::memory::Origin;
use afterword_domain::observation::ObservationContent;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryContent;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, PublicId, Time};
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::projects;
use super::super::rows::{in_scope, row, table};
use super::super::values::limit as sql_limit;
use crate::contract::{ExportCursor, Row, RowBody};

/// The rows after a cursor, kind by kind, each by id.
pub(super) fn page(
    db: &Connection,
    scope: &Scope,
    after: Option<ExportCursor>,
    limit: usize,
) -> Sql<Vec<(ExportCursor, PortableRow)>> {
    let mut found = Vec::new();
    let kinds = Kind::ALL.into_iter().filter(|kind| after.is_none_or(|after| *kind >= after.kind));
    for kind in kinds {
        let last = after.filter(|after| after.kind == kind).map_or(0, |after| after.id);
        for id in ids(db, scope, kind, last, limit - found.len())? {
            if let Some(row) = row(db, scope, PublicId::new(kind, id))? {
                found.push((ExportCursor { kind, id }, portable(db, row)?));
            }
        }
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

fn ids(db: &Connection, scope: &Scope, kind: Kind, after: i64, limit: usize) -> Sql<Vec<i64>> {
    let mut list = db.prepare_cached(&format!(
        "SELECT id FROM {} WHERE {} AND id > ?2 ORDER BY id LIMIT ?3",
        table(kind),
        in_scope(scope)
    ))?;
    let rows =
        list.query_map(params![scope.project(), after, sql_limit(limit)], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A row as a line of an export file.
pub(super) fn portable(db: &Connection, row: Row) -> Sql<PortableRow> {
    let agent = match row.session_id {
        Some(id) => Some(
            db.prepare_cached("SELECT agent FROM sdk_sessions WHERE id = ?1")?
                .query_row([id], |row| row.get(0))?,
        ),
        None => None,
    };
    let line = PortableRow {
        uid: Some(row.uid),
        kind: Some(row.id.kind),
        project: Some(row.project),
        project_keys: projects::keys(db, row.project_id)?,
        agent,
        session: row.session_id.map(|_| row.session),
        created_at: Some(row.created_at),
        ..PortableRow::default()
    };
    fill(line, row.body)
}

fn fill(line: PortableRow, body: RowBody) -> Sql<PortableRow> {
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
            title: m.title,
            text: m.text,
            files: m.files,
            metadata: m.metadata,
            content: memory_content(m.origin, m.updated_at, m.superseded_by),
            ..line
        },
        RowBody::Snapshot(n) => PortableRow {
            text: n.text,
            content: json!({"trigger": n.trigger, "agent_summary": n.agent_summary}),
            ..line
        },
    })
}

fn memory_content(origin: Origin, updated_at: Time, superseded_by: Option<Uuid>) -> Value {
    let mut content = json!({"origin": origin, "updated_at": updated_at});
    if let Some(by) = superseded_by {
        content["superseded_by"] = json!(by);
    }
    content
}

/// The fields of a distilled row and what else belongs to it, as one object.
fn content(fields: &impl Serialize, more: Value) -> Sql<Value> {
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
