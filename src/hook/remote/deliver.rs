//! The sender: brings what waits to the service, once, whatever ends it in between.
//!
//! One runs for a data folder. A summary replaces the one its session had, by the id that is
//! remembered or, where none is, by looking the session up at the service. A text that may have been
//! sent already is looked up too, so that a service that knows no idempotency key gets no second one.

use std::fs::{self, TryLockError};
use std::io;
use std::process::Child;
use std::time::Duration;

use afterword_domain::Clock;
use afterword_domain::project::ProjectRef;
use serde_json::{Value, json};

use super::outbox::{self, Entry, Kind, Waiting};
use super::sent::{self, Sent};
use super::{log, remember_dialect, remembered_dialect, service_of};
use crate::client::remote::{Added, Found, NewMemory, RemoteDoor, Trouble, Update};
use crate::client::{own_binary, spawn};
use crate::config::{Config, Home};
use crate::folder::files;

/// How long a service may take for one call.
const BUDGET: Duration = Duration::from_secs(30);

/// How long a memory that the service is still about to keep is waited for, in milliseconds.
const QUEUED_MS: i64 = 60_000;

/// The file whose lock says that a sender runs.
const LOCK: &str = "sender.lock";

/// The words by which the sender is started.
const COMMAND: [&str; 2] = ["deliver", "--quiet"];

/// What a sender did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Texts that the service has now.
    pub sent: usize,
    /// Texts that it had already, or that a later one made needless.
    pub unchanged: usize,
    /// Texts that were set aside: the service refuses them for good.
    pub parked: usize,
    /// Texts that wait on.
    pub waiting: usize,
    /// What stood in the way.
    pub trouble: Option<Trouble>,
    /// Another sender runs, and does it.
    pub elsewhere: bool,
}

/// Starts a sender that nobody waits for.
pub fn start(home: &Home) -> io::Result<Child> {
    spawn::detached(&own_binary(home), home, &COMMAND)
}

/// Sends what waits. Texts for services that the settings no longer name wait on.
pub fn deliver(config: &Config, clock: &dyn Clock) -> Delivered {
    let home = &config.home;
    let mut done = Delivered::default();
    if outbox::count(home) == 0 {
        return done;
    }
    loop {
        let Some(lock) = lock(home) else {
            done.elsewhere = true;
            break;
        };
        let seen = outbox::count(home);
        let before = (done.sent, done.unchanged);
        Pass { config, clock, doors: Vec::new(), done: &mut done }.run();
        drop(lock);
        // Whoever put a text in meanwhile found the lock taken and has left.
        let progress = before != (done.sent, done.unchanged);
        let left = outbox::count(home);
        if left == 0 || (left <= seen && !progress) || done.trouble.is_some() {
            break;
        }
    }
    match &done.trouble {
        Some(trouble) => {
            outbox::failed(home, &trouble.to_string(), clock.now());
            log::note(home, clock, "deliver", &format!("the memory service: {trouble}"));
        }
        None if !done.elsewhere => outbox::succeeded(home),
        None => {}
    }
    sent::prune(
        home,
        std::time::UNIX_EPOCH + Duration::from_millis(clock.now().millis().unsigned_abs()),
    );
    done.waiting = outbox::count(home);
    done
}

/// The lock goes with the process, however that ends.
fn lock(home: &Home) -> Option<fs::File> {
    let open = || {
        let mut options = files::private_options();
        options.write(true).create(true).truncate(false).open(home.remote_spool().join(LOCK))
    };
    let file = open().ok()?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}

struct Pass<'a> {
    config: &'a Config,
    clock: &'a dyn Clock,
    /// The services of this pass; none where one is left alone for now.
    doors: Vec<((String, String), Option<RemoteDoor>)>,
    done: &'a mut Delivered,
}

/// What became of one text.
enum Fate {
    Sent,
    Unchanged,
    /// The service is still about to keep an earlier one.
    Later,
}

impl Pass<'_> {
    fn run(&mut self) {
        let entries = outbox::list(&self.config.home);
        let needless: Vec<bool> = entries
            .iter()
            .enumerate()
            .map(|(place, entry)| entries[place + 1..].iter().any(|later| replaces(later, entry)))
            .collect();
        for (entry, needless) in entries.into_iter().zip(needless) {
            if needless {
                self.done.unchanged += usize::from(entry.remove().is_ok());
            } else {
                self.one(entry);
            }
        }
    }

    fn one(&mut self, mut entry: Entry) {
        let Some(place) = self.door(&entry.waiting) else { return };
        let Some(mut door) = self.doors[place].1.take() else { return };
        let fate = self.bring(&mut door, &mut entry);
        if let Some(dialect) = door.dialect() {
            let (home, url) = (&self.config.home, &entry.waiting.url);
            if remembered_dialect(home, url) != Some(dialect) {
                remember_dialect(home, url, dialect);
            }
        }
        let keeps_open = match fate {
            Ok(Fate::Sent) => {
                self.done.sent += 1;
                entry.remove().is_ok()
            }
            Ok(Fate::Unchanged) => {
                self.done.unchanged += 1;
                entry.remove().is_ok()
            }
            Ok(Fate::Later) => true,
            Err(trouble) if trouble.is_final() => {
                log::note(
                    &self.config.home,
                    self.clock,
                    "deliver",
                    &format!("set aside: {trouble}"),
                );
                self.done.parked += 1;
                entry.park().is_ok()
            }
            Err(trouble) => {
                // One text may be too much for it today, and the next one not.
                let one_alone = matches!(trouble, Trouble::Failing(_));
                self.done.trouble = Some(trouble);
                one_alone
            }
        };
        if keeps_open {
            self.doors[place].1 = Some(door);
        }
    }

    /// The place of the door to a text's service; none where the settings name another by now.
    fn door(&mut self, waiting: &Waiting) -> Option<usize> {
        let (remote, _) = service_of(self.config, &ProjectRef::default(), &waiting.folder)?;
        if remote.url != waiting.url || remote.user_id != waiting.user_id {
            return None;
        }
        let whose = (remote.url.clone(), remote.token.clone());
        if let Some(place) = self.doors.iter().position(|(known, _)| *known == whose) {
            return Some(place);
        }
        let door = match RemoteDoor::new(&remote.url, &remote.token, &remote.user_id, BUDGET) {
            Ok(door) => Some(door.with_dialect(remembered_dialect(&self.config.home, &remote.url))),
            Err(trouble) => {
                self.done.trouble = Some(trouble);
                None
            }
        };
        self.doors.push((whose, door));
        Some(self.doors.len() - 1)
    }

    fn bring(&self, door: &mut RemoteDoor, entry: &mut Entry) -> Result<Fate, Trouble> {
        let mut sent = Sent::of(&self.config.home, &entry.waiting);
        let fate = match entry.waiting.kind {
            _ if sent.has(&entry.waiting) => Fate::Unchanged,
            Kind::CompactSummary => self.snapshot(door, entry, &mut sent)?,
            Kind::SessionSummary => self.summary(door, entry, &mut sent)?,
        };
        if let Some(stale) = sent.stale.take_if(|_| !matches!(fate, Fate::Later)) {
            door.delete(&stale)?;
            self.save(&sent, &entry.waiting)?;
        }
        Ok(fate)
    }

    fn snapshot(
        &self,
        door: &mut RemoteDoor,
        entry: &mut Entry,
        sent: &mut Sent,
    ) -> Result<Fate, Trouble> {
        let (metadata, key) = (metadata(&entry.waiting), entry.waiting.key());
        let new = NewMemory { text: &entry.waiting.text.clone(), metadata: &metadata, key: &key };
        let ours = |found: &Found| found.told(KEY) == key;
        let there =
            if entry.tried { door.find(&entry.waiting.session_id, new.text, ours)? } else { None };
        if there.is_none() {
            entry.mark_tried().map_err(|_| NO_DISK)?;
            door.add(&new)?;
        }
        sent.add_snapshot(key);
        self.save(sent, &entry.waiting)?;
        Ok(Fate::Sent)
    }

    fn summary(
        &self,
        door: &mut RemoteDoor,
        entry: &mut Entry,
        sent: &mut Sent,
    ) -> Result<Fate, Trouble> {
        let waiting = entry.waiting.clone();
        let (metadata, key) = (metadata(&waiting), waiting.key());
        let new = NewMemory { text: &waiting.text, metadata: &metadata, key: &key };
        if sent.id.is_none() {
            let stale = sent.stale.clone();
            let ours = |found: &Found| {
                found.told("type") == waiting.kind.word()
                    && found.told("session_id") == waiting.session_id
                    && stale.as_deref() != Some(found.id.as_str())
            };
            sent.id = door.find(&waiting.session_id, new.text, ours)?.map(|found| found.id);
        }
        if let Some(id) = sent.id.clone() {
            if door.update(&id, &new)? == Update::Done {
                (sent.key, sent.queued_ms) = (key, None);
                self.save(sent, &waiting)?;
                return Ok(Fate::Sent);
            }
            // Gone, or of a service that changes nothing: another takes its place.
            (sent.id, sent.stale) = (None, Some(id));
            self.save(sent, &waiting)?;
        }
        let now = self.clock.now().millis();
        if sent.queued_ms.is_some_and(|at| (0..QUEUED_MS).contains(&(now - at))) {
            return Ok(Fate::Later);
        }
        entry.mark_tried().map_err(|_| NO_DISK)?;
        let added = door.add(&new)?;
        sent.queued_ms = (added == Added::Queued).then_some(now);
        sent.id = match added {
            Added::Stored(id) => id,
            Added::Queued => None,
        };
        sent.key = key;
        self.save(sent, &waiting)?;
        Ok(Fate::Sent)
    }

    /// What cannot be remembered would be sent again: the text stays, and is looked up.
    fn save(&self, sent: &Sent, waiting: &Waiting) -> Result<(), Trouble> {
        sent.save(&self.config.home, waiting).map_err(|_| NO_DISK)
    }
}

const NO_DISK: Trouble =
    Trouble::Garbage("what was sent cannot be written down: is the disk full?");

/// The field of the metadata by which a text is found again.
const KEY: &str = "idempotency_key";

/// Whether a later summary of the same session makes an earlier one needless. One that may have been
/// sent is looked up by its session, so it may go as well.
fn replaces(later: &Entry, earlier: &Entry) -> bool {
    let is_summary = |entry: &Entry| entry.waiting.kind == Kind::SessionSummary;
    is_summary(later)
        && is_summary(earlier)
        && later.waiting.session_key() == earlier.waiting.session_key()
}

fn metadata(waiting: &Waiting) -> Value {
    json!({
        "type": waiting.kind.word(),
        "session_id": waiting.session_id,
        "project": waiting.project,
        "agent": waiting.agent,
        KEY: waiting.key(),
    })
}
