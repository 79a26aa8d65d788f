//! From loaded rows to sections of items, best first. Pure: the same rows give the same items.

use std::cmp::Reverse;

use afterword_domain::memory::{Memory, Origin};
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::Summary;
use afterword_domain::{Kind, PublicId};

use super::load::Loaded;
use super::work::Work;
use super::{ContextRequest, Item, Section, first_of_each};
use crate::recall::row_text::labelled;

/// Shares of the budget in UTF-16 units; what a section does not want goes to the others.
const SNAPSHOT_SHARE: usize = 2_400;
const SESSION_SHARE: usize = 1_800;
const MEMORY_SHARE: usize = 1_500;
const DECISION_SHARE: usize = 900;
const WORK_SHARE: usize = 1_300;
const INDEX_SHARE: usize = 900;

/// Most UTF-16 units of one line, by what it shows.
const SNAPSHOT_LINE: usize = 300;
const SUMMARY_LINE: usize = 500;
const MEMORY_LINE: usize = 400;
const EARLIER_LINE: usize = 240;

/// Most lines of a section.
const SNAPSHOT_LINES: usize = 40;
const EARLIER_SESSIONS: usize = 3;
const UNFINISHED_SESSIONS: usize = 2;
const MEMORY_LINES: usize = 40;

/// Branches that say nothing about the work.
const PLAIN_BRANCHES: [&str; 5] = ["main", "master", "develop", "trunk", "HEAD"];

/// The sections in the order in which they matter.
pub(super) fn select(request: &ContextRequest, mut loaded: Loaded) -> Vec<Section> {
    order(&mut loaded);
    let own = request.session_id.filter(|_| request.after_compaction);
    let mut sections = Vec::new();
    let (this_session, others): (Vec<&Summary>, Vec<&Summary>) =
        loaded.summaries.iter().partition(|summary| own.is_some() && summary.session_id == own);
    if own.is_some() {
        let summary = this_session.first().copied();
        sections.push(before_compaction(loaded.snapshot.as_ref(), summary));
    }
    let last = last_session(&others);
    if let Some(last) = last {
        sections.push(session_section(last, &others));
    }
    sections.push(memories(&loaded));
    let work = Work::new(request, &loaded, last);
    sections.push(Section {
        heading: "Decisions (distilled from earlier work)".into(),
        items: work.decisions(),
        share: DECISION_SHARE,
    });
    sections.push(Section {
        heading: "Recent work (distilled from tool use and answers)".into(),
        items: work.recent(),
        share: WORK_SHARE,
    });
    if let Some(last) = last {
        sections.push(earlier_sessions(last, &others));
    }
    sections.push(Section {
        heading: "Other recent observations by day, for looking up".into(),
        items: work.index(),
        share: INDEX_SHARE,
    });
    sections
}

/// What a search for rows that help with the work at hand starts from.
pub(super) fn seeds(request: &ContextRequest, summaries: &[Summary]) -> String {
    let mut ordered: Vec<&Summary> = summaries.iter().collect();
    ordered.sort_by_key(|summary| Reverse((summary.created_at, summary.id)));
    let mut words = String::new();
    if let Some(last) = last_session(&ordered) {
        let content = &last.content;
        let asks = if content.next_steps.trim().is_empty() {
            &content.request
        } else {
            &content.next_steps
        };
        words.push_str(asks);
        for file in content.files_modified.iter().take(8) {
            words.push('\n');
            words.push_str(file);
        }
    }
    if let Some(branch) = request.branch.as_deref().filter(|name| !PLAIN_BRANCHES.contains(name)) {
        words.push('\n');
        words.push_str(branch);
    }
    words
}

/// Newest first, by id among equals, whatever order the rows were loaded in.
fn order(loaded: &mut Loaded) {
    loaded.summaries.sort_by_key(|row| Reverse((row.created_at, row.id)));
    loaded.memories.sort_by_key(|row| Reverse((row.updated_at, row.id)));
    loaded.observations.sort_by_key(|row| Reverse((row.created_at, row.id)));
    loaded.observations.retain(|row| row.subagent.is_none());
}

/// The newest summary that says more than what was asked, else the newest that says anything.
fn last_session<'s>(newest_first: &[&'s Summary]) -> Option<&'s Summary> {
    let tells = |summary: &&&Summary| {
        labelled(&summary.content).any(|(label, _)| !matches!(label, "Request" | "Notes"))
    };
    let says = |summary: &&&Summary| labelled(&summary.content).next().is_some();
    newest_first.iter().find(tells).or_else(|| newest_first.iter().find(says)).copied()
}

fn before_compaction(snapshot: Option<&Snapshot>, summary: Option<&Summary>) -> Section {
    let mut items = Vec::new();
    let mut heading = "This session before its compaction".to_owned();
    if let Some(snapshot) = snapshot {
        let id = PublicId::new(Kind::Snapshot, snapshot.id);
        heading = format!("{heading} ({id}, {})", snapshot.created_at.date());
        let own = snapshot.agent_summary.as_deref().unwrap_or_default();
        let text = if snapshot.text.trim().is_empty() { own } else { &snapshot.text };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.map(|line| Item::new(id, String::new(), line.to_owned(), SNAPSHOT_LINE));
        items.extend(first_of_each(lines).take(SNAPSHOT_LINES));
    }
    items.extend(summary.into_iter().flat_map(summary_items));
    Section { heading, items, share: SNAPSHOT_SHARE }
}

/// The last session, and requests after it of which nothing more is known.
fn session_section(last: &Summary, newest_first: &[&Summary]) -> Section {
    let id = PublicId::new(Kind::Summary, last.id);
    let heading = format!("Last session ({id}, {})", last.created_at.date());
    let mut items = summary_items(last);
    let newer = newest_first.iter().take_while(|summary| summary.id != last.id);
    let unfinished = newer.filter_map(|summary| {
        let text: Vec<&str> = labelled(&summary.content).map(|(_, text)| text).collect();
        one_item(summary, "started later, no outcome known", text.join("; "))
    });
    items.extend(unfinished.take(UNFINISHED_SESSIONS));
    Section { heading, items, share: SESSION_SHARE }
}

fn summary_items(summary: &Summary) -> Vec<Item> {
    let id = PublicId::new(Kind::Summary, summary.id);
    let lines = labelled(&summary.content);
    let lines =
        lines.map(|(label, text)| Item::new(id, label.to_owned(), text.to_owned(), SUMMARY_LINE));
    let mut items: Vec<Item> = first_of_each(lines).collect();
    let changed = &summary.content.files_modified;
    if !items.is_empty() && !changed.is_empty() {
        let files = changed.iter().take(12).map(String::as_str).collect::<Vec<_>>().join(", ");
        items.push(Item::new(id, "Files changed".into(), files, EARLIER_LINE));
    }
    items
}

fn earlier_sessions(last: &Summary, newest_first: &[&Summary]) -> Section {
    let older = newest_first.iter().skip_while(|summary| summary.id != last.id).skip(1);
    let items = older.filter_map(|summary| {
        let content = &summary.content;
        let parts = [&content.request, &content.completed, &content.learned, &content.next_steps];
        let parts = parts.into_iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        let text = parts.take(2).collect::<Vec<_>>().join(": ");
        one_item(summary, "", text)
    });
    Section {
        heading: "Sessions before that".into(),
        items: first_of_each(items).take(EARLIER_SESSIONS).collect(),
        share: EARLIER_SESSIONS * (EARLIER_LINE / 2),
    }
}

fn one_item(summary: &Summary, note: &str, text: String) -> Option<Item> {
    if text.trim().is_empty() {
        return None;
    }
    let id = PublicId::new(Kind::Summary, summary.id);
    let note = if note.is_empty() { String::new() } else { format!(", {note}") };
    let lead = format!("{id} ({}{note})", summary.created_at.date());
    Some(Item::new(id, lead, text, EARLIER_LINE))
}

/// What was told comes first, then what was drawn, promoted or imported; each newest first, so that
/// of two that contradict each other the newer one is read first. When not all have room, those that
/// have to do with the work at hand go before the others.
fn memories(loaded: &Loaded) -> Section {
    let related = |memory: &Memory| {
        let id = PublicId::new(Kind::Memory, memory.id);
        loaded.related.iter().any(|(found, score)| *found == id && *score >= RELATED_MEMORY)
    };
    let room: usize = loaded.memories.iter().map(|memory| memory.text.len().min(MEMORY_LINE)).sum();
    let crowded = room > MEMORY_SHARE || loaded.memories.len() > MEMORY_LINES;
    let mut ordered: Vec<&Memory> = loaded.memories.iter().collect();
    ordered.sort_by_key(|memory| (memory.origin != Origin::Told, crowded && !related(memory)));
    Section {
        heading: "Remembered (told on purpose unless marked)".into(),
        items: first_of_each(ordered.into_iter().filter_map(memory_item))
            .take(MEMORY_LINES)
            .collect(),
        share: MEMORY_SHARE,
    }
}

/// A memory with this score for the next steps has to do with the work at hand.
const RELATED_MEMORY: f64 = 0.3;

fn memory_item(memory: &Memory) -> Option<Item> {
    let (title, text) = (memory.title.trim(), memory.text.trim());
    let bare = title.trim_end_matches('…');
    let text = if text.starts_with(bare) { text.to_owned() } else { format!("{title}: {text}") };
    if text.trim().is_empty() {
        return None;
    }
    let id = PublicId::new(Kind::Memory, memory.id);
    let origin = match memory.origin {
        Origin::Told => String::new(),
        origin => format!(" {}", origin.word()),
    };
    let lead = format!("{id}{origin} ({})", memory.updated_at.date());
    Some(Item::new(id, lead, text, MEMORY_LINE))
}
