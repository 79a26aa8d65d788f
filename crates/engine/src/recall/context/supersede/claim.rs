//! One statement taken apart, and what it says of an older one.

use std::collections::BTreeSet;

use super::amount::{Amount, amount};
use super::words::{CHANGED, GIVEN_UP, IS, OPPOSITE, REASONS, RIVALS, USES};
use crate::analyze::query_terms;

/// A statement of more characters says several things.
const MAX_CHARS: usize = 240;

/// Most words of a value: longer ones are explanations.
const MAX_VALUE: usize = 4;

/// Most terms of a value that names one thing.
const MAX_NAME: usize = 8;

pub(super) type Terms = BTreeSet<String>;

/// A statement taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Whom or what it is about; empty for `we` and for nobody.
    subject: Terms,
    /// 1 for use, 2 for being, 0 for anything else.
    verb: u8,
    value: Terms,
    purpose: Terms,
    given_up: Vec<Terms>,
    all: Terms,
    opposite: bool,
    changed: bool,
    /// The one amount that it names, and the text with nothing in its place.
    amount: Option<(Amount, Terms)>,
}

impl Claim {
    /// Takes a statement apart; none for one that is too long to be one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > MAX_CHARS {
            return None;
        }
        let lower = text.to_lowercase().replace('’', "'");
        let mut claim = Self {
            opposite: OPPOSITE.iter().any(|word| starts_in(first_clause(&lower), word)),
            changed: CHANGED.iter().any(|cue| lower.contains(cue)),
            all: terms(&without(&lower, &OPPOSITE)),
            given_up: given_up(&lower),
            amount: amount(&lower),
            ..Self::default()
        };
        claim.read(first_clause(&lower));
        Some(claim)
    }

    fn read(&mut self, clause: &str) {
        let found = [(1, &USES[..]), (2, &IS[..])].into_iter().find_map(|(kind, verbs)| {
            let places = verbs.iter().filter_map(|verb| Some((place(clause, verb)?, verb.len())));
            places.min_by_key(|(at, len)| (*at, usize::MAX - len)).map(|(at, len)| (kind, at, len))
        });
        let Some((kind, at, len)) = found else { return };
        self.verb = kind;
        self.subject = terms(&clause[..at]);
        let rest = &clause[at + len..];
        let reason = REASONS.iter().filter_map(|word| rest.find(word)).min();
        let rest = &rest[..reason.unwrap_or(rest.len())];
        let (value, purpose) = [" for ", " to ", " in ", " when ", " as ", "来", "做", "管理"]
            .iter()
            .filter_map(|gap| rest.find(gap).map(|at| rest.split_at(at)))
            .min_by_key(|(value, _)| value.len())
            .unwrap_or((rest, ""));
        self.value = terms(value);
        self.purpose = terms(purpose);
    }

    /// Whether an older statement no longer holds beside this one.
    pub(crate) fn supersedes(&self, older: &Self) -> bool {
        self.is_opposite_of(older)
            || self.gives_up(older)
            || self.changes(older)
            || self.counts_otherwise(older)
    }

    /// Says the same with another number of the same unit.
    fn counts_otherwise(&self, older: &Self) -> bool {
        let (Some((new, rest)), Some((old, old_rest))) = (&self.amount, &older.amount) else {
            return false;
        };
        let same = new.unit == old.unit && rest == old_rest && rest.len() >= 2;
        same && new.number != old.number && self.opposite == older.opposite
    }

    /// The same words with the opposite sense.
    fn is_opposite_of(&self, older: &Self) -> bool {
        if self.opposite == older.opposite {
            return false;
        }
        let common = self.all.intersection(&older.all).count();
        common >= 2 && common * 5 >= self.all.union(&older.all).count() * 4
    }

    /// Names the older value as given up, for all that it was used for.
    fn gives_up(&self, older: &Self) -> bool {
        !older.opposite
            && older.verb == 1
            && !older.value.is_empty()
            && self.given_up.iter().any(|gone| older.value.is_subset(gone))
            && older.subject.is_subset(&self.all)
            && older.purpose.is_subset(&self.all)
    }

    /// Gives the same thing another value.
    fn changes(&self, older: &Self) -> bool {
        let sized = |value: &Terms| (1..=MAX_VALUE).contains(&value.len());
        // An address or identifier comes with its parts.
        let named =
            |value: &Terms| value.len() <= MAX_NAME && value.iter().any(|term| is_a_name(term));
        if self.verb == 0
            || self.verb != older.verb
            || self.opposite
            || older.opposite
            || self.subject != older.subject
            || !(sized(&self.value) || named(&self.value))
            || !(sized(&older.value) || named(&older.value))
            || self.value == older.value
        {
            return false;
        }
        let same_use = self.purpose == older.purpose
            || (self.changed && (self.purpose.is_empty() || older.purpose.is_empty()));
        let about =
            !self.subject.is_empty() || (!self.purpose.is_empty() && self.purpose == older.purpose);
        let numbers =
            |value: &Terms| value.iter().any(|term| term.starts_with(|c: char| c.is_ascii_digit()));
        let exact = |value: &Terms| numbers(value) || named(value);
        same_use
            && ((self.changed && about)
                || rivals(&self.value, &older.value)
                || (self.verb == 2 && about && exact(&self.value) && exact(&older.value)))
    }
}

/// Which of some statements, newest first, do not hold any more.
pub(crate) fn superseded<'t>(newest_first: impl Iterator<Item = &'t str>) -> Vec<bool> {
    let mut holding: Vec<Claim> = Vec::new();
    newest_first
        .map(|text| {
            let Some(claim) = Claim::of(text) else { return false };
            let gone = holding.iter().any(|newer| newer.supersedes(&claim));
            if !gone && holding.len() < MAX_HOLDING {
                holding.push(claim);
            }
            gone
        })
        .collect()
}

/// Statements that older ones are held against.
const MAX_HOLDING: usize = 300;

fn rivals(a: &Terms, b: &Terms) -> bool {
    let of = |value: &Terms, set: &'static str| {
        set.split(' ').find(|word| query_terms(word).iter().any(|term| value.contains(term)))
    };
    RIVALS.iter().any(|set| match (of(a, set), of(b, set)) {
        (Some(a), Some(b)) => a != b && !a.starts_with(b) && !b.starts_with(a),
        _ => false,
    })
}

/// Whether a term names one thing, as addresses and identifiers do.
fn is_a_name(term: &str) -> bool {
    term.contains(['.', '_', '-', '/', ':', '@'])
}

fn given_up(lower: &str) -> Vec<Terms> {
    let mut out = Vec::new();
    for cue in GIVEN_UP {
        let Some(at) = place(lower, cue) else { continue };
        let rest = &lower[at + cue.len()..];
        let end = rest.find([',', ';', '.', '，', '；', '。', '、']).unwrap_or(rest.len());
        let rest = &rest[..end];
        let end =
            [" for ", " with ", " to ", " by ", "改"].iter().filter_map(|gap| rest.find(gap)).min();
        let gone = terms(rest[..end.unwrap_or(rest.len())].trim_start_matches("use "));
        if (1..=MAX_VALUE).contains(&gone.len()) {
            out.push(gone);
        }
    }
    out
}

/// The part in front of a comma; of `no longer X, now Y` both belong to the statement, so the part
/// that names a value in force.
fn first_clause(lower: &str) -> &str {
    let gives_up = |clause: &&str| OPPOSITE.iter().any(|word| starts_in(clause, word));
    let mut clauses = lower.split([',', ';', '，', '；', '。']).filter(|c| !c.trim().is_empty());
    let first = clauses.next().unwrap_or(lower);
    if gives_up(&first) { clauses.find(|c| !gives_up(c)).unwrap_or(first) } else { first }
}

/// Where a cue stands: Latin words at the beginning of a word only.
fn place(text: &str, cue: &str) -> Option<usize> {
    let whole = |at: usize| {
        !cue.starts_with(|c: char| c.is_ascii_alphanumeric())
            || at == 0
            || text[..at].ends_with(|c: char| !c.is_ascii_alphanumeric())
    };
    text.match_indices(cue).map(|(at, _)| at).find(|&at| whole(at))
}

fn starts_in(text: &str, word: &str) -> bool {
    place(text, word).is_some()
}

fn without(text: &str, words: &[&str]) -> String {
    words.iter().fold(text.to_owned(), |text, word| text.replace(word, " "))
}

/// The telling terms of a part.
pub(super) fn terms(text: &str) -> Terms {
    const EMPTY: [&str; 33] = [
        "we", "now", "always", "longer", "anymore", "instead", "please", "remember", "note",
        "must", "should", "our", "the", "all", "ever", "project", "这里", "我们", "现在", "以后",
        "今后", "一律", "统一", "项目", "记住", "必须", "总是", "都", "请", "从", "起", "了", "里",
    ];
    let mut bare = text.to_owned();
    for word in EMPTY.iter().filter(|word| !word.is_ascii()) {
        bare = bare.replace(word, " ");
    }
    // A text of nothing but stop words would come back whole: one more word keeps them out.
    let probe = "afterwordprobe";
    let found = query_terms(&format!("{probe} {bare}"));
    let own = query_terms(probe);
    found.into_iter().filter(|t| !own.contains(t) && !EMPTY.contains(&t.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(newer: &str, older: &str) -> bool {
        superseded([newer, older].into_iter()) == [false, true]
    }

    #[test]
    fn g7_the_newer_of_two_values_holds() {
        for (newer, older) in [
            ("We use yarn now", "We use pnpm"),
            ("We use yarn.", "We use pnpm, never npm."),
            ("Use pnpm instead of npm", "We use npm"),
            ("We no longer use Redis, we use SQLite now", "We use Redis"),
            ("Switched from Jest to Vitest", "We use Jest"),
            ("The API listens on port 9090 now", "The API listens on port 8080"),
            ("The default port is 9090", "The default port is 8080"),
            ("The API is now deployed with Helm", "The API is deployed with Compose"),
            ("Never deploy on fridays", "Deploy on fridays"),
            ("Always use tabs for indentation", "Always use spaces for indentation"),
            ("我们现在用 yarn", "我们用 pnpm"),
            ("包管理器改用 pnpm", "包管理器用 npm"),
            ("不再用 npm，改用 pnpm", "我们用 npm"),
            ("默认端口改为 9090", "默认端口是 8080"),
            ("周五不要发布版本", "周五发布版本"),
            (
                "We decided to switch from Postgres to MySQL",
                "We chose Postgres over MySQL because of pgvector",
            ),
            ("Deploys go through ArgoCD now, Jenkins is gone", "Deploys go through Jenkins"),
            ("Auth tokens expire after 60 minutes now", "Auth tokens expire after 15 minutes"),
            (
                "The staging server is stage-b.example.com",
                "The staging server is stage-a.example.com",
            ),
            ("Use camelCase for JSON keys", "Use snake_case for JSON keys"),
            ("登录令牌 60 分钟后过期", "登录令牌 15 分钟后过期"),
        ] {
            assert!(
                gone(newer, older),
                "{newer} / {older}: {:?} {:?}",
                Claim::of(newer),
                Claim::of(older)
            );
        }
    }

    #[test]
    fn g7_other_facts_stay() {
        for (newer, older) in [
            ("We use Rust now", "We use 4 spaces for indentation"),
            ("We use Redis for queues now", "We use pnpm"),
            ("We use Playwright for browser tests", "We use Vitest for unit tests"),
            ("The API uses Redis", "The API uses JWT"),
            ("The parser is recursive", "The parser is slow"),
            ("Never commit to main", "Never push to main"),
            ("Never log tokens", "Tokens rotate on every use"),
            ("We use pnpm", "We use pnpm"),
            ("The worker listens on port 9090 now", "The API listens on port 8080"),
            ("Use pnpm instead of npm", "Publish releases with npm for the plugin"),
            ("前端用 vitest", "后端用 pytest"),
            ("我们用 Flyway 做迁移", "我们用 Redis 做缓存"),
            ("提交信息用英文", "注释用中文"),
            ("以后提交信息都用英文", "包管理器用 pnpm"),
            ("Refresh tokens expire after 60 minutes", "Auth tokens expire after 15 minutes"),
            ("Ticket 12 is fixed in the parser", "Ticket 13 is fixed in the parser"),
            (
                "Jobs wait 5 seconds and are tried 3 times",
                "Jobs wait 9 seconds and are tried 4 times",
            ),
            ("The worker waits 5 seconds", "The worker waits 5 minutes"),
            ("We chose Redis for sessions", "We chose Postgres over MySQL because of pgvector"),
        ] {
            assert_eq!(
                superseded([newer, older].into_iter()),
                [false, false],
                "{newer} / {older}: {:?} {:?}",
                Claim::of(newer),
                Claim::of(older)
            );
        }
    }

    #[test]
    fn g7_a_value_that_came_back_holds_again() {
        let told = ["We use npm now", "We use pnpm now", "We use npm"];
        assert_eq!(superseded(told.into_iter()), [false, true, false]);
        assert_eq!(superseded(["", &"x ".repeat(500)].into_iter()), [false, false]);
    }
}
