//! Tool uses as they were reported.

use afterword_domain::Time;
use rusqlite::{Connection, Row, named_params};

use super::super::connect::Sql;
use super::super::values::{from_json, json, limit as sql_limit};
use crate::contract::{StoredToolUse, ToolUseQuery};

/// As the contract's `tool_uses`.
pub(super) fn find(db: &Connection, query: &ToolUseQuery) -> Sql<Vec<StoredToolUse>> {
    let order = if query.oldest_first { "ASC" } else { "DESC" };
    let named = match &query.named {
        None => "(:ids IS NULL OR TRUE) AND (:calls IS NULL OR TRUE)",
        // Without looking into payloads.
        Some((_, calls)) if calls.is_empty() => {
            "e.id IN (SELECT value FROM json_each(:ids)) AND (:calls IS NULL OR TRUE)"
        }
        Some(_) => {
            "(e.id IN (SELECT value FROM json_each(:ids))
              OR json_extract(p.payload, '$.body.tool.call_id') IN
                 (SELECT value FROM json_each(:calls)))"
        }
    };
    let sql = format!(
        "SELECT e.id, e.session_id, e.prompt_number, p.payload, j.name AS project,
             (SELECT min(o.observation_id) FROM observation_events o WHERE o.event_id = e.id)
                 AS observation_id
         FROM events e
         JOIN event_payloads p ON p.event_id = e.id
         JOIN sdk_sessions s ON s.id = e.session_id
         JOIN projects j ON j.id = s.project_id
         WHERE e.kind = 'tool-use'
         AND (:project IS NULL OR s.project_id = :project)
         AND (:session IS NULL OR s.agent_session_id = :session)
         AND (:tools IS NULL
              OR json_extract(e.digest, '$.tool') IN (SELECT value FROM json_each(:tools)))
         AND (:subagent IS NULL OR e.subagent = :subagent)
         AND e.at >= :since AND e.at < :until AND {named}
         ORDER BY e.id {order} LIMIT :limit OFFSET :offset"
    );
    let tools = match query.tools.as_slice() {
        [] => None,
        tools => Some(json(tools)?),
    };
    let (ids, calls) = match &query.named {
        None => (None, None),
        Some((ids, calls)) => (Some(json(ids)?), Some(json(calls)?)),
    };
    let mut list = db.prepare_cached(&sql)?;
    let found = list.query_map(
        named_params! {
            ":project": query.scope.project(), ":session": query.session, ":tools": tools,
            ":subagent": query.subagent,
            ":since": query.since.map_or(i64::MIN, Time::millis),
            ":until": query.until.map_or(i64::MAX, Time::millis),
            ":ids": ids, ":calls": calls,
            ":limit": sql_limit(query.limit), ":offset": sql_limit(query.offset),
        },
        tool_use,
    )?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn tool_use(row: &Row<'_>) -> rusqlite::Result<StoredToolUse> {
    Ok(StoredToolUse {
        event_id: row.get("id")?,
        session_id: row.get("session_id")?,
        prompt_number: row.get("prompt_number")?,
        project: row.get("project")?,
        observation_id: row.get("observation_id")?,
        event: from_json(row, "payload")?,
    })
}
