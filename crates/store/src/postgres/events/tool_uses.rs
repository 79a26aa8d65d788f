//! Tool uses as they were reported.

use afterword_domain::Time;

use crate::contract::{StoredToolUse, ToolUseQuery};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::{Text, from_json, get, limit as sql_limit, text};

/// As the contract's `tool_uses`.
pub(super) async fn find(tx: &Tx, query: &ToolUseQuery) -> Sql<Vec<StoredToolUse>> {
    let order = if query.oldest_first { "ASC" } else { "DESC" };
    let named = match &query.named {
        None => "($8::bigint[] IS NULL OR TRUE) AND ($9::text[] IS NULL OR TRUE)",
        // Without looking into payloads.
        Some((_, calls)) if calls.is_empty() => {
            "e.id = ANY ($8::bigint[]) AND ($9::text[] IS NULL OR TRUE)"
        }
        Some(_) => {
            "(e.id = ANY ($8::bigint[])
              OR p.payload::jsonb #>> '{body,tool,call_id}' = ANY ($9::text[]))"
        }
    };
    let sql = format!(
        "SELECT e.id, e.session_id, e.prompt_number, p.payload, j.name AS project,
             (SELECT min(o.observation_id) FROM observation_events o
              WHERE o.tenant = $1 AND o.event_id = e.id) AS observation_id
         FROM events e
         JOIN event_payloads p ON p.tenant = $1 AND p.event_id = e.id
         JOIN sdk_sessions s ON s.tenant = $1 AND s.id = e.session_id
         JOIN projects j ON j.tenant = $1 AND j.id = s.project_id
         WHERE e.tenant = $1 AND e.kind = 'tool-use'
         AND ($2::bigint IS NULL OR s.project_id = $2)
         AND ($3::text IS NULL OR s.agent_session_id = $3)
         AND ($4::text[] IS NULL OR e.digest::jsonb ->> 'tool' = ANY ($4))
         AND ($5::text IS NULL OR e.subagent = $5)
         AND e.at >= $6 AND e.at < $7 AND {named}
         ORDER BY e.id {order} LIMIT $10 OFFSET $11"
    );
    let tools: Option<Vec<Text<'_>>> =
        (!query.tools.is_empty()).then(|| query.tools.iter().map(|name| Text(name)).collect());
    let ids = query.named.as_ref().map(|(ids, _)| ids);
    let calls: Option<Vec<Text<'_>>> =
        query.named.as_ref().map(|(_, calls)| calls.iter().map(|id| Text(id)).collect());
    let (since, until) =
        (query.since.map_or(i64::MIN, Time::millis), query.until.map_or(i64::MAX, Time::millis));
    let rows = tx
        .rows(
            &sql,
            &[
                &query.scope.project(),
                &text(query.session.as_ref()),
                &tools,
                &text(query.subagent.as_ref()),
                &since,
                &until,
                &ids,
                &calls,
                &sql_limit(query.limit),
                &sql_limit(query.offset),
            ],
        )
        .await?;
    let tool_use = |row: &tokio_postgres::Row| {
        Ok(StoredToolUse {
            event_id: get(row, "id")?,
            session_id: get(row, "session_id")?,
            prompt_number: get(row, "prompt_number")?,
            project: get(row, "project")?,
            observation_id: get(row, "observation_id")?,
            event: from_json(row, "payload")?,
        })
    };
    rows.iter().map(tool_use).collect()
}
