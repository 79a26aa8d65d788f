//! The threads that own the connections: one writes, a few read. Callers hand closures in and get
//! answers out, so that no async thread ever waits for a disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::damage::Damage;
use super::errors::{Fault, Sql, same};
use super::log::LogBound;
use super::open::{Role, connect, fault};
use crate::{Error, Result};

/// Most closures that share one transaction, and so one wait for the disk.
const GROUP: usize = 128;

/// Read connections. Two are enough for one person; each costs a thread and a page cache.
const READERS: usize = 2;

/// What a closure does when the fate of its transaction is known.
type Finish = Box<dyn FnOnce(Result<()>) + Send>;

/// A closure on its way to the writer. It gets the connection, or why there is none.
type Grouped = Box<dyn FnOnce(Result<&Connection>) -> Finish + Send>;

type Alone = Box<dyn FnOnce(&mut Connection) + Send>;

enum Work {
    /// Shares a transaction with its neighbours.
    Grouped(Grouped),
    /// Runs by itself, outside of any transaction.
    Alone(Alone),
}

/// The writing thread. Dropping it lets it finish what was handed in, and waits for that.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    damage: Arc<Damage>,
}

impl Writer {
    /// Starts the thread on a file that was made ready.
    pub(crate) fn start(path: &Path, damage: Arc<Damage>) -> Result<Self> {
        let db = connect(path, Role::Writer)?;
        let (queue, work) = mpsc::channel();
        let log = LogBound::of(path);
        let noted = Arc::clone(&damage);
        let thread = spawn("afterword-write", move || write_loop(db, log, &noted, &work))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), damage })
    }

    /// A connection that may write, for use before the thread runs.
    pub(crate) fn connection(path: &Path) -> Result<Connection> {
        connect(path, Role::Writer)
    }

    /// Runs a closure in a savepoint of its own. The answer comes after the commit; an error has
    /// changed nothing.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Connection) -> Sql<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let damage = Arc::clone(&self.damage);
        self.hand_in(Work::Grouped(Box::new(move |db| {
            let outcome = db.and_then(|db| in_savepoint(db, &damage, f));
            Box::new(move |committed| {
                let outcome = match outcome {
                    Ok(value) => committed.map(|()| value),
                    Err(error) => Err(error),
                };
                // The caller may have gone; what is written stays written.
                drop(reply.send(outcome));
            })
        })));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Runs a closure outside of any transaction, when nothing else is being written.
    pub(crate) async fn run_alone<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.hand_in(Work::Alone(Box::new(move |db| {
            drop(reply.send(guarded(|| f(db))));
        })));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    fn hand_in(&self, work: Work) {
        if let Some(queue) = &self.queue {
            // Without a thread the answer's channel is dropped, which the caller sees.
            drop(queue.send(work));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn write_loop(mut db: Connection, mut log: LogBound, damage: &Damage, work: &Receiver<Work>) {
    let mut next = None;
    loop {
        let Some(first) = next.take().or_else(|| work.recv().ok()) else { return };
        match first {
            Work::Alone(f) => f(&mut db),
            Work::Grouped(f) => {
                let mut group = vec![f];
                while group.len() < GROUP {
                    match work.try_recv() {
                        Ok(Work::Grouped(f)) => group.push(f),
                        Ok(alone) => {
                            next = Some(alone);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                write_group(&db, damage, group);
                log.keep(&db);
            }
        }
    }
}

/// One transaction for all of them. When it cannot begin or end, every one of them failed.
fn write_group(db: &Connection, damage: &Damage, group: Vec<Grouped>) {
    let begun = damage.refuse().and_then(|()| run(db, damage, "BEGIN IMMEDIATE"));
    let mut broken = begun.err();
    let mut finishes = Vec::with_capacity(group.len());
    for f in group {
        let finish = match &broken {
            Some(error) => f(Err(same(error))),
            None => f(Ok(db)),
        };
        finishes.push(finish);
        // SQLite rolls everything back by itself when the disk fails it.
        if broken.is_none() && db.is_autocommit() {
            broken = Some(Error::Unwritable("the transaction was rolled back".to_owned()));
        }
    }
    if broken.is_none() {
        broken = run(db, damage, "COMMIT").err();
    }
    if broken.is_some() && !db.is_autocommit() {
        drop(db.execute_batch("ROLLBACK"));
    }
    for finish in finishes {
        finish(broken.as_ref().map_or(Ok(()), |error| Err(same(error))));
    }
}

fn run(db: &Connection, damage: &Damage, sql: &str) -> Result<()> {
    db.execute_batch(sql).map_err(|error| noted(error.into(), damage))
}

fn noted(fault: Fault, damage: &Damage) -> Error {
    damage.note(&fault);
    fault.into()
}

fn in_savepoint<T>(
    db: &Connection,
    damage: &Damage,
    f: impl FnOnce(&Connection) -> Sql<T>,
) -> Result<T> {
    db.execute_batch("SAVEPOINT one").map_err(fault)?;
    let outcome = guarded(|| f(db).map_err(|fault| noted(fault, damage)));
    if outcome.is_ok() {
        db.execute_batch("RELEASE one").map_err(fault)?;
    } else if !db.is_autocommit() {
        db.execute_batch("ROLLBACK TO one; RELEASE one").map_err(fault)?;
    }
    outcome
}

/// The reading threads, which share one queue.
#[derive(Debug)]
pub(crate) struct Readers {
    queue: Option<Sender<Alone>>,
    threads: Vec<JoinHandle<()>>,
    damage: Arc<Damage>,
}

impl Readers {
    /// Starts the threads on a file that was made ready.
    pub(crate) fn start(path: &Path, damage: Arc<Damage>) -> Result<Self> {
        let (queue, work) = mpsc::channel();
        let work = Arc::new(Mutex::new(work));
        let mut threads = Vec::with_capacity(READERS);
        for _ in 0..READERS {
            let db = connect(path, Role::Reader)?;
            let work = Arc::clone(&work);
            threads.push(spawn("afterword-read", move || read_loop(db, &work))?);
        }
        Ok(Self { queue: Some(queue), threads, damage })
    }

    /// Runs a closure that sees one state of the database throughout.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Connection) -> Sql<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let damage = Arc::clone(&self.damage);
        if let Some(queue) = &self.queue {
            let work: Alone = Box::new(move |db| {
                drop(reply.send(guarded(|| in_one_state(db, &damage, f))));
            });
            drop(queue.send(work));
        }
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

fn read_loop(mut db: Connection, work: &Mutex<Receiver<Alone>>) {
    loop {
        let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(f) => f(&mut db),
            Err(_) => return,
        }
    }
}

fn in_one_state<T>(
    db: &mut Connection,
    damage: &Damage,
    f: impl FnOnce(&Connection) -> Sql<T>,
) -> Result<T> {
    let tx = db.transaction().map_err(|error| noted(error.into(), damage))?;
    f(&tx).map_err(|fault| noted(fault, damage))
}

/// A closure that panics fails its own caller and nobody else.
fn guarded<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|_| Err(Error::Other("a database operation panicked".into())))
}

fn spawn(name: &str, f: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(f).map_err(|error| Error::Other(Box::new(error)))
}

fn stopped() -> Error {
    Error::Other("the store has been closed".into())
}
