//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

use afterword_domain::{Clock, Time};

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
