//! Lists, histories and receipts of owners' memories, as every backend makes them.

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::filter::Filter;
use afterword_domain::memory::Memory;
use afterword_domain::owner::Owner;
use uuid::Uuid;

use super::fact::{ADDED, REPEATED, SUPERSEDED};
use crate::contract::{Change, HistoryEntry, OwnedPage};

/// Times that a request may wait again before it fails.
pub(crate) const RECEIPT_TRIES: i64 = 5;

/// What the receipt of a request says whose owner was forgotten before it was done.
pub(crate) const DROPPED: &str = "its owner's memories were deleted before this was done";

/// The word for a forgotten memory in its history.
pub(crate) const FORGOTTEN: &str = "forgotten";

/// The word for a changed memory in its history.
pub(crate) const CHANGED: &str = "edited";

/// A list in the making, of candidates in their order.
#[derive(Debug)]
pub(crate) struct Listing<'q> {
    filter: &'q Filter,
    today: Option<Day>,
    offset: u64,
    limit: usize,
    page: OwnedPage,
}

impl<'q> Listing<'q> {
    pub(crate) fn new(filter: &'q Filter, today: Option<Day>, offset: usize, limit: usize) -> Self {
        Self { filter, today, offset: offset as u64, limit, page: OwnedPage::default() }
    }

    /// Counts the next candidate, where the filter means it, and keeps it where it is of the part.
    pub(crate) fn offer(&mut self, memory: Memory) {
        let expired = self.today.is_some_and(|today| memory.attributes.expired(today));
        if expired || !self.filter.holds(&memory) {
            return;
        }
        if self.page.total >= self.offset && self.page.memories.len() < self.limit {
            self.page.memories.push(memory);
        }
        self.page.total += 1;
    }

    pub(crate) fn done(self) -> OwnedPage {
        self.page
    }
}

/// A line of a history as stored.
#[derive(Debug)]
pub(crate) struct HistoryLine {
    pub(crate) number: i64,
    pub(crate) change: String,
    pub(crate) text: String,
    /// The text of the memory that took the place of this one.
    pub(crate) by: Option<String>,
    pub(crate) at: Time,
}

/// The history of a memory, oldest first, from its lines in that order. `memory`: as it is now;
/// none where it is forgotten.
pub(crate) fn history(
    uid: Uuid,
    memory: Option<&Memory>,
    lines: Vec<HistoryLine>,
) -> Vec<HistoryEntry> {
    let mut said: Option<String> = None;
    let mut entries = Vec::with_capacity(lines.len());
    for line in lines {
        let text = Some(line.text).filter(|text| !text.is_empty());
        let (change, old, new) = match line.change.as_str() {
            ADDED | "imported" => (Change::Add, None, text.clone()),
            REPEATED => (Change::None, said.clone(), said.clone().or(text.clone())),
            SUPERSEDED => (Change::Update, said.clone(), line.by),
            FORGOTTEN => (Change::Delete, None, None),
            _ => (Change::Update, said.clone(), text.clone()),
        };
        if matches!(change, Change::Add | Change::Update) && text.is_some() {
            said = text;
        }
        let (high, _) = uid.as_u64_pair();
        entries.push(HistoryEntry {
            id: Uuid::from_u64_pair(high, line.number.cast_unsigned()),
            memory: uid,
            change,
            old,
            new,
            owner: memory.map_or_else(Owner::default, |memory| memory.owner.clone()),
            role: memory.map_or_else(String::new, |memory| memory.attributes.role.clone()),
            actor: memory.map_or_else(String::new, |memory| memory.attributes.actor.clone()),
            at: line.at,
        });
    }
    entries
}
