//! The block with its reasons: what stands in it and why, and what was looked at and left out.

use std::cmp::Reverse;
use std::collections::HashSet;

use afterword_domain::text::utf16_len;
use afterword_domain::wire::context::BLOCK_BUDGET;
use afterword_domain::wire::viewer::{ContextExplained, LeftOut, ShownItem, WhyLeftOut};
use afterword_domain::{Kind, PublicId, Time};
use afterword_store::contract::RowBody;
use afterword_store::{Result, Store};

use super::load::{self, Loaded};
use super::select;
use super::work::Work;
use super::{ContextRequest, Item, Section, frame, intro, render};
use crate::recall::RowText;

/// Most rows that are named as left out.
const MOST_LEFT_OUT: usize = 200;

/// The block as [`context`](super::context) gives it, with its reasons.
pub(crate) async fn explained(
    store: &dyn Store,
    request: &ContextRequest,
) -> Result<ContextExplained> {
    let loaded = load::load(store, request).await?;
    Ok(explain(request, loaded))
}

/// The pure part of [`explained`].
pub(super) fn explain(request: &ContextRequest, mut loaded: Loaded) -> ContextExplained {
    let all = loaded.clone();
    select::prepare(&mut loaded);
    let sections = select::sections(request, &loaded);
    let intro = intro(request);
    let frame = frame(request, &intro, loaded.total);
    let block = render::render(&frame, &sections);
    let lines = render::lines(&frame, &sections);
    let items = lines
        .iter()
        .filter_map(|(section, item, line)| {
            let (section, why) = (section.heading.clone(), item.why.clone());
            Some(ShownItem { id: item.id?, section, line: line.clone(), why })
        })
        .collect();
    let left_out = left_out(request, &all, &loaded, &sections, &lines);
    ContextExplained {
        budget: BLOCK_BUDGET,
        used: utf16_len(&block.text),
        tokens: crate::provider::estimate_tokens(&block.text),
        branch: request.branch.clone(),
        changed_files: request.changed_files.clone(),
        switched_off: false,
        block,
        items,
        left_out,
    }
}

fn left_out(
    request: &ContextRequest,
    all: &Loaded,
    prepared: &Loaded,
    sections: &[Section],
    lines: &[(&Section, &Item, String)],
) -> Vec<LeftOut> {
    let shown: HashSet<PublicId> = lines.iter().filter_map(|(_, item, _)| item.id).collect();
    // What another line of the block says already.
    let said: HashSet<&str> = lines.iter().map(|(_, item, _)| item.key.as_str()).collect();
    let offered: HashSet<PublicId> = sections
        .iter()
        .flat_map(|section| &section.items)
        .filter(|item| !said.contains(item.key.as_str()))
        .filter_map(|item| item.id)
        .collect();
    let crowded = |id: &PublicId| {
        if offered.contains(id) { WhyLeftOut::NoRoom } else { WhyLeftOut::SaidAlready }
    };
    let work = Work::new(request, prepared, None);
    let holding: HashSet<i64> = prepared.memories.iter().map(|memory| memory.id).collect();
    let mut rows: Vec<LeftOut> = Vec::new();
    let mut add = |id: PublicId, at: Time, body: RowBody, why: WhyLeftOut| {
        if !shown.contains(&id) {
            rows.push(LeftOut { id, title: RowText::of(&body).title, created_at: at, why });
        }
    };
    for row in &all.memories {
        let id = PublicId::new(Kind::Memory, row.id);
        let why = if holding.contains(&row.id) { crowded(&id) } else { WhyLeftOut::Superseded };
        add(id, row.updated_at, RowBody::Memory(row.clone()), why);
    }
    for row in &prepared.observations {
        let id = PublicId::new(Kind::Observation, row.id);
        let why = work.why_not(row).unwrap_or_else(|| crowded(&id));
        add(id, row.created_at, RowBody::Observation(row.clone()), why);
    }
    for row in &all.summaries {
        let id = PublicId::new(Kind::Summary, row.id);
        let no_room = offered.contains(&id);
        let why = if no_room { WhyLeftOut::NoRoom } else { WhyLeftOut::OlderSession };
        add(id, row.created_at, RowBody::Summary(row.clone()), why);
    }
    rows.sort_by_key(|row| Reverse((row.created_at, row.id)));
    rows.truncate(MOST_LEFT_OUT);
    rows
}
