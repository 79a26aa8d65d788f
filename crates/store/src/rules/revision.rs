//! Rows that a person changes.

use afterword_domain::Time;
use afterword_domain::observation::Source;
use serde_json::{Value, json};

use crate::contract::{Row, RowBody};

/// Whether distilling leaves a row alone that a person has changed. The summary of a session gives
/// way to later work.
pub(crate) fn belongs_to_person(source: Source, made: Time, of_session: bool, now: Time) -> bool {
    source == Source::Person && (!of_session || now <= made)
}

/// What stands in a revision: what the row said, and the rows that it took in.
pub(crate) fn before(known: &Row, took_in: &[Row]) -> serde_json::Result<Value> {
    let mut before = content_of(known)?;
    if !took_in.is_empty() {
        let list: Vec<Value> = took_in
            .iter()
            .map(|row| {
                let mut content = content_of(row)?;
                content["id"] = json!(row.id);
                content["uid"] = json!(row.uid);
                Ok(content)
            })
            .collect::<serde_json::Result<_>>()?;
        before["took_in"] = list.into();
    }
    Ok(before)
}

fn content_of(row: &Row) -> serde_json::Result<Value> {
    Ok(match &row.body {
        RowBody::Observation(row) => serde_json::to_value(&row.content)?,
        RowBody::Summary(row) => serde_json::to_value(&row.content)?,
        RowBody::Memory(row) => json!({"title": row.title, "text": row.text, "files": row.files}),
        RowBody::Prompt(row) => json!({ "text": row.text }),
        RowBody::Snapshot(row) => json!({ "text": row.text }),
    })
}

/// The word for a change in revisions and histories.
pub(crate) const fn change(merged: bool) -> &'static str {
    if merged { "merged" } else { "edited" }
}
