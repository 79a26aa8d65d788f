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
    let file_in = |file: &String| project::file_in(&place.project, cwd, file, &config.env);
    let paths = files.iter().map(file_in).collect();
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
