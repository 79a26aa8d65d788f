//! Do the parts of a tenant's data agree? What can be mended without loss is mended.

use afterword_domain::PublicId;

use super::connect::{Sql, Tx};
use super::rows::table;
use super::search;
use super::values::{get, kind as kind_of, time};
use crate::contract::{IndexDoc, RowChange};
use crate::rules::entry::Entry;

/// Entries that one check puts back.
const MOST: i64 = 2_000;

/// Looks at the index and the counters, and makes again what is wrong; what was wrong, as sentences.
///
/// Each look is one statement, which sees rows and what is kept of them as they were at one moment,
/// so nobody has to wait meanwhile.
pub(super) async fn mend(tx: &Tx) -> Sql<Vec<String>> {
    let mut told = Vec::new();
    let orphans = drop_orphans(tx).await?;
    if orphans > 0 {
        told.push(format!("{orphans} index entries had no row and were taken out"));
    }
    let missing = put_back(tx).await?;
    if missing > 0 {
        told.push(format!("{missing} rows had no place in the index and were put back"));
    }
    let counters = recount(tx).await?;
    if !counters.is_empty() {
        told.push(format!("counters were wrong ({}) and were counted again", counters.join("; ")));
    }
    Ok(told)
}

/// Takes out entries whose row is gone.
async fn drop_orphans(tx: &Tx) -> Sql<u64> {
    let mut dropped = 0;
    for kind in afterword_domain::Kind::ALL {
        let sql = format!(
            "SELECT r.row_id FROM search_rows r WHERE r.tenant = $1 AND r.kind = $2 AND NOT EXISTS
                 (SELECT 1 FROM {} t WHERE t.tenant = $1 AND t.id = r.row_id) LIMIT $3",
            table(kind)
        );
        let found = tx.rows(&sql, &[&kind.word(), &MOST]).await?;
        let ids = found.iter().map(|row| get(row, "row_id")).collect::<Sql<Vec<i64>>>()?;
        if !ids.is_empty() {
            search::remove(tx, kind, &ids, RowChange::Forgotten).await?;
            dropped += ids.len() as u64;
        }
    }
    Ok(dropped)
}

/// Puts entries back whose numbers were lost, from their tokens.
async fn put_back(tx: &Tx) -> Sql<usize> {
    let sql = "SELECT r.id, r.kind, r.row_id, r.project_id, r.session_id, r.created_at, r.subagent,
                   t.title, t.text, t.files
               FROM search_rows r JOIN search_tokens t ON t.tenant = $1 AND t.id = r.id
               WHERE r.tenant = $1 AND NOT EXISTS
                   (SELECT 1 FROM search_index i WHERE i.tenant = $1 AND i.id = r.id)
               ORDER BY r.id LIMIT $2";
    let found = tx.rows(sql, &[&MOST]).await?;
    for row in &found {
        let entry = Entry {
            id: PublicId::new(kind_of(row, "kind")?, get(row, "row_id")?),
            project_id: get(row, "project_id")?,
            session_id: get(row, "session_id")?,
            created_at: time(row, "created_at")?,
            subagent: get(row, "subagent")?,
        };
        let (title, text, files) = (get(row, "title")?, get(row, "text")?, get(row, "files")?);
        search::put_back(tx, get(row, "id")?, &entry, &IndexDoc { title, text, files }).await?;
    }
    Ok(found.len())
}

/// Counts the rows again and sets the counters by them; which were wrong. What this transaction has
/// changed so far counts with the rest, so it is written first.
async fn recount(tx: &Tx) -> Sql<Vec<String>> {
    tx.settle_counters().await?;
    let sql = "WITH counted AS (
                   SELECT 'events.' || state AS name, count(*) AS n FROM events
                       WHERE tenant = $1 GROUP BY state
                   UNION ALL SELECT 'rows.' || kind, count(*) FROM search_rows
                       WHERE tenant = $1 GROUP BY kind
                   UNION ALL SELECT 'tokens', coalesce(sum(tokens), 0)::bigint FROM search_rows
                       WHERE tenant = $1
                   UNION ALL SELECT 'embedded.' || embedded, count(*) FROM search_rows
                       WHERE tenant = $1 AND embedded <> 0 GROUP BY embedded
                   UNION ALL SELECT 'payload.bytes', coalesce(sum(bytes), 0)::bigint
                       FROM event_payloads WHERE tenant = $1),
               says AS (
                   SELECT name, sum(value)::bigint AS n FROM counters WHERE tenant = $1
                   AND (name IN ('tokens', 'payload.bytes') OR name LIKE 'rows.%'
                       OR name LIKE 'embedded.%'
                       OR name IN ('events.waiting', 'events.distilled', 'events.parked'))
                   GROUP BY name)
               SELECT coalesce(c.name, s.name) AS name, coalesce(s.n, 0) AS says,
                   coalesce(c.n, 0) AS there
               FROM counted c FULL JOIN says s ON s.name = c.name
               WHERE coalesce(s.n, 0) <> coalesce(c.n, 0) ORDER BY 1";
    let mut problems = Vec::new();
    for row in tx.rows(sql, &[]).await? {
        let (name, says, there): (String, i64, i64) =
            (get(&row, "name")?, get(&row, "says")?, get(&row, "there")?);
        problems.push(format!("{name} said {says}, there are {there}"));
        tx.count(name, there - says);
    }
    Ok(problems)
}
