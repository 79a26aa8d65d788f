//! Short texts that say who and where: agents, sessions, projects.
//!
//! They are looked up as they were stored, so whoever asks cleans them with the same functions.

use sha2::{Digest as _, Sha256};

use super::bound;
use crate::privacy::clean;
use crate::project::ProjectRef;
use crate::text::{hex, prefix};
use crate::wire::recall::FileQuestion;

/// Most bytes of a path.
pub(super) const PATH: usize = 4 * 1024;

/// Most bytes of an id or a name.
pub(super) const WORD: usize = 512;

/// Most characters of an agent's name.
const AGENT: usize = 40;

/// Most keys of a project; the resolver makes a handful.
const KEYS: usize = 32;

/// Most changed files of a session's start.
const CHANGED: usize = 100;

/// Most files of one question.
const ASKED: usize = 5;

/// What an agent is called whose name holds nothing usable.
const UNKNOWN: &str = "unknown";

/// An agent's name as it is stored: 1 to 40 of `a-z`, `0-9`, `.`, `_` and `-`.
///
/// Anything else is cleaned first and then spelled in that alphabet; `unknown` when nothing is left.
/// A name that is stored comes back unchanged.
pub fn agent_name(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let mut text = name.trim().to_owned();
    tidy(&mut text, WORD);
    let mut word = String::with_capacity(AGENT);
    for c in text.chars() {
        match u8::try_from(c).map(|b| b.to_ascii_lowercase()) {
            Ok(b) if plain(b) => word.push(char::from(b)),
            // One dash for whatever cannot be spelled, and none at the start.
            _ if !word.is_empty() && !word.ends_with('-') => word.push('-'),
            _ => {}
        }
        if word.len() == AGENT {
            break;
        }
    }
    let word = word.trim_matches('-');
    if word.is_empty() { UNKNOWN.to_owned() } else { word.to_owned() }
}

/// An agent's session id as it is stored.
///
/// A UUID cannot be a secret and stays. An id that loses something in cleaning keeps a digest of
/// what it was: masked ids must not join sessions that have nothing in common.
pub fn session_id(id: &str) -> String {
    let mut id = id.trim().to_owned();
    if uuid::Uuid::try_parse(&id).is_err() {
        identity(&mut id, WORD);
    }
    id
}

/// Cleans the files that were changed when a session started, and keeps the first 100.
pub fn clean_changed(files: &mut Vec<String>) {
    files.truncate(CHANGED);
    for file in files.iter_mut() {
        tidy(file, PATH);
    }
    files.retain(|file| !file.is_empty());
}

/// Cleans a question about files, as it must be before it leaves the hook and before it is answered.
pub fn clean_file_question(question: &mut FileQuestion) {
    let FileQuestion { agent, agent_session_id, project, cwd, paths } = question;
    *agent = agent_name(agent);
    *agent_session_id = session_id(agent_session_id);
    clean_project(project);
    paths.truncate(ASKED);
    for path in paths.iter_mut().chain(cwd) {
        tidy(path, PATH);
    }
}

/// Cleans a reference to a project, as whoever resolves one must: names, keys, paths and labels.
///
/// Cleaning twice changes nothing. A key that loses something keeps a digest of what it was, so
/// that two folders whose names hold secrets stay two projects.
pub fn clean_project(project: &mut ProjectRef) {
    let ProjectRef { keys, name, root, worktree, branch } = project;
    keys.truncate(KEYS);
    for key in keys {
        identity(key, PATH);
    }
    tidy(name, WORD);
    if let Some(root) = root {
        tidy(root, PATH);
    }
    for label in [worktree, branch].into_iter().flatten() {
        tidy(label, WORD);
    }
}

/// Cleans a short text and cuts it to its limit.
pub(super) fn tidy(value: &mut String, limit: usize) {
    bound::text(value, limit.saturating_mul(4));
    let cleaned = clean(value);
    *value = if cleaned.len() > limit { prefix(&cleaned, limit).to_owned() } else { cleaned };
}

/// Cleans a text by which something is found again; what changes it leaves a digest behind.
fn identity(value: &mut String, limit: usize) {
    let original = value.clone();
    tidy(value, limit);
    if *value == original || value.is_empty() {
        return;
    }
    let digest = Sha256::digest(original.as_bytes());
    let mark = format!("~{}", hex(&digest[..8]));
    let kept = prefix(value, limit - mark.len()).trim_end().len();
    value.truncate(kept);
    value.push_str(&mark);
    if clean(value) != *value {
        // Behind a telling name the digest itself looks like a secret.
        *value = format!("id{mark}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f2_an_agent_is_a_short_plain_word() {
        for (name, word) in [
            ("claude-code", "claude-code"),
            (" Gemini CLI ", "gemini-cli"),
            ("my.agent_2", "my.agent_2"),
            ("x <private>canary</private> y", "x-y"),
            ("<private>canary", "unknown"),
            ("sk-ant-api03-canarycanarycanary", "redacted"),
            ("агент", "unknown"),
            ("", "unknown"),
            ("--a--", "a"),
        ] {
            assert_eq!(agent_name(name), word, "{name}");
        }
        assert_eq!(agent_name(&"a".repeat(1_000_000)).len(), 40);
    }

    #[test]
    fn masked_ids_and_keys_stay_apart_and_stay_put() {
        let id = |n: u8| format!("ghp_abcdefghijklmnopqrstuvwxyz012345678{n}");
        assert_ne!(session_id(&id(1)), session_id(&id(2)));
        assert!(!session_id(&id(1)).contains("ghp_"));
        let project = |n: u8| {
            let mut project =
                ProjectRef { keys: vec![format!("dir:/p/{}", id(n))], ..ProjectRef::named("p") };
            clean_project(&mut project);
            project
        };
        assert_ne!(project(1).keys, project(2).keys);
        assert!(!project(1).keys[0].contains("ghp_"), "{:?}", project(1));
        assert_ne!(session_id(&format!("{}1", "x".repeat(900))), session_id(&"x".repeat(901)));
        let uuid = "a7e825ee-2255-4999-a6ea-f18d6d92c5b9";
        assert_eq!(session_id(uuid), uuid);
    }

    proptest! {
        #![proptest_config(crate::trial::bounded(64))]

        #[test]
        fn names_are_cleaned_once_and_for_all(text in "\\PC{0,60}|[<>/a-z =_-]{0,60}") {
            let agent = agent_name(&text);
            prop_assert!(!agent.is_empty() && agent.len() <= AGENT);
            prop_assert_eq!(agent_name(&agent), agent);
            let session = session_id(&text);
            prop_assert_eq!(session_id(&session), session);
            let mut project = ProjectRef { keys: vec![text.clone()], ..ProjectRef::named(&text) };
            clean_project(&mut project);
            let once = project.clone();
            clean_project(&mut project);
            prop_assert_eq!(project, once);
        }
    }
}
