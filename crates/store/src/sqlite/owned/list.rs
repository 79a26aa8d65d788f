//! Reading memories by uid and by owner.

use std::fmt::Write as _;

use afterword_domain::Time;
use afterword_domain::filter::{Place, Span};
use afterword_domain::memory::Memory;
use afterword_domain::owner::OwnerKind;
use rusqlite::{Connection, params};
use serde_json::json;
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::rows::memory_from_row;
use super::super::values::{count, limit as sql_limit, optional, time};
use super::ways::Ways;
use crate::contract::{HistoryEntry, KnownOwner, OwnedPage, OwnedQuery};
use crate::rules::owned::{HistoryLine, Listing, history as history_of};

pub(super) fn by_uids(db: &Connection, uids: &[Uuid]) -> Sql<Vec<Memory>> {
    let mut found = Vec::with_capacity(uids.len());
    for uid in uids {
        found.extend(by_uid(db, *uid)?);
    }
    Ok(found)
}

pub(super) fn by_uid(db: &Connection, uid: Uuid) -> Sql<Option<Memory>> {
    let mut one = db.prepare_cached("SELECT * FROM memories WHERE uid = ?1")?;
    optional(one.query_row([uid.to_string()], memory_from_row))
}

/// As the contract's `list_owned`.
pub(super) fn page(db: &Connection, query: &OwnedQuery) -> Sql<OwnedPage> {
    let necessary = query.filter.necessary();
    if necessary.is_impossible() {
        return Ok(OwnedPage::default());
    }
    let mut conditions = vec!["TRUE".to_owned()];
    if necessary.asks_for_owners() {
        let ways = Ways::of(db, &necessary.owners)?;
        if ways.is_impossible() {
            return Ok(OwnedPage::default());
        }
        conditions.push(ways.condition());
    }
    conditions.extend(within("m.created_at", necessary.created));
    conditions.extend(within("m.updated_at", necessary.updated));
    if let Some(today) = query.today {
        conditions.push(format!("(m.expires IS NULL OR m.expires >= {})", today.number()));
    }
    let uids = necessary.uids.map(|uids| uids.iter().map(Uuid::to_string).collect::<Vec<_>>());
    if uids.is_some() {
        conditions.push("m.uid IN (SELECT value FROM json_each(?1, '$.uids'))".to_owned());
    }
    // The first parameter has every text: uids, and what stands in memories.
    let mut written = necessary.written;
    // Its functions end a text there.
    written.retain(|written| !written.text.contains('\0'));
    let texts: Vec<&str> = written.iter().map(|it| it.text.as_str()).collect();
    conditions.extend(written.iter().enumerate().map(|(at, written)| {
        let column = match written.place {
            Place::Text => "text",
            Place::Metadata => "metadata",
            Place::Categories => "categories",
        };
        format!("instr(m.{column}, (SELECT json_extract(?1, '$.texts[{at}]'))) > 0")
    }));
    let uids = json!({"uids": uids.unwrap_or_default(), "texts": texts}).to_string();
    let conditions = conditions.join(" AND ");
    let select = format!(
        "SELECT m.* FROM memories m WHERE ?1 IS NOT NULL AND {conditions}
         ORDER BY m.created_at DESC, m.id DESC"
    );
    if !necessary.whole {
        let mut listing = Listing::new(&query.filter, query.today, query.offset, query.limit);
        let mut list = db.prepare(&select)?;
        for memory in list.query_map([uids], memory_from_row)? {
            listing.offer(memory?);
        }
        return Ok(listing.done());
    }
    let mut total = db.prepare(&format!(
        "SELECT count(*) FROM memories m WHERE ?1 IS NOT NULL AND {conditions}"
    ))?;
    let total = count(total.query_row([&uids], |row| row.get(0))?);
    let mut list = db.prepare(&format!("{select} LIMIT ?2 OFFSET ?3"))?;
    let bound = params![uids, sql_limit(query.limit), sql_limit(query.offset)];
    let memories = list.query_map(bound, memory_from_row)?.collect::<rusqlite::Result<_>>()?;
    Ok(OwnedPage { total, memories })
}

/// The condition that a time is in a span; none where it is open on both sides.
fn within(column: &str, span: Span) -> Option<String> {
    let mut sql = String::new();
    if let Some(from) = span.from {
        write!(sql, "{column} >= {}", from.millis()).expect("a string takes all");
    }
    if let Some(before) = span.before {
        let and = if sql.is_empty() { "" } else { " AND " };
        write!(sql, "{and}{column} < {}", before.millis()).expect("a string takes all");
    }
    (!sql.is_empty()).then_some(sql)
}

/// As the contract's `memory_history`.
pub(super) fn history(db: &Connection, uid: Uuid) -> Sql<Vec<HistoryEntry>> {
    let mut list = db.prepare_cached(
        "SELECT h.id, h.change, h.text, by.text AS by_text, h.at FROM memory_history h
         LEFT JOIN memories by ON by.uid = h.by_uid
         WHERE h.memory_uid = ?1 ORDER BY h.id",
    )?;
    let lines = list.query_map([uid.to_string()], |row| {
        Ok(HistoryLine {
            number: row.get("id")?,
            change: row.get("change")?,
            text: row.get("text")?,
            by: row.get("by_text")?,
            at: time(row, "at")?,
        })
    })?;
    let lines = lines.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(history_of(uid, by_uid(db, uid)?.as_ref(), lines))
}

/// As the contract's `known_owners`.
pub(super) fn owners(db: &Connection, offset: usize, limit: usize) -> Sql<(u64, Vec<KnownOwner>)> {
    let total = db
        .prepare_cached("SELECT count(*) FROM owners")?
        .query_row([], |row| row.get::<_, i64>(0))?;
    let mut list = db.prepare_cached(
        "SELECT kind, name FROM owners ORDER BY
         CASE kind WHEN 'user' THEN 0 WHEN 'agent' THEN 1 WHEN 'app' THEN 2 ELSE 3 END, name
         LIMIT ?1 OFFSET ?2",
    )?;
    let names = list.query_map([sql_limit(limit), sql_limit(offset)], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut known = Vec::new();
    for name in names {
        let (kind, name) = name?;
        let Some(kind) = OwnerKind::from_word(&kind) else { continue };
        let mut one = db.prepare_cached(&format!(
            "SELECT count(*), min(created_at), max(updated_at) FROM memories WHERE {} = ?1",
            kind.field()
        ))?;
        known.push(one.query_row([&name], |row| {
            let time = |at| Ok::<_, rusqlite::Error>(Time::from_millis(row.get(at)?));
            Ok(KnownOwner {
                kind,
                name: name.clone(),
                memories: count(row.get(0)?),
                created_at: time(1)?,
                updated_at: time(2)?,
            })
        })?);
    }
    Ok((count(total), known))
}
