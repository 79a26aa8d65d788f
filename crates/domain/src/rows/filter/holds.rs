//! What a filter means.

use std::cmp::Ordering;

use serde_json::Value;

use super::value::{moments, order, same};
use super::{Field, Filter, Test};
use crate::Time;
use crate::day::Day;
use crate::memory::Memory;
use crate::rows::owner::written;

impl Filter {
    /// Whether a memory passes. Both backends use it for whatever their databases do not check.
    pub fn holds(&self, memory: &Memory) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(memory)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(memory)),
            Self::Not(part) => !part.holds(memory),
            Self::Is(field, test) => field.passes(test, memory),
        }
    }
}

impl Field {
    fn passes(&self, test: &Test, memory: &Memory) -> bool {
        match self {
            Self::Owner(kind) => of_name(memory.owner.get(*kind), test),
            Self::Created => of_time(Some(memory.created_at), test),
            Self::Updated => of_time(Some(memory.updated_at), test),
            Self::Expires => of_time(memory.attributes.expires.map(Day::begins), test),
            Self::Text => of_text(&memory.text, test),
            Self::Category => of_categories(&memory.attributes.categories, test),
            Self::Metadata(path) => of_value(found(&memory.metadata, path), test),
            Self::Uid => of_name(Some(&memory.uid.to_string()), &in_small_letters(test)),
        }
    }
}

/// The tests that follow from equality, by how a value is compared; none for the others.
fn by_equality(test: &Test, equals: impl Fn(&Value) -> bool) -> Option<bool> {
    match test {
        Test::Eq(value) => Some(equals(value)),
        Test::Ne(value) => Some(!equals(value)),
        Test::In(values) => Some(values.iter().any(equals)),
        Test::NotIn(values) => Some(!values.iter().any(equals)),
        _ => None,
    }
}

/// The tests that follow from an order, as `field.cmp(value)` says it; none for the others.
fn by_order(test: &Test, order: impl Fn(&Value) -> Option<Ordering>) -> Option<bool> {
    match test {
        Test::Gt(value) => Some(order(value).is_some_and(Ordering::is_gt)),
        Test::Gte(value) => Some(order(value).is_some_and(Ordering::is_ge)),
        Test::Lt(value) => Some(order(value).is_some_and(Ordering::is_lt)),
        Test::Lte(value) => Some(order(value).is_some_and(Ordering::is_le)),
        _ => None,
    }
}

/// The tests that look into a text; none for the others.
fn by_part(test: &Test, texts: &[&str]) -> Option<bool> {
    match test {
        Test::Contains(part) => Some(texts.iter().any(|text| text.contains(part.as_str()))),
        Test::ContainsFold(part) => {
            let part = part.to_lowercase();
            Some(texts.iter().any(|text| text.to_lowercase().contains(&part)))
        }
        _ => None,
    }
}

fn of_name(name: Option<&str>, test: &Test) -> bool {
    let equals = |value: &Value| match name {
        None => value.is_null(),
        Some(name) => written(value).is_some_and(|value| value == name),
    };
    let beside = |value: &Value| name.zip(written(value)).map(|(a, b)| a.cmp(b.as_str()));
    by_equality(test, equals)
        .or_else(|| by_order(test, beside))
        .or_else(|| by_part(test, name.as_slice()))
        .unwrap_or(name.is_some())
}

/// The values in small letters: uids are written in either case.
fn in_small_letters(test: &Test) -> Test {
    let small = |value: &Value| match value {
        Value::String(written) => Value::String(written.trim().to_lowercase()),
        other => other.clone(),
    };
    match test {
        Test::Eq(value) => Test::Eq(small(value)),
        Test::Ne(value) => Test::Ne(small(value)),
        Test::In(values) => Test::In(values.iter().map(small).collect()),
        Test::NotIn(values) => Test::NotIn(values.iter().map(small).collect()),
        other => other.clone(),
    }
}

fn of_time(at: Option<Time>, test: &Test) -> bool {
    let equals = |value: &Value| match (at, moments(value)) {
        (None, _) => value.is_null(),
        (Some(at), Some((from, to))) => from <= at && at < to,
        (Some(_), None) => false,
    };
    let beside = |value: &Value| {
        let (at, (from, to)) = at.zip(moments(value))?;
        Some(if at < from {
            Ordering::Less
        } else if at < to {
            Ordering::Equal
        } else {
            Ordering::Greater
        })
    };
    let shown = at.map(|at| at.to_string());
    by_equality(test, equals)
        .or_else(|| by_order(test, beside))
        .or_else(|| by_part(test, shown.as_deref().as_slice()))
        .unwrap_or(at.is_some())
}

fn of_text(own: &str, test: &Test) -> bool {
    by_equality(test, |value| value.as_str() == Some(own))
        .or_else(|| by_order(test, |value| value.as_str().map(|value| own.cmp(value))))
        .or_else(|| by_part(test, &[own]))
        .unwrap_or(true)
}

fn of_categories(categories: &[String], test: &Test) -> bool {
    let one = |value: &Value| categories.iter().any(|own| value.as_str() == Some(own));
    let equals = |value: &Value| match value {
        Value::Null => categories.is_empty(),
        Value::Array(list) => {
            list.len() == categories.len()
                && list.iter().zip(categories).all(|(a, b)| a.as_str() == Some(b.as_str()))
        }
        value => one(value),
    };
    let texts: Vec<&str> = categories.iter().map(String::as_str).collect();
    by_equality(test, equals)
        .or_else(|| by_part(test, &texts))
        .or_else(|| by_order(test, |_| None))
        .unwrap_or(!categories.is_empty())
}

fn of_value(found: Option<&Value>, test: &Test) -> bool {
    let found = found.filter(|value| !value.is_null());
    let elements: &[Value] = match found {
        Some(Value::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let equals = |value: &Value| match found {
        None => value.is_null(),
        Some(own) => same(own, value) || elements.iter().any(|own| same(own, value)),
    };
    let texts: Vec<&str> = elements.iter().filter_map(Value::as_str).collect();
    by_equality(test, equals)
        .or_else(|| by_order(test, |value| order(found?, value)))
        .or_else(|| by_part(test, &texts))
        .unwrap_or(found.is_some())
}

/// The value that the keys lead to.
fn found<'v>(metadata: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(metadata, |value, key| value.get(key))
}
