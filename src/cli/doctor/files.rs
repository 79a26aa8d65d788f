//! The data folder, the settings and the program that hooks call.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::check::Check;
use crate::cli::Tools;
use crate::config::Home;

/// What a hook may take at most; it is one of the promises.
const HOOK: Duration = Duration::from_millis(300);

/// Whether the settings are in force.
pub(super) fn settings(tools: &Tools) -> Check {
    match &tools.problem {
        None => Check::good("settings", "config.toml is fine or absent"),
        Some(problem) => {
            let mut lines = problem.lines();
            let (what, place) = (lines.next().unwrap_or_default(), lines.next());
            let what = what.split(", so ").next().unwrap_or(what);
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            let holds = if tools.config.file.closed {
                "nothing is captured, for it excludes something and nobody can read what"
            } else {
                "what it and its last good copy exclude stays excluded"
            };
            let remedy = format!("correct {}", tools.config.home.config_file().display());
            Check::bad("settings", format!("{what}{place}: {holds}"), remedy)
        }
    }
}

/// Whether the data folder is there and closed to others.
pub(super) fn folder(home: &Home) -> Check {
    let folder = home.folder();
    if !folder.is_dir() {
        return Check::bad(
            "data folder",
            format!("{} does not exist yet", folder.display()),
            "run 'afterword install'; the first session makes it",
        );
    }
    let open: Vec<String> = [
        folder.to_owned(),
        home.database(),
        home.token_file(),
        home.endpoint_file(),
        home.spool(),
        home.logs(),
    ]
    .iter()
    .filter(|path| is_open(path))
    .map(|path| path.display().to_string())
    .collect();
    if open.is_empty() {
        Check::good("data folder", format!("{} is closed to others", folder.display()))
    } else {
        Check::bad(
            "data folder",
            format!("others can read {}", open.join(", ")),
            format!("chmod -R go-rwx {}", folder.display()),
        )
    }
}

#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open(_path: &Path) -> bool {
    false
}

/// Whether the program that hooks are registered with is there and is this release.
pub(super) fn binary(tools: &Tools) -> Check {
    let path = tools.config.home.binary();
    if !path.exists() {
        return Check::bad(
            "program",
            format!("{} is missing", path.display()),
            "run 'afterword install': hooks call that path",
        );
    }
    let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
    let version = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().replace("afterword ", "")
        }
        Ok(_) | Err(_) => {
            return Check::bad(
                "program",
                format!("{} cannot be run", path.display()),
                "run 'afterword install' to replace it",
            );
        }
    };
    if version == env!("CARGO_PKG_VERSION") {
        Check::good("program", format!("{} is version {version}", path.display()))
    } else {
        Check::bad(
            "program",
            format!("hooks run version {version}, this is {}", env!("CARGO_PKG_VERSION")),
            "run 'afterword install' with the newer one",
        )
    }
}

/// Whether a hook ends well, in time and without a word when it is given nothing. No event comes of it.
pub(super) fn hook(home: &Home) -> Option<Check> {
    let path = home.binary();
    if !path.exists() {
        return None;
    }
    // A busy machine may be slow once.
    let (output, took) = (0..3)
        .map(|_| run_hook(&path, home))
        .min_by_key(|(_, took)| *took)
        .expect("three runs have a fastest");
    let again = "run 'afterword install' to replace the program";
    Some(match output {
        Err(error) => Check::bad("hook", format!("cannot be run: {error}"), again),
        Ok(output) if !output.status.success() => Check::bad(
            "hook",
            format!("ended with {}: it would stop the agent", output.status),
            again,
        ),
        Ok(output) if !output.stdout.is_empty() || !output.stderr.is_empty() => {
            Check::bad("hook", "prints where it must be silent", again)
        }
        Ok(_) if took > HOOK => Check::bad(
            "hook",
            format!("took {} ms, {} are promised", took.as_millis(), HOOK.as_millis()),
            "is the machine busy? look at the disk that the data folder is on",
        ),
        Ok(_) => Check::good("hook", format!("silent, and done in {} ms", took.as_millis())),
    })
}

fn run_hook(program: &Path, home: &Home) -> (io::Result<Output>, Duration) {
    let started = Instant::now();
    let output = Command::new(program)
        .args(["hook", "claude-code", "stop"])
        .env("AFTERWORD_HOME", home.folder())
        .stdin(Stdio::null())
        .output();
    (output, started.elapsed())
}

/// Whether an event could be kept if the daemon were away.
pub(super) fn spool_takes(home: &Home) -> io::Result<()> {
    let file = home.spool().join(format!("doctor-{}.tmp", std::process::id()));
    std::fs::write(&file, b"doctor")?;
    std::fs::remove_file(&file)
}
