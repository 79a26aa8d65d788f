//! One live event as one line for people.

use afterword_domain::Time;
use afterword_domain::wire::live::LiveMessage;
use afterword_domain::wire::timeline::TimelineEntry;

use crate::cli::output::{Output, visible};
use crate::cli::width::{fit, pad};

/// Columns of the word that says what a row is.
const WORD: usize = 12;

/// Columns of an id.
const ID: usize = 6;

/// The event at the time `now`; none for one that says nothing to a person.
pub(super) fn line(out: Output, message: &LiveMessage, now: Time) -> Option<String> {
    if let Some(entry) = message.entry() {
        let changed = matches!(message, LiveMessage::RowChanged { .. });
        return Some(row(out, entry, changed));
    }
    let (id, word, told, project) = match message {
        LiveMessage::SessionStarted { agent, session, resumed, project, .. } => {
            let word = if *resumed { "goes on" } else { "began" };
            (String::new(), "session", format!("{agent} {session} {word}"), project)
        }
        LiveMessage::SessionCompleted { agent, session, project, .. } => {
            (String::new(), "session", format!("{agent} {session} ended"), project)
        }
        LiveMessage::Forgotten { ids, project, .. } => {
            (joined(ids), "forgotten", "—".into(), project)
        }
        LiveMessage::Replaced { ids, project, .. } => {
            (joined(ids), "replaced", "its turn was distilled again".into(), project)
        }
        LiveMessage::Missed { .. } => {
            let told =
                "what happened before is not kept any more; this is what happens from now on";
            return Some(out.dim(told));
        }
        _ => return None,
    };
    Some(laid_out(out, &time(now), &id, word, &visible(&told), project))
}

fn row(out: Output, entry: &TimelineEntry, changed: bool) -> String {
    let word = if entry.label.is_empty() { entry.kind.word() } else { &entry.label };
    let title = if changed { format!("{} (changed)", entry.title) } else { entry.title.clone() };
    let id = entry.id.to_string();
    laid_out(out, &time(entry.created_at), &id, word, &visible(&title), &entry.project)
}

/// `10:04:12  o12  bugfix  The queue dropped jobs  shop`, cut to the terminal.
fn laid_out(out: Output, time: &str, id: &str, word: &str, told: &str, project: &str) -> String {
    let project = fit(&visible(project), 20).into_owned();
    let room = out.columns().saturating_sub(8 + ID + WORD + project.chars().count() + 8);
    format!(
        "{}  {}  {}  {}  {}",
        out.dim(time),
        out.accent(&pad(id, ID)),
        out.dim(&pad(&fit(&visible(word), WORD), WORD)),
        fit(told, room.max(16)),
        out.dim(&project)
    )
}

fn joined(ids: &[afterword_domain::PublicId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The time of day in UTC.
fn time(at: Time) -> String {
    at.rfc3339()[11..19].to_owned()
}
