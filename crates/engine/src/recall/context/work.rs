//! Observations: decisions, what matters of recent work, and the index by day.

use std::collections::{HashMap, HashSet};

use afterword_domain::observation::Observation;
use afterword_domain::summary::Summary;
use afterword_domain::{Kind, PublicId};

use super::load::Loaded;
use super::{ContextRequest, Item, first_of_each};
use crate::recall::rank::halved;
use crate::recall::rank::weights as w;

/// The type of an observation that tells a decision.
pub(super) const DECISION: &str = "decision";

/// Most UTF-16 units of a line that tells an observation.
const TOLD_LINE: usize = 340;
/// Most UTF-16 units of a line that only names one.
const INDEX_LINE: usize = 120;
/// Most bytes of next steps that are searched for names of files.
const MAX_STEPS: usize = 20_000;

/// Most lines of a section.
const DECISION_LINES: usize = 8;
const RECENT_LINES: usize = 8;
const INDEX_LINES: usize = 200;

/// The observations of a project with what ranks them.
#[derive(Debug)]
pub(super) struct Work<'l> {
    /// Newest first.
    observations: &'l [Observation],
    branches: HashMap<i64, &'l str>,
    branch: Option<&'l str>,
    own: Option<i64>,
    files: HashSet<&'l str>,
    steps: String,
    related: HashMap<PublicId, f64>,
}

impl<'l> Work<'l> {
    /// Takes ordered rows and the summary of the last session.
    pub(super) fn new(
        request: &'l ContextRequest,
        loaded: &'l Loaded,
        last: Option<&'l Summary>,
    ) -> Self {
        let branches = loaded.sessions.iter();
        let branches = branches.filter_map(|s| Some((s.id, s.branch.as_deref()?))).collect();
        let content = last.map(|last| &last.content);
        let files = content.map(|c| c.files_modified.iter().map(String::as_str).collect());
        let steps = content.map_or("", |content| &content.next_steps);
        Self {
            observations: &loaded.observations,
            branches,
            branch: request.branch.as_deref(),
            own: request.session_id.filter(|_| request.after_compaction),
            files: files.unwrap_or_default(),
            steps: afterword_domain::text::prefix(steps, MAX_STEPS).to_owned(),
            related: loaded.related.iter().copied().collect(),
        }
    }

    /// Decisions, newest first: of two that contradict each other the newer is read first.
    pub(super) fn decisions(&self) -> Vec<Item> {
        let decisions = self.observations.iter().filter(|row| row.content.r#type == DECISION);
        first_of_each(decisions.filter_map(|row| self.told(row))).take(DECISION_LINES).collect()
    }

    /// What matters most now: recent, of this branch, on the files at hand, found for the next
    /// steps. After a compaction the asking session's own work comes first.
    pub(super) fn recent(&self) -> Vec<Item> {
        let mut rows: Vec<(usize, f64, bool)> = self
            .observations
            .iter()
            .enumerate()
            .map(|(place, row)| (place, self.value(row), self.is_own(row)))
            .collect();
        rows.sort_by(|a, b| b.2.cmp(&a.2).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
        let best = rows.into_iter().filter_map(|(place, ..)| self.observations.get(place));
        first_of_each(best.filter_map(|row| self.told(row))).take(RECENT_LINES).collect()
    }

    /// All of them, one short line each, by day, newest day first. Rendering passes over those that
    /// stand further up.
    pub(super) fn index(&self) -> Vec<Item> {
        let named = self.observations.iter().filter_map(|row| {
            let title = row.content.title.trim();
            if title.is_empty() {
                return None;
            }
            let id = PublicId::new(Kind::Observation, row.id);
            let lead = format!("{id} {}", row.content.r#type);
            let mut item = Item::new(id, lead, title.to_owned(), INDEX_LINE);
            item.day = Some(row.created_at.date());
            Some(item)
        });
        first_of_each(named).take(INDEX_LINES).collect()
    }

    fn told(&self, row: &Observation) -> Option<Item> {
        let content = &row.content;
        let title = content.title.trim();
        let more = [content.narrative.as_str(), content.subtitle.as_str()];
        let more = more.into_iter().chain(content.facts.iter().map(String::as_str));
        let more = more.map(str::trim).find(|text| !text.is_empty() && *text != title);
        // A decision is its own title; what was asked when it was taken says nothing more.
        let more = more.filter(|_| content.r#type != DECISION || title.is_empty());
        let text = match (title, more) {
            ("", None) => return None,
            ("", Some(more)) => more.to_owned(),
            (title, None) => title.to_owned(),
            (title, Some(more)) if more.starts_with(title) => more.to_owned(),
            (title, Some(more)) if ends_a_sentence(title) => format!("{title} {more}"),
            (title, Some(more)) => format!("{title}. {more}"),
        };
        let id = PublicId::new(Kind::Observation, row.id);
        let date = row.created_at.date();
        let branch = match self.branch_of(row) {
            Some(other) if self.branch.is_some_and(|branch| branch != other) => {
                format!(", branch {other}")
            }
            _ => String::new(),
        };
        let lead = format!("{id} {} ({date}{branch})", content.r#type);
        let item = Item::new(id, lead, text, TOLD_LINE);
        Some(if title.is_empty() { item } else { item.about(title) })
    }

    fn value(&self, row: &Observation) -> f64 {
        let newest = self.observations.first().map_or(row.created_at, |first| first.created_at);
        let mut value = halved(row.created_at, newest, w::WORK_HALF_LIFE_DAYS);
        if self.branch.is_some() && self.branch_of(row) == self.branch {
            value += w::WORK_SAME_BRANCH;
        }
        if self.touches_files_at_hand(row) {
            value += w::WORK_SAME_FILE;
        }
        let id = PublicId::new(Kind::Observation, row.id);
        value += w::WORK_RELATED * self.related.get(&id).copied().unwrap_or_default();
        if matches!(row.content.r#type.as_str(), "bugfix" | "feature" | "discovery") {
            value += w::WORK_FINDING;
        }
        value
    }

    fn touches_files_at_hand(&self, row: &Observation) -> bool {
        let mut files = row.content.files_modified.iter().chain(&row.content.files_read);
        files.any(|file| {
            let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
            self.files.contains(file.as_str()) || (name.len() > 3 && self.steps.contains(name))
        })
    }

    fn branch_of(&self, row: &Observation) -> Option<&'l str> {
        self.branches.get(&row.session_id?).copied()
    }

    fn is_own(&self, row: &Observation) -> bool {
        self.own.is_some() && row.session_id == self.own
    }
}

fn ends_a_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', ';', '…', '。', '！', '？', '：', '；'])
}
