//! A remembered row as the index knows it.

use afterword_domain::memory::Memory;
use afterword_domain::observation::Observation;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::Summary;
use afterword_domain::{Kind, PublicId, Time};

use crate::contract::{IndexDoc, Row, RowBody};

/// Which row, and what filters ask of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) id: PublicId,
    pub(crate) project_id: i64,
    pub(crate) session_id: Option<i64>,
    pub(crate) created_at: Time,
    pub(crate) subagent: bool,
}

impl From<&Observation> for Entry {
    fn from(row: &Observation) -> Self {
        Self {
            id: PublicId::new(Kind::Observation, row.id),
            project_id: row.project_id,
            session_id: row.session_id,
            created_at: row.created_at,
            subagent: row.subagent.is_some(),
        }
    }
}

impl From<&Summary> for Entry {
    fn from(row: &Summary) -> Self {
        Self {
            id: PublicId::new(Kind::Summary, row.id),
            project_id: row.project_id,
            session_id: row.session_id,
            created_at: row.created_at,
            subagent: false,
        }
    }
}

impl From<&Memory> for Entry {
    fn from(row: &Memory) -> Self {
        Self {
            id: PublicId::new(Kind::Memory, row.id),
            project_id: row.project_id,
            session_id: None,
            created_at: row.created_at,
            subagent: false,
        }
    }
}

impl From<&Snapshot> for Entry {
    fn from(row: &Snapshot) -> Self {
        Self {
            id: PublicId::new(Kind::Snapshot, row.id),
            project_id: row.project_id,
            session_id: Some(row.session_id),
            created_at: row.created_at,
            subagent: false,
        }
    }
}

impl From<&Row> for Entry {
    fn from(row: &Row) -> Self {
        let subagent = matches!(&row.body, RowBody::Observation(o) if o.subagent.is_some());
        Self {
            id: row.id,
            project_id: row.project_id,
            session_id: row.session_id,
            created_at: row.created_at,
            subagent,
        }
    }
}

/// Tokens of a row.
pub(crate) fn length(doc: &IndexDoc) -> i64 {
    let tokens = [&doc.title, &doc.text, &doc.files].into_iter().flat_map(|field| field.split(' '));
    i64::try_from(tokens.filter(|token| !token.is_empty()).count()).unwrap_or(i64::MAX)
}
