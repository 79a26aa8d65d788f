//! Events that the daemon could not take, one file each, until it drains them.

use std::fs;
use std::io;

use afterword_domain::event::Event;
use afterword_domain::wire::spool::{ENDING, UNFINISHED, file_name};

use crate::config::Home;
use crate::folder::files;

/// Writes one event: under a temporary name, synced, renamed. `bytes` is the event as encoded.
///
/// When this returns well the event survives a crash of everything.
pub fn write(home: &Home, event: &Event, bytes: &[u8]) -> io::Result<()> {
    let folder = home.spool();
    let target = folder.join(file_name(event.at, event.uid));
    let temporary = folder.join(format!("{}{UNFINISHED}", event.uid.simple()));
    match files::replace_file(&temporary, &target, bytes) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            files::create_private_folder(&folder)?;
            files::replace_file(&temporary, &target, bytes)
        }
        other => other,
    }
}

/// How many events wait.
pub fn pending(home: &Home) -> usize {
    let Ok(entries) = fs::read_dir(home.spool()) else { return 0 };
    entries.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(ENDING)).count()
}

#[cfg(test)]
mod tests {
    use afterword_domain::Time;
    use afterword_domain::event::{EventBody, StartSource};
    use afterword_domain::project::ProjectRef;
    use afterword_domain::wire::spool::{decode, encode};

    use super::*;

    fn event(ms: i64) -> Event {
        Event {
            uid: uuid::Uuid::now_v7(),
            at: Time::from_millis(ms),
            agent: "claude-code".into(),
            agent_session_id: "s".into(),
            project: ProjectRef::named("p"),
            cwd: None,
            turn_id: None,
            subagent: None,
            model: None,
            transcript_path: None,
            body: EventBody::SessionStart {
                source: StartSource::Startup,
                changed_files: Vec::new(),
            },
        }
    }

    #[test]
    fn whole_files_in_the_order_of_time_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("not/there"));
        assert_eq!(pending(&home), 0);
        let events: Vec<Event> = [5, 70_000, 800].map(event).to_vec();
        for event in &events {
            write(&home, event, &encode(event).unwrap()).unwrap();
        }
        assert_eq!(pending(&home), 3);
        let mut names: Vec<_> =
            fs::read_dir(home.spool()).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        let times: Vec<i64> =
            names.iter().map(|p| decode(&fs::read(p).unwrap()).unwrap().at.millis()).collect();
        assert_eq!(times, [5, 800, 70_000]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |p: &std::path::Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&home.spool()), mode(&names[0])), (0o700, 0o600));
        }
    }

    #[test]
    fn a_spool_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        fs::write(home.spool(), "a file where the folder should be").unwrap();
        let event = event(1);
        assert!(write(&home, &event, b"{}").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
