//! Before a tool runs: whether the guard lets it, and what is known of the file it works on.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use afterword_domain::boundary;
use afterword_domain::reply::Reply;
use afterword_domain::tools;
use afterword_domain::wire::recall::{FileAnswer, FileQuestion};

use super::agents::Question;
use super::guard::{self, GuardSetup};
use super::project::{self, Resolution};
use crate::client::Client;
use crate::config::Config;

/// How long the daemon may take to answer.
const ANSWER: Duration = Duration::from_millis(150);

/// When the hook stops waiting, counted from its start; 300 ms are promised.
const TOTAL: Duration = Duration::from_millis(270);

/// Most bytes of an answer.
const ANSWER_BYTES: usize = 64 << 10;

/// Why the tool must not run; none when it may.
pub(super) fn denied(config: &Config, place: &Resolution, question: &Question) -> Option<String> {
    let cwd = question.cwd.as_deref().map_or_else(|| place.folder.clone(), PathBuf::from);
    let setup = GuardSetup {
        claude_folder: config.env.claude_folder(),
        user_home: config.env.user_home(),
        project_root: place.project.root.as_deref().map(PathBuf::from),
        cwd: Some(cwd),
        extra_globs: config.file.guard.extra_paths.clone(),
    };
    guard::check(&setup, &question.tool_name, &question.tool_input)
}

/// Whether there is a file of which something could be told to this caller.
pub(super) fn is_about_files(question: &Question) -> bool {
    !question.in_subagent
        && question.session_id.is_some()
        && !tools::files_of(&question.tool_name, &question.tool_input).is_empty()
}

/// What the daemon knows of the files of the call. Whatever goes wrong, there is nothing to say: no
/// daemon is started for it and nothing is kept.
pub(super) fn told(
    config: &Config,
    place: Resolution,
    question: &Question,
    agent: &str,
    started: Instant,
) -> Reply {
    let Some(session) = question.session_id.clone() else { return Reply::None };
    let cwd = question.cwd.as_deref().map_or(place.folder.as_path(), Path::new);
    let files = tools::files_of(&question.tool_name, &question.tool_input);
    let paths = files.iter().map(|file| in_project(config, &place, cwd, file)).collect();
    let mut asked = FileQuestion {
        agent: agent.to_owned(),
        agent_session_id: session,
        project: place.project,
        cwd: None,
        paths,
    };
    boundary::clean_file_question(&mut asked);
    ask(config, &asked, started).unwrap_or_default()
}

fn ask(config: &Config, asked: &FileQuestion, started: Instant) -> Option<Reply> {
    let body = serde_json::to_vec(asked).ok()?;
    let left = (started + TOTAL).saturating_duration_since(Instant::now()).min(ANSWER);
    if left.is_zero() {
        return None;
    }
    let client = Client::find(&config.home, left).ok()?.with_answer_limit(ANSWER_BYTES);
    let answer: FileAnswer = client.call("POST", "/api/recall/file", Some(&body)).ok()?;
    match answer.reply {
        reply @ Reply::Context { .. } => Some(reply),
        _ => None,
    }
}

/// The file as rows name it: relative to the top folder of the checkout that it lies in, whichever of
/// the project's worktrees that is. A file elsewhere keeps its absolute path.
fn in_project(config: &Config, place: &Resolution, cwd: &Path, file: &str) -> String {
    let path = cwd.join(file);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return file.to_owned();
    };
    let there = project::inspect(Some(folder), &config.env);
    let (own, other) = (&place.project, &there.project);
    // A name that was given to the project says nothing about where a folder belongs.
    let by_name = own.keys.first().is_none_or(|key| key.starts_with("name:"));
    let inside = own.root == other.root || (own.keys == other.keys && !by_name);
    let root = other.root.as_deref().filter(|_| inside);
    let whole = there.folder.join(name);
    let relative = root.and_then(|root| whole.strip_prefix(root).ok());
    let path = relative.unwrap_or(&whole).to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}
