//! Rows for the tests of recall.

use afterword_domain::Time;
use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::observation::{Observation, ObservationContent, Source};
use afterword_domain::owner::Owner;
use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{Row, RowBody};
use serde_json::Value;
use uuid::Uuid;

/// 2026-03-01 and so many days.
pub(crate) fn day(days: i64) -> Time {
    Time::from_millis(1_772_323_200_000).plus_millis(days * 86_400_000)
}

pub(crate) fn observation(id: i64, title: &str, days: i64) -> Observation {
    Observation {
        id,
        uid: Uuid::nil(),
        session_id: Some(1),
        project_id: 1,
        prompt_number: 1,
        content: ObservationContent {
            r#type: "change".into(),
            title: title.into(),
            ..ObservationContent::default()
        },
        subagent: None,
        source: Source::Rules,
        created_at: day(days),
    }
}

pub(crate) fn summary(id: i64, session: i64, days: i64) -> Summary {
    Summary {
        id,
        uid: Uuid::nil(),
        session_id: Some(session),
        project_id: 1,
        level: SummaryLevel::Session,
        prompt_number: 0,
        content: SummaryContent::default(),
        source: Source::Rules,
        created_at: day(days),
    }
}

pub(crate) fn memory(id: i64, text: &str, days: i64) -> Memory {
    Memory {
        id,
        uid: Uuid::nil(),
        project_id: 1,
        title: String::new(),
        text: text.into(),
        metadata: Value::Null,
        files: Vec::new(),
        origin: Origin::Told,
        created_at: day(days),
        updated_at: day(days),
        superseded_by: None,
        owner: Owner::default(),
        attributes: Attributes::default(),
    }
}

pub(crate) fn row(body: RowBody) -> Row {
    let (kind, number, session_id, created_at) = match &body {
        RowBody::Observation(o) => (Kind::Observation, o.id, o.session_id, o.created_at),
        RowBody::Summary(s) => (Kind::Summary, s.id, s.session_id, s.created_at),
        RowBody::Prompt(p) => (Kind::Prompt, p.id, Some(p.session_id), p.created_at),
        RowBody::Memory(m) => (Kind::Memory, m.id, None, m.created_at),
        RowBody::Snapshot(n) => (Kind::Snapshot, n.id, Some(n.session_id), n.created_at),
    };
    Row {
        id: PublicId::new(kind, number),
        uid: Uuid::nil(),
        project_id: 1,
        project: "shop".into(),
        session_id,
        session: session_id.map(|id| format!("session-{id}")).unwrap_or_default(),
        created_at,
        body,
    }
}
