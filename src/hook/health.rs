//! The one line at a session's start when the daemon cannot speak for itself.

use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::spool::{ENDING, time_of};
use afterword_domain::{Clock, Time};

use crate::config::{FileConfig, Home};
use crate::folder::files::read_bounded;

/// How long events may lie in the spool, in milliseconds.
const SPOOL_LIMIT_MS: i64 = 10 * 60 * 1_000;

/// How many events may lie in the spool, however young.
const SPOOL_LIMIT: usize = 100;

/// Characters of a daemon's reason that are shown.
const REASON: usize = 300;

/// What is wrong with capture, seen from a hook that could not hand its event over: the reason that
/// a daemon left when it could not start, or a spool that nobody drains. None while it is young.
pub fn line(home: &Home, clock: &dyn Clock) -> Option<String> {
    let trouble = match reason(home) {
        Some(reason) => format!("nothing is remembered for now: {reason}"),
        None => undrained(home, clock)?,
    };
    Some(format!("afterword: {trouble}; run 'afterword doctor'"))
}

/// The line when an event could be kept nowhere.
pub fn lost(why: &str) -> String {
    format!("afterword: what happens here cannot be kept: {why}; run 'afterword doctor'")
}

/// The line while the settings cannot be read as a whole; none when they can.
pub fn settings(file: &FileConfig) -> Option<String> {
    let what = match (file.closed, file.in_doubt) {
        (true, _) => "nothing is remembered: config.toml cannot be read, and it excludes something",
        (_, true) => {
            "config.toml cannot be read as a whole; what it and its last good copy exclude stays \
             excluded"
        }
        (false, false) => return None,
    };
    Some(format!("afterword: {what}; run 'afterword doctor'"))
}

fn reason(home: &Home) -> Option<String> {
    let bytes = read_bounded(&home.health_file(), 16 * 1024).ok()?;
    let reason = one_line(&String::from_utf8_lossy(&bytes));
    (!reason.is_empty()).then(|| cut_chars(&reason, REASON))
}

fn undrained(home: &Home, clock: &dyn Clock) -> Option<String> {
    let entries = std::fs::read_dir(home.spool()).ok()?;
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let mut count = 0;
    let mut oldest: Option<i64> = None;
    for name in names.filter(|name| name.ends_with(ENDING)) {
        count += 1;
        let at = time_of(&name).map(Time::millis);
        oldest = oldest.into_iter().chain(at).min();
    }
    let age = oldest.map_or(0, |at| clock.now().millis() - at);
    (age > SPOOL_LIMIT_MS || count >= SPOOL_LIMIT).then(|| match count {
        1 => "1 event waits, and no process takes it in".to_owned(),
        n => format!("{n} events wait, and no process takes them in"),
    })
}

#[cfg(test)]
mod tests {
    use afterword_domain::time::FixedClock;
    use afterword_domain::wire::spool::file_name;

    use super::*;

    fn spool(home: &Home, at: i64) {
        std::fs::create_dir_all(home.spool()).unwrap();
        let name = file_name(Time::from_millis(at), uuid::Uuid::now_v7());
        std::fs::write(home.spool().join(name), "{}").unwrap();
    }

    #[test]
    fn a_young_spool_is_nothing_to_speak_of_and_an_old_or_a_full_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        let now = FixedClock(Time::from_millis(SPOOL_LIMIT_MS * 5));
        assert_eq!(line(&home, &now), None);
        spool(&home, SPOOL_LIMIT_MS * 4);
        assert_eq!(line(&home, &now), None);
        for _ in 1..SPOOL_LIMIT {
            spool(&home, SPOOL_LIMIT_MS * 4);
        }
        assert!(line(&home, &now).unwrap().contains("100 events wait"));
        std::fs::remove_dir_all(home.spool()).unwrap();
        spool(&home, SPOOL_LIMIT_MS * 4 - 1);
        let said = line(&home, &now).unwrap();
        assert!(said.contains("1 event waits"), "{said}");
    }

    #[test]
    fn the_daemons_own_reason_is_one_line_of_bounded_length() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        let now = FixedClock(Time::default());
        std::fs::write(home.health_file(), format!("a\nb {}", "x".repeat(5_000))).unwrap();
        let said = line(&home, &now).unwrap();
        assert!(said.starts_with("afterword: nothing is remembered for now: a b xxx"), "{said}");
        assert!(said.ends_with("…; run 'afterword doctor'") && said.len() < 500, "{said}");
        std::fs::write(home.health_file(), " \n").unwrap();
        assert_eq!(line(&home, &now), None);
    }
}
