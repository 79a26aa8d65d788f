//! What every backend does in the same way: identity, weights, limits and wording, without SQL.

pub(crate) mod entry;
pub(crate) mod fact;
pub(crate) mod hash;
pub(crate) mod owned;
pub(crate) mod ranking;
pub(crate) mod revision;
pub(crate) mod spend;
pub(crate) mod status;
pub(crate) mod summary;
pub(crate) mod transfer;
mod uid;

pub(crate) use uid::new_uid;

/// Tries after which a job is parked.
pub(crate) const TRIES: i64 = 3;

/// Characters of an error that are kept.
pub(crate) const ERROR_CHARS: usize = 500;

/// How long after the first event of a turn its job waits, in milliseconds: a burst of tool uses
/// is distilled once, and no event waits noticeably.
pub(crate) const GATHER_MS: i64 = 250;

/// Characters of the first prompt that lists show.
pub(crate) const FIRST_PROMPT_CHARS: usize = 200;

/// Rows and files that sessions were given and that are remembered, of all sessions together.
pub(crate) const MOST_GIVEN: i64 = 20_000;

/// Why a session is completed that nobody ended.
pub(crate) const IDLE: &str = "idle";

/// What a project is called when nothing is known of it.
pub(crate) const NAMELESS: &str = "unknown";

/// What a project is called.
pub(crate) fn project_name(name: &str) -> &str {
    match name.trim() {
        "" => NAMELESS,
        name => name,
    }
}
