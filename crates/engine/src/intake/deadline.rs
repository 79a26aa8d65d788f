//! What comes too late for the hook is not waited for: it says nothing.

use std::future::Future;
use std::time::Duration;

/// Builds that are not optimised take their time.
const SLOWNESS: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

/// How long memories for a prompt may take.
pub(super) const PROMPT_DEADLINE: Duration = Duration::from_millis(50);

/// How long a session's block may take with its first prompt; its hook gives the call 150 ms.
pub(super) const BLOCK_DEADLINE: Duration = Duration::from_millis(120);

/// How long the whole answer about a file may take; its hook gives the call 150 ms.
pub(super) const FILE_DEADLINE: Duration = Duration::from_millis(120);

/// What a future gives within its deadline; none when that has passed. What it has begun in the store
/// ends by itself.
pub(super) async fn in_time<T, E>(
    deadline: Duration,
    future: impl Future<Output = Result<T, E>>,
) -> Result<Option<T>, E> {
    if let Ok(outcome) = tokio::time::timeout(deadline * SLOWNESS, future).await {
        return outcome.map(Some);
    }
    tracing::debug!(?deadline, "nothing is recalled: it took too long");
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_comes_late_says_nothing() {
        let never = std::future::pending::<Result<u8, ()>>();
        assert_eq!(in_time(Duration::from_millis(1), never).await, Ok(None));
        assert_eq!(in_time(PROMPT_DEADLINE, async { Ok::<u8, ()>(7) }).await, Ok(Some(7)));
        assert_eq!(in_time(FILE_DEADLINE, async { Err::<u8, u8>(3) }).await, Err(3));
    }
}
