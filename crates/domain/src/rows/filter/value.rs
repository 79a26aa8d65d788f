//! Values of filters beside values of memories.

use std::cmp::Ordering;

use serde_json::Value;

use crate::Time;

/// Numbers from here on are milliseconds: as seconds it would be the year 5138.
const MILLIS_FROM: f64 = 100_000_000_000.0;

/// The moments that a value means: from the first to the one after the last.
pub(super) fn moments(value: &Value) -> Option<(Time, Time)> {
    match value {
        Value::String(text) => Some((text.parse().ok()?, Time::end_of(text).ok()?)),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let in_millis = number.abs() >= MILLIS_FROM;
            let millis = if in_millis { number } else { number * 1_000.0 };
            #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
            let from = Time::from_millis(millis.floor() as i64);
            // A whole second is what somebody means who gives no fraction of it.
            let length = if in_millis || number.fract() != 0.0 { 1 } else { 1_000 };
            Some((from, from.plus_millis(length)))
        }
        _ => None,
    }
}

/// Whether two values are the same: numbers by size, everything else as it is.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => order(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(a, b))
        }
        _ => one == other,
    }
}

/// The order of two numbers or two texts.
pub(super) fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.as_str().cmp(other)),
        (Value::Number(a), Value::Number(b)) => {
            if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
                return Some(a.cmp(&b));
            }
            if let (Some(a), Some(b)) = (a.as_u64(), b.as_u64()) {
                return Some(a.cmp(&b));
            }
            a.as_f64()?.partial_cmp(&b.as_f64()?)
        }
        _ => None,
    }
}
