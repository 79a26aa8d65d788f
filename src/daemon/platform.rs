//! What differs by platform.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Files made with these options can be read by their owner only.
#[cfg(unix)]
pub(super) fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// Files made with these options can be read by their owner only: the user's folder sees to it.
#[cfg(not(unix))]
pub(super) fn private(_options: &mut OpenOptions) {}

/// Makes a folder that only its owner can enter, with its parents; tightens one that exists.
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
    }
    #[cfg(not(unix))]
    {
        std::fs::create_dir_all(path)
    }
}

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
