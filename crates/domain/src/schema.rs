//! What the JSON of types looks like that write themselves as texts.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::wire::status::jobs::JobId;
use crate::wire::timeline::Anchor;
use crate::wire::viewer::FeedCursor;
use crate::{PublicId, Time, day::Day};

/// A type that is a text in JSON.
macro_rules! text {
    ($($type:ty, $name:literal, $about:literal, $format:literal;)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!({ "type": "string", "description": $about });
                if !$format.is_empty() {
                    schema.insert("format".to_owned(), $format.into());
                }
                schema
            }
        }
    )*};
}

text! {
    Time, "Time", "A point in time, RFC 3339 in UTC with milliseconds.", "date-time";
    Day, "Day", "A day in UTC, YYYY-MM-DD.", "date";
    PublicId, "PublicId", "The id of a row: a letter for its kind and a number, as o12 or m4.", "";
    JobId, "JobId", "The name of a job.", "";
    Anchor, "Anchor", "Where a timeline is looked at: the id of a row, or a point in time.", "";
    FeedCursor, "FeedCursor", "A place in the feed, to go on from.", "";
}
