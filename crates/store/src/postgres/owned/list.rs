//! Reading memories by uid and by owner.

use std::collections::HashMap;

use afterword_domain::filter::{Place, Span, Written};
use afterword_domain::memory::Memory;
use afterword_domain::owner::OwnerKind;
use afterword_domain::{PublicId, Time};
use uuid::Uuid;

use super::ways::Ways;
use crate::contract::{HistoryEntry, KnownOwner, OwnedPage, OwnedQuery};
use crate::postgres::connect::{Parameter, Sql, Tx};
use crate::postgres::rows::memory_from_row;
use crate::postgres::values::{count, get, limit as sql_limit, time};
use crate::rules::owned::{HistoryLine, Listing, history as history_of};

/// Memories that are read at one time where each is held against a filter.
const AT_ONCE: i64 = 2_000;

pub(super) async fn by_uids(tx: &Tx, uids: &[Uuid]) -> Sql<Vec<Memory>> {
    let sql = "SELECT * FROM memories WHERE tenant = $1 AND uid = ANY ($2)";
    let rows = tx.rows(sql, &[&uids]).await?;
    let found = rows.iter().map(|row| {
        let memory = memory_from_row(row)?;
        Ok((memory.uid, memory))
    });
    let found = found.collect::<Sql<HashMap<Uuid, Memory>>>()?;
    Ok(uids.iter().filter_map(|uid| found.get(uid).cloned()).collect())
}

/// The conditions of a list, with what stands in for them in the statement.
struct Conditions {
    sql: String,
    ways: Option<Ways>,
    times: [i64; 4],
    today: Option<i64>,
    uids: Option<Vec<Uuid>>,
    written: Vec<String>,
}

impl Conditions {
    /// What a filter says to the database; none where nothing can pass.
    fn of(query: &OwnedQuery) -> Option<Self> {
        let necessary = query.filter.necessary();
        if necessary.is_impossible() {
            return None;
        }
        let ways = necessary.asks_for_owners().then(|| Ways::of(&necessary.owners));
        let (created, updated) = (bounds(necessary.created), bounds(necessary.updated));
        // `$2` to `$7`, then what stands in memories, and the owners after that.
        let mut written: Vec<Written> = necessary.written;
        // A text of the database has none.
        written.retain(|written| !written.text.contains('\0'));
        let stands = written.iter().zip(8..).map(|(written, at)| {
            let column = match written.place {
                Place::Text => "text",
                Place::Metadata => "metadata",
                Place::Categories => "categories",
            };
            format!(" AND strpos(m.{column}, ${at}) > 0")
        });
        let stands = stands.collect::<String>();
        let first = 8 + written.len();
        let owned = ways.as_ref().map_or_else(|| "TRUE".to_owned(), |ways| ways.condition(first));
        let made = if necessary.created == Span::default() {
            "$2::bigint <= $3::bigint"
        } else {
            "m.created_at >= $2 AND m.created_at < $3"
        };
        let sql = format!(
            "m.tenant = $1 AND {owned} AND {made} AND m.updated_at >= $4 AND m.updated_at < $5
             AND ($6::bigint IS NULL OR m.expires IS NULL OR m.expires >= $6)
             AND ($7::uuid[] IS NULL OR m.uid = ANY ($7)){stands}"
        );
        Some(Self {
            sql,
            ways,
            times: [created.0, created.1, updated.0, updated.1],
            today: query.today.map(afterword_domain::day::Day::number),
            uids: necessary.uids.map(|uids| uids.into_iter().collect()),
            written: written.into_iter().map(|written| written.text).collect(),
        })
    }

    /// The parameters from `$2` on.
    fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut all: Vec<Parameter<'_>> = self.times.iter().map(|at| at as Parameter<'_>).collect();
        all.push(&self.today);
        all.push(&self.uids);
        all.extend(self.written.iter().map(|text| text as Parameter<'_>));
        all.extend(self.ways.iter().flat_map(Ways::parameters));
        all
    }
}

fn bounds(span: Span) -> (i64, i64) {
    (span.from.map_or(i64::MIN, Time::millis), span.before.map_or(i64::MAX, Time::millis))
}

/// As the contract's `list_owned`.
pub(super) async fn page(tx: &Tx, query: &OwnedQuery) -> Sql<OwnedPage> {
    let Some(conditions) = Conditions::of(query) else { return Ok(OwnedPage::default()) };
    let all = conditions.parameters();
    let next = all.len() + 2;
    let where_it_is = &conditions.sql;
    if !query.filter.necessary().whole {
        return held_against(tx, query, &conditions).await;
    }
    let sql = format!("SELECT count(*) AS n FROM memories m WHERE {where_it_is}");
    let total = count(get(&tx.one(&sql, &all).await?, "n")?);
    let sql = format!(
        "SELECT m.* FROM memories m WHERE {where_it_is}
         ORDER BY m.created_at DESC, m.id DESC LIMIT ${next} OFFSET ${}",
        next + 1
    );
    let (limit, offset) = (sql_limit(query.limit), sql_limit(query.offset));
    let mut all = all;
    all.extend([&limit as Parameter<'_>, &offset]);
    let rows = tx.rows(&sql, &all).await?;
    let memories = rows.iter().map(memory_from_row).collect::<Sql<Vec<Memory>>>()?;
    Ok(OwnedPage { total, memories })
}

/// The list where each candidate is held against the filter, read a part at a time.
async fn held_against(tx: &Tx, query: &OwnedQuery, conditions: &Conditions) -> Sql<OwnedPage> {
    let mut listing = Listing::new(&query.filter, query.today, query.offset, query.limit);
    let next = conditions.parameters().len() + 2;
    let sql = format!(
        "SELECT m.* FROM memories m WHERE {} AND (m.created_at, m.id) < (${next}, ${})
         ORDER BY m.created_at DESC, m.id DESC LIMIT {AT_ONCE}",
        conditions.sql,
        next + 1
    );
    let (mut at, mut id) = (i64::MAX, i64::MAX);
    loop {
        let mut all = conditions.parameters();
        all.extend([&at as Parameter<'_>, &id]);
        let rows = tx.rows(&sql, &all).await?;
        let Some(last) = rows.last() else { break };
        let place = (get(last, "created_at")?, get(last, "id")?);
        for row in &rows {
            listing.offer(memory_from_row(row)?);
        }
        (at, id) = place;
    }
    Ok(listing.done())
}

/// The keys of at most so many memories of owners, as ids.
pub(super) async fn ids_of(tx: &Tx, ways: &Ways, limit: usize) -> Sql<Vec<PublicId>> {
    let sql = format!(
        "SELECT m.id FROM memories m WHERE m.tenant = $1 AND {} ORDER BY m.id LIMIT $2",
        ways.condition(3)
    );
    let limit = sql_limit(limit);
    let mut all: Vec<Parameter<'_>> = vec![&limit];
    all.extend(ways.parameters());
    let rows = tx.rows(&sql, &all).await?;
    let id = |row| Ok(PublicId::new(afterword_domain::Kind::Memory, get(row, "id")?));
    rows.iter().map(id).collect()
}

/// As the contract's `memory_history`.
pub(super) async fn history(tx: &Tx, uid: Uuid) -> Sql<Vec<HistoryEntry>> {
    let sql = "SELECT h.id, h.change, h.text, by.text AS by_text, h.at FROM memory_history h
               LEFT JOIN memories by ON by.tenant = $1 AND by.uid = h.by_uid
               WHERE h.tenant = $1 AND h.memory_uid = $2 ORDER BY h.id";
    let rows = tx.rows(sql, &[&uid]).await?;
    let lines = rows.iter().map(|row| {
        Ok(HistoryLine {
            number: get(row, "id")?,
            change: get(row, "change")?,
            text: get(row, "text")?,
            by: get(row, "by_text")?,
            at: time(row, "at")?,
        })
    });
    let lines = lines.collect::<Sql<Vec<HistoryLine>>>()?;
    Ok(history_of(uid, by_uids(tx, &[uid]).await?.first(), lines))
}

/// As the contract's `known_owners`.
pub(super) async fn owners(tx: &Tx, offset: usize, limit: usize) -> Sql<(u64, Vec<KnownOwner>)> {
    let each = OwnerKind::ALL.into_iter().zip(0..).map(|(kind, place)| {
        let (column, word) = (kind.field(), kind.word());
        format!(
            "SELECT {place} AS place, '{word}' AS kind, {column} AS name, count(*) AS memories,
                 min(created_at) AS created_at, max(updated_at) AS updated_at
             FROM memories WHERE tenant = $1 AND {column} <> '' GROUP BY {column}"
        )
    });
    let each = each.collect::<Vec<_>>().join(" UNION ALL ");
    let total = tx.one(&format!("SELECT count(*) AS n FROM ({each}) known"), &[]).await?;
    let sql = format!("SELECT * FROM ({each}) known ORDER BY place, name LIMIT $2 OFFSET $3");
    let rows = tx.rows(&sql, &[&sql_limit(limit), &sql_limit(offset)]).await?;
    let mut known = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(kind) = OwnerKind::from_word(get(row, "kind")?) else { continue };
        known.push(KnownOwner {
            kind,
            name: get(row, "name")?,
            memories: count(get(row, "memories")?),
            created_at: time(row, "created_at")?,
            updated_at: time(row, "updated_at")?,
        });
    }
    Ok((count(get(&total, "n")?), known))
}
