//! Identifiers that people, tools and JSON use.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a remembered row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A distilled record of tool uses, `o12`.
    Observation,
    /// A distilled record of a turn or a session, `s3`.
    Summary,
    /// What the person typed, `p9`.
    Prompt,
    /// A lasting text, told, inferred or promoted, `m4`.
    Memory,
    /// What was kept before a compaction, `n5`.
    Snapshot,
}

impl Kind {
    /// Every kind, in the order of the letters' first use.
    pub const ALL: [Self; 5] =
        [Self::Observation, Self::Summary, Self::Prompt, Self::Memory, Self::Snapshot];

    /// The letter in front of the number of a public id.
    pub const fn letter(self) -> char {
        match self {
            Self::Observation => 'o',
            Self::Summary => 's',
            Self::Prompt => 'p',
            Self::Memory => 'm',
            Self::Snapshot => 'n',
        }
    }

    /// The word used in JSON, in the database and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Summary => "summary",
            Self::Prompt => "prompt",
            Self::Memory => "memory",
            Self::Snapshot => "snapshot",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A text that is no kind.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is no kind: use observation, summary, prompt, memory or snapshot")]
pub struct BadKind(pub String);

impl FromStr for Kind {
    type Err = BadKind;

    fn from_str(text: &str) -> Result<Self, BadKind> {
        let lower = text.trim().to_ascii_lowercase();
        let singular = match lower.as_str() {
            "memories" => "memory",
            "summaries" => "summary",
            other => other.strip_suffix('s').unwrap_or(other),
        };
        Self::ALL
            .into_iter()
            .find(|kind| kind.word() == singular)
            .ok_or_else(|| BadKind(text.to_owned()))
    }
}

/// An id that is unique across kinds: a letter and the row's number, such as `o12`.
///
/// The number is the integer key of the row in its own table; it is local to one database. What
/// must be unique across machines is the row's `uid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicId {
    /// Which table the row is in.
    pub kind: Kind,
    /// The row's integer key.
    pub number: i64,
}

impl PublicId {
    /// Joins a kind and a row number.
    pub const fn new(kind: Kind, number: i64) -> Self {
        Self { kind, number }
    }
}

impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.letter(), self.number)
    }
}

/// A text that is no public id.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is no id: an id is a letter and a number, such as o12, s3, p9, m4 or n5")]
pub struct BadId(pub String);

impl FromStr for PublicId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let bad = || BadId(text.to_owned());
        let trimmed = text.trim().trim_start_matches('#');
        let letter = trimmed.chars().next().ok_or_else(bad)?.to_ascii_lowercase();
        let kind = Kind::ALL.into_iter().find(|k| k.letter() == letter).ok_or_else(bad)?;
        let digits = &trimmed[1..];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let number = digits.parse().map_err(|_| bad())?;
        Ok(Self { kind, number })
    }
}

impl Serialize for PublicId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_nonsense_is_refused() {
        for text in ["o12", "s3", "p9", "m4", "n5"] {
            assert_eq!(text.parse::<PublicId>().unwrap().to_string(), text);
        }
        assert_eq!("#O12".parse::<PublicId>().unwrap().to_string(), "o12");
        for text in ["", "o", "12", "x1", "o-1", "o1a", "é1", "o99999999999999999999"] {
            assert!(text.parse::<PublicId>().is_err(), "{text}");
        }
    }

    #[test]
    fn kinds_accept_plurals() {
        assert_eq!("memories".parse::<Kind>().unwrap(), Kind::Memory);
        assert_eq!("Observations".parse::<Kind>().unwrap(), Kind::Observation);
        assert!("note".parse::<Kind>().is_err());
    }
}
