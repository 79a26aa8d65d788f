//! Rows of every kind, newest first, page by page.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ids::{Kind, PublicId};
use crate::time::Time;
use crate::wire::search::Highlight;
use crate::wire::timeline::TimelineEntry;

/// A place between two rows: in front of a row, whether it is still there or not. Written as
/// milliseconds and id, such as `1796000000000-o12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedCursor {
    /// When the row was made.
    pub at: Time,
    /// The row.
    pub id: PublicId,
}

/// A text that is no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no place in the feed: send what the last page gave as 'next'")]
pub struct BadCursor(pub String);

impl fmt::Display for FeedCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.at.millis(), self.id)
    }
}

impl FromStr for FeedCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let parse = || {
            let (at, id) = text.trim().rsplit_once('-')?;
            Some(Self { at: Time::from_millis(at.parse().ok()?), id: id.parse().ok()? })
        };
        parse().ok_or_else(|| BadCursor(text.to_owned()))
    }
}

impl Serialize for FeedCursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FeedCursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What is asked of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedRequest {
    /// A project's key; all projects unless given.
    pub project_id: Option<i64>,
    /// Only these kinds; all when empty.
    pub kinds: Vec<Kind>,
    /// Goes on in front of this place.
    pub before: Option<FeedCursor>,
    /// Only what was made before this time.
    pub until: Option<Time>,
    /// Most rows: 50 unless said, 200 at most.
    pub limit: Option<usize>,
}

/// A page of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Feed {
    /// Newest first.
    pub entries: Vec<TimelineEntry>,
    /// Where the next page goes on; none at the end. A page may be empty and have one, where rows of
    /// the kinds asked for are rare.
    pub next: Option<FeedCursor>,
    /// Rows of these kinds in this place.
    pub total: u64,
}

/// The answer of `POST /api/viewer/search`, which takes what `POST /api/search` takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Best first; newest first for an empty query.
    pub entries: Vec<FoundEntry>,
    /// How many rows matched before the limit; counted up to 2,000.
    pub total: usize,
}

/// A row that was found, for lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundEntry {
    /// The row.
    #[serde(flatten)]
    pub entry: TimelineEntry,
    /// In [0, 1]; 0.5 and more means that it answers the question.
    pub score: f64,
    /// What matched, where the query has words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Highlight>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back() {
        for text in ["1796000000000-o12", "-5-m4"] {
            assert_eq!(text.parse::<FeedCursor>().unwrap().to_string(), text);
        }
        for text in ["", "o12", "12-", "-", "12-x4", "a-o1"] {
            assert!(text.parse::<FeedCursor>().is_err(), "{text}");
        }
    }
}
