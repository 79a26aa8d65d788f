//! Waiting for something to become true.

use std::time::{Duration, Instant};

/// Time between two looks.
const BACKOFF: Duration = Duration::from_millis(5);

/// Looks until `look` gives a value and returns it; panics with `what` when `deadline` has passed.
///
/// The deadline only bounds a broken run: a test that passes takes as long as the event takes.
#[track_caller]
pub fn eventually<T>(what: &str, deadline: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = look() {
            return value;
        }
        assert!(start.elapsed() < deadline, "not within {deadline:?}: {what}");
        std::thread::sleep(BACKOFF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_first_value_there_is() {
        let mut looks = 0;
        let value = eventually("three looks", Duration::from_secs(5), || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(value, 3);
    }

    #[test]
    #[should_panic(expected = "not within 10ms: the moon")]
    fn says_what_never_came() {
        eventually("the moon", Duration::from_millis(10), || None::<()>);
    }
}
