//! What came of a turn after a model had told of it.

use afterword_domain::observation::Source;
use afterword_domain::summary::{Summary, SummaryContent};
use afterword_store::contract::StoredDigest;

use super::turn::with_files;
use crate::distill::model::Evidence;

/// Goes on with what a model told of a turn that it was asked about before its end: what is done
/// and what is next are the rules' to tell once the agent has answered after it, and the rest
/// stays. `digests` are those of the whole turn, `by_rules` what the rules make of them. Whether
/// anything changed; never where a person or the rules told it.
pub(crate) fn go_on(
    told: &mut Summary,
    digests: &[StoredDigest],
    by_rules: Option<&SummaryContent>,
) -> bool {
    let Some(rules) = by_rules.filter(|_| told.source == Source::Provider) else { return false };
    let later: Vec<StoredDigest> =
        digests.iter().filter(|digest| digest.at > told.created_at).cloned().collect();
    let closed = later.iter().any(|d| d.kind == "stop" && d.subagent.is_none());
    if !closed || !Evidence::of(&later).tells() {
        return false;
    }
    let mut content = with_files(told.content.clone(), Some(rules));
    if !rules.completed.is_empty() {
        content.completed.clone_from(&rules.completed);
    }
    content.next_steps.clone_from(&rules.next_steps);
    told.content = content;
    told.created_at = later.iter().map(|d| d.at).max().unwrap_or(told.created_at);
    true
}
