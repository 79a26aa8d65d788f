//! Points in time, and the clock they come from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time in milliseconds since the Unix epoch, UTC.
///
/// Serialises as RFC 3339 with milliseconds and `Z`; reads the same with any offset, a date with or
/// without a time of day and no zone (UTC; a bare date is its midnight), or a number of
/// milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// Takes milliseconds since the epoch.
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This time moved by `ms` milliseconds, saturating at the ends.
    #[must_use]
    pub const fn plus_millis(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The end of what a text names, as the first moment after it: the next midnight for a bare day, the
    /// next millisecond for a point in time.
    pub fn end_of(text: &str) -> Result<Self, BadTime> {
        let start: Self = text.parse()?;
        let is_day = text.trim().parse::<jiff::Timestamp>().is_err();
        Ok(start.plus_millis(if is_day { 86_400_000 } else { 1 }))
    }

    /// The UTC date, `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.timestamp().strftime("%Y-%m-%d").to_string()
    }

    /// RFC 3339 in UTC to the second.
    pub fn rfc3339(self) -> String {
        self.timestamp().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.timestamp().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
    }
}

/// A text that is no point in time.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is no date: write YYYY-MM-DD or RFC 3339, for example 2026-11-30T09:00:00Z")]
pub struct BadTime(pub String);

impl FromStr for Time {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let text = text.trim();
        if let Ok(t) = text.parse::<jiff::Timestamp>() {
            return Ok(Self(t.as_millisecond()));
        }
        // What has an offset and was not understood must not lose it.
        let zoned = text.get(10..).is_some_and(|rest| rest.contains(['+', '-', '[', 'Z', 'z']));
        if !zoned
            && let Ok(civil) = text.parse::<jiff::civil::DateTime>()
            && let Ok(utc) = jiff::tz::Offset::UTC.to_timestamp(civil)
        {
            return Ok(Self(utc.as_millisecond()));
        }
        Err(BadTime(text.to_owned()))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Millis(i64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Millis(ms) => Ok(Self(ms)),
            Form::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// Where the time comes from. Handed in as a value so that tests can hold it still.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The current time.
    fn now(&self) -> Time;
}

/// A clock that stands still, for tests and for replays.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub Time);

impl Clock for FixedClock {
    fn now(&self) -> Time {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_timestamps_and_refuses_the_rest() {
        let t: Time = "2026-11-30".parse().unwrap();
        assert_eq!(t.rfc3339(), "2026-11-30T00:00:00Z");
        assert_eq!("2026-11-30T01:00:00+01:00".parse::<Time>().unwrap(), t);
        for bad in
            ["yesterday", "", "2026-11-30T25:00:00", "2026-02-30", "2026-11-30T09:00:00+99:00"]
        {
            assert!(bad.parse::<Time>().is_err(), "{bad}");
        }
    }

    #[test]
    fn k5_a_time_of_day_without_a_zone_is_in_utc_and_not_dropped() {
        let nine: Time = "2026-11-30T09:00:00Z".parse().unwrap();
        for text in
            ["2026-11-30T09:00:00", "2026-11-30T09:00", "2026-11-30 09:00:00", " 2026-11-30t09 "]
        {
            assert_eq!(text.parse::<Time>(), Ok(nine), "{text}");
        }
        let later: Time = "2026-11-30T09:00:00.250".parse().unwrap();
        assert_eq!(later, nine.plus_millis(250));
    }

    #[test]
    fn the_end_of_a_day_is_the_next_midnight() {
        let end = |text: &str| Time::end_of(text).unwrap().to_string();
        assert_eq!(end("2026-11-30"), "2026-12-01T00:00:00.000Z");
        assert_eq!(end("2026-11-30T09:00:00Z"), "2026-11-30T09:00:00.001Z");
        assert!(Time::end_of("tomorrow").is_err());
    }

    #[test]
    fn serialises_and_reads_back() {
        let t = Time::from_millis(1_796_000_000_123);
        let json = serde_json::to_string(&t).unwrap();
        assert_eq!(serde_json::from_str::<Time>(&json).unwrap(), t);
        assert_eq!(serde_json::from_str::<Time>("1796000000123").unwrap(), t);
    }
}
