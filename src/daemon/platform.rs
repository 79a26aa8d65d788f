//! What differs by platform.

/// Leaves the session of whoever started us, so that closing a terminal does not reach us.
#[cfg(unix)]
pub(super) fn detach() {
    // Fails only for the leader of a process group, which is on its own already.
    rustix::process::setsid().ok();
}

/// Nothing to leave: the process was started without a console.
#[cfg(not(unix))]
pub(super) fn detach() {}

/// Resolves when the system asks the process to end.
#[cfg(unix)]
pub(super) async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    // A closed terminal is no reason to leave; listening replaces the deadly default.
    let _hangup = signal(SignalKind::hangup());
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

/// Resolves when the system asks the process to end.
#[cfg(not(unix))]
pub(super) async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
