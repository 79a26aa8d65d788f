//! What of a filter a database can check by itself.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

use super::value::moments;
use super::{Field, Filter, Test};
use crate::Time;
use crate::rows::owner::{Owner, OwnerKind, written};

/// Most ways through the owners that are told apart. A filter with more of them is told of by
/// fewer conditions.
const MOST_WAYS: usize = 64;

/// Most texts that are told to stand in a memory.
const MOST_WRITTEN: usize = 8;

/// Conditions that every memory meets which passes a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Necessary {
    /// Its owner matches one of these. One that asks nothing lets everybody pass; where there is
    /// none, nothing passes.
    pub owners: Vec<OwnerMatch>,
    /// When it was made.
    pub created: Span,
    /// When it last changed.
    pub updated: Span,
    /// Its uid is one of these.
    pub uids: Option<BTreeSet<Uuid>>,
    /// What stands in it, as it is stored; all of these.
    pub written: Vec<Written>,
    /// Whether every memory passes that meets them.
    pub whole: bool,
}

impl Default for Necessary {
    /// No condition.
    fn default() -> Self {
        Self {
            owners: vec![OwnerMatch::default()],
            created: Span::default(),
            updated: Span::default(),
            uids: None,
            written: Vec::new(),
            whole: true,
        }
    }
}

impl Necessary {
    /// Whether owners are asked for at all.
    pub fn asks_for_owners(&self) -> bool {
        !self.owners.contains(&OwnerMatch::default())
    }

    /// Whether nothing can pass.
    pub fn is_impossible(&self) -> bool {
        self.owners.is_empty()
            || self.created.is_empty()
            || self.updated.is_empty()
            || self.uids.as_ref().is_some_and(BTreeSet::is_empty)
    }

    fn none() -> Self {
        Self { owners: Vec::new(), ..Self::default() }
    }

    fn unknown() -> Self {
        Self { whole: false, ..Self::default() }
    }

    fn of_owner(kind: OwnerKind, matched: NameMatch) -> Self {
        let mut owner = OwnerMatch::default();
        *owner.of_mut(kind) = matched;
        Self { owners: vec![owner], ..Self::default() }
    }

    /// Both conditions.
    fn and(mut self, other: Self) -> Self {
        self.created = self.created.both(other.created);
        self.updated = self.updated.both(other.updated);
        self.uids = match (self.uids, other.uids) {
            (Some(own), Some(other)) => Some(own.intersection(&other).copied().collect()),
            (own, other) => own.or(other),
        };
        self.whole &= other.whole;
        for written in other.written {
            if !self.written.contains(&written) && self.written.len() < MOST_WRITTEN {
                self.written.push(written);
            }
        }
        if self.owners.len() * other.owners.len() > MOST_WAYS {
            // Either of them is necessary: the shorter one is.
            if other.owners.len() < self.owners.len() {
                self.owners = other.owners;
            }
            self.whole = false;
            return self;
        }
        let pairs = self.owners.iter().flat_map(|own| other.owners.iter().map(move |o| (own, o)));
        let mut owners: Vec<OwnerMatch> = Vec::new();
        for both in pairs.filter_map(|(own, other)| own.both(other)) {
            if !owners.contains(&both) {
                owners.push(both);
            }
        }
        self.owners = owners;
        self
    }

    /// One of the conditions.
    fn or(mut self, other: Self) -> Self {
        if self.is_impossible() {
            return other;
        }
        if other.is_impossible() {
            return self;
        }
        let alone = |it: &Self| {
            it.created == Span::default() && it.updated == Span::default() && it.uids.is_none()
        };
        let same_owners = self.owners == other.owners;
        let same_rest = (&self.created, &self.updated, &self.uids)
            == (&other.created, &other.updated, &other.uids);
        let only_uids = same_owners
            && self.uids.is_some()
            && other.uids.is_some()
            && (self.created, self.updated) == (other.created, other.updated);
        self.whole &= other.whole && (same_rest || only_uids || alone(&self) && alone(&other));
        self.written.retain(|written| other.written.contains(written));
        self.created = self.created.hull(other.created);
        self.updated = self.updated.hull(other.updated);
        self.uids = match (self.uids, other.uids) {
            (Some(mut own), Some(other)) => {
                own.extend(other);
                Some(own)
            }
            _ => None,
        };
        for owner in other.owners {
            if !self.owners.contains(&owner) {
                self.owners.push(owner);
            }
        }
        if self.asks_for_owners() && self.owners.len() > MOST_WAYS {
            self.owners = vec![OwnerMatch::default()];
            self.whole = false;
        }
        self
    }
}

/// A text that stands somewhere in a memory as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub place: Place,
    /// The text, as JSON writes it where the place is JSON.
    pub text: String,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the text.
    Text,
    /// In the caller's own fields, which are JSON.
    Metadata,
    /// Among the categories, which are JSON.
    Categories,
}

/// What an owner is asked for: each of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerMatch {
    /// Of the person.
    pub user: NameMatch,
    /// Of the agent.
    pub agent: NameMatch,
    /// Of the application.
    pub app: NameMatch,
    /// Of the run.
    pub run: NameMatch,
}

impl OwnerMatch {
    /// Owners that have all names of one.
    pub fn of_owner(owner: &Owner) -> Self {
        let mut all = Self::default();
        for (kind, name) in owner.names() {
            *all.of_mut(kind) = NameMatch::OneOf([name.to_owned()].into());
        }
        all
    }

    /// What is asked of a name.
    pub const fn of(&self, kind: OwnerKind) -> &NameMatch {
        match kind {
            OwnerKind::User => &self.user,
            OwnerKind::Agent => &self.agent,
            OwnerKind::App => &self.app,
            OwnerKind::Run => &self.run,
        }
    }

    /// What is asked of a name, to be changed.
    pub const fn of_mut(&mut self, kind: OwnerKind) -> &mut NameMatch {
        match kind {
            OwnerKind::User => &mut self.user,
            OwnerKind::Agent => &mut self.agent,
            OwnerKind::App => &mut self.app,
            OwnerKind::Run => &mut self.run,
        }
    }

    /// Whether an owner matches.
    pub fn holds(&self, owner: &Owner) -> bool {
        OwnerKind::ALL.into_iter().all(|kind| match (self.of(kind), owner.get(kind)) {
            (NameMatch::Anything, _) | (NameMatch::Present, Some(_)) => true,
            (NameMatch::OneOf(names), Some(name)) => names.contains(name),
            (NameMatch::Present | NameMatch::OneOf(_), None) => false,
        })
    }

    /// Both; none where no owner can match both.
    fn both(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        for kind in OwnerKind::ALL {
            let own = both.of_mut(kind);
            match (&mut *own, other.of(kind)) {
                (_, NameMatch::Anything) | (NameMatch::OneOf(_), NameMatch::Present) => {}
                (NameMatch::Anything | NameMatch::Present, other) => *own = other.clone(),
                (NameMatch::OneOf(names), NameMatch::OneOf(others)) => {
                    names.retain(|name| others.contains(name));
                    if names.is_empty() {
                        return None;
                    }
                }
            }
        }
        Some(both)
    }
}

/// What is asked of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameMatch {
    /// Nothing; it need not be there.
    #[default]
    Anything,
    /// It is there.
    Present,
    /// It is one of these.
    OneOf(BTreeSet<String>),
}

/// A stretch of time, open where an end is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first moment.
    pub from: Option<Time>,
    /// The moment after its last.
    pub before: Option<Time>,
}

impl Span {
    /// Whether a moment is in it.
    pub fn holds(&self, at: Time) -> bool {
        self.from.is_none_or(|from| from <= at) && self.before.is_none_or(|before| at < before)
    }

    fn is_empty(&self) -> bool {
        self.from.zip(self.before).is_some_and(|(from, before)| from >= before)
    }

    fn both(self, other: Self) -> Self {
        let before = match (self.before, other.before) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
        Self { from: self.from.max(other.from), before }
    }

    fn hull(self, other: Self) -> Self {
        Self {
            from: self.from.zip(other.from).map(|(own, other)| own.min(other)),
            before: self.before.zip(other.before).map(|(own, other)| own.max(other)),
        }
    }
}

impl Filter {
    /// Conditions that every passing memory meets, of the kinds that databases check by themselves
    /// (owners, times, uids), and whether they say everything that the filter says.
    pub fn necessary(&self) -> Necessary {
        match self {
            Self::All(parts) => {
                parts.iter().map(Self::necessary).fold(Necessary::default(), Necessary::and)
            }
            Self::Any(parts) => {
                parts.iter().map(Self::necessary).fold(Necessary::none(), Necessary::or)
            }
            Self::Not(part) => match &**part {
                Self::Not(inner) => inner.necessary(),
                _ => Necessary::unknown(),
            },
            Self::Is(Field::Owner(kind), test) => of_owner(*kind, test),
            Self::Is(Field::Created, test) => of_time(test, |it| &mut it.created),
            Self::Is(Field::Updated, test) => of_time(test, |it| &mut it.updated),
            Self::Is(Field::Uid, test) => of_uid(test),
            Self::Is(Field::Text, test) => of_text(test),
            Self::Is(Field::Metadata(_), test) => of_json(Place::Metadata, test),
            Self::Is(Field::Category, test) => of_json(Place::Categories, test),
            Self::Is(Field::Expires, _) => Necessary::unknown(),
        }
    }
}

fn of_owner(kind: OwnerKind, test: &Test) -> Necessary {
    let values = match test {
        Test::Eq(value) => std::slice::from_ref(value),
        Test::In(values) => values,
        Test::Present => return Necessary::of_owner(kind, NameMatch::Present),
        Test::Contains(_) | Test::ContainsFold(_) => {
            return Necessary { whole: false, ..Necessary::of_owner(kind, NameMatch::Present) };
        }
        _ => return Necessary::unknown(),
    };
    if values.iter().any(Value::is_null) {
        return Necessary::unknown();
    }
    let names: BTreeSet<String> = values.iter().filter_map(written).collect();
    if names.is_empty() {
        return Necessary::none();
    }
    Necessary::of_owner(kind, NameMatch::OneOf(names))
}

fn of_time(test: &Test, place: impl Fn(&mut Necessary) -> &mut Span) -> Necessary {
    let (Test::Eq(value) | Test::Gt(value) | Test::Gte(value) | Test::Lt(value) | Test::Lte(value)) =
        test
    else {
        return if *test == Test::Present { Necessary::default() } else { Necessary::unknown() };
    };
    let Some((from, to)) = moments(value) else { return Necessary::none() };
    let span = match test {
        Test::Gt(_) => Span { from: Some(to), before: None },
        Test::Gte(_) => Span { from: Some(from), before: None },
        Test::Lt(_) => Span { from: None, before: Some(from) },
        Test::Lte(_) => Span { from: None, before: Some(to) },
        _ => Span { from: Some(from), before: Some(to) },
    };
    let mut necessary = Necessary::default();
    *place(&mut necessary) = span;
    necessary
}

fn of_uid(test: &Test) -> Necessary {
    let values = match test {
        Test::Eq(value) => std::slice::from_ref(value),
        Test::In(values) => values,
        Test::Present => return Necessary::default(),
        _ => return Necessary::unknown(),
    };
    // Only what is written as `holds` compares it: 36 characters with hyphens.
    let uids = values.iter().filter_map(Value::as_str).map(str::trim);
    let uids = uids.filter(|text| text.len() == 36).filter_map(|text| text.parse().ok());
    Necessary { uids: Some(uids.collect()), ..Necessary::default() }
}

fn of_text(test: &Test) -> Necessary {
    let part = match test {
        Test::Contains(part) | Test::Eq(Value::String(part)) => part.clone(),
        _ => return Necessary::unknown(),
    };
    Necessary { written: vec![Written { place: Place::Text, text: part }], ..Necessary::unknown() }
}

/// A text that a value equals, or an element of it, stands there with its quotes.
fn of_json(place: Place, test: &Test) -> Necessary {
    let (Test::Eq(value @ Value::String(_)), mut necessary) = (test, Necessary::unknown()) else {
        return Necessary::unknown();
    };
    necessary.written.push(Written { place, text: value.to_string() });
    necessary
}
