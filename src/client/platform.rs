//! What differs by operating system on the way to the daemon: detached processes, and whether a
//! process id is alive and ours.

use std::process::Command;

/// Cuts a process loose from its starter: own process group, no console window.
///
/// Signals to the agent's group and a closing terminal do not reach it.
#[cfg(unix)]
pub fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Cuts a process loose from its starter: own process group, no console window.
#[cfg(windows)]
pub fn detach(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW,
    );
}

/// Whether a process of this id lives and belongs to this user, as far as the system tells.
///
/// Never proof that it is the daemon: ids are used again.
#[cfg(unix)]
pub fn pid_is_ours(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Whether a process of this id lives and belongs to this user: not known here, so assumed.
#[cfg(not(unix))]
pub fn pid_is_ours(_pid: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn b6_only_a_living_process_of_ours_counts() {
        assert!(pid_is_ours(std::process::id()));
        assert!(!pid_is_ours(0));
        assert!(!pid_is_ours(u32::MAX));
    }
}
