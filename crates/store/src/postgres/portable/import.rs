//! Rows on their way in.
//!
//! What is known already is looked up for all rows at once, and what is new is stored by one
//! statement for each kind. In between, rows are taken one by one in their order, so that a row
//! counts as known for those behind it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use afterword_domain::Kind;
use afterword_domain::Time;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use uuid::Uuid;

use super::export::portable;
use super::incoming::{Incoming, Stored};
use super::sessions::Sessions;
use crate::contract::{ImportCounts, ImportRow};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::rows::{known_or_forgotten, rows as whole_rows};
use crate::postgres::search::same_docs;
use crate::postgres::values::{Text, get};
use crate::rules::hash::doc_hash;
use crate::rules::new_uid;
use crate::rules::transfer::import::{read_content, says_the_same};

/// Stores rows; see the contract for which are skipped.
pub(super) async fn rows(tx: &Tx, rows: &[ImportRow], now: Time) -> Sql<ImportCounts> {
    let mut known = Known::of(tx, rows).await?;
    let mut new: Vec<(&ImportRow, Uuid)> = Vec::with_capacity(rows.len());
    for row in rows {
        let made_at = row.row.created_at.unwrap_or(now).min(now);
        let uid = row.row.uid.unwrap_or_else(|| new_uid(made_at));
        if known.takes(row, uid) {
            new.push((row, uid));
        }
    }
    let mut sessions = Sessions::of(tx, new.iter().map(|(row, _)| *row)).await?;
    let mut stored = Stored::default();
    for (row, uid) in &new {
        // A row from a clock that ran ahead must not stay the newest until that time comes.
        let created_at = row.row.created_at.unwrap_or(now).min(now);
        let extra = read_content(&row.row.content);
        let incoming = Incoming { new: row, uid: *uid, created_at, now, extra };
        stored.push(tx, &mut sessions, &incoming).await?;
    }
    stored.write(tx).await?;
    sessions.write(tx).await?;
    let projects: BTreeSet<i64> = new.iter().map(|(row, _)| row.project_id).collect();
    for project_id in projects {
        tx.touch_project(project_id, now);
    }
    let stored = new.len() as u64;
    Ok(ImportCounts { stored, skipped: rows.len() as u64 - stored })
}

fn kind_of(row: &ImportRow) -> Kind {
    row.row.kind.unwrap_or(Kind::Memory)
}

/// What was known before a row came.
struct Known {
    uids: HashMap<Kind, HashSet<Uuid>>,
    /// Keys of the texts that projects remember.
    memories: HashSet<(i64, String)>,
    /// What rows with the same tokens say, by hash, project and kind.
    lines: HashMap<(i64, i64, Kind), Vec<PortableRow>>,
}

impl Known {
    async fn of(tx: &Tx, rows: &[ImportRow]) -> Sql<Self> {
        let mut by_kind: BTreeMap<Kind, Vec<Uuid>> = BTreeMap::new();
        for row in rows {
            by_kind.entry(kind_of(row)).or_default().extend(row.row.uid);
        }
        let mut uids = HashMap::new();
        for (kind, of_kind) in by_kind {
            uids.insert(kind, known_or_forgotten(tx, kind, &of_kind).await?);
        }
        let memories = remembered(tx, rows.iter().filter(|row| kind_of(row) == Kind::Memory));
        Ok(Self { uids, memories: memories.await?, lines: same_lines(tx, rows).await? })
    }

    /// Whether a row is new; it is known from then on.
    fn takes(&mut self, row: &ImportRow, uid: Uuid) -> bool {
        let kind = kind_of(row);
        let place = (doc_hash(&row.index), row.project_id, kind);
        let memory = (row.project_id, row.text_key.clone());
        let uids = self.uids.entry(kind).or_default();
        if row.row.uid.is_some() {
            if uids.contains(&uid) {
                return false;
            }
        } else if let Some(lines) = self.lines.get(&place)
            && lines.iter().any(|known| says_the_same(known, &row.row))
        {
            return false;
        }
        // A text that the project remembers already under another uid is known.
        if kind == Kind::Memory && !self.memories.insert(memory) {
            return false;
        }
        uids.insert(uid);
        self.lines.entry(place).or_default().push(row.row.clone());
        true
    }
}

async fn remembered<'a>(
    tx: &Tx,
    rows: impl Iterator<Item = &'a ImportRow>,
) -> Sql<HashSet<(i64, String)>> {
    let (projects, keys): (Vec<i64>, Vec<Text<'_>>) =
        rows.map(|row| (row.project_id, Text(&row.text_key))).unzip();
    if projects.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = "SELECT m.project_id, m.text_key
               FROM (SELECT DISTINCT * FROM unnest($2::bigint[], $3::text[]) AS k (project, key)) k
               JOIN memories m ON m.tenant = $1 AND m.project_id = k.project AND m.text_key = k.key";
    let found = tx.rows(sql, &[&projects, &keys]).await?;
    found.iter().map(|row| Ok((get(row, "project_id")?, get(row, "text_key")?))).collect()
}

/// What rows say that have the tokens of rows that come without a uid.
async fn same_lines(
    tx: &Tx,
    rows: &[ImportRow],
) -> Sql<HashMap<(i64, i64, Kind), Vec<PortableRow>>> {
    let nameless = rows.iter().filter(|row| row.row.uid.is_none());
    let hashes: BTreeSet<i64> = nameless.map(|row| doc_hash(&row.index)).collect();
    let hashes: Vec<i64> = hashes.into_iter().collect();
    let mut lines: HashMap<(i64, i64, Kind), Vec<PortableRow>> = HashMap::new();
    if hashes.is_empty() {
        return Ok(lines);
    }
    let found = same_docs(tx, &hashes).await?;
    let places: HashMap<_, _> = found.iter().map(|(hash, _, id)| (*id, *hash)).collect();
    let ids: Vec<_> = found.iter().map(|(_, _, id)| *id).collect();
    let whole = whole_rows(tx, &Scope::All, &ids).await?;
    let of: Vec<(i64, i64, Kind)> =
        whole.iter().map(|row| (places[&row.id], row.project_id, row.id.kind)).collect();
    for (place, line) in of.into_iter().zip(portable(tx, whole).await?) {
        lines.entry(place).or_default().push(line);
    }
    Ok(lines)
}
