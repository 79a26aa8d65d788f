use afterword_domain::event::EventBody;
use afterword_domain::project::ProjectRef;
use afterword_domain::time::FixedClock;
use afterword_domain::{Clock, Time};
use afterword_engine::{Retention, Settings};
use afterword_store::sqlite::SqliteStore;
use uuid::Uuid;

use super::*;
use crate::api::DoorSetup;

const NOW: Time = Time::from_millis(1_796_000_000_000);

struct World {
    root: tempfile::TempDir,
    drain: Drain,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&root.path().join("afterword.db")).unwrap());
        let clock: Arc<dyn Clock> = Arc::new(FixedClock(NOW));
        let settings = Settings {
            skip_tools: HashSet::new(),
            session_context: true,
            prompt_recall: true,
            file_recall: true,
            retention: Retention::default(),
        };
        let engine = Engine::new(store, clock, settings);
        let door = Door::new(DoorSetup {
            engine: Arc::clone(&engine),
            token: Box::new(|| "token".into()),
            new_token: Box::new(|| Ok("token".into())),
            observer_is_open: false,
            port: 1,
            spool: Some(Box::new(|| (0, 0))),
            lost: Box::new(|| 0),
            machine: None,
            stop: watch::Sender::new(false),
        });
        let folder = root.path().join("spool");
        files::own_folder(&folder).unwrap();
        Self { root, drain: Drain { engine, door, folder, taken: HashSet::new() } }
    }

    fn file(&self, n: i64) -> PathBuf {
        let uid = Uuid::from_u128(u128::try_from(n).unwrap());
        self.drain.folder.join(spool::file_name(Time::from_millis(n), uid))
    }

    fn spool(&self, n: i64) {
        let event = Event {
            uid: Uuid::now_v7(),
            at: NOW,
            agent: "claude-code".into(),
            agent_session_id: format!("s{n}"),
            project: ProjectRef::named("p"),
            cwd: None,
            turn_id: None,
            subagent: None,
            model: None,
            transcript_path: None,
            body: EventBody::SessionEnd { reason: "other".into() },
        };
        std::fs::write(self.file(n), spool::encode(&event).unwrap()).unwrap();
    }

    fn waiting(&self) -> u64 {
        self.drain.door.spool_waiting()
    }

    async fn stored(&self) -> u64 {
        self.drain.engine.status().await.unwrap().stored
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// A link to itself cannot be opened by anybody, not even by root.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_now_stays_and_stops_nothing() {
    run(async {
        let mut world = World::new();
        world.spool(1);
        std::os::unix::fs::symlink(world.file(2), world.file(2)).unwrap();
        world.spool(3);
        assert_eq!(world.drain.pass().await, Rest::Unreadable);
        assert_eq!((world.stored().await, world.waiting()), (2, 1));
        assert_eq!(world.drain.list(), [world.file(2)]);
        assert!(!world.drain.folder.join(spool::BAD_FOLDER).exists());
        // It can be read again.
        std::fs::remove_file(world.file(2)).unwrap();
        world.spool(2);
        assert_eq!(world.drain.pass().await, Rest::Nothing);
        assert_eq!((world.stored().await, world.waiting()), (3, 0));
    });
}

#[test]
fn what_is_no_event_is_set_aside() {
    run(async {
        let mut world = World::new();
        std::fs::write(world.file(1), "{\"uid\":").unwrap();
        std::fs::create_dir(world.file(2)).unwrap();
        world.spool(3);
        assert_eq!(world.drain.pass().await, Rest::Nothing);
        assert_eq!(world.stored().await, 1);
        assert_eq!(count_bad(&world.drain.folder), 2);
    });
}

/// A folder in place of the one for bad files stands for a disk that lets nothing be moved.
#[test]
fn what_cannot_be_set_aside_does_not_keep_the_drain_busy() {
    run(async {
        let mut world = World::new();
        std::fs::write(world.file(1), "torn").unwrap();
        std::fs::write(world.drain.folder.join(spool::BAD_FOLDER), "in the way").unwrap();
        world.spool(2);
        assert_eq!(world.drain.pass().await, Rest::Unreadable);
        assert_eq!((world.stored().await, world.waiting()), (1, 1));
    });
}

#[test]
fn a_repeated_event_is_stored_once_and_leaves_no_file() {
    run(async {
        let mut world = World::new();
        world.spool(1);
        let copy = std::fs::read(world.file(1)).unwrap();
        assert_eq!(world.drain.pass().await, Rest::Nothing);
        std::fs::write(world.file(2), copy).unwrap();
        assert_eq!(world.drain.pass().await, Rest::Nothing);
        let status = world.drain.engine.status().await.unwrap();
        assert_eq!((status.received, status.stored, status.duplicates), (1, 1, 1));
        assert_eq!(world.drain.list(), Vec::<PathBuf>::new());
        drop(world.root);
    });
}

#[tokio::test]
async fn what_a_hook_left_unfinished_is_taken_in_once_it_is_surely_over() {
    let mut world = World::new();
    let aged = |name: &str, age_ms: u64, world: &World| {
        let path = world.drain.folder.join(name);
        let now = std::time::UNIX_EPOCH + Duration::from_millis(NOW.millis().unsigned_abs());
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_millis(age_ms)).unwrap();
        path
    };
    for (n, name) in [(1, "whole.tmp"), (2, "young.tmp")] {
        world.spool(n);
        std::fs::rename(world.file(n), world.drain.folder.join(name)).unwrap();
    }
    std::fs::write(world.drain.folder.join("torn.tmp"), "{\"uid\":").unwrap();
    let limit = ABANDONED_MS.unsigned_abs();
    aged("whole.tmp", limit + 1, &world);
    aged("torn.tmp", limit + 1, &world);
    let young = aged("young.tmp", limit, &world);
    assert_eq!(world.drain.pass().await, Rest::Nothing);
    let stored = world.drain.engine.status().await.unwrap().stored;
    assert_eq!((stored, count_bad(&world.drain.folder)), (1, 1));
    assert!(young.exists(), "its hook may still be at work");
    aged("young.tmp", limit + 1, &world);
    assert_eq!(world.drain.pass().await, Rest::Nothing);
    assert_eq!(world.drain.engine.status().await.unwrap().stored, 2);
}
