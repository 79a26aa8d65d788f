//! The way of one hook call.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use afterword_domain::boundary::{self, Sealed};
use afterword_domain::event::{Event, EventBody};
use afterword_domain::reply::Reply;
use afterword_domain::wire::spool::LOST;
use afterword_domain::{Clock, repair};
use serde_json::Value;
use uuid::{NoContext, Timestamp, Uuid};

use super::agents::{self, Adapter, Draft, Moment, Question, Reading};
use super::before_tool;
use super::delivery::{Asked, Budget, Delivery, Wish};
use super::project::{self, Resolution};
use super::watchdog::{SLOWNESS, Watchdog};
use super::{health, log, pause, platform, remote, stdin};
use crate::config::Config;

/// How long a capture's payload may take to come, counted from the hook's start.
const STDIN: Duration = Duration::from_millis(200 * SLOWNESS as u64);

/// How long a session's start waits for its payload to begin, and for all of it.
const STDIN_AT_START: Duration = Duration::from_secs(SLOWNESS as u64);

/// How long after its start a hook still looks into the agent's log for an answer.
const TRANSCRIPT: Duration = Duration::from_millis(200);

/// Runs `afterword hook …`. `args` are those after the word `hook`:
/// `<agent> [event] [--capture-only | --recall-only]`.
///
/// Always succeeds and never writes to stderr. Prints one JSON object and a line end, or nothing.
/// Unknown agents and events are silent, so that an older release never disturbs a newer agent.
pub fn run(
    args: &[OsString],
    config: &Config,
    clock: &dyn Clock,
    watchdog: &Watchdog,
    stdout: &mut dyn Write,
) {
    watchdog.knows(&config.home);
    watched(args, config, clock, Some(watchdog), io::stdin(), stdout);
}

/// Whether a command line, as [`run`] takes it, is that of a session's start: such a hook may take
/// longer.
pub fn starts_session(args: &[OsString]) -> bool {
    Call::parse(args).is_some_and(|call| call.moment == Some(Moment::SessionStart))
}

/// Like [`run`], with the payload from any source and nobody who ends it.
pub fn run_with(
    args: &[OsString],
    config: &Config,
    clock: &dyn Clock,
    source: impl Read + Send + 'static,
    stdout: &mut dyn Write,
) {
    watched(args, config, clock, None, source, stdout);
}

fn watched(
    args: &[OsString],
    config: &Config,
    clock: &dyn Clock,
    watchdog: Option<&Watchdog>,
    source: impl Read + Send + 'static,
    stdout: &mut dyn Write,
) {
    let started = Instant::now();
    if config.env.hooks_disabled() {
        return;
    }
    let Some(call) = Call::parse(args) else { return };
    let patience = if call.moment == Some(Moment::SessionStart) { STDIN_AT_START } else { STDIN };
    // Whatever has begun to come is kept, and may take the time of what is kept.
    let begun = || watchdog.into_iter().for_each(Watchdog::keeping);
    let bytes = stdin::read(source, started + patience, STDIN, platform::crowding, begun);
    let late = bytes.is_empty() && started.elapsed() >= patience;
    let run = Run { call, config, clock, watchdog, started };
    if let Some(answer) = run.answer(&bytes, late) {
        print(&answer, stdout);
    }
}

/// One object and a line end in one write; a reader that has gone away is no trouble.
fn print(answer: &Value, stdout: &mut dyn Write) {
    let mut line = answer.to_string();
    line.push('\n');
    if stdout.write_all(line.as_bytes()).is_ok() {
        stdout.flush().ok();
    }
}

/// The command line.
#[derive(Debug)]
struct Call {
    adapter: &'static dyn Adapter,
    moment: Option<Moment>,
    capture_only: bool,
    recall_only: bool,
}

impl Call {
    fn parse(args: &[OsString]) -> Option<Self> {
        let mut words = args.iter().map(|a| a.to_str().unwrap_or_default());
        let adapter = agents::by_name(words.next()?)?;
        let mut call = Self { adapter, moment: None, capture_only: false, recall_only: false };
        for word in words {
            match word {
                "--capture-only" => call.capture_only = true,
                "--recall-only" => call.recall_only = true,
                // A switch of a later release asks for nothing that this one could do.
                _ if word.starts_with("--") => {}
                _ if call.moment.is_some() => {}
                _ => call.moment = Some(Moment::from_word(word)?),
            }
        }
        Some(call)
    }
}

struct Run<'a> {
    call: Call,
    config: &'a Config,
    clock: &'a dyn Clock,
    watchdog: Option<&'a Watchdog>,
    started: Instant,
}

impl Run<'_> {
    /// `late`: time was up before anything came.
    fn answer(&self, bytes: &[u8], late: bool) -> Option<Value> {
        let adapter = self.call.adapter;
        let Some(payload) = repair::parse(bytes) else {
            if late {
                self.note(&format!("{LOST}, nothing came on standard input in time"));
            } else {
                self.note("no JSON on standard input");
            }
            return None;
        };
        let moment = self.call.moment.or_else(|| adapter.moment(&payload))?;
        let settled = || self.watchdog.into_iter().for_each(Watchdog::settled);
        let reply = match adapter.read(moment, payload, self.started + TRANSCRIPT) {
            Reading::Ignore => Reply::None,
            Reading::Ask(question) => {
                settled();
                self.ask(&question)
            }
            Reading::Keep(draft) => self.keep(moment, *draft),
        };
        adapter.answer(moment, &reply)
    }

    /// Stores nothing; the guard needs no daemon.
    fn ask(&self, question: &Question) -> Reply {
        let guards = !self.call.recall_only;
        let recalls = !self.call.capture_only
            && self.config.file_recall()
            && before_tool::is_about_files(question);
        if !guards && !recalls {
            return Reply::None;
        }
        let Some(place) = self.place(question.cwd.as_deref()) else { return Reply::None };
        // A pause of capture is no leave to write memory files.
        if guards && let Some(reason) = before_tool::denied(self.config, &place, question) {
            return Reply::Deny { reason };
        }
        let alone = || self.remote(&place).is_some_and(|far| far.is_alone());
        if !recalls || self.is_off(&place) || alone() {
            return Reply::None;
        }
        let agent = self.call.adapter.name();
        before_tool::told(self.config, place, question, agent, self.started)
    }

    fn keep(&self, moment: Moment, draft: Draft) -> Reply {
        let speaks = draft.subagent.is_none() && self.speaks(&draft);
        let reply = self.kept(moment, draft, speaks);
        match health::settings(&self.config.file).filter(|_| speaks) {
            Some(notice) => noticed(reply, notice),
            None => reply,
        }
    }

    fn kept(&self, moment: Moment, draft: Draft, speaks: bool) -> Reply {
        let place = self.place(draft.cwd.as_deref());
        let running = place.filter(|place| !self.is_off(place));
        let Some(place) = running else { return Reply::None };
        let far = self.remote(&place);
        let refused = if far.is_none() && speaks { self.untrusted(&place) } else { None };
        let alone = far.as_ref().is_some_and(remote::Call::is_alone);
        let transcript = draft.transcript_path.clone();
        let in_subagent = draft.subagent.is_some();
        let mut event = self.event(draft, place);
        self.look_at_changes(&mut event, in_subagent || alone);
        let skipped = self.strip_skipped(&mut event.body);
        let Some(Sealed { event, bytes }) = boundary::seal(event) else { return Reply::None };
        let wants_reply = self.wants_reply(&event.body) && !in_subagent;
        let wish = match (self.call.recall_only, wants_reply) {
            (true, false) => return Reply::None,
            (true, true) => Wish::ReplyOnly,
            (false, true) => Wish::Both,
            (false, false) => Wish::StoreOnly,
        };
        let delivery = Delivery {
            home: &self.config.home,
            clock: self.clock,
            doing: self.doing(),
            budget: Budget::new(self.started, moment == Moment::SessionStart),
            wish,
            asked: Asked {
                block: self.config.context_at_prompt(),
                memories: self.config.prompt_recall(),
            },
            speaks,
            // Only counted by the daemon, so not worth a file.
            spools: !skipped && !self.call.recall_only,
        };
        if let Some(watchdog) = self.watchdog {
            watchdog.keeping();
        }
        let asked = far.as_ref().filter(|_| wants_reply).and_then(|far| far.ask(&event));
        let mut reply = if alone { Reply::None } else { delivery.deliver(&event, &bytes) };
        if let Some(far) = far.as_ref().filter(|_| !self.call.recall_only && !in_subagent) {
            far.keep(&event, transcript.as_deref().map(Path::new));
        }
        if let (Some(far), Some(asked)) = (&far, asked) {
            reply = asked.join(far, reply);
        }
        if let Some(watchdog) = self.watchdog {
            watchdog.settled();
        }
        let reply = match (wants_reply, in_subagent) {
            (true, _) => fitting(&event.body, reply),
            (false, false) => notice_alone(reply),
            (false, true) => Reply::None,
        };
        match refused {
            Some(notice) => noticed(reply, notice),
            None => reply,
        }
    }

    /// Whether nothing is captured or given there, though the guard is on.
    fn is_off(&self, place: &Resolution) -> bool {
        self.config.file.closed || pause::is_paused(&self.config.home, &place.project)
    }

    /// Whether the person sees a session begin with this, and so may be told what no daemon can
    /// say. Where starts are not reported, that is the first prompt: the agent has written nothing
    /// of the session yet.
    fn speaks(&self, draft: &Draft) -> bool {
        match &draft.body {
            EventBody::SessionStart { source, .. } => source.begins(),
            EventBody::Prompt { .. }
                if self.call.capture_only || self.config.context_at_prompt() =>
            {
                draft.transcript_path.as_deref().is_some_and(|path| !Path::new(path).exists())
            }
            _ => false,
        }
    }

    /// Where the work belongs; none when it is not wanted there at all. A pause is another matter.
    fn place(&self, cwd: Option<&str>) -> Option<Resolution> {
        let Config { env, home, file } = self.config;
        let cwd = cwd.map(Path::new);
        let told = self.call.adapter.project_folder(env);
        let mut place = project::inspect(told.as_deref().or(cwd), env);
        if told.is_some()
            && let Some(cwd) = cwd
            && Some(cwd) != told.as_deref()
        {
            let here = project::inspect(Some(cwd), env);
            // A worktree of the project, entered in the middle of a session.
            if here.project.keys == place.project.keys {
                place = Resolution { enabled: place.enabled && here.enabled, ..here };
            }
        }
        let user_home = env.user_home();
        let folders = [Some(place.folder.as_path()), told.as_deref(), cwd];
        let excluded = folders.into_iter().flatten().any(|folder| {
            pause::is_excluded(&file.capture.excluded_paths, folder, &user_home)
                // Agents that afterword runs itself work in its own folder.
                || folder.starts_with(home.folder())
        });
        (place.enabled && !excluded).then_some(place)
    }

    /// The remote service of the place, where one is configured.
    fn remote(&self, place: &Resolution) -> Option<remote::Call<'_>> {
        let (remote, folder) = remote::service_of(self.config, &place.project, &place.folder)?;
        let (config, clock, started) = (self.config, self.clock, self.started);
        Some(remote::Call { config, clock, remote, folder, started, doing: self.doing() })
    }

    /// What the person is told of a service that the project names and nobody trusts.
    fn untrusted(&self, place: &Resolution) -> Option<String> {
        let remote = remote::untrusted(self.config, &place.project, &place.folder)?;
        Some(remote::untrusted_line(&remote.url))
    }

    fn event(&self, draft: Draft, place: Resolution) -> Event {
        let at = self.clock.now();
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        let nanos = u32::try_from(millis % 1_000).unwrap_or_default() * 1_000_000;
        Event {
            uid: Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1_000, nanos)),
            at,
            agent: self.call.adapter.name().to_owned(),
            agent_session_id: draft.session_id,
            project: place.project,
            cwd: draft.cwd,
            turn_id: draft.turn_id,
            subagent: draft.subagent,
            model: draft.model,
            transcript_path: draft.transcript_path,
            body: draft.body,
        }
    }

    /// What is changed in the checkout says which work is at hand.
    fn look_at_changes(&self, event: &mut Event, in_subagent: bool) {
        let wanted = !in_subagent && self.wants_reply(&event.body);
        if let EventBody::SessionStart { source, changed_files } = &mut event.body
            && let Some(root) = event.project.root.as_deref().filter(|_| wanted)
            && source.wants_context()
        {
            *changed_files = project::changed::changed_files(Path::new(root));
        }
    }

    /// Of a tool on the skip list only that it ran is sent, to be counted.
    fn strip_skipped(&self, body: &mut EventBody) -> bool {
        let EventBody::ToolUse { tool } = body else { return false };
        let skipped = self.config.file.capture.skip_tools.contains(&tool.name);
        if skipped {
            (tool.input, tool.output) = (Value::Null, Value::Null);
            (tool.error, tool.command) = (None, None);
            tool.paths.clear();
        }
        skipped
    }

    fn wants_reply(&self, body: &EventBody) -> bool {
        let recall = match body {
            EventBody::SessionStart { .. } => self.config.context_at_start(),
            EventBody::Prompt { private, .. } => {
                !private && (self.config.prompt_recall() || self.config.context_at_prompt())
            }
            _ => false,
        };
        recall && !self.call.capture_only
    }

    fn doing(&self) -> String {
        let word = self.call.moment.and_then(|m| Moment::WORDS.iter().find(|(_, w)| *w == m));
        format!("{} {}", self.call.adapter.name(), word.map_or("hook", |(word, _)| *word))
    }

    fn note(&self, trouble: &str) {
        log::note(&self.config.home, self.clock, &self.doing(), trouble);
    }
}

/// What remains of a reply for a hook that wants nothing for the model.
fn notice_alone(reply: Reply) -> Reply {
    match reply {
        Reply::Context { notice: Some(notice), .. } => {
            Reply::Context { text: String::new(), notice: Some(notice) }
        }
        _ => Reply::None,
    }
}

/// The reply with a line for the person that goes before any other.
fn noticed(reply: Reply, notice: String) -> Reply {
    match reply {
        Reply::Context { text, .. } => Reply::Context { text, notice: Some(notice) },
        _ => Reply::Context { text: String::new(), notice: Some(notice) },
    }
}

/// A resumed conversation still carries the context it was given: only the notice is for now.
fn fitting(body: &EventBody, reply: Reply) -> Reply {
    match (body, reply) {
        (EventBody::SessionStart { source, .. }, Reply::Context { notice, .. })
            if !source.wants_context() =>
        {
            Reply::Context { text: String::new(), notice }
        }
        (_, reply) => reply,
    }
}

#[cfg(test)]
#[path = "tests/flow.rs"]
mod tests;
