//! What something costs, measured so that a busy machine changes it little. For tests alone.

use std::time::{Duration, Instant};

/// Whether `run` takes time in proportion to its input: four times the input, at most eight times
/// the time. A quadratic one needs sixteen times as long in every try, a busy machine only in some.
pub fn is_linear(piece: &str, run: impl Fn(&str)) -> bool {
    const SMALL: usize = 4_000;
    let small = piece.repeat(SMALL / piece.len());
    let large = piece.repeat(4 * SMALL / piece.len());
    (0..6).any(|_| {
        let floor = time(|| run(&small)).max(Duration::from_millis(1));
        time(|| run(&large)) <= floor * 8
    })
}

/// The time that `run` takes: of this thread on a processor where the system tells it, else by the
/// clock.
pub fn time(run: impl FnOnce()) -> Duration {
    let (before, begun) = (on_processor(), Instant::now());
    run();
    let took = begun.elapsed();
    before.zip(on_processor()).map_or(took, |(before, after)| after.saturating_sub(before))
}

/// How long this thread has run; Linux counts it.
fn on_processor() -> Option<Duration> {
    // Giving way brings the count up to date.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
