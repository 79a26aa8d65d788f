//! What a summary's row is made of, and what it takes over from another.

use afterword_domain::summary::{Summary, SummaryContent, SummaryLevel};

use super::new_uid;
use crate::contract::{NewSummary, TurnKey};

/// The row of a summary that is not stored yet.
pub(crate) fn new_row(
    place: TurnKey,
    project_id: i64,
    level: SummaryLevel,
    new: &NewSummary,
) -> Summary {
    Summary {
        id: 0,
        uid: new_uid(new.created_at),
        session_id: Some(place.session_id),
        project_id,
        level,
        prompt_number: place.prompt_number,
        content: new.content.clone(),
        source: new.source,
        created_at: new.created_at,
    }
}

/// A model's summary with the files that the rules know besides.
pub(crate) fn with_files_of(known: &SummaryContent, rules: &SummaryContent) -> SummaryContent {
    let mut content = known.clone();
    let mut more = rules.files_modified.clone();
    more.retain(|path| !content.files_modified.contains(path));
    content.files_read.retain(|path| !more.contains(path));
    content.files_modified.extend(more);
    let mut more = rules.files_read.clone();
    more.retain(|path| {
        !content.files_read.contains(path) && !content.files_modified.contains(path)
    });
    content.files_read.extend(more);
    content
}
