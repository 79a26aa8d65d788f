//! Days, as what is spent is counted by them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Time;
use crate::time::BadTime;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// A day in UTC: it begins at one moment everywhere, so that neither summer time nor a journey
/// makes it longer, shorter or come twice. Serialises as `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

impl Day {
    /// The day of a point in time.
    pub const fn of(at: Time) -> Self {
        Self(at.millis().div_euclid(DAY_MS))
    }

    /// Takes days since the Unix epoch.
    pub const fn from_number(days: i64) -> Self {
        Self(days)
    }

    /// Days since the Unix epoch.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// So many days later, or earlier.
    #[must_use]
    pub const fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Its first moment.
    pub const fn begins(self) -> Time {
        Time::from_millis(self.0.saturating_mul(DAY_MS))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.begins().date())
    }
}

impl FromStr for Day {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        text.parse().map(Self::of)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Time::deserialize(deserializer).map(Self::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_goes_from_midnight_to_midnight_and_back_through_text() {
        let day = Day::of("2026-11-30T23:59:59Z".parse().unwrap());
        assert_eq!(day.to_string(), "2026-11-30");
        assert_eq!(day.begins().rfc3339(), "2026-11-30T00:00:00Z");
        assert_eq!(Day::of(day.plus(1).begins()), day.plus(1));
        assert_eq!(Day::of(day.plus(1).begins().plus_millis(-1)), day);
        assert_eq!(Day::of(Time::from_millis(-1)).number(), -1, "also before 1970");
        let json = serde_json::to_string(&day).unwrap();
        assert_eq!(json, "\"2026-11-30\"");
        assert_eq!(serde_json::from_str::<Day>(&json).unwrap(), day);
    }
}
