//! Points in time, and the clock they come from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time in milliseconds since the Unix epoch, UTC.
///
/// Serialises as RFC 3339 with milliseconds and `Z`; reads the same, a bare date (midnight UTC),
/// or a number of milliseconds.
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
        if let Ok(date) = text.parse::<jiff::civil::Date>() {
            let midnight = format!("{date}T00:00:00Z");
            if let Ok(t) = midnight.parse::<jiff::Timestamp>() {
                return Ok(Self(t.as_millisecond()));
            }
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
        assert!("yesterday".parse::<Time>().is_err());
    }

    #[test]
    fn serialises_and_reads_back() {
        let t = Time::from_millis(1_796_000_000_123);
        let json = serde_json::to_string(&t).unwrap();
        assert_eq!(serde_json::from_str::<Time>(&json).unwrap(), t);
        assert_eq!(serde_json::from_str::<Time>("1796000000123").unwrap(), t);
    }
}
