//! When the person must be told that something has failed for longer than it may.
//!
//! Events that the daemon did not take are in the spool, and the hooks themselves speak of a spool
//! that is not drained; here is what only the daemon can see.

use afterword_domain::Time;
use afterword_domain::wire::status::Status;

/// How long a turn may wait past the time it was due, in milliseconds. Turns are distilled within
/// two seconds, and a failed one is tried again within a minute.
pub const WAITING_LIMIT_MS: i64 = 10 * 60 * 1_000;

/// How long sessions may begin without anything else coming, in milliseconds, and how many.
pub const SILENCE_LIMIT_MS: i64 = 24 * 60 * 60 * 1_000;
const SILENT_SESSIONS: u64 = 3;

/// What the rule looks at.
#[derive(Clone, Copy, Debug)]
pub struct Signs<'a> {
    /// The counts of every stage, with those of the spool.
    pub status: &'a Status,
    /// When the turn that waits longest was to be distilled.
    pub due: Option<Time>,
    /// Events that hooks could keep nowhere lately.
    pub lost: u64,
    /// What stops the model, where the person is to be told.
    pub stopped: Option<&'a str>,
    /// The time.
    pub now: Time,
}

/// The one line for the person; none when all is well. It never holds text of an event.
///
/// What concerns capture comes first, then distilling, then the model. Of several troubles the gravest is named and
/// the others are counted: `doctor` names them all.
pub fn line(signs: &Signs<'_>) -> Option<String> {
    let mut troubles = troubles(signs).into_iter();
    let first = troubles.next()?;
    let more = match troubles.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!("afterword: {first}{more}; run 'afterword doctor'"))
}

/// Everything that is wrong, the gravest first.
pub fn troubles(signs: &Signs<'_>) -> Vec<String> {
    let Signs { status, due, lost, stopped, now } = *signs;
    let mut troubles = Vec::new();
    if lost > 0 {
        troubles.push(format!("{} could not be kept anywhere", events(lost)));
    }
    if status.spool_bad > 0 {
        troubles.push(format!("{} in the spool cannot be read", events(status.spool_bad)));
    }
    if let Some(silence) = status.silence
        && silence.sessions >= SILENT_SESSIONS
        && now.millis() - silence.began_at.millis() > SILENCE_LIMIT_MS
    {
        let (n, since) = (silence.sessions, silence.since.date());
        troubles.push(format!("nothing was kept since {since}, though {n} sessions began"));
    }
    if status.parked > 0 {
        troubles.push(format!("{} could not be distilled", events(status.parked)));
    }
    let late = due.is_some_and(|due| now.millis() - due.millis() > WAITING_LIMIT_MS);
    if late && status.waiting > 0 {
        troubles.push(format!("distilling stands still: {}", waiting(status.waiting)));
    }
    // Rules tell what a model does not: this comes last.
    let held = status.model.held.as_deref().filter(|_| status.model.stopped).or(stopped);
    if let Some(why) = held {
        troubles.push(format!("no model is asked: {why}"));
    }
    if status.model.parked > 0 {
        let n = status.model.parked;
        let turns = if n == 1 { "turn" } else { "turns" };
        troubles
            .push(format!("{n} {turns} could not be read by a model; see 'afterword jobs list'"));
    }
    troubles
}

fn events(n: u64) -> String {
    if n == 1 { "1 event".to_owned() } else { format!("{n} events") }
}

fn waiting(n: u64) -> String {
    if n == 1 { "1 event waits".to_owned() } else { format!("{n} events wait") }
}

#[cfg(test)]
mod tests {
    use afterword_domain::wire::status::Silence;

    use super::*;

    const NOW: Time = Time::from_millis(1_000_000_000);

    #[test]
    fn a_model_that_is_not_asked_comes_after_what_concerns_capture() {
        let mut status = Status { parked: 2, ..Status::default() };
        status.model.held = Some("no key".into());
        let told = |status: &Status| {
            troubles(&Signs { status, due: None, lost: 0, stopped: None, now: NOW })
        };
        assert_eq!(told(&status).len(), 1, "a pause is no trouble");
        status.model.stopped = true;
        status.model.parked = 3;
        let told = told(&status);
        assert_eq!(told.len(), 3);
        assert!(told[1].contains("no key") && told[2].starts_with("3 turns"), "{told:?}");
    }

    fn line_of(status: &Status, due: Option<i64>, lost: u64) -> Option<String> {
        let due = due.map(|late| NOW.plus_millis(-late));
        line(&Signs { status, due, lost, stopped: None, now: NOW })
    }

    #[test]
    fn nothing_is_said_while_all_is_well() {
        let busy = Status { waiting: 9, stored: 9, spooled: 3, ..Status::default() };
        assert_eq!(line_of(&Status::default(), None, 0), None);
        assert_eq!(line_of(&busy, Some(WAITING_LIMIT_MS), 0), None);
        assert_eq!(line_of(&busy, Some(-5_000), 0), None);
        assert_eq!(line_of(&Status::default(), Some(WAITING_LIMIT_MS * 9), 0), None, "none waits");
    }

    #[test]
    fn sessions_that_bring_nothing_are_told_after_a_day() {
        let silent = |sessions: u64, began: i64| {
            let since = NOW.plus_millis(-SILENCE_LIMIT_MS * 3);
            let silence = Silence { since, began_at: NOW.plus_millis(-began), sessions };
            line_of(&Status { silence: Some(silence), ..Status::default() }, None, 0)
        };
        assert_eq!(silent(3, SILENCE_LIMIT_MS), None, "not for long");
        assert_eq!(silent(2, SILENCE_LIMIT_MS * 2), None, "opened, and nothing typed");
        let said = silent(3, SILENCE_LIMIT_MS + 1).unwrap();
        let since = NOW.plus_millis(-SILENCE_LIMIT_MS * 3).date();
        let told = format!("afterword: nothing was kept since {since}, though 3 sessions began;");
        assert!(said.starts_with(&told), "{said}");
    }

    #[test]
    fn j12_whatever_fails_for_long_is_one_line_with_the_command() {
        let parked = Status { parked: 1, ..Status::default() };
        assert_eq!(
            line_of(&parked, None, 0).unwrap(),
            "afterword: 1 event could not be distilled; run 'afterword doctor'"
        );
        let stuck = Status { waiting: 40, ..Status::default() };
        let said = line_of(&stuck, Some(WAITING_LIMIT_MS + 1), 0).unwrap();
        assert!(said.contains("stands still: 40 events wait;"), "{said}");
        let all = Status { parked: 2, waiting: 1, spool_bad: 3, ..Status::default() };
        let said = line_of(&all, Some(WAITING_LIMIT_MS * 2), 7).unwrap();
        assert!(said.starts_with("afterword: 7 events could not be kept anywhere (and 3 more);"));
        assert_eq!(said.lines().count(), 1);
    }
}
