//! Claims against evidence: what a model says becomes rows that rest on events.
//!
//! Files come from tool evidence, whatever the model says. A claim without evidence is kept and
//! marked, and so is one that nothing has shown yet, or that was shown to be wrong: in its concepts,
//! for programs, and in its title, for whoever reads it.

use std::collections::{BTreeMap, BTreeSet};

use afterword_domain::Time;
use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::text::cut_chars;
use afterword_store::contract::{ModelObservation, NewObservation};
use sha2::{Digest as _, Sha256};

use super::answer::{Claim, Standing};
use super::evidence::{Evidence, Piece};
use crate::distill::{Finding, observation_entry};

/// The concept of a claim that nothing has shown yet.
pub const HYPOTHESIS: &str = "hypothesis";

/// The concept of a claim that an outcome has shown.
pub const CONFIRMED: &str = "confirmed";

/// The concept of a claim that an outcome has shown to be wrong.
pub const REFUTED: &str = "refuted";

/// The concept of a claim that rests on nothing that happened.
pub const NO_EVIDENCE: &str = "no-evidence";

/// Concepts of rules' rows that hold what a model may overlook.
const OPEN: &str = "unresolved";
const PREFERENCE: &str = "preference";

/// Characters of a title.
const TITLE: usize = 120;

/// Events of one row.
const MOST_EVENTS: usize = 200;

/// A model's observations of a turn, and what becomes of those of the rules.
#[derive(Clone, Debug, Default)]
pub struct Weighed {
    /// The observations.
    pub observations: Vec<ModelObservation>,
    /// Keys of rule-made rows that stay beside them.
    pub keep: Vec<String>,
}

/// Weighs claims against the evidence of their turn. `rules` is what the rules found in it; `last`
/// is the time of the turn's last event; `chinese` is the language of the marks in titles.
pub fn weigh(
    claims: Vec<Claim>,
    evidence: &Evidence,
    rules: &[Finding],
    default_type: &str,
    last: Time,
    chinese: bool,
) -> Weighed {
    if claims.is_empty() {
        return Weighed::default();
    }
    let mut keys: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut observations = Vec::with_capacity(claims.len());
    for claim in claims {
        let pieces = cited(&claim, evidence);
        let event_ids = events(&pieces);
        let place = best(rules, &event_ids, &taken);
        let mut content = content(claim, &pieces, evidence, default_type, chinese);
        if let Some(place) = place {
            taken.insert(&place.rule_key);
            inherit(&mut content, place);
        }
        let key = key(&content, &event_ids, &mut keys);
        let row = row(key, content, event_ids, &pieces, last);
        observations.push(ModelObservation { row, takes_over: place.map(|f| f.rule_key.clone()) });
    }
    let keep = rules
        .iter()
        .filter(|finding| !taken.contains(finding.rule_key.as_str()))
        .filter(|finding| has(&finding.content, OPEN) || has(&finding.content, PREFERENCE))
        .map(|finding| finding.rule_key.clone())
        .collect();
    Weighed { observations, keep }
}

fn has(content: &ObservationContent, concept: &str) -> bool {
    content.concepts.iter().any(|known| known == concept)
}

/// The pieces that a claim rests on: those that it cites, else those of the files that it names.
fn cited<'a>(claim: &Claim, evidence: &'a Evidence) -> Vec<&'a Piece> {
    let numbered: Vec<&Piece> =
        claim.evidence.iter().filter_map(|n| evidence.pieces.get(n - 1)).collect();
    if !numbered.is_empty() {
        return numbered;
    }
    let touches = |files: &[String], claimed: &[String]| {
        files.iter().any(|file| claimed.iter().any(|claim| same_file(file, claim)))
    };
    let of_files = evidence.pieces.iter().filter(|piece| {
        touches(&piece.modified, &claim.files_modified) || touches(&piece.read, &claim.files_read)
    });
    of_files.collect()
}

/// Whether two spellings name one file: equal, or one is the end of the other.
fn same_file(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|path| path.trim_start_matches("./"));
    let ends = |long: &str, short: &str| {
        !short.is_empty()
            && long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    ends(a, b) || ends(b, a)
}

fn events(pieces: &[&Piece]) -> Vec<i64> {
    let all: BTreeSet<i64> = pieces.iter().flat_map(|p| p.event_ids.iter().copied()).collect();
    all.into_iter().take(MOST_EVENTS).collect()
}

/// The rules' finding that rests on most of these events, if another has not taken its place.
fn best<'a>(
    rules: &'a [Finding],
    event_ids: &[i64],
    taken: &BTreeSet<&str>,
) -> Option<&'a Finding> {
    let shared = |finding: &Finding| {
        finding.event_ids.iter().filter(|id| event_ids.binary_search(id).is_ok()).count()
    };
    rules
        .iter()
        // A standing wish is one of the person's own sentences: no other row says it as well.
        .filter(|f| !taken.contains(f.rule_key.as_str()) && !has(&f.content, PREFERENCE))
        .map(|finding| (shared(finding), finding))
        .filter(|(shared, _)| *shared > 0)
        .max_by_key(|(shared, finding)| (*shared, std::cmp::Reverse(finding.event_ids.len())))
        .map(|(_, finding)| finding)
}

/// What the evidence shows stays shown when a model's row takes a finding's place.
fn inherit(content: &mut ObservationContent, finding: &Finding) {
    if has(&finding.content, OPEN) && !has(content, OPEN) {
        content.concepts.push(OPEN.to_owned());
    }
}

fn content(
    claim: Claim,
    pieces: &[&Piece],
    evidence: &Evidence,
    default_type: &str,
    chinese: bool,
) -> ObservationContent {
    let mark = mark(&claim, pieces);
    let (files_read, files_modified) = files(&claim, pieces, evidence);
    let mut concepts = claim.concepts;
    let marks = [HYPOTHESIS, CONFIRMED, REFUTED, NO_EVIDENCE];
    concepts.retain(|concept| !marks.contains(&concept.as_str()));
    concepts.extend(mark.map(str::to_owned));
    let suffix = mark.map_or("", |mark| suffix(mark, chinese));
    let title = cut_chars(&claim.title, TITLE - suffix.chars().count());
    ObservationContent {
        r#type: if claim.r#type.is_empty() { default_type.to_owned() } else { claim.r#type },
        title: format!("{title}{suffix}"),
        subtitle: claim.subtitle,
        narrative: claim.narrative,
        facts: claim.facts,
        concepts,
        files_read,
        files_modified,
    }
}

/// How a claim stands, by what it says and by what it rests on. What only somebody said, what was
/// only read and what failed confirm nothing.
fn mark(claim: &Claim, pieces: &[&Piece]) -> Option<&'static str> {
    let shown = pieces.iter().any(|piece| piece.shows);
    match claim.standing {
        Some(Standing::Refuted) => Some(REFUTED),
        Some(Standing::Hypothesis) => Some(HYPOTHESIS),
        _ if pieces.is_empty() => Some(NO_EVIDENCE),
        Some(Standing::Confirmed) if shown => Some(CONFIRMED),
        Some(Standing::Confirmed) | None => None,
    }
}

fn suffix(mark: &str, chinese: bool) -> &'static str {
    match (mark, chinese) {
        (HYPOTHESIS, false) => " (hypothesis)",
        (HYPOTHESIS, true) => "（假设，未证实）",
        (REFUTED, false) => " (refuted)",
        (REFUTED, true) => "（已被推翻）",
        (NO_EVIDENCE, false) => " (no evidence)",
        (NO_EVIDENCE, true) => "（无依据）",
        _ => "",
    }
}

/// The files of a row: those of its evidence, and those of the turn's that the claim names too.
fn files(claim: &Claim, pieces: &[&Piece], evidence: &Evidence) -> (Vec<String>, Vec<String>) {
    let gather = |of: fn(&Piece) -> &Vec<String>, claimed: &[String]| {
        let mut seen = BTreeSet::new();
        let named = evidence.pieces.iter().flat_map(of);
        let named = named.filter(|file| claimed.iter().any(|claim| same_file(file, claim)));
        let all = pieces.iter().flat_map(|piece| of(piece)).chain(named);
        all.filter(|file| seen.insert(file.as_str())).take(100).cloned().collect::<Vec<_>>()
    };
    let modified = gather(|piece| &piece.modified, &claim.files_modified);
    // A file that the model calls read and the tools changed was changed.
    let mut read = gather(|piece| &piece.read, &claim.files_read);
    read.retain(|file| !modified.contains(file));
    (read, modified)
}

/// Equal for the same finding in another answer about the same turn, as far as that can be told:
/// by the first event it rests on, and its type.
fn key(
    content: &ObservationContent,
    event_ids: &[i64],
    keys: &mut BTreeMap<String, usize>,
) -> String {
    let base = if let Some(first) = event_ids.first() {
        format!("model:{first}:{}", content.r#type)
    } else {
        let hash = Sha256::digest(content.title.to_lowercase().as_bytes());
        format!("model:0:{}", afterword_domain::text::hex(&hash[..6]))
    };
    let n = keys.entry(base.clone()).or_default();
    *n += 1;
    if *n == 1 { base } else { format!("{base}#{n}") }
}

fn row(
    rule_key: String,
    content: ObservationContent,
    event_ids: Vec<i64>,
    pieces: &[&Piece],
    last: Time,
) -> NewObservation {
    let first = pieces.first().and_then(|piece| piece.subagent.clone());
    let subagent = first.filter(|id| pieces.iter().all(|p| p.subagent.as_ref() == Some(id)));
    let created_at = pieces.iter().map(|piece| piece.at).max().unwrap_or(last);
    let index = observation_entry(&content);
    NewObservation {
        rule_key,
        content,
        event_ids,
        subagent,
        source: Source::Provider,
        created_at,
        index,
    }
}
