//! The life of the daemon: however it ends, whatever listens in its place, whichever release comes
//! next, hooks stay out of the way, every event is kept once, and nothing is left behind.

/// Killed, frozen, replaced on disk, and started again.
mod deaths;
/// Who may take the daemon's place at its address.
mod impostors;
/// Leaving in time, and leaving nothing.
mod leaving;
/// Killed at random points while events come in.
mod load;
/// Older and newer releases on one folder.
mod releases;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use afterword_domain::wire::daemon::Endpoint;
use afterword_domain::wire::spool;
use afterword_testkit::{Payload, Sandbox, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

/// Bounds a broken run.
const DEADLINE: Duration = Duration::from_mins(1);

/// An event that no other call of this makes again.
fn edit(n: usize) -> Payload {
    let payload = Payload::edit(&format!("src/file_{n}.rs"), "a", "b");
    payload.session("s").tool_use_id(&format!("toolu_{n}"))
}

/// Sends an event through the hook, which says nothing.
#[track_caller]
fn send(sandbox: &Sandbox, n: usize) {
    let output = sandbox.send(&edit(n)).success();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Stops every thread of a process where it is, and waits until all of them have.
pub(crate) fn freeze(pid: u32) {
    signal(pid, Signal::STOP);
    if cfg!(target_os = "linux") {
        eventually("a process that stands still", DEADLINE, || {
            let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
            let stopped =
                |stat: String| stat.rsplit(')').next().unwrap().trim_start().starts_with('T');
            threads
                .flatten()
                .all(|t| fs::read_to_string(t.path().join("stat")).is_ok_and(stopped))
                .then_some(())
        });
    }
}

/// Events that wait in files.
fn spooled(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.data().join("spool"))
        .map_or(0, |files| files.filter(|f| f.as_ref().unwrap().path().is_file()).count())
}

/// Changes what the daemon has published about itself, as another release or process would have.
fn republish(sandbox: &Sandbox, change: impl FnOnce(&mut Endpoint)) {
    let mut endpoint = sandbox.endpoint().unwrap();
    change(&mut endpoint);
    let text = serde_json::to_vec(&endpoint).unwrap();
    fs::write(sandbox.data().join("daemon.json"), text).unwrap();
}

/// How often a daemon of this folder came up.
fn starts(sandbox: &Sandbox) -> usize {
    let log = fs::read_to_string(sandbox.data().join("logs/daemon.log")).unwrap_or_default();
    log.lines().filter(|line| line.contains(" ready")).count()
}

/// Processes that run for this folder, whoever started them.
#[cfg(target_os = "linux")]
fn processes(sandbox: &Sandbox) -> Vec<u32> {
    let wanted = format!("AFTERWORD_HOME={}", sandbox.data().display());
    let of_ours = |pid: &u32| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|env| env.split(|b| *b == 0).any(|v| v == wanted.as_bytes()))
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(of_ours)
        .collect()
}

/// Waits until every event is where it should be and checks the sums.
#[track_caller]
fn account(sandbox: &Sandbox, events: usize) -> Value {
    let status = crate::remember::settle(sandbox);
    let n = |name: &str| status[name].as_u64().unwrap();
    assert_eq!(n("received"), n("spooled") + n("stored"), "{status}");
    assert_eq!(n("stored"), n("distilled") + n("waiting") + n("parked"), "{status}");
    assert_eq!((n("stored"), n("parked"), n("spool_bad")), (events as u64, 0, 0), "{status}");
    assert_eq!(spooled(sandbox), 0);
    status
}

/// Events that hooks say were lost, or may have been: only on a machine that has no time for them.
fn told_as_lost(sandbox: &Sandbox) -> u64 {
    let log = fs::read_to_string(sandbox.data().join("logs/hook.log")).unwrap_or_default();
    log.lines().filter(|line| line.contains(spool::LOST)).count() as u64
}

/// Sends bytes to the daemon's port and gives the connection.
fn say(port: u16, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream
}

/// One exchange over a connection of its own: the whole answer as text.
fn ask(port: u16, method: &str, path: &str, token: &str) -> String {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    let mut answer = String::new();
    say(port, &head).read_to_string(&mut answer).unwrap();
    answer
}

fn token(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.data().join("token")).unwrap().trim().to_owned()
}

/// Waits until a process is gone.
#[track_caller]
fn wait_for_end(what: &str, pid: u32, deadline: Duration) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    eventually(what, deadline, || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        let zombie =
            stat.is_ok_and(|s| s.rsplit(')').next().unwrap().trim_start().starts_with('Z'));
        (zombie || rustix::process::test_kill_process(pid).is_err()).then_some(())
    });
}
