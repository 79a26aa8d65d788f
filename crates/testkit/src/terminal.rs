//! A terminal that somebody seems to sit at.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::output::{KillOnDrop, Output, finish};

/// Bounds a broken run.
const DEADLINE: Duration = Duration::from_mins(1);

/// Runs a command to its end whose standard output is a terminal so many columns wide, and gives
/// what stands on it, line ends as `\n`.
#[track_caller]
pub(crate) fn run(mut command: Command, columns: u16) -> Output {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal can be made");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("a terminal of ours can be used");
    let name = ptsname(&ours, Vec::new()).expect("a terminal has a name");
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let theirs = File::options().read(true).write(true).open(path).expect("it is there");
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).expect("a terminal has a size");
    command.stdin(Stdio::null()).stdout(theirs).stderr(Stdio::piped());
    let child = command.spawn().expect("the command can be run");
    let mut child = KillOnDrop(child);
    // The command holds the other end, which has to be closed for the reading to end.
    drop(command);
    let reader = std::thread::spawn(move || {
        let (mut bytes, mut terminal) = (Vec::new(), File::from(ours));
        // Ends with an error where the other side has closed.
        drop(terminal.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
    });
    let output = finish(&mut child, DEADLINE);
    Output { stdout: reader.join().expect("a reader does not panic"), ..output }
}
