//! From loaded rows to sections of items, best first. Pure: the same rows give the same items.

use std::cmp::Reverse;
use std::collections::HashSet;

use afterword_domain::memory::{Memory, Origin};
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::Summary;
use afterword_domain::text::{cut_chars, prefix};
use afterword_domain::wire::viewer::Why;
use afterword_domain::{Kind, PublicId};

use super::load::Loaded;
use super::supersede::superseded;
use super::told::Told;
use super::work::{DECISION, Work};
use super::{ContextRequest, Item, Section, first_of_each};
use crate::recall::row_text::labelled;

/// Shares of the budget in UTF-16 units; what a section does not want goes to the others.
const SNAPSHOT_SHARE: usize = 2_400;
const SESSION_SHARE: usize = 2_400;
const MEMORY_SHARE: usize = 1_500;
const DECISION_SHARE: usize = 900;
const WORK_SHARE: usize = 1_300;
const INDEX_SHARE: usize = 900;

/// Most UTF-16 units of one line, by what it shows.
const SNAPSHOT_LINE: usize = 300;
const SUMMARY_LINE: usize = 500;
const MEMORY_LINE: usize = 400;
const EARLIER_LINE: usize = 240;
const INVESTIGATED_LINE: usize = 150;
const REQUEST_LINE: usize = 360;

/// Characters of a session's first request where later ones follow.
const FIRST_REQUEST: usize = 160;

/// Most lines of a section.
const SNAPSHOT_LINES: usize = 40;
const EARLIER_SESSIONS: usize = 3;
const UNFINISHED_SESSIONS: usize = 2;
const MEMORY_LINES: usize = 40;

/// Branches that say nothing about the work.
const PLAIN_BRANCHES: [&str; 5] = ["main", "master", "develop", "trunk", "HEAD"];

/// The sections in the order in which they matter. What a section says, those below it leave out.
pub(super) fn select(request: &ContextRequest, mut loaded: Loaded) -> Vec<Section> {
    prepare(&mut loaded);
    sections(request, &loaded)
}

/// Puts the rows in order and leaves out what a newer one took the place of.
pub(super) fn prepare(loaded: &mut Loaded) {
    order(loaded);
    leave_superseded_out(loaded);
}

/// The sections of prepared rows.
pub(super) fn sections(request: &ContextRequest, loaded: &Loaded) -> Vec<Section> {
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
    sections.push(memories(loaded));
    let mut told = Told::default();
    for item in sections.iter().flat_map(|section| &section.items) {
        told.note(prefix(&item.text, item.most));
    }
    let work = Work::new(request, loaded, last);
    sections.push(Section {
        heading: "Decisions (the person's where marked, else the agent's)".into(),
        items: work.decisions(&mut told),
        share: DECISION_SHARE,
    });
    sections.push(Section {
        heading: "Recent work (told by the agent; “…” is tool output)".into(),
        items: work.recent(&mut told),
        share: WORK_SHARE,
    });
    if let Some(last) = last {
        sections.push(earlier_sessions(last, &others));
    }
    sections.push(Section {
        heading: "Other recent observations by day, for looking up".into(),
        items: work.index(&told),
        share: INDEX_SHARE,
    });
    sections
}

/// Memories and decisions that a newer one took the place of are kept in the store and not shown.
fn leave_superseded_out(loaded: &mut Loaded) {
    loaded.memories.retain(|memory| memory.superseded_by.is_none());
    let memories = loaded.memories.iter().map(|m| (m.updated_at, false, m.id, m.text.as_str()));
    let decisions = loaded.observations.iter().filter(|row| row.content.r#type == DECISION);
    let decisions = decisions.map(|o| (o.created_at, true, o.id, o.content.title.as_str()));
    let mut all: Vec<_> = memories.chain(decisions).collect();
    all.sort_by_key(|(at, decision, id, _)| Reverse((*at, *decision, *id)));
    let gone = superseded(all.iter().map(|(.., text)| *text));
    let gone = all.iter().zip(gone).filter(|(_, gone)| *gone).map(|(row, _)| (row.1, row.2));
    let (decisions, memories): (Vec<_>, Vec<_>) = gone.partition(|(decision, _)| *decision);
    loaded.superseded = decisions.into_iter().map(|(_, id)| id).collect();
    let memories: HashSet<i64> = memories.into_iter().map(|(_, id)| id).collect();
    loaded.memories.retain(|memory| !memories.contains(&memory.id));
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
    for file in request.changed_files.iter().take(8) {
        words.push('\n');
        words.push_str(file);
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
    let items = items.into_iter().map(|item| item.because(&[Why::BeforeCompaction])).collect();
    Section { heading, items, share: SNAPSHOT_SHARE }
}

/// The last session, and requests after it of which nothing more is known.
fn session_section(last: &Summary, newest_first: &[&Summary]) -> Section {
    let id = PublicId::new(Kind::Summary, last.id);
    let heading = format!(
        "Last session ({id}, {}), told by the agent; “…” is tool output",
        last.created_at.date()
    );
    let mut items = summary_items(last);
    let newer = newest_first.iter().take_while(|summary| summary.id != last.id);
    let unfinished = newer.filter_map(|summary| {
        let text: Vec<&str> = labelled(&summary.content).map(|(_, text)| text).collect();
        one_item(summary, "started later, no outcome known", text.join("; "))
    });
    items.extend(unfinished.take(UNFINISHED_SESSIONS));
    let items = items.into_iter().map(|item| item.because(&[Why::LastSession])).collect();
    Section { heading, items, share: SESSION_SHARE }
}

/// What is to be done next stands first, what was asked last.
fn summary_items(summary: &Summary) -> Vec<Item> {
    let id = PublicId::new(Kind::Summary, summary.id);
    let content = &summary.content;
    let changed = &content.files_modified;
    let inside = changed.iter().map(String::as_str).filter(|path| !path.starts_with(['/', '~']));
    let files = inside.take(12).collect::<Vec<_>>().join(", ");
    // What was looked at says little once something was changed.
    let investigated = if changed.is_empty() { content.investigated.as_str() } else { "" };
    let lines = [
        ("Next steps", listed(&content.next_steps), SUMMARY_LINE),
        ("Unfinished", listed(&content.notes), SUMMARY_LINE),
        ("Completed", content.completed.clone(), SUMMARY_LINE),
        ("Learned", content.learned.clone(), SUMMARY_LINE),
        ("Investigated", investigated.to_owned(), INVESTIGATED_LINE),
        ("Files changed", files, EARLIER_LINE),
        ("Request (by the person)", requests(&content.request), REQUEST_LINE),
    ];
    let mut told = Told::default();
    let items = lines.into_iter().filter_map(|(label, text, most)| {
        let text = told.fresh(&text);
        (!text.is_empty()).then(|| Item::new(id, label.to_owned(), text, most))
    });
    first_of_each(items).collect()
}

/// The points of a list on one line.
fn listed(text: &str) -> String {
    let points = text.lines().map(|line| line.trim().trim_start_matches("- "));
    points.filter(|point| !point.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The first request, short where others followed, so that these have room; of a long plan its
/// head.
fn requests(text: &str) -> String {
    let text =
        text.split_once(" ## ").filter(|(head, _)| head.len() > 40).map_or(text, |(head, _)| head);
    match text.split_once("\n+") {
        Some((first, later)) => format!("{}\n+{later}", cut_chars(first, FIRST_REQUEST)),
        None => text.to_owned(),
    }
}

fn earlier_sessions(last: &Summary, newest_first: &[&Summary]) -> Section {
    let older = newest_first.iter().skip_while(|summary| summary.id != last.id).skip(1);
    let items = older.filter_map(|summary| {
        let content = &summary.content;
        let parts = [&content.request, &content.completed, &content.learned, &content.next_steps];
        let parts = parts.into_iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        let text = parts.take(2).collect::<Vec<_>>().join(": ");
        Some(one_item(summary, "", text)?.because(&[Why::EarlierSession]))
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
        items: first_of_each(ordered.into_iter().filter_map(|memory| {
            let near: &[Why] = if related(memory) { &[Why::Related] } else { &[] };
            let told: &[Why] = if memory.origin == Origin::Told { &[Why::Told] } else { &[] };
            Some(memory_item(memory)?.because(&[told, near].concat()))
        }))
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
