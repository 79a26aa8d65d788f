//! The vectors of a space in memory, with what filters ask of their rows.

use std::collections::{HashMap, HashSet};

use afterword_domain::filter::{NameMatch, OwnerMatch};
use afterword_domain::owner::OwnerKind;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::EmbeddedRow;

use super::near::NearFilter;
use crate::embed::{Kept, Near, VectorIndex};

/// Parts of a row that are held, a power of two; rows are cut into no more.
const PARTS: u32 = 16;

/// Rows and their vectors. About 450 bytes a vector of 384 numbers.
#[derive(Debug)]
pub(super) struct Table {
    /// By place and part: `place * PARTS + part`.
    index: VectorIndex<u32>,
    rows: Vec<Entry>,
    /// Places in the order of their rows' keys.
    order: Vec<u32>,
    free: Vec<u32>,
    /// The numbers of owners' names in this table, from 1 on.
    names: HashMap<(OwnerKind, String), u32>,
}

/// What is known of a row. Its place is taken again when it goes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: i64,
    number: i64,
    project_id: i64,
    created_ms: i64,
    kind: Kind,
    /// The numbers of its owner's names, in the order of [`OwnerKind::ALL`]; 0 for none.
    owner: [u32; 4],
    /// One bit for each part.
    parts: u16,
}

/// What is asked of a name, by its number.
#[derive(Debug)]
enum Named {
    Anything,
    Present,
    OneOf(HashSet<u32>),
}

impl Named {
    fn is(&self, number: u32) -> bool {
        match self {
            Self::Anything => true,
            Self::Present => number != 0,
            Self::OneOf(numbers) => numbers.contains(&number),
        }
    }
}

/// A part of a row that is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearPart {
    pub(super) key: i64,
    pub(super) part: u8,
    pub(super) id: PublicId,
}

impl Table {
    /// An empty one around a middle, with room for so many vectors.
    pub(super) fn new(middle: &[f32], room: usize) -> Self {
        let mut index = VectorIndex::around(middle);
        index.reserve(room);
        Self { index, rows: Vec::new(), order: Vec::new(), free: Vec::new(), names: HashMap::new() }
    }

    /// Puts a row in, in place of what it was before. Vectors that are none are left out.
    pub(super) fn put(&mut self, row: &EmbeddedRow) {
        self.remove(row.key);
        let place = self.free.pop().or_else(|| u32::try_from(self.rows.len()).ok());
        let Some(place) = place.filter(|place| *place < u32::MAX / PARTS) else { return };
        let mut parts = 0;
        for (part, bytes) in &row.vectors {
            let part = u32::from(*part);
            let kept = Kept::from_bytes(bytes, self.index.dimension());
            if let (Some(kept), true) = (kept, part < PARTS)
                && self.index.insert(place * PARTS + part, &kept.coarse())
            {
                parts |= 1 << part;
            }
        }
        let owner = OwnerKind::ALL.map(|kind| self.number(kind, row.owner.get(kind)));
        let entry = Entry {
            key: row.key,
            number: row.id.number,
            project_id: row.project_id,
            created_ms: row.created_at.millis(),
            kind: row.id.kind,
            owner,
            parts,
        };
        match self.rows.get_mut(place as usize) {
            Some(old) => *old = entry,
            None => self.rows.push(entry),
        }
        if let Err(at) = self.find(row.key) {
            self.order.insert(at, place);
        }
    }

    /// The number of a name, which gets one where it is new.
    fn number(&mut self, kind: OwnerKind, name: Option<&str>) -> u32 {
        let Some(name) = name else { return 0 };
        let next = u32::try_from(self.names.len() + 1).unwrap_or(u32::MAX);
        *self.names.entry((kind, name.to_owned())).or_insert(next)
    }

    /// The ways of owners by the numbers of their names; those with a name that no row has are left
    /// out. None where everybody is meant.
    fn ways(&self, owners: Option<&[OwnerMatch]>) -> Option<Vec<[Named; 4]>> {
        let way = |owner: &OwnerMatch| {
            OwnerKind::ALL.map(|kind| match owner.of(kind) {
                NameMatch::Anything => Named::Anything,
                NameMatch::Present => Named::Present,
                NameMatch::OneOf(names) => {
                    let numbers = names
                        .iter()
                        .filter_map(|name| self.names.get(&(kind, name.clone())).copied());
                    Named::OneOf(numbers.collect())
                }
            })
        };
        owners.map(|owners| owners.iter().map(way).collect())
    }

    /// Takes a row out.
    pub(super) fn remove(&mut self, key: i64) {
        let Ok(at) = self.find(key) else { return };
        let place = self.order.remove(at);
        let parts = self.rows[place as usize].parts;
        for part in (0..PARTS).filter(|part| parts & (1 << part) != 0) {
            self.index.remove(&(place * PARTS + part));
        }
        self.free.push(place);
    }

    fn find(&self, key: i64) -> Result<usize, usize> {
        self.order.binary_search_by_key(&key, |place| self.rows[*place as usize].key)
    }

    /// The `count` parts nearest to a vector, nearest first; all there are within the filter when
    /// these are fewer.
    pub(super) fn nearest(
        &self,
        vector: &[f32],
        filter: &NearFilter,
        count: usize,
    ) -> Vec<NearPart> {
        let project = filter.scope.project();
        let since = filter.since.map_or(i64::MIN, afterword_domain::Time::millis);
        let until = filter.until.map_or(i64::MAX, afterword_domain::Time::millis);
        let ways = self.ways(filter.owners.as_deref());
        let admits = |part: &u32| {
            let row = &self.rows[(part / PARTS) as usize];
            project.is_none_or(|id| id == row.project_id)
                && filter.kind.is_none_or(|kind| kind == row.kind)
                && row.created_ms >= since
                && row.created_ms < until
                && ways.as_ref().is_none_or(|ways| {
                    ways.iter().any(|way| way.iter().zip(row.owner).all(|(name, of)| name.is(of)))
                })
        };
        let found = self.index.search(vector, count, admits);
        let part = |Near { key: at, .. }: Near<u32>| {
            let row = &self.rows[(at / PARTS) as usize];
            let part = u8::try_from(at % PARTS).expect("fewer than 256 parts");
            NearPart { key: row.key, part, id: PublicId::new(row.kind, row.number) }
        };
        found.into_iter().map(part).collect()
    }
}
