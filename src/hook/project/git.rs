//! What git keeps about a checkout, read from its files.
//!
//! Layout by gitrepository-layout(5): `.git` is a folder, or a file `gitdir: PATH` in a linked
//! worktree, a submodule and a repository with its folder elsewhere; `commondir` in a worktree's
//! folder names the folder that all worktrees share; a submodule's folder lies in `modules/` of
//! the parent's.

use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::folder::files::read_bounded;
use crate::hook::platform::real_path;

/// Most bytes read of a one-line file.
const LINE_FILE: usize = 16 * 1024;

/// Most bytes read of a `config`.
const CONFIG_FILE: usize = 1 << 20;

/// Most bytes of the first line of a log of HEAD.
const LOG_LINE: usize = 4 * 1024;

/// A folder with a `.git` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The folder.
    pub top: PathBuf,
    /// Where this checkout keeps its HEAD.
    pub git_dir: PathBuf,
    /// The folder that all worktrees of the repository share.
    pub common: PathBuf,
    /// The worktree's name, the submodule's path, or both.
    pub label: Option<String>,
    /// The parent's `git_dir`, for a submodule.
    pub parent: Option<PathBuf>,
}

impl Checkout {
    /// This checkout as seen from a submodule in it: the label says where one is.
    #[must_use]
    pub fn holding(self, inner: &Self) -> Self {
        let path = inner.top.strip_prefix(&self.top).unwrap_or(&inner.top);
        let path = path.to_string_lossy().replace('\\', "/");
        let parts = [self.label, Some(path), inner.label.clone()];
        let label = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
        Self { label: Some(label), ..self }
    }
}

/// The checkout whose top folder this is, if it is one.
pub fn checkout_at(dir: &Path) -> Option<Checkout> {
    let dot_git = dir.join(".git");
    let kind = std::fs::metadata(&dot_git).ok()?;
    let git_dir = if kind.is_dir() {
        dot_git
    } else {
        let line = read_line(&dot_git)?;
        dir.join(line.strip_prefix("gitdir:")?.trim())
    };
    let git_dir = real_path(&git_dir).ok().filter(|d| d.join("HEAD").exists())?;
    let (common, label) = match linked(&git_dir) {
        Some(common) => (common, git_dir.file_name().map(|n| n.to_string_lossy().into_owned())),
        None => (git_dir.clone(), None),
    };
    let parent = parent_of_submodule(&common);
    Some(Checkout { top: dir.to_owned(), git_dir, common, label, parent })
}

/// The common folder that a linked worktree's folder names.
fn linked(git_dir: &Path) -> Option<PathBuf> {
    let common = read_line(&git_dir.join("commondir"))?;
    real_path(&git_dir.join(common.trim())).ok()
}

/// The folder of the repository that a submodule's folder lies in.
fn parent_of_submodule(common: &Path) -> Option<PathBuf> {
    let mut prefix = PathBuf::new();
    let mut innermost = None;
    for part in common.components() {
        if part == Component::Normal("modules".as_ref()) && prefix.join("HEAD").exists() {
            innermost = Some(prefix.clone());
        }
        prefix.push(part);
    }
    innermost
}

/// The branch that is checked out; none when HEAD names a commit.
pub fn branch(git_dir: &Path) -> Option<String> {
    let head = read_line(&git_dir.join("HEAD"))?;
    let name = head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
    // The reftable format keeps a stand-in here.
    (name != ".invalid" && !name.is_empty()).then(|| name.to_owned())
}

/// The commit that the repository began with, where its own log of HEAD still says so.
///
/// A log that begins with an initial commit belongs to a repository that was made here: moving or
/// renaming its folder takes the log along. Clones begin otherwise and have a remote; git forgets
/// old entries (90 days as a rule) when it collects garbage, and then there is no answer.
pub fn first_commit(common: &Path) -> Option<String> {
    let mut head = Vec::with_capacity(LOG_LINE);
    let log = std::fs::File::open(common.join("logs/HEAD")).ok()?;
    log.take(LOG_LINE as u64).read_to_end(&mut head).ok()?;
    let line = head.split(|b| *b == b'\n').next()?;
    // `OLD NEW NAME <MAIL> TIME ZONE\tMESSAGE`
    let tab = line.iter().position(|b| *b == b'\t')?;
    if !line[tab + 1..].starts_with(b"commit (initial)") {
        return None;
    }
    let mut words = line[..tab].split(|b| *b == b' ').map(std::str::from_utf8);
    let (old, new) = (words.next()?.ok()?, words.next()?.ok()?);
    let is_hash = |text: &str| text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    (is_hash(old) && old.bytes().all(|b| b == b'0') && is_hash(new)).then(|| new.to_owned())
}

/// The address of `origin`, else of the first remote.
pub fn remote_url(common: &Path) -> Option<String> {
    let bytes = read_bounded(&common.join("config"), CONFIG_FILE).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut section: Option<String> = None;
    let mut first = None;
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = remote_section(header);
        } else if let Some(name) = &section
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            let url = unquote(value);
            if name == "origin" {
                return Some(url);
            }
            first = first.or(Some(url));
        }
    }
    first
}

/// The NAME of a header `remote "NAME"]`.
fn remote_section(header: &str) -> Option<String> {
    let rest =
        header.get(..6).filter(|w| w.eq_ignore_ascii_case("remote")).map(|_| &header[6..])?;
    let name = rest.trim_start().strip_prefix('"')?;
    name.rsplit_once("\"]").map(|(n, _)| n.to_owned())
}

/// A value without quotes, escapes and a comment.
fn unquote(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut quoted = false;
    let mut chars = value.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

fn read_line(path: &Path) -> Option<String> {
    let bytes = read_bounded(path, LINE_FILE).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}
