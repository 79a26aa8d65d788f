//! Filters that the store does not know: by file and by agent.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use afterword_domain::wire::search::SearchRequest;
use afterword_store::{Error, Result, Store};

use super::rank::Ranked;

/// Keeps the rows that concern the file and come from the agent of the request.
pub(super) async fn narrow(
    store: &dyn Store,
    request: &SearchRequest,
    ranked: &mut Vec<Ranked>,
) -> Result<()> {
    if let Some(file) = &request.file {
        let wanted = plain(file);
        ranked.retain(|found| found.text.files.iter().any(|file| is_file(&plain(file), &wanted)));
    }
    let Some(agent) = request.agent.as_deref().map(str::trim) else { return Ok(()) };
    let mut agents: HashMap<i64, bool> = HashMap::new();
    for session in ranked.iter().filter_map(|found| found.row.session_id) {
        if let Entry::Vacant(place) = agents.entry(session) {
            place.insert(match store.get_session(session).await {
                Ok(session) => session.agent == agent,
                // It went since the rows were read.
                Err(Error::NotFound(_)) => false,
                Err(error) => return Err(error),
            });
        }
    }
    ranked.retain(|found| found.row.session_id.is_some_and(|session| agents[&session]));
    Ok(())
}

fn plain(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}

/// Whether two paths may be one file: either is the end of the other.
fn is_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !one.is_empty() && !other.is_empty() && (ends(one, other) || ends(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k5_a_file_is_known_by_the_end_of_its_path() {
        let is = |one: &str, other: &str| is_file(&plain(one), &plain(other));
        for other in ["src/a.rs", "./src/a.rs", "a.rs", "/home/dev/p/src/a.rs", "src\\a.rs"] {
            assert!(is("src/a.rs", other), "{other}");
        }
        for other in ["rc/a.rs", "b/src/aa.rs", "src", "", "lib/a.rs"] {
            assert!(!is("src/a.rs", other), "{other}");
        }
    }
}
