//! Observations: decisions, what matters of recent work, and the index by day.

use std::collections::{HashMap, HashSet};

use afterword_domain::observation::Observation;
use afterword_domain::summary::Summary;
use afterword_domain::wire::viewer::{Why, WhyLeftOut};
use afterword_domain::{Kind, PublicId};

use super::load::Loaded;
use super::told::{Told, joined, subject, whole, without_changes};
use super::{ContextRequest, Item, first_of_each};
use crate::distill::model::REFUTED;
use crate::recall::rank::halved;
use crate::recall::rank::weights as w;

/// The type of an observation that tells a decision.
pub(crate) const DECISION: &str = "decision";

/// Concepts that distilling marks: a rule or a choice of the person, a failure that was seen to
/// pass, one that was not.
const PREFERENCE: &str = "preference";
const FIXED: &str = "problem-solution";
pub(crate) const UNRESOLVED: &str = "unresolved";

/// Most UTF-16 units of a line that tells an observation.
const TOLD_LINE: usize = 340;
/// Most UTF-16 units of a line that only names one.
const INDEX_LINE: usize = 120;
/// Most bytes of next steps that are searched for names of files.
const MAX_STEPS: usize = 20_000;

/// A row with this score for the next steps has to do with them.
const RELATED: f64 = 0.3;

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
    changed: Changed<'l>,
    steps: String,
    related: HashMap<PublicId, f64>,
    /// Decisions that a newer statement took the place of.
    superseded: HashSet<i64>,
    /// Sessions whose summaries say what of them is still open.
    summed_up: HashSet<i64>,
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
            changed: Changed::new(&request.changed_files),
            steps: afterword_domain::text::prefix(steps, MAX_STEPS).to_owned(),
            related: loaded.related.iter().copied().collect(),
            superseded: loaded.superseded.clone(),
            summed_up: loaded.summaries.iter().filter_map(|summary| summary.session_id).collect(),
        }
    }

    /// Decisions that hold, newest first, without those that were told further up.
    pub(super) fn decisions(&self, told: &mut Told) -> Vec<Item> {
        let decisions = self.holding().filter(|row| row.content.r#type == DECISION);
        let items = decisions.filter_map(|row| {
            let item = self.decision(row).filter(|item| !told.has(&item.text))?;
            told.note(&item.text);
            Some(item)
        });
        first_of_each(items).take(DECISION_LINES).collect()
    }

    /// What matters most now: recent, of this branch, on the files at hand, found for the next
    /// steps. After a compaction the asking session's own work comes first. Only what tells
    /// something that was not told further up.
    pub(super) fn recent(&self, told: &mut Told) -> Vec<Item> {
        let mut rows: Vec<(usize, f64, bool)> = self
            .observations
            .iter()
            .enumerate()
            .map(|(place, row)| (place, self.value(row), self.is_own(row)))
            .collect();
        rows.sort_by(|a, b| b.2.cmp(&a.2).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
        let best = rows.into_iter().filter_map(|(place, ..)| self.observations.get(place));
        let best = best.filter(|row| self.holds(row) && row.content.r#type != DECISION);
        first_of_each(best.filter_map(|row| self.told(row, told))).take(RECENT_LINES).collect()
    }

    /// All of them, one short line each, by day, newest day first. Rendering passes over those that
    /// stand further up.
    pub(super) fn index(&self, told: &Told) -> Vec<Item> {
        let named = self.holding().filter_map(|row| {
            let title = row.content.title.trim();
            if title.is_empty() || told.has(title) || told.has(subject(title)) {
                return None;
            }
            let id = PublicId::new(Kind::Observation, row.id);
            let lead = format!("{id} {}", row.content.r#type);
            let mut item = Item::new(id, lead, title.to_owned(), INDEX_LINE).because(&[Why::Index]);
            item.day = Some(row.created_at.date());
            Some(item)
        });
        first_of_each(named).take(INDEX_LINES).collect()
    }

    fn holding(&self) -> impl Iterator<Item = &'l Observation> {
        self.observations.iter().filter(|row| self.holds(row))
    }

    /// Not superseded, not shown to be wrong, and no failure that its session's summary tells of or
    /// saw pass later.
    fn holds(&self, row: &Observation) -> bool {
        self.why_not(row).is_none()
    }

    /// Why a row is told nowhere, whatever room there is.
    pub(super) fn why_not(&self, row: &Observation) -> Option<WhyLeftOut> {
        if row.content.concepts.iter().any(|concept| concept == REFUTED) {
            return Some(WhyLeftOut::Refuted);
        }
        if self.superseded.contains(&row.id) {
            return Some(WhyLeftOut::Superseded);
        }
        let unresolved = row.content.concepts.iter().any(|concept| concept == UNRESOLVED);
        let summed_up = row.session_id.is_some_and(|session| self.summed_up.contains(&session));
        (unresolved && summed_up).then_some(WhyLeftOut::ToldBySummary)
    }

    /// A decision is its own title: what was asked when it was taken says nothing more.
    fn decision(&self, row: &Observation) -> Option<Item> {
        let title = row.content.title.trim();
        let narrative = row.content.narrative.trim();
        let text = if title.is_empty() { narrative.to_owned() } else { whole(title, narrative) };
        let person = row.content.concepts.iter().any(|concept| concept == PREFERENCE);
        let by = if person { ", the person" } else { "" };
        let why: &[Why] = if person { &[Why::Decision, Why::Person] } else { &[Why::Decision] };
        (!text.is_empty()).then(|| self.item(row, by, text, title).because(why))
    }

    /// The title and what else it tells that is new; none when there is nothing new or when its
    /// title was told.
    fn told(&self, row: &Observation, told: &mut Told) -> Option<Item> {
        let content = &row.content;
        let title = content.title.trim();
        if !title.is_empty() && (told.has(title) || told.has(subject(title))) {
            return None;
        }
        told.note(title);
        told.note(subject(title));
        // How a failure went is raw output: its title says what came of it.
        let raw = is_failure(&content.concepts);
        let narrative = without_changes(&content.narrative);
        let facts = content.facts.iter().map(String::as_str);
        let mut more = std::iter::once(content.subtitle.as_str()).chain(facts);
        let more = match narrative.is_empty() {
            _ if raw => "",
            true => more.find(|text| !text.trim().is_empty()).unwrap_or_default(),
            false => &narrative,
        };
        let has_more = !more.is_empty();
        let more = Some(told.fresh(more)).filter(|new| !new.is_empty());
        let whole = whole(title, &narrative);
        // The narrative was told, and the index names the rest.
        if more.is_none() && (title.is_empty() || (has_more && whole == title)) {
            return None;
        }
        let text = joined(&whole, &more.unwrap_or_default());
        Some(self.item(row, "", text, title).because(&self.reasons(row)))
    }

    fn item(&self, row: &Observation, note: &str, text: String, topic: &str) -> Item {
        let id = PublicId::new(Kind::Observation, row.id);
        let date = row.created_at.date();
        let branch = match self.branch_of(row) {
            Some(other) if self.branch.is_some_and(|branch| branch != other) => {
                format!(", branch {other}")
            }
            _ => String::new(),
        };
        let lead = format!("{id} {} ({date}{note}{branch})", row.content.r#type);
        let item = Item::new(id, lead, text, TOLD_LINE);
        if topic.is_empty() { item } else { item.about(topic) }
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
        if self.changed.touched_by(row) {
            value += w::WORK_CHANGED_FILE;
        }
        value += w::WORK_RELATED * self.related_by(row);
        if is_finding(row) {
            value += w::WORK_FINDING;
        }
        value
    }

    fn related_by(&self, row: &Observation) -> f64 {
        let id = PublicId::new(Kind::Observation, row.id);
        self.related.get(&id).copied().unwrap_or_default()
    }

    /// What [`value`](Self::value) is made of, in words.
    fn reasons(&self, row: &Observation) -> Vec<Why> {
        let newest = self.observations.first().map_or(row.created_at, |first| first.created_at);
        let reasons = [
            (Why::ChangedFile, self.changed.touched_by(row)),
            (Why::FileAtHand, self.touches_files_at_hand(row)),
            (Why::SameBranch, self.branch.is_some() && self.branch_of(row) == self.branch),
            (Why::Related, self.related_by(row) >= RELATED),
            (Why::Finding, is_finding(row)),
            (Why::Recent, halved(row.created_at, newest, w::WORK_HALF_LIFE_DAYS) >= 0.5),
        ];
        let mut reasons: Vec<Why> =
            reasons.into_iter().filter(|(_, holds)| *holds).map(|(why, _)| why).collect();
        if reasons.is_empty() {
            reasons.push(Why::Recent);
        }
        reasons
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

/// That a run passed the next time is no finding.
fn is_finding(row: &Observation) -> bool {
    let again = row.content.concepts.iter().any(|concept| concept == FIXED);
    match row.content.r#type.as_str() {
        "bugfix" | "feature" => true,
        "discovery" => !again,
        _ => false,
    }
}

/// What is changed in the checkout and not committed.
#[derive(Debug)]
struct Changed<'l> {
    files: HashSet<&'l str>,
    /// Whole folders that are new, each ending with `/`.
    folders: Vec<&'l str>,
}

impl<'l> Changed<'l> {
    fn new(changed: &'l [String]) -> Self {
        let (folders, files): (Vec<&str>, Vec<&str>) =
            changed.iter().map(String::as_str).partition(|path| path.ends_with('/'));
        Self { files: files.into_iter().collect(), folders }
    }

    fn touched_by(&self, row: &Observation) -> bool {
        let mut files = row.content.files_modified.iter().chain(&row.content.files_read);
        files.any(|file| {
            let in_folder = || self.folders.iter().any(|folder| file.starts_with(folder));
            self.files.contains(file.as_str()) || in_folder()
        })
    }
}

/// Whether concepts mark a command that failed: what it printed is its narrative.
pub(crate) fn is_failure(concepts: &[String]) -> bool {
    concepts.iter().any(|concept| concept == FIXED || concept == UNRESOLVED)
}
