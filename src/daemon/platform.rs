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

/// Whether a process of this id runs and is not just coming to its end.
#[cfg(unix)]
pub(super) fn is_alive(pid: u32) -> bool {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        // The state follows the name, which may itself hold spaces and parentheses.
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
        return !state.starts_with(['Z', 'X']);
    }
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Whether a process of this id runs: not known here, so assumed.
#[cfg(not(unix))]
pub(super) fn is_alive(_pid: u32) -> bool {
    true
}

/// Ends a process at once, if it has the file open; whether it was ended.
///
/// A process id alone proves nothing: ids are used again.
#[cfg(target_os = "linux")]
pub(super) fn end_holder(pid: u32, file: &std::path::Path) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    let Ok(file) = file.canonicalize() else { return false };
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let holds = open.flatten().any(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == file));
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    holds && pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// Which process has a file open is not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_holder(_pid: u32, _file: &std::path::Path) -> bool {
    false
}
