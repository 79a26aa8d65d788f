//! What a session that starts is given: two questions to the service, side by side.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use afterword_domain::event::{Event, EventBody};
use afterword_domain::reply::Reply;

use super::{Call, block, remember_dialect, remembered_dialect};
use crate::client::remote::{Dialect, Found, RemoteDoor, Trouble};

/// When the answers are no longer waited for, counted from the hook's start; 2 s are promised.
const TOTAL: Duration = Duration::from_millis(1_700);

type Answer = Result<(Vec<Found>, Option<Dialect>), Trouble>;

/// Two questions on their way. Whoever answers them late is not waited for.
#[derive(Debug)]
pub struct Asked {
    answers: Receiver<Answer>,
    until: Instant,
    project: String,
}

pub(super) fn ask(call: &Call<'_>, event: &Event) -> Option<Asked> {
    let EventBody::SessionStart { source, .. } = &event.body else { return None };
    if !source.wants_context() {
        return None;
    }
    let (remote, until) = (&call.remote, call.started + TOTAL);
    let budget = until.saturating_duration_since(Instant::now());
    let door = RemoteDoor::new(&remote.url, &remote.token, &remote.user_id, budget);
    let door = door.map_err(|trouble| call.note(&format!("the memory service: {trouble}"))).ok()?;
    let door = door.with_dialect(remembered_dialect(&call.config.home, &remote.url));
    let project = event.project.name.clone();
    let questions = [
        format!("{project} architecture decisions, conventions and preferences"),
        format!("{project} recent development work, progress and next steps"),
    ];
    let most = call.config.file.remote.most.clamp(1, 100);
    let (told, answers) = mpsc::channel();
    // Not joined: looking a host up has no limit, and the process ends with the hook.
    thread::Builder::new().spawn(move || ask_both(door, questions, most, &told)).ok()?;
    Some(Asked { answers, until, project })
}

fn ask_both(
    mut door: RemoteDoor,
    [decisions, recent]: [String; 2],
    most: usize,
    told: &mpsc::Sender<Answer>,
) {
    // How it is spoken to is found out once, not by both.
    if let Err(trouble) = door.settle() {
        told.send(Err(trouble)).ok();
        return;
    }
    let (mut other, also) = (door.clone(), told.clone());
    let second = thread::Builder::new().spawn(move || {
        let found = other.search(&recent, most);
        also.send(found.map(|found| (found, other.dialect()))).ok();
    });
    let found = door.search(&decisions, most);
    told.send(found.map(|found| (found, door.dialect()))).ok();
    drop(second);
}

impl Asked {
    /// Waits for the answers and adds them to what this machine has to say.
    pub fn join(self, call: &Call<'_>, reply: Reply) -> Reply {
        let mut found = Vec::new();
        // Until both have answered and the senders are gone.
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left) {
                Ok(Ok((some, dialect))) => {
                    found.extend(some);
                    let (home, url) = (&call.config.home, &call.remote.url);
                    if let Some(dialect) =
                        dialect.filter(|d| remembered_dialect(home, url) != Some(*d))
                    {
                        remember_dialect(home, url, dialect);
                    }
                }
                Ok(Err(trouble)) => call.note(&format!("the memory service: {trouble}")),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    call.note("the memory service did not answer in time");
                    break;
                }
            }
        }
        let rules = &call.config.file.remote;
        let memories = block::chosen(found, &self.project, rules.min_score, rules.most);
        let (text, notice) = match reply {
            Reply::Context { text, notice } => (text, notice),
            Reply::None | Reply::Deny { .. } => (String::new(), None),
        };
        let text = block::joined(text, &self.project, &memories);
        if text.is_empty() && notice.is_none() {
            Reply::None
        } else {
            Reply::Context { text, notice }
        }
    }
}
