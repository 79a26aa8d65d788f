//! Getting the client from npm, once for all tests.

use std::path::PathBuf;

use crate::absent::{Absent, target};
use crate::packages::{npm, once};

/// What messages call it.
const CLIENT: &str = "Claude Code";

/// The path of the native program in this version, installed if need be.
pub(super) fn program(version: &str) -> Result<PathBuf, Absent> {
    let Some(platform) = platform() else {
        return Err(Absent::new(CLIENT, "there is no build for this platform"));
    };
    let folder = target().join("claude-code").join(version);
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let package = format!("@anthropic-ai/claude-code-{platform}");
    let program = folder.join("node_modules").join(package).join(name);
    let install = || {
        // The native program is a package of its own; the script would only link to it. By number:
        // without one, an older Node silently gets an older client.
        npm(&folder, &[&format!("@anthropic-ai/claude-code@{version}")], &[])
    };
    once(&folder, version, || program.exists(), install).map_err(|why| Absent::new(CLIENT, why))?;
    Ok(program)
}

/// The ending of the npm package that holds the native program.
fn platform() -> Option<String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        _ => return None,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    let libc = if cfg!(target_env = "musl") { "-musl" } else { "" };
    Some(format!("{system}-{processor}{libc}"))
}
