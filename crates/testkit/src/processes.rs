//! Looking at and ending single processes by their id.

use std::path::Path;

/// Whether the process runs; one that has ended but was not yet waited for does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        // The state follows the name, which may itself hold spaces and parentheses.
        return !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
    }
    platform::answers(pid)
}

/// Whether the process runs one of these programs; assumed where the system does not tell.
///
/// A process id in a file may be stale and belong to a stranger by now.
pub(crate) fn runs_one_of(pid: u32, programs: &[&Path]) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let Ok(running) = std::fs::read_link(format!("/proc/{pid}/exe")) else { return false };
    let running = running.to_string_lossy().trim_end_matches(" (deleted)").to_owned();
    programs.iter().any(|program| {
        let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
        real == Path::new(&running) || *program == Path::new(&running)
    })
}

/// Processes that were started with a home or a data folder inside `folder`; none where the system
/// does not tell.
///
/// A daemon that has not come up has published nothing, so its environment alone says whose it is.
pub(crate) fn with_home_in(folder: &Path) -> Vec<u32> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let names = [b"HOME=".as_slice(), b"AFTERWORD_HOME="];
    let homes = names.map(|name| [name, folder.as_os_str().as_encoded_bytes(), b"/"].concat());
    let of_process = |entry: std::fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        // Of a process that has ended nothing can be read.
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let ours = environment
            .split(|byte| *byte == 0)
            .any(|word| homes.iter().any(|home| word.starts_with(home)));
        (ours && pid != std::process::id()).then_some(pid)
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(of_process).collect()
}

/// Ends the process at once, without giving it a chance to tidy up.
pub(crate) fn kill(pid: u32) {
    platform::kill(pid);
}

#[cfg(unix)]
mod platform {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};

    fn id(pid: u32) -> Option<Pid> {
        i32::try_from(pid).ok().and_then(Pid::from_raw)
    }

    pub(super) fn answers(pid: u32) -> bool {
        id(pid).is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    pub(super) fn kill(pid: u32) {
        if let Some(pid) = id(pid) {
            // It may have ended by itself since it was looked at.
            kill_process(pid, Signal::KILL).ok();
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::process::Command;

    pub(super) fn answers(pid: u32) -> bool {
        let filter = format!("PID eq {pid}");
        Command::new("tasklist")
            .args(["/NH", "/FI", &filter])
            .output()
            .is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains(&pid.to_string()))
    }

    pub(super) fn kill(pid: u32) {
        drop(Command::new("taskkill").args(["/F", "/PID", &pid.to_string()]).output());
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;
    use crate::wait::eventually;

    #[test]
    #[cfg(unix)]
    fn a_killed_child_is_gone_even_before_it_is_waited_for() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        assert!(is_alive(pid));
        kill(pid);
        eventually("the end of the child", Duration::from_secs(10), || {
            (!is_alive(pid)).then_some(())
        });
        child.wait().unwrap();
        assert!(!is_alive(pid));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_stranger_is_told_from_our_own_program() {
        let own = std::env::current_exe().unwrap();
        assert!(runs_one_of(std::process::id(), &[&own]));
        assert!(!runs_one_of(std::process::id(), &[Path::new("/usr/bin/true")]));
    }
}
