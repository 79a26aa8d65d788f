//! A home, a project and a daemon that belong to one test alone.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use afterword_domain::wire::daemon::Endpoint;
use serde_json::Value;
use tempfile::TempDir;

use crate::output::{Output, run};
use crate::payload::Payload;
use crate::wait::eventually;
use crate::{env, processes};

/// Bounds a broken run; nothing that works comes near it.
const DEADLINE: Duration = Duration::from_mins(1);

/// The user of nobody in particular.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

/// A temporary home with its own project, environment and daemon.
///
/// Nothing of the person who runs the tests is seen: the environment holds only the search path,
/// the home, the language, the data folder and port 0. When dropped it stops its daemon, ends whatever
/// else still runs with its environment, and removes everything; the test fails where something
/// outlives that.
#[derive(Debug)]
pub struct Sandbox {
    binary: PathBuf,
    home: PathBuf,
    project: PathBuf,
    /// The folder goes when the daemon has; there until the sandbox is dropped.
    root: Option<TempDir>,
    /// Whom commands run as, where that is not whoever runs the tests.
    user: Option<u32>,
}

impl Sandbox {
    /// Makes a home and a project with one commit. `binary` is `env!("CARGO_BIN_EXE_afterword")`.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::owned_by(binary.into(), None)
    }

    /// Like [`Self::new`], and nothing runs with the rights of root, who may read and write
    /// whatever the permissions say: where root runs the tests, `nobody` owns the sandbox and
    /// runs its commands, a copy of the binary among them. Files that the test makes in the data
    /// folder are root's then.
    #[cfg(unix)]
    pub fn without_privileges(binary: impl Into<PathBuf>) -> Self {
        let root = rustix::process::geteuid().is_root();
        Self::owned_by(binary.into(), root.then_some(NOBODY))
    }

    fn owned_by(binary: PathBuf, user: Option<u32>) -> Self {
        let root = tempfile::Builder::new().prefix("afterword-").tempdir().expect("a temp folder");
        // Folders reached through a link (macOS) would show two names for one file.
        let base = root.path().canonicalize().expect("the folder was just made");
        let (home, project) = (base.join("home"), base.join("demo-project"));
        fs::create_dir_all(home.join(".claude")).expect("a home can be made");
        let mut sandbox = Self { binary, home, project, root: Some(root), user };
        if user.is_some() {
            let copy = base.join(exe("afterword"));
            // By another process: a child that another test starts just now would hold the file
            // open for writing, and then it cannot be run.
            let copied = Command::new("cp").arg(&sandbox.binary).arg(&copy).status();
            assert!(copied.is_ok_and(|status| status.success()), "the binary can be copied");
            sandbox.binary = copy;
            sandbox.hand_over(&base);
        }
        sandbox.make_project(&sandbox.project);
        sandbox
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The data folder, `.afterword` in the home; not there before something made it.
    pub fn data(&self) -> PathBuf {
        self.home.join(".afterword")
    }

    /// The project's folder, a repository with one commit.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The binary under test.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The folder that holds home and projects; scratch files are welcome.
    pub fn root(&self) -> &Path {
        self.root.as_ref().expect("it goes last").path()
    }

    /// Makes a further repository with one commit beside the project.
    pub fn another_project(&self, name: &str) -> PathBuf {
        let folder = self.project.with_file_name(name);
        self.make_project(&folder);
        folder
    }

    /// Writes a file of the project, with its folders.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.project.join(path);
        fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder");
        fs::write(&file, text).expect("the project can be written");
        file
    }

    /// A command in the project with the sandbox's environment and no other.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", env::path())
            .env("HOME", &self.home)
            .env("LANG", "C.UTF-8")
            .env("AFTERWORD_HOME", self.data())
            .env("AFTERWORD_PORT", "0");
        #[cfg(unix)]
        if let Some(user) = self.user {
            std::os::unix::process::CommandExt::uid(&mut command, user);
        }
        command
    }

    /// Runs git in `folder` with a fixed identity and no configuration but the repository's.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn git(&self, folder: &Path, args: &[&str]) -> Output {
        let mut command = self.command("git");
        command.current_dir(folder).args(args).env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "dev")
                .env(format!("GIT_{role}_EMAIL"), "dev@example.com")
                .env(format!("GIT_{role}_DATE"), "2026-01-02T03:04:05Z");
        }
        run(command, b"", DEADLINE).success()
    }

    /// Runs the binary in the project.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn afterword(&self, args: &[&str]) -> Output {
        self.afterword_with(args, b"")
    }

    /// Runs the binary in the project with something on its standard input.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn afterword_with(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut command = self.command(&self.binary);
        command.args(args);
        run(command, stdin, DEADLINE)
    }

    /// Runs a command of the test's own making to its end, as [`Self::command`] gives it.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn run(&self, command: Command, stdin: &[u8]) -> Output {
        run(command, stdin, DEADLINE)
    }

    /// Runs a command of the test's own making before a terminal so many columns wide.
    #[cfg(unix)]
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn run_on_terminal(&self, command: Command, columns: u16) -> Output {
        crate::terminal::run(command, columns)
    }

    /// Runs `afterword hook claude-code <event>` with a payload as the agent would send it.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn hook(&self, event: &str, payload: &Value) -> Output {
        let mut line = serde_json::to_vec(payload).expect("a value can be written");
        line.push(b'\n');
        self.afterword_with(&["hook", "claude-code", event], &line)
    }

    /// Sends a payload to the hook of its event, from this project unless it names a folder.
    #[must_use = "the exit code may be a failure"]
    #[track_caller]
    pub fn send(&self, payload: &Payload) -> Output {
        self.hook(payload.event(), &payload.json(&self.project))
    }

    /// Starts the daemon and returns its process id once it answers.
    #[track_caller]
    pub fn start_daemon(&self) -> u32 {
        drop(self.afterword(&["daemon", "start"]).success());
        self.wait_for_daemon()
    }

    /// Starts the daemon at a port, where an earlier one of this home was, and returns its process
    /// id once it answers: pages that are open know no other.
    #[track_caller]
    pub fn start_daemon_at(&self, port: u16) -> u32 {
        let mut command = self.command(&self.binary);
        command.env("AFTERWORD_PORT", port.to_string()).args(["daemon", "start"]);
        drop(run(command, b"", DEADLINE).success());
        self.wait_for_daemon()
    }

    /// Waits until the daemon answers, whoever starts it, and returns its process id.
    #[track_caller]
    pub fn wait_for_daemon(&self) -> u32 {
        eventually("a daemon that answers", DEADLINE, || {
            let status = self.afterword(&["daemon", "status", "--json"]);
            let status: Value = serde_json::from_str(&status.stdout).ok()?;
            if status["running"] != true {
                return None;
            }
            u32::try_from(status["pid"].as_u64()?).ok()
        })
    }

    /// Waits until `afterword status --json` satisfies `wanted` and returns it.
    #[track_caller]
    pub fn wait_for_status(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, DEADLINE, || {
            let status = self.afterword(&["status", "--json"]);
            let status: Value = serde_json::from_str(&status.stdout).ok()?;
            wanted(&status).then_some(status)
        })
    }

    /// What the daemon published about itself, where the file is there and whole.
    pub fn endpoint(&self) -> Option<Endpoint> {
        let text = fs::read(self.data().join("daemon.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The id of the daemon's process, where one of this home runs.
    pub fn daemon_pid(&self) -> Option<u32> {
        let pid = self.endpoint()?.pid;
        let installed = self.data().join("bin").join(exe("afterword"));
        let ours = processes::runs_one_of(pid, &[&self.binary, &installed]);
        (processes::is_alive(pid) && ours).then_some(pid)
    }

    /// Kills the daemon without warning and waits until it is gone; false where none ran.
    #[track_caller]
    pub fn kill_daemon(&self) -> bool {
        let Some(pid) = self.daemon_pid() else { return false };
        processes::kill(pid);
        eventually("the end of the killed daemon", DEADLINE, || {
            (!processes::is_alive(pid)).then_some(true)
        })
    }

    /// Takes the lock that makes a daemon the owner of this home: until it is released no daemon
    /// can come up here, whoever starts one. A running daemon must be ended first.
    #[track_caller]
    pub fn keep_daemon_away(&self) -> DaemonLock {
        fs::create_dir_all(self.data()).expect("the data folder can be made");
        let path = self.data().join("daemon.lock");
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .expect("the lock file can be opened");
        eventually("the daemon's lock", DEADLINE, || match file.try_lock() {
            Ok(()) => Some(()),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => panic!("cannot lock: {error}"),
        });
        DaemonLock { _file: file }
    }

    fn make_project(&self, folder: &Path) {
        fs::create_dir_all(folder).expect("a project can be made");
        // The name makes the first commit its own: equal first commits would be one project.
        let name = folder.file_name().expect("a project has a name").to_string_lossy();
        fs::write(folder.join("README.md"), format!("# {name}\n")).expect("it can be written");
        self.hand_over(folder);
        drop(self.git(folder, &["init", "-q", "-b", "main"]));
        drop(self.git(folder, &["add", "-A"]));
        drop(self.git(folder, &["commit", "-q", "-m", "start"]));
    }
}

impl Sandbox {
    /// Makes everything in a folder the property of whoever runs the commands.
    fn hand_over(&self, folder: &Path) {
        #[cfg(unix)]
        if let Some(user) = self.user {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    self.hand_over(&entry.path());
                } else {
                    std::os::unix::fs::chown(entry.path(), Some(user), None).expect("it is ours");
                }
            }
            std::os::unix::fs::chown(folder, Some(user), None).expect("it is ours");
        }
        #[cfg(not(unix))]
        let _ = folder;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let root = self.root.take().expect("it is dropped once");
        let folder = self.home.parent().expect("the home is in the root").to_owned();
        // Dropped last: no daemon that some hook has just started comes up in a folder that goes.
        let lock = self.data().is_dir().then(|| self.come_to_rest()).flatten();
        let processes = end_all(&folder);
        let gone = removed(root);
        drop(lock);
        // A panic here would hide the one of the test.
        if !std::thread::panicking() {
            assert!(processes.is_empty(), "outlive their test: processes {processes:?}");
            assert!(gone.is_ok(), "{} outlives its test: {gone:?}", folder.display());
        }
    }
}

impl Sandbox {
    /// Stops daemons until none has the folder, and takes the lock; none where that cannot be had.
    fn come_to_rest(&self) -> Option<File> {
        let begun = Instant::now();
        while begun.elapsed() < DEADLINE {
            self.stop_daemon();
            let mut options = File::options();
            options.write(true).create(true).truncate(false);
            let lock = options.open(self.data().join("daemon.lock")).ok();
            if let Some(lock) = lock.filter(|file| file.try_lock().is_ok()) {
                return Some(lock);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn stop_daemon(&self) {
        let Some(pid) = self.daemon_pid() else { return };
        let mut stop = self.command(&self.binary);
        stop.args(["daemon", "stop"]).stdout(std::process::Stdio::null());
        stop.stdin(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        drop(stop.status());
        // Only where stopping failed; a panic here would hide the one of the test.
        if self.daemon_pid() == Some(pid) {
            processes::kill(pid);
        }
    }
}

/// Ends what still runs with the environment of a sandbox: hooks that nobody waits for, and daemons
/// that they started and that wait for the lock. Gives those that stay.
fn end_all(folder: &Path) -> Vec<u32> {
    let begun = Instant::now();
    loop {
        let left = processes::with_home_in(folder);
        if left.is_empty() || begun.elapsed() > DEADLINE {
            return left;
        }
        left.into_iter().for_each(processes::kill);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Removes the folder, also where a test took away the right to.
fn removed(root: TempDir) -> std::io::Result<()> {
    let path = root.path().to_owned();
    match root.close() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            open_up(&path);
            fs::remove_dir_all(&path)
        }
        closed => closed,
    }
}

fn open_up(folder: &Path) {
    #[cfg(unix)]
    {
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        drop(fs::set_permissions(folder, all));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// The daemon's lock in a test's hands; dropping it lets a daemon come up again.
#[derive(Debug)]
pub struct DaemonLock {
    _file: File,
}

/// The name of a program's file on this system.
fn exe(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn nothing_of_the_person_who_runs_the_tests_is_seen() {
        let sandbox = Sandbox::new("/nowhere/afterword");
        let seen = run(sandbox.command("env"), b"", DEADLINE).success().stdout;
        let mut names: Vec<&str> = seen.lines().filter_map(|l| l.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["AFTERWORD_HOME", "AFTERWORD_PORT", "HOME", "LANG", "PATH"]);
    }

    #[test]
    fn projects_are_repositories_with_one_commit_of_their_own_the_same_in_every_run() {
        let (sandbox, again) = (Sandbox::new("/nowhere/a"), Sandbox::new("/nowhere/a"));
        let other = sandbox.another_project("second");
        let head = |folder: &Path| sandbox.git(folder, &["rev-parse", "HEAD"]).stdout;
        assert_eq!(head(sandbox.project()), head(again.project()));
        assert_ne!(head(sandbox.project()), head(&other));
        assert_eq!(sandbox.git(&other, &["rev-list", "--count", "HEAD"]).stdout.trim(), "1");
    }

    #[test]
    fn the_lock_of_the_daemon_is_held_and_released() {
        let sandbox = Sandbox::new("/nowhere/afterword");
        let lock = sandbox.keep_daemon_away();
        let other = File::open(sandbox.data().join("daemon.lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        other.try_lock().unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_still_runs_in_a_sandbox_ends_with_it() {
        let sandbox = Sandbox::new("/nowhere/afterword");
        let root = sandbox.root().to_owned();
        let mut command = sandbox.command("cat");
        command.stdin(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        eventually("the environment of the child", DEADLINE, || {
            processes::with_home_in(&root).contains(&child.id()).then_some(())
        });
        drop(sandbox);
        assert!(!processes::is_alive(child.id()));
        assert!(!root.exists());
        child.wait().unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_without_rights_goes_too() {
        let sandbox = Sandbox::new("/nowhere/afterword");
        let (root, sealed) = (sandbox.root().to_owned(), sandbox.write("sealed/file", "x"));
        let none = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        fs::set_permissions(sealed.parent().unwrap(), none).unwrap();
        drop(sandbox);
        assert!(!root.exists());
    }

    #[test]
    fn a_stale_process_id_is_nobody_to_kill() {
        let sandbox = Sandbox::new("/nowhere/afterword");
        fs::create_dir_all(sandbox.data()).unwrap();
        let endpoint = Endpoint {
            port: 1,
            pid: std::process::id(),
            started_at_ms: 0,
            protocol: 1,
            version: "0".to_owned(),
        };
        let text = serde_json::to_vec(&endpoint).unwrap();
        fs::write(sandbox.data().join("daemon.json"), text).unwrap();
        assert_eq!(sandbox.endpoint(), Some(endpoint));
        if cfg!(target_os = "linux") {
            assert_eq!(sandbox.daemon_pid(), None);
            assert!(!sandbox.kill_daemon());
        }
    }
}
