//! Forgetting: the row, its index entry and its links go, and a tombstone stays.

use std::collections::HashSet;

use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use afterword_domain::{Kind, PublicId, Time};
use uuid::Uuid;

use super::{each, rows, sweep, table};
use crate::contract::{Row, RowBody, RowChange};
use crate::postgres::answers::{forget_of_session, restore_links};
use crate::postgres::connect::{Parameter, Sql, Tx};
use crate::postgres::events::drop_evidence;
use crate::postgres::owned::forget_texts;
use crate::postgres::values::{Text, get};
use crate::postgres::{search, sessions};
use crate::rules::FIRST_PROMPT_CHARS;

/// Forgets rows; returns those that existed in the scope.
pub(in crate::postgres) async fn all(
    tx: &Tx,
    scope: &Scope,
    ids: &[PublicId],
    now: Time,
) -> Sql<Vec<PublicId>> {
    let found = rows(tx, scope, ids).await?;
    let of: Vec<i64> = found.iter().filter_map(|row| row.session_id).collect();
    sessions::lock_all(tx, &of).await?;
    let mut forgotten = Vec::new();
    for row in &found {
        // Named twice, or gone since it was read.
        if !forgotten.contains(&row.id) && is_there(tx, row.id).await? {
            forget(tx, row, now).await?;
            forgotten.push(row.id);
        }
    }
    if !forgotten.is_empty() {
        sweep::begin(tx).await?;
    }
    Ok(forgotten)
}

async fn is_there(tx: &Tx, id: PublicId) -> Sql<bool> {
    let sql = format!("SELECT 1 FROM {} WHERE tenant = $1 AND id = $2 FOR UPDATE", table(id.kind));
    tx.exists(&sql, &[&id.number]).await
}

async fn forget(tx: &Tx, found: &Row, now: Time) -> Sql<()> {
    let id = found.id;
    let (prompt_number, rule_key) = match &found.body {
        RowBody::Observation(o) => {
            drop_evidence(tx, &only_behind(tx, id.number).await?).await?;
            (o.prompt_number, rule_of(tx, id.number).await?)
        }
        RowBody::Summary(s) => {
            drop_evidence(tx, &only_summed_up(tx, s).await?).await?;
            scrub_answer(tx, s).await?;
            (s.prompt_number, slot_of(tx, id.number).await?)
        }
        RowBody::Prompt(p) => {
            scrub_prompt(tx, p.session_id, p.number, &p.text).await?;
            (p.number, None)
        }
        RowBody::Memory(m) => {
            restore_links(tx, m).await?;
            forget_texts(tx, m.uid, now).await?;
            (0, None)
        }
        RowBody::Snapshot(_) => (0, None),
    };
    if let Some(session_id) = found.session_id {
        // An answer that was not read yet may tell of it.
        forget_of_session(tx, session_id).await?;
    }
    let sql = "INSERT INTO tombstones (tenant, uid, kind, session_id, prompt_number, rule_key, at)
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, uid) DO NOTHING";
    let (kind, now) = (id.kind.word(), now.millis());
    tx.run(sql, &[&found.uid, &kind, &found.session_id, &prompt_number, &rule_key, &now]).await?;
    remove(tx, id.kind, &[id.number], RowChange::Forgotten).await
}

/// Takes rows away with their index entries and revisions, and says what became of them; foreign
/// keys take the links and the history along.
pub(in crate::postgres) async fn remove(
    tx: &Tx,
    kind: Kind,
    numbers: &[i64],
    change: RowChange,
) -> Sql<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let sql = format!("DELETE FROM {} WHERE tenant = $1 AND id = ANY ($2)", table(kind));
    tx.run(&sql, &[&numbers]).await?;
    let sql = "DELETE FROM row_revisions WHERE tenant = $1 AND kind = $2 AND row_id = ANY ($3)";
    tx.run(sql, &[&kind.word(), &numbers]).await?;
    search::remove(tx, kind, numbers, change).await
}

async fn rule_of(tx: &Tx, id: i64) -> Sql<Option<String>> {
    let sql = "SELECT rule_key FROM observations WHERE tenant = $1 AND id = $2";
    get(&tx.one(sql, &[&id]).await?, "rule_key")
}

/// The level of a summary that distilling keeps up to date; none for any other.
async fn slot_of(tx: &Tx, id: i64) -> Sql<Option<String>> {
    let sql = "SELECT CASE WHEN slotted THEN level END AS level FROM session_summaries
               WHERE tenant = $1 AND id = $2";
    get(&tx.one(sql, &[&id]).await?, "level")
}

/// Events that an observation rests on and no other does; a prompt is a row of its own.
async fn only_behind(tx: &Tx, observation_id: i64) -> Sql<Vec<i64>> {
    event_ids(
        tx,
        "SELECT e.id FROM observation_events o
         JOIN events e ON e.tenant = $1 AND e.id = o.event_id
         WHERE o.tenant = $1 AND o.observation_id = $2 AND e.kind <> 'prompt' AND NOT EXISTS
             (SELECT 1 FROM observation_events other WHERE other.tenant = $1
              AND other.event_id = e.id AND other.observation_id <> $2)",
        &[&observation_id],
    )
    .await
}

/// Events of the turn of a turn's summary that no observation rests on; the prompt is a row of its
/// own, and a session's summary rests on those of its turns.
async fn only_summed_up(tx: &Tx, summary: &Summary) -> Sql<Vec<i64>> {
    if summary.level != SummaryLevel::Turn {
        return Ok(Vec::new());
    }
    event_ids(
        tx,
        "SELECT e.id FROM events e WHERE e.tenant = $1 AND e.session_id = $2
         AND e.prompt_number = $3 AND e.kind <> 'prompt' AND NOT EXISTS
             (SELECT 1 FROM observation_events o WHERE o.tenant = $1 AND o.event_id = e.id)",
        &[&summary.session_id, &summary.prompt_number],
    )
    .await
}

/// What a model made of a session is kept beside its row, to go on from.
async fn scrub_answer(tx: &Tx, summary: &Summary) -> Sql<()> {
    if summary.level == SummaryLevel::Session {
        let sql = "UPDATE model_jobs SET answer = NULL
                   WHERE tenant = $1 AND session_id = $2 AND level = 'session'";
        tx.run(sql, &[&summary.session_id]).await?;
    }
    Ok(())
}

async fn event_ids(tx: &Tx, sql: &str, parameters: &[Parameter<'_>]) -> Sql<Vec<i64>> {
    each(&tx.rows(sql, parameters).await?, |row| get(row, "id"))
}

/// A forgotten prompt must not come back from the event that brought it, nor from lists of
/// sessions.
async fn scrub_prompt(tx: &Tx, session_id: i64, number: i64, text: &str) -> Sql<()> {
    let sql = "SELECT id FROM events
               WHERE tenant = $1 AND session_id = $2 AND prompt_number = $3 AND kind = 'prompt'";
    let events = event_ids(tx, sql, &[&session_id, &number]).await?;
    drop_evidence(tx, &events).await?;
    let sql = "UPDATE sdk_sessions SET first_prompt = NULL
               WHERE tenant = $1 AND id = $2 AND first_prompt = $3";
    tx.run(sql, &[&session_id, &Text(&cut_chars(text, FIRST_PROMPT_CHARS))]).await?;
    Ok(())
}

/// Those of some uids that were forgotten, or that rows of a kind have.
pub(in crate::postgres) async fn known_or_forgotten(
    tx: &Tx,
    kind: Kind,
    uids: &[Uuid],
) -> Sql<HashSet<Uuid>> {
    let sql = format!(
        "SELECT uid FROM tombstones WHERE tenant = $1 AND uid = ANY ($2)
         UNION ALL SELECT uid FROM {} WHERE tenant = $1 AND uid = ANY ($2)",
        table(kind)
    );
    tx.rows(&sql, &[&uids]).await?.iter().map(|row| get(row, "uid")).collect()
}
