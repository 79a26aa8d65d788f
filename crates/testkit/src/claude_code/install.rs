//! Getting the client from npm, once for all tests.

use std::path::PathBuf;

use crate::absent::{Absent, target};
use crate::npm;

/// What messages call it.
const CLIENT: &str = "Claude Code";

/// The path of the native program in this version, installed if need be.
pub(super) fn program(version: &str) -> Result<PathBuf, Absent> {
    let Some(platform) = platform() else {
        return Err(Absent::new(CLIENT, "there is no build for this platform"));
    };
    let folder = target().join("claude-code").join(version);
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    // The native program is a package of its own; the script of the other would only link to it.
    let native = format!("@anthropic-ai/claude-code-{platform}");
    let program = folder.join("node_modules").join(native).join(name);
    let package = format!("@anthropic-ai/claude-code@{version}");
    npm::install_once(&folder, &[package], &program).map_err(|why| Absent::new(CLIENT, why))?;
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
