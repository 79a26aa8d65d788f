//! A fact beside what is known: known already, in the place of something older, or new.

use std::collections::BTreeSet;

use afterword_domain::memory::Memory;
use afterword_store::contract::FactPlace;
use uuid::Uuid;

use super::Fact;
use crate::analyze::{query_terms, text_key};
use crate::recall::Claim;

/// Most memories whose place one fact takes.
const MOST_SUPERSEDED: usize = 3;

/// Share of common terms, in hundredths, from which two long texts say the same.
const NEARLY: usize = 85;

/// Fewest terms of a text that is compared by shares.
const LONG: usize = 6;

/// Fewest terms of a fact that another one may hold whole.
const WHOLE: usize = 4;

/// A memory that a fact is held against.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) uid: Uuid,
    key: String,
    /// In small letters, without the last full stop.
    lower: String,
    terms: BTreeSet<String>,
    claim: Option<Claim>,
    updated_at: afterword_domain::Time,
    superseded_by: Option<Uuid>,
    /// Drawn from messages: a fuller text may take its place.
    inferred: bool,
}

impl Known {
    pub(super) fn of(memory: &Memory) -> Self {
        let inferred = memory.origin == afterword_domain::memory::Origin::Inferred;
        Self::new(memory.uid, &memory.text, memory.updated_at, memory.superseded_by, inferred)
    }

    /// A fact of the same call, which is known from then on.
    pub(super) fn of_fact(uid: Uuid, fact: &Fact) -> Self {
        Self::new(uid, &fact.text, fact.said_at, None, true)
    }

    fn new(
        uid: Uuid,
        text: &str,
        updated_at: afterword_domain::Time,
        superseded_by: Option<Uuid>,
        inferred: bool,
    ) -> Self {
        let lower = text.trim().to_lowercase();
        Self {
            uid,
            key: text_key(text),
            terms: terms(text),
            claim: Claim::of(text),
            lower: lower.trim_end_matches(['.', '。', '!', '！']).to_owned(),
            updated_at,
            superseded_by,
            inferred,
        }
    }
}

/// Where a fact belongs among memories. `replaced`: those that whoever drew it says it replaces.
pub(super) fn place(fact: &Fact, known: &[Known], replaced: &[Uuid]) -> FactPlace {
    let own = Known::of_fact(Uuid::nil(), fact);
    let same = known.iter().find(|known| known.key == own.key);
    // Said before, then changed, and now said again.
    let returns = same.and_then(|same| same.superseded_by);
    if same.is_some() && returns.is_none() {
        return FactPlace::New;
    }
    let holding = || known.iter().filter(|known| known.superseded_by.is_none());
    if same.is_none()
        && let Some(says_it) = holding().find(|known| says(known, &own))
    {
        return FactPlace::Repeats(says_it.uid);
    }
    let gone = |known: &&Known| {
        replaced.contains(&known.uid) && related(known, &own) || takes_place(&own, known)
    };
    let mut older: Vec<&Known> = holding().filter(gone).collect();
    if let Some(newer) = older.iter().find(|known| known.updated_at > fact.said_at) {
        return FactPlace::GivesWayTo(newer.uid);
    }
    older.truncate(MOST_SUPERSEDED);
    let mut uids: Vec<Uuid> = older.iter().map(|known| known.uid).collect();
    if let Some(by) = returns {
        let newer = known.iter().find(|known| known.uid == by);
        if newer.is_some_and(|newer| newer.updated_at > fact.said_at) {
            return FactPlace::GivesWayTo(by);
        }
        if !uids.contains(&by) {
            uids.push(by);
        }
    }
    if uids.is_empty() { FactPlace::New } else { FactPlace::Supersedes(uids) }
}

/// Whether a memory says what a fact says, or more.
fn says(known: &Known, fact: &Known) -> bool {
    if numbers(known) != numbers(fact) || negated(&known.lower) != negated(&fact.lower) {
        return false;
    }
    if fact.claim.as_ref().zip(known.claim.as_ref()).is_some_and(|(new, old)| new.supersedes(old)) {
        return false;
    }
    let common = known.terms.intersection(&fact.terms).count();
    let (least, most) =
        (known.terms.len().min(fact.terms.len()), known.terms.len().max(fact.terms.len()));
    let all = known.terms.len() + fact.terms.len() - common;
    (common == most && most > 0)
        || (least >= LONG && common * 100 >= NEARLY * all)
        || (fact.terms.len() >= WHOLE
            && common == fact.terms.len()
            && known.terms.len() <= 2 * fact.terms.len())
}

/// Whether an older memory does not hold beside a fact, or says only a part of it.
fn takes_place(fact: &Known, older: &Known) -> bool {
    let changes =
        fact.claim.as_ref().zip(older.claim.as_ref()).is_some_and(|(n, o)| n.supersedes(o));
    let fuller = older.inferred
        && older.terms.len() > 2
        && fact.lower.len() > older.lower.len()
        && fact.lower.starts_with(&older.lower)
        && negated(&fact.lower) == negated(&older.lower);
    changes || fuller || other_value(&fact.lower, &older.lower)
}

/// Whether two texts have anything in common.
fn related(known: &Known, fact: &Known) -> bool {
    known.terms.intersection(&fact.terms).next().is_some()
}

/// What somebody has only one of: the ways of saying it, each with `|` between.
const ONLY_ONE: [&str; 6] = [
    " lives in | live in | moved to | is based in | relocated to |住在|搬到了|搬到|搬去|定居在|定居",
    " works at | works for | is employed by | joined |就职于|入职|任职于",
    " works as | is a senior | is the head of |职位是|担任",
    "'s name is | is called | is named |叫做|名叫|的名字是",
    "'s email is | email address is |邮箱是|的邮箱",
    "'s phone number is | phone is |电话是|手机号是",
];

/// Whether two texts give the same person or thing another value of what it has only one of.
fn other_value(newer: &str, older: &str) -> bool {
    ONLY_ONE.iter().any(|ways| {
        let (Some((who, value)), Some((whose, before))) =
            (parted(newer, ways), parted(older, ways))
        else {
            return false;
        };
        !who.is_empty()
            && who == whose
            && !value.is_empty()
            && value != before
            && !before.is_empty()
    })
}

/// Whom a text tells of, and what it says, parted by one of the ways of saying it.
fn parted(text: &str, ways: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    if negated(text) {
        return None;
    }
    let (at, len) = ways.split('|').filter_map(|way| Some((text.find(way)?, way.len()))).min()?;
    let rest = &text[at + len..];
    // What follows tells of something else: `… and works at Acme`, `… on 2026-03-04`.
    let end = [" and ", ", ", " on ", " in ", " since ", " with ", "，", "。", "并", "和"]
        .iter()
        .filter_map(|gap| rest.find(gap))
        .min()
        .unwrap_or(rest.len());
    let who = text[..at].trim_start_matches("the ");
    let who = DATED.iter().fold(who.to_owned(), |who, word| who.replace(word, " "));
    let who = query_terms(&who).into_iter().filter(|term| !has_digit(term)).collect();
    Some((who, query_terms(&rest[..end]).into_iter().collect()))
}

/// Words of a date in front of what is said of somebody.
const DATED: [&str; 8] = ["年", "月", "日", "on ", "in ", "around ", "已经", "now "];

fn terms(text: &str) -> BTreeSet<String> {
    query_terms(text).into_iter().collect()
}

fn numbers(known: &Known) -> BTreeSet<&str> {
    known.terms.iter().map(String::as_str).filter(|term| has_digit(term)).collect()
}

fn has_digit(term: &str) -> bool {
    term.contains(|c: char| c.is_ascii_digit())
}

/// Whether a text in small letters denies something.
fn negated(lower: &str) -> bool {
    const LATIN: [&str; 12] = [
        "not", "no", "never", "don't", "doesn't", "didn't", "isn't", "aren't", "won't", "can't",
        "dislikes", "hates",
    ];
    let lower = lower.replace('’', "'");
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.any(|word| LATIN.contains(&word))
        || ["不", "没", "无法", "别", "讨厌", "禁止"].iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::testing::{day, memory};

    fn fact(text: &str, days: i64) -> Fact {
        Fact { text: text.to_owned(), said_at: day(days), ..Fact::default() }
    }

    fn known(text: &str, days: i64) -> Known {
        let mut memory = memory(1, text, days);
        memory.uid = Uuid::from_u128(7);
        Known::of(&memory)
    }

    fn of(newer: &str, older: &str) -> &'static str {
        match place(&fact(newer, 5), &[known(older, 1)], &[]) {
            FactPlace::New => "new",
            FactPlace::Repeats(_) => "repeats",
            FactPlace::Supersedes(_) => "supersedes",
            FactPlace::GivesWayTo(_) => "gives way",
        }
    }

    #[test]
    fn what_is_known_is_not_told_again() {
        for (newer, older) in [
            ("Ada likes green tea.", "Ada likes  green tea"),
            ("The user likes tea in the morning", "User likes tea in the morning"),
            ("Ada works on the billing service", "Ada works on the billing service of the shop"),
            ("用户喜欢乌龙茶", "用户喜欢乌龙茶。"),
        ] {
            assert_eq!(of(newer, older), "repeats", "{newer} / {older}");
        }
    }

    #[test]
    fn what_changed_takes_the_place() {
        for (newer, older) in [
            ("Ada moved to Berlin on 2026-03-04", "Ada lives in Paris"),
            ("Ada works at Acme", "Ada works for Beta"),
            ("User prefers spaces", "User prefers tabs"),
            ("We use yarn now", "We use pnpm"),
            ("Ada does not like green tea", "Ada likes green tea"),
            ("用户搬到上海", "用户住在杭州"),
            ("The API listens on port 9090 now", "The API listens on port 8080"),
        ] {
            assert_eq!(of(newer, older), "supersedes", "{newer} / {older}");
        }
        let mut older = known("Ada plays the guitar", 1);
        older.inferred = true;
        let fuller = fact("Ada plays the guitar in a band on Fridays", 5);
        assert!(matches!(place(&fuller, &[older], &[]), FactPlace::Supersedes(_)));
    }

    #[test]
    fn what_is_something_else_is_added() {
        for (newer, older) in [
            ("Ada likes tea", "Ada likes green tea"),
            ("Bo lives in Berlin", "Ada lives in Paris"),
            ("Ada's sister lives in Berlin", "Ada lives in Paris"),
            ("The worker listens on port 9090", "The API listens on port 8080"),
            ("Ada was in Rome on 2026-03-04", "Ada was in Rome on 2025-03-04"),
            ("Ada does not eat meat", "Ada eats meat on Sundays with her family"),
            ("用户的妹妹住在上海", "用户住在杭州"),
        ] {
            assert_eq!(of(newer, older), "new", "{newer} / {older}");
        }
    }

    #[test]
    fn what_the_model_says_is_replaced_where_they_have_something_in_common() {
        let (older, other) = (known("Ada eats meat", 1), known("The build is slow", 1));
        let vegan = fact("Ada is vegan", 5);
        let uid = older.uid;
        let both = [older, Known { uid: Uuid::from_u128(8), ..other }];
        let replaced = [uid, Uuid::from_u128(8)];
        assert_eq!(place(&vegan, &both, &replaced), FactPlace::Supersedes(vec![uid]));
    }

    #[test]
    fn what_was_said_before_gives_way() {
        let late = place(&fact("Ada lives in Paris", 0), &[known("Ada moved to Berlin", 3)], &[]);
        assert_eq!(late, FactPlace::GivesWayTo(Uuid::from_u128(7)));
        let mut paris = known("Ada lives in Paris", 0);
        paris.superseded_by = Some(Uuid::from_u128(9));
        let berlin = Known { uid: Uuid::from_u128(9), ..known("Ada moved to Berlin", 3) };
        let back = place(&fact("Ada lives in Paris", 6), &[paris, berlin], &[]);
        assert_eq!(back, FactPlace::Supersedes(vec![Uuid::from_u128(9)]));
    }
}
