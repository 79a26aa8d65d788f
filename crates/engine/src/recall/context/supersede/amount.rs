//! Amounts: a number and what it counts.

use super::claim::{Terms, terms};

/// What amounts are counted in.
const UNITS: [&str; 30] = [
    "ms",
    "s",
    "sec",
    "second",
    "seconds",
    "min",
    "minute",
    "minutes",
    "h",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "kb",
    "mb",
    "gb",
    "kib",
    "mib",
    "gib",
    "%",
    "times",
    "retries",
    "workers",
    "replicas",
    "connections",
    "percent",
];

/// The same in Chinese, where they follow the number at once.
const CHINESE_UNITS: [&str; 12] =
    ["毫秒", "秒", "分钟", "小时", "天", "周", "个月", "次", "个", "条", "倍", "%"];

/// A number and what it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) number: String,
    pub(super) unit: &'static str,
}

/// The amount of a text that names one.
pub(super) fn amount(lower: &str) -> Option<(Amount, Terms)> {
    let mut found = None;
    let mut from = 0;
    while let Some(at) = lower[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
        let end = lower[at..].find(|c| !of_number(c)).map_or(lower.len(), |len| at + len);
        from = end;
        let inside_a_word = lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let Some(unit) = unit_at(&lower[end..]).filter(|_| !inside_a_word) else { continue };
        if found.is_some() {
            return None;
        }
        let number = lower[at..end].trim_end_matches('.').to_owned();
        found = Some((Amount { number, unit }, terms(&[&lower[..at], &lower[end..]].join(" "))));
    }
    found
}

/// The unit that a text begins with.
fn unit_at(rest: &str) -> Option<&'static str> {
    let rest = rest.trim_start_matches([' ', '-']);
    if let Some(unit) = CHINESE_UNITS.into_iter().find(|unit| rest.starts_with(unit)) {
        return Some(unit);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    UNITS.into_iter().find(|unit| *unit == &rest[..end])
}
