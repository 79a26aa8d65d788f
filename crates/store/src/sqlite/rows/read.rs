//! Rows of the tables as nouns.

use afterword_domain::day::Day;
use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::observation::{Observation, ObservationContent, Source};
use afterword_domain::owner::Owner;
use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use rusqlite::{Connection, Row as SqlRow, params};

use super::super::connect::Sql;
use super::super::values::{from_json, optional, optional_uid, time, uid};
use crate::contract::{Row, RowBody};

/// The table of a kind.
pub(in super::super) const fn table(kind: Kind) -> &'static str {
    match kind {
        Kind::Observation => "observations",
        Kind::Summary => "session_summaries",
        Kind::Prompt => "user_prompts",
        Kind::Memory => "memories",
        Kind::Snapshot => "snapshots",
    }
}

/// A row of any kind, when it exists in the scope.
pub(in super::super) fn row(db: &Connection, scope: &Scope, id: PublicId) -> Sql<Option<Row>> {
    let table = table(id.kind);
    let mut one = db.prepare_cached(&format!(
        "SELECT * FROM {table} WHERE id = ?1 AND (?2 IS NULL OR project_id = ?2)"
    ))?;
    let found =
        optional(one.query_row(params![id.number, scope.project()], |row| body(row, id.kind)))?;
    let Some(body) = found else { return Ok(None) };
    let (uid, project_id, session_id, created_at) = match &body {
        RowBody::Observation(o) => (o.uid, o.project_id, o.session_id, o.created_at),
        RowBody::Summary(s) => (s.uid, s.project_id, s.session_id, s.created_at),
        RowBody::Prompt(p) => (p.uid, p.project_id, Some(p.session_id), p.created_at),
        RowBody::Memory(m) => (m.uid, m.project_id, None, m.created_at),
        RowBody::Snapshot(n) => (n.uid, n.project_id, Some(n.session_id), n.created_at),
    };
    let mut name = db.prepare_cached("SELECT name FROM projects WHERE id = ?1")?;
    let project = name.query_row([project_id], |row| row.get(0))?;
    let session = match session_id {
        Some(session_id) => db
            .prepare_cached("SELECT agent_session_id FROM sdk_sessions WHERE id = ?1")?
            .query_row([session_id], |row| row.get(0))?,
        None => String::new(),
    };
    Ok(Some(Row { id, uid, project_id, project, session_id, session, created_at, body }))
}

fn body(row: &SqlRow<'_>, kind: Kind) -> rusqlite::Result<RowBody> {
    Ok(match kind {
        Kind::Observation => RowBody::Observation(observation_from_row(row)?),
        Kind::Summary => RowBody::Summary(summary_from_row(row)?),
        Kind::Prompt => RowBody::Prompt(prompt_from_row(row)?),
        Kind::Memory => RowBody::Memory(memory_from_row(row)?),
        Kind::Snapshot => RowBody::Snapshot(snapshot_from_row(row)?),
    })
}

pub(in super::super) fn observation_from_row(row: &SqlRow<'_>) -> rusqlite::Result<Observation> {
    Ok(Observation {
        id: row.get("id")?,
        uid: uid(row)?,
        session_id: row.get("session_id")?,
        project_id: row.get("project_id")?,
        prompt_number: row.get("prompt_number")?,
        content: ObservationContent {
            r#type: row.get("type")?,
            title: row.get("title")?,
            subtitle: row.get("subtitle")?,
            narrative: row.get("narrative")?,
            facts: from_json(row, "facts")?,
            concepts: from_json(row, "concepts")?,
            files_read: from_json(row, "files_read")?,
            files_modified: from_json(row, "files_modified")?,
        },
        subagent: row.get("subagent")?,
        source: source(row)?,
        created_at: time(row, "created_at")?,
    })
}

fn source(row: &SqlRow<'_>) -> rusqlite::Result<Source> {
    Ok(Source::from_word(&row.get::<_, String>("source")?))
}

pub(in super::super) fn summary_from_row(row: &SqlRow<'_>) -> rusqlite::Result<Summary> {
    let level: String = row.get("level")?;
    let turn = level == SummaryLevel::Turn.word();
    Ok(Summary {
        id: row.get("id")?,
        uid: uid(row)?,
        session_id: row.get("session_id")?,
        project_id: row.get("project_id")?,
        level: if turn { SummaryLevel::Turn } else { SummaryLevel::Session },
        prompt_number: row.get("prompt_number")?,
        content: SummaryContent {
            request: row.get("request")?,
            investigated: row.get("investigated")?,
            learned: row.get("learned")?,
            completed: row.get("completed")?,
            next_steps: row.get("next_steps")?,
            notes: row.get("notes")?,
            files_read: from_json(row, "files_read")?,
            files_modified: from_json(row, "files_modified")?,
        },
        source: source(row)?,
        created_at: time(row, "created_at")?,
    })
}

pub(super) fn prompt_from_row(row: &SqlRow<'_>) -> rusqlite::Result<Prompt> {
    Ok(Prompt {
        id: row.get("id")?,
        uid: uid(row)?,
        session_id: row.get("session_id")?,
        project_id: row.get("project_id")?,
        number: row.get("number")?,
        text: row.get("text")?,
        created_at: time(row, "created_at")?,
    })
}

pub(in super::super) fn memory_from_row(row: &SqlRow<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: row.get("id")?,
        uid: uid(row)?,
        project_id: row.get("project_id")?,
        title: row.get("title")?,
        text: row.get("text")?,
        metadata: from_json(row, "metadata")?,
        files: from_json(row, "files")?,
        origin: Origin::from_word(&row.get::<_, String>("origin")?),
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        superseded_by: optional_uid(row, "superseded_by")?,
        owner: owner(row)?,
        attributes: Attributes {
            categories: from_json(row, "categories")?,
            expires: row.get::<_, Option<i64>>("expires")?.map(Day::from_number),
            immutable: row.get("immutable")?,
            role: row.get("role")?,
            actor: row.get("actor")?,
        },
    })
}

/// Whose a memory is.
pub(in super::super) fn owner(row: &SqlRow<'_>) -> rusqlite::Result<Owner> {
    Ok(Owner {
        user: name(row, "user_id")?,
        agent: name(row, "agent_id")?,
        app: name(row, "app_id")?,
        run: name(row, "run_id")?,
    })
}

/// A name of an owner; none where it is empty.
fn name(row: &SqlRow<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    let name: String = row.get(column)?;
    Ok(Some(name).filter(|name| !name.is_empty()))
}

pub(in super::super) fn snapshot_from_row(row: &SqlRow<'_>) -> rusqlite::Result<Snapshot> {
    Ok(Snapshot {
        id: row.get("id")?,
        uid: uid(row)?,
        session_id: row.get("session_id")?,
        project_id: row.get("project_id")?,
        trigger: row.get("trigger")?,
        text: row.get("text")?,
        agent_summary: row.get("agent_summary")?,
        created_at: time(row, "created_at")?,
    })
}
