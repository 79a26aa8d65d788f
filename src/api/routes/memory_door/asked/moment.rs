//! Points in time and days as callers write them.

use std::borrow::Cow;

use afterword_domain::Time;
use afterword_domain::day::Day;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::api::error::{ApiError, ApiResult};

/// Numbers from here on are milliseconds: as seconds it would be the year 5138.
const MILLIS_FROM: f64 = 100_000_000_000.0;

/// Years that are dates of something that happened or may happen: what lies outside is a mistake.
const YEARS: std::ops::Range<i64> = -62_135_596_800_000..253_402_300_800_000;

/// A point in time: a text, or a number of seconds, or of milliseconds from 100,000,000,000 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::api) struct Moment(pub(in crate::api) Time);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let at = match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().map_err(D::Error::custom)?,
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or(f64::INFINITY);
                let millis = if number.abs() >= MILLIS_FROM { number } else { number * 1_000.0 };
                #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
                Time::from_millis(millis as i64)
            }
            _ => return Err(D::Error::custom("a date, or a number of seconds since 1970")),
        };
        if YEARS.contains(&at.millis()) {
            return Ok(Self(at));
        }
        Err(D::Error::custom("the year is one of 1 to 9999"))
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A point in time: RFC 3339, a bare day, or seconds since 1970 (milliseconds from 100000000000 on).",
            "type": ["string", "number"],
        })
    }
}

/// A day: `YYYY-MM-DD`, or the day of a point in time.
pub(in crate::api) fn day(name: &str, text: &str) -> ApiResult<Day> {
    text.parse().map_err(|why| ApiError::invalid(format!("{name}: {why}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_read_in_every_form() {
        let at: Time = "2026-11-30T09:00:00Z".parse().unwrap();
        for form in [
            json!("2026-11-30T09:00:00Z"),
            json!("2026-11-30T10:00:00+01:00"),
            json!(1_796_029_200),
            json!(1_796_029_200.0),
            json!(1_796_029_200_000_i64),
        ] {
            assert_eq!(serde_json::from_value::<Moment>(form.clone()).unwrap().0, at, "{form}");
        }
        for bad in [json!("soon"), json!(true), json!(1e300), json!([1])] {
            assert!(serde_json::from_value::<Moment>(bad.clone()).is_err(), "{bad}");
        }
    }
}
