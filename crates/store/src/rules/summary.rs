//! What a summary takes over from another.

use afterword_domain::summary::SummaryContent;

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
