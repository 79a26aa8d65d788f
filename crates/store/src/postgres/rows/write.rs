//! Nouns as rows of the tables.

use std::collections::HashMap;

use afterword_domain::observation::{Observation, ObservationContent};
use afterword_domain::summary::{Summary, SummaryContent};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::Error;
use crate::postgres::connect::{Fault, Sql, Tx};
use crate::postgres::values::{Text, get, json, text};

/// Stores observations whose ids are not set yet, with their rules' keys, by one statement; returns
/// the ids in their order.
pub(in crate::postgres) async fn insert_observations(
    tx: &Tx,
    rows: &[(&Observation, Option<&str>)],
) -> Sql<Vec<i64>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let texts = |of: fn(&ObservationContent) -> &str| -> Vec<Text<'_>> {
        rows.iter().map(|(row, _)| Text(of(&row.content))).collect()
    };
    let lists = |of: fn(&ObservationContent) -> &Vec<String>| -> Sql<Vec<String>> {
        rows.iter().map(|(row, _)| json(of(&row.content))).collect()
    };
    let uids: Vec<Uuid> = rows.iter().map(|(row, _)| row.uid).collect();
    let sessions: Vec<Option<i64>> = rows.iter().map(|(row, _)| row.session_id).collect();
    let projects: Vec<i64> = rows.iter().map(|(row, _)| row.project_id).collect();
    let prompts: Vec<i64> = rows.iter().map(|(row, _)| row.prompt_number).collect();
    let keys: Vec<Option<Text<'_>>> = rows.iter().map(|(_, key)| key.map(Text)).collect();
    let subagents: Vec<Option<Text<'_>>> =
        rows.iter().map(|(row, _)| text(row.subagent.as_ref())).collect();
    let sources: Vec<&str> = rows.iter().map(|(row, _)| row.source.word()).collect();
    let times: Vec<i64> = rows.iter().map(|(row, _)| row.created_at.millis()).collect();
    let made = tx
        .rows(
            "INSERT INTO observations (tenant, uid, session_id, project_id, prompt_number, rule_key,
                 type, title, subtitle, narrative, facts, concepts, files_read, files_modified,
                 subagent, source, created_at)
             SELECT $1, uid, session_id, project_id, prompt_number, rule_key, type, title, subtitle,
                 narrative, facts, concepts, files_read, files_modified, subagent, source, created_at
             FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
                 $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
                 $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[])
                 WITH ORDINALITY AS new (uid, session_id, project_id, prompt_number, rule_key, type,
                     title, subtitle, narrative, facts, concepts, files_read, files_modified,
                     subagent, source, created_at, n)
             ORDER BY n RETURNING id, uid",
            &[
                &uids,
                &sessions,
                &projects,
                &prompts,
                &keys,
                &texts(|c| &c.r#type),
                &texts(|c| &c.title),
                &texts(|c| &c.subtitle),
                &texts(|c| &c.narrative),
                &lists(|c| &c.facts)?,
                &lists(|c| &c.concepts)?,
                &lists(|c| &c.files_read)?,
                &lists(|c| &c.files_modified)?,
                &subagents,
                &sources,
                &times,
            ],
        )
        .await?;
    ids_of(&made, &uids)
}

/// The ids of new rows, in the order of their uids.
pub(in crate::postgres) fn ids_of(made: &[Row], uids: &[Uuid]) -> Sql<Vec<i64>> {
    let pairs = made.iter().map(|row| Ok((get(row, "uid")?, get(row, "id")?)));
    let ids: HashMap<Uuid, i64> = pairs.collect::<Sql<_>>()?;
    let id = |uid: &Uuid| ids.get(uid).copied().ok_or(Fault::Store(Error::NotFound("new row")));
    uids.iter().map(id).collect()
}

/// Brings an observation up to date, by its id.
pub(in crate::postgres) async fn update_observation(tx: &Tx, row: &Observation) -> Sql<()> {
    let c = &row.content;
    let lists = [&c.facts, &c.concepts, &c.files_read, &c.files_modified].map(json);
    let [facts, concepts, read, modified] = lists;
    tx.run(
        "UPDATE observations SET type = $3, title = $4, subtitle = $5, narrative = $6, facts = $7,
         concepts = $8, files_read = $9, files_modified = $10, subagent = $11, source = $12,
         created_at = $13 WHERE tenant = $1 AND id = $2",
        &[
            &row.id,
            &Text(&c.r#type),
            &Text(&c.title),
            &Text(&c.subtitle),
            &Text(&c.narrative),
            &facts?,
            &concepts?,
            &read?,
            &modified?,
            &text(row.subagent.as_ref()),
            &row.source.word(),
            &row.created_at.millis(),
        ],
    )
    .await?;
    Ok(())
}

/// Stores summaries whose ids are not set yet, by one statement; returns the ids in their order. A
/// slotted one is the row that distilling keeps up to date.
pub(in crate::postgres) async fn insert_summaries(
    tx: &Tx,
    rows: &[(&Summary, bool)],
) -> Sql<Vec<i64>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let texts = |of: fn(&SummaryContent) -> &str| -> Vec<Text<'_>> {
        rows.iter().map(|(row, _)| Text(of(&row.content))).collect()
    };
    let lists = |of: fn(&SummaryContent) -> &Vec<String>| -> Sql<Vec<String>> {
        rows.iter().map(|(row, _)| json(of(&row.content))).collect()
    };
    let uids: Vec<Uuid> = rows.iter().map(|(row, _)| row.uid).collect();
    let sessions: Vec<Option<i64>> = rows.iter().map(|(row, _)| row.session_id).collect();
    let projects: Vec<i64> = rows.iter().map(|(row, _)| row.project_id).collect();
    let levels: Vec<&str> = rows.iter().map(|(row, _)| row.level.word()).collect();
    let prompts: Vec<i64> = rows.iter().map(|(row, _)| row.prompt_number).collect();
    let slotted: Vec<bool> = rows.iter().map(|(_, slotted)| *slotted).collect();
    let sources: Vec<&str> = rows.iter().map(|(row, _)| row.source.word()).collect();
    let times: Vec<i64> = rows.iter().map(|(row, _)| row.created_at.millis()).collect();
    let made = tx
        .rows(
            "INSERT INTO session_summaries (tenant, uid, session_id, project_id, level,
                 prompt_number, slotted, request, investigated, learned, completed, next_steps,
                 notes, files_read, files_modified, source, created_at)
             SELECT $1, uid, session_id, project_id, level, prompt_number, slotted, request,
                 investigated, learned, completed, next_steps, notes, files_read, files_modified,
                 source, created_at
             FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[],
                 $7::boolean[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
                 $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[])
                 WITH ORDINALITY AS new (uid, session_id, project_id, level, prompt_number, slotted,
                     request, investigated, learned, completed, next_steps, notes, files_read,
                     files_modified, source, created_at, n)
             ORDER BY n RETURNING id, uid",
            &[
                &uids,
                &sessions,
                &projects,
                &levels,
                &prompts,
                &slotted,
                &texts(|c| &c.request),
                &texts(|c| &c.investigated),
                &texts(|c| &c.learned),
                &texts(|c| &c.completed),
                &texts(|c| &c.next_steps),
                &texts(|c| &c.notes),
                &lists(|c| &c.files_read)?,
                &lists(|c| &c.files_modified)?,
                &sources,
                &times,
            ],
        )
        .await?;
    ids_of(&made, &uids)
}

/// Brings a summary up to date, by its id.
pub(in crate::postgres) async fn update_summary(tx: &Tx, row: &Summary) -> Sql<()> {
    let c = &row.content;
    tx.run(
        "UPDATE session_summaries SET request = $3, investigated = $4, learned = $5,
         completed = $6, next_steps = $7, notes = $8, files_read = $9, files_modified = $10,
         source = $11, created_at = $12 WHERE tenant = $1 AND id = $2",
        &[
            &row.id,
            &Text(&c.request),
            &Text(&c.investigated),
            &Text(&c.learned),
            &Text(&c.completed),
            &Text(&c.next_steps),
            &Text(&c.notes),
            &json(&c.files_read)?,
            &json(&c.files_modified)?,
            &row.source.word(),
            &row.created_at.millis(),
        ],
    )
    .await?;
    Ok(())
}
