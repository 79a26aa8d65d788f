//! One line a trouble in `logs/hook.log`, for people who ask why nothing is remembered.

use std::io::Write;

use afterword_domain::{Clock, text};

use crate::config::Home;
use crate::folder::files::{create_private_folder, private_options};

/// Size at which the file starts anew.
const LIMIT: u64 = 1 << 20;

/// Longest line.
const LINE: usize = 400;

/// Writes one line: the time, what was being done, what went wrong. Whatever stops that is ignored.
///
/// Callers pass words of their own and error texts, never anything from a payload.
pub fn note(home: &Home, clock: &dyn Clock, doing: &str, trouble: &str) {
    let folder = home.logs();
    let open = || private_options().append(true).create(true).open(folder.join("hook.log"));
    let opened = open().or_else(|_| create_private_folder(&folder).and_then(|()| open()));
    let Ok(mut file) = opened else { return };
    if file.metadata().is_ok_and(|m| m.len() >= LIMIT) {
        file.set_len(0).ok();
    }
    let line = text::one_line(&format!("{} {doing}: {trouble}", clock.now().rfc3339()));
    // One write a line, so that lines of hooks running side by side do not mix.
    file.write_all(format!("{}\n", text::prefix(&line, LINE)).as_bytes()).ok();
}

#[cfg(test)]
mod tests {
    use afterword_domain::Time;
    use afterword_domain::time::FixedClock;

    use super::*;

    #[test]
    fn lines_are_single_and_the_file_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("home"));
        let clock = FixedClock(Time::from_millis(0));
        note(&home, &clock, "claude-code stop", "two\nlines");
        let path = home.logs().join("hook.log");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "1970-01-01T00:00:00Z claude-code stop: two lines\n");
        for _ in 0..2_800 {
            note(&home, &clock, "x", &"y".repeat(1_000));
        }
        assert!(std::fs::metadata(&path).unwrap().len() <= LIMIT + LINE as u64 + 1);
    }

    #[test]
    fn where_no_log_can_be_written_nothing_happens() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().to_owned());
        std::fs::write(home.logs(), "").unwrap();
        note(&home, &FixedClock(Time::default()), "x", "y");
        assert_eq!(std::fs::read(home.logs()).unwrap(), b"");
    }
}
