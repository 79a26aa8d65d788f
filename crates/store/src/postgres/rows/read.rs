//! Rows of the tables as nouns.

use std::collections::{BTreeMap, HashMap};

use afterword_domain::day::Day;
use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::observation::{Observation, ObservationContent, Source};
use afterword_domain::owner::Owner;
use afterword_domain::prompt::Prompt;
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use tokio_postgres::Row as SqlRow;

use crate::contract::{Row, RowBody};
use crate::postgres::connect::{Fault, Sql, Tx};
use crate::postgres::values::{from_json, get, time};

/// The table of a kind.
pub(in crate::postgres) const fn table(kind: Kind) -> &'static str {
    match kind {
        Kind::Observation => "observations",
        Kind::Summary => "session_summaries",
        Kind::Prompt => "user_prompts",
        Kind::Memory => "memories",
        Kind::Snapshot => "snapshots",
    }
}

/// The rows that exist in the scope, in the order of `ids`: one statement for each kind.
pub(in crate::postgres) async fn rows(tx: &Tx, scope: &Scope, ids: &[PublicId]) -> Sql<Vec<Row>> {
    let mut by_kind: BTreeMap<Kind, Vec<i64>> = BTreeMap::new();
    for id in ids {
        by_kind.entry(id.kind).or_default().push(id.number);
    }
    let mut found: HashMap<PublicId, Row> = HashMap::with_capacity(ids.len());
    for (kind, numbers) in by_kind {
        for row in of_kind(tx, scope, kind, &numbers).await? {
            found.insert(row.id, row);
        }
    }
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

async fn of_kind(tx: &Tx, scope: &Scope, kind: Kind, numbers: &[i64]) -> Sql<Vec<Row>> {
    let session = if matches!(kind, Kind::Memory) { "NULL::bigint" } else { "t.session_id" };
    let of = if scope.project().is_some() { "t.project_id = $3" } else { "$3::bigint IS NULL" };
    let sql = format!(
        "SELECT t.*, p.name AS project_name, s.agent_session_id AS session_name
         FROM {} t JOIN projects p ON p.tenant = $1 AND p.id = t.project_id
         LEFT JOIN sdk_sessions s ON s.tenant = $1 AND s.id = {session}
         WHERE t.tenant = $1 AND t.id = ANY ($2) AND {of}",
        table(kind)
    );
    let rows = tx.rows(&sql, &[&numbers, &scope.project()]).await?;
    rows.iter().map(|row| whole(row, kind)).collect()
}

fn whole(row: &SqlRow, kind: Kind) -> Sql<Row> {
    let body = body(row, kind)?;
    let (number, uid, project_id, session_id, created_at) = match &body {
        RowBody::Observation(o) => (o.id, o.uid, o.project_id, o.session_id, o.created_at),
        RowBody::Summary(s) => (s.id, s.uid, s.project_id, s.session_id, s.created_at),
        RowBody::Prompt(p) => (p.id, p.uid, p.project_id, Some(p.session_id), p.created_at),
        RowBody::Memory(m) => (m.id, m.uid, m.project_id, None, m.created_at),
        RowBody::Snapshot(n) => (n.id, n.uid, n.project_id, Some(n.session_id), n.created_at),
    };
    Ok(Row {
        id: PublicId::new(kind, number),
        uid,
        project_id,
        project: get(row, "project_name")?,
        session_id,
        session: get::<Option<String>>(row, "session_name")?.unwrap_or_default(),
        created_at,
        body,
    })
}

/// The agents of sessions, by their keys.
pub(in crate::postgres) async fn agents(tx: &Tx, rows: &[Row]) -> Sql<HashMap<i64, String>> {
    let ids: Vec<i64> = rows.iter().filter_map(|row| row.session_id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT id, agent FROM sdk_sessions WHERE tenant = $1 AND id = ANY ($2)";
    let found = tx.rows(sql, &[&ids]).await?;
    found.iter().map(|row| Ok((get(row, "id")?, get(row, "agent")?))).collect()
}

fn body(row: &SqlRow, kind: Kind) -> Sql<RowBody> {
    Ok(match kind {
        Kind::Observation => RowBody::Observation(observation_from_row(row)?),
        Kind::Summary => RowBody::Summary(summary_from_row(row)?),
        Kind::Prompt => RowBody::Prompt(prompt_from_row(row)?),
        Kind::Memory => RowBody::Memory(memory_from_row(row)?),
        Kind::Snapshot => RowBody::Snapshot(snapshot_from_row(row)?),
    })
}

pub(in crate::postgres) fn observation_from_row(row: &SqlRow) -> Sql<Observation> {
    Ok(Observation {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        session_id: get(row, "session_id")?,
        project_id: get(row, "project_id")?,
        prompt_number: get(row, "prompt_number")?,
        content: ObservationContent {
            r#type: get(row, "type")?,
            title: get(row, "title")?,
            subtitle: get(row, "subtitle")?,
            narrative: get(row, "narrative")?,
            facts: from_json(row, "facts")?,
            concepts: from_json(row, "concepts")?,
            files_read: from_json(row, "files_read")?,
            files_modified: from_json(row, "files_modified")?,
        },
        subagent: get(row, "subagent")?,
        source: source(row)?,
        created_at: time(row, "created_at")?,
    })
}

fn source(row: &SqlRow) -> Sql<Source> {
    Ok(Source::from_word(get(row, "source")?))
}

pub(in crate::postgres) fn summary_from_row(row: &SqlRow) -> Sql<Summary> {
    let level: &str = get(row, "level")?;
    let turn = level == SummaryLevel::Turn.word();
    Ok(Summary {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        session_id: get(row, "session_id")?,
        project_id: get(row, "project_id")?,
        level: if turn { SummaryLevel::Turn } else { SummaryLevel::Session },
        prompt_number: get(row, "prompt_number")?,
        content: SummaryContent {
            request: get(row, "request")?,
            investigated: get(row, "investigated")?,
            learned: get(row, "learned")?,
            completed: get(row, "completed")?,
            next_steps: get(row, "next_steps")?,
            notes: get(row, "notes")?,
            files_read: from_json(row, "files_read")?,
            files_modified: from_json(row, "files_modified")?,
        },
        source: source(row)?,
        created_at: time(row, "created_at")?,
    })
}

pub(super) fn prompt_from_row(row: &SqlRow) -> Sql<Prompt> {
    Ok(Prompt {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        session_id: get(row, "session_id")?,
        project_id: get(row, "project_id")?,
        number: get(row, "number")?,
        text: get(row, "text")?,
        created_at: time(row, "created_at")?,
    })
}

pub(in crate::postgres) fn memory_from_row(row: &SqlRow) -> Sql<Memory> {
    Ok(Memory {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        project_id: get(row, "project_id")?,
        title: get(row, "title")?,
        text: get(row, "text")?,
        metadata: from_json(row, "metadata")?,
        files: from_json(row, "files")?,
        origin: Origin::from_word(get(row, "origin")?),
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        superseded_by: get(row, "superseded_by")?,
        owner: owner(row)?,
        attributes: Attributes {
            categories: from_json(row, "categories")?,
            expires: get::<Option<i64>>(row, "expires")?.map(Day::from_number),
            immutable: get(row, "immutable")?,
            role: get(row, "role")?,
            actor: get(row, "actor")?,
        },
    })
}

/// Whose a memory is.
pub(in crate::postgres) fn owner(row: &SqlRow) -> Sql<Owner> {
    let name = |column| {
        let name: String = get(row, column)?;
        Ok::<_, Fault>(Some(name).filter(|name| !name.is_empty()))
    };
    Ok(Owner {
        user: name("user_id")?,
        agent: name("agent_id")?,
        app: name("app_id")?,
        run: name("run_id")?,
    })
}

pub(in crate::postgres) fn snapshot_from_row(row: &SqlRow) -> Sql<Snapshot> {
    Ok(Snapshot {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        session_id: get(row, "session_id")?,
        project_id: get(row, "project_id")?,
        trigger: get(row, "trigger")?,
        text: get(row, "text")?,
        agent_summary: get(row, "agent_summary")?,
        created_at: time(row, "created_at")?,
    })
}
