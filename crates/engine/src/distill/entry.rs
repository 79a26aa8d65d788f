//! Index entries of distilled rows.

use afterword_domain::observation::ObservationContent;
use afterword_domain::summary::SummaryContent;
use afterword_store::contract::IndexDoc;

use crate::analyze;

/// The index entry of an observation.
pub(crate) fn observation_entry(content: &ObservationContent) -> IndexDoc {
    let text = format!(
        "{}\n{}\n{}\n{}",
        content.subtitle,
        content.narrative,
        content.facts.join("\n"),
        content.concepts.join(" ")
    );
    let files: Vec<String> =
        content.files_modified.iter().chain(&content.files_read).cloned().collect();
    analyze::index_doc(&content.title, &text, &files)
}

/// The index entry of a summary.
pub(crate) fn summary_entry(content: &SummaryContent) -> IndexDoc {
    let text = [
        content.investigated.as_str(),
        &content.learned,
        &content.completed,
        &content.next_steps,
        &content.notes,
    ]
    .join("\n");
    let files: Vec<String> =
        content.files_modified.iter().chain(&content.files_read).cloned().collect();
    analyze::index_doc(&content.request, &text, &files)
}
