//! Doing what was planned: careful writes, records, and the program at its stable path.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::plan::{self, Planned};
use super::registrations::AGENT;
use super::servers::{self, Change};
use crate::install::backup::{self, Kept, Record, Records};
use crate::install::binary::{self, BinaryChange, found_on_path};
use crate::install::request::{FileChange, Report, Request};
use crate::install::target::{Staged, Target};

/// The settings file a request is about.
pub fn settings_path(request: &Request) -> PathBuf {
    request.project.as_ref().map_or_else(
        || request.claude_folder.join("settings.json"),
        |project| project.join(".claude").join("settings.json"),
    )
}

/// Whether Claude Code is on this machine: its folder, or a program `claude` on the `PATH`.
pub fn detect_claude_code(path_var: Option<&str>, claude_folder: &Path) -> bool {
    claude_folder.is_dir() || found_on_path(path_var, "claude").is_some()
}

/// Registers our hooks and tools: takes out every entry of ours, then puts in those that are asked
/// for.
///
/// The same request twice leaves the same bytes. Fails, with nothing changed anywhere, when the
/// file cannot be parsed, is no settings object, is read-only, or changes meanwhile.
pub fn install_claude_code(request: &Request) -> Result<Report> {
    let target = open(request)?;
    let records = Records::new(request.home.installs());
    let kept = records.find(&target.real)?;
    let planned = plan::install(request, &target, kept.as_ref().map(|k| &k.record))?;
    let mut report = report(&target, &planned);
    report.notes.extend(plan::install_notes(request, &planned));
    if planned.after != target.text {
        target.check_writable()?;
    }
    report.binary = binary::plan(&request.current_exe, &request.home.binary())?;
    let tools = servers::install(request, &records)?;
    tools.as_ref().map_or(Ok(()), Change::check_writable)?;

    let place = || records.place(AGENT, &target.real);
    let file = kept.as_ref().map_or_else(place, |kept| kept.file.clone());
    if let Some(change) = report.files.first_mut() {
        change.backup = match &kept {
            Some(kept) => kept.backup.clone(),
            None => target.text.is_some().then(|| backup::backup_file(&file)),
        };
    }
    tell(&mut report, tools.as_ref());
    if !request.dry_run {
        let made = if target.text.is_none() { target.make_folder()? } else { Vec::new() };
        tools.as_ref().map_or(Ok(()), |tools| tools.write(&records))?;
        let write = Write { request, target: &target, planned: &planned, records: &records };
        write.run(&file, kept.as_ref(), &made, tools.as_ref())?;
    }
    Ok(report)
}

fn tell(report: &mut Report, tools: Option<&Change>) {
    let Some(tools) = tools else { return };
    report.files.extend(tools.report());
    report.notes.extend(tools.notes.iter().cloned());
}

/// Takes our hooks and tools out again.
///
/// A file that nobody else changed since the install gets its old bytes back; from another one
/// exactly our entries go, with the groups and event arrays they leave empty. Works without a
/// record of the install too.
pub fn uninstall_claude_code(request: &Request) -> Result<Report> {
    let target = open(request)?;
    let records = Records::new(request.home.installs());
    let kept = records.find(&target.real)?;
    let planned = plan::uninstall(request, &target, kept.as_ref().map(|k| &k.record))?;
    let mut report = report(&target, &planned);
    if let Some(change) = report.files.first_mut() {
        let stays = kept.as_ref().filter(|_| !planned.exact);
        change.backup = stays.and_then(|kept| kept.backup.clone());
    }
    report.notes.extend(plan::uninstall_notes(&target, &planned, kept.as_ref()));
    let tools = servers::uninstall(request, &records)?;
    tools.as_ref().map_or(Ok(()), Change::check_writable)?;
    tell(&mut report, tools.as_ref());
    if planned.after != target.text {
        target.check_writable()?;
        if !request.dry_run {
            match &planned.after {
                Some(text) => target.stage(text)?.commit()?,
                None => target.remove()?,
            }
        }
    }
    if let Some(kept) = kept.as_ref().filter(|_| !request.dry_run) {
        kept.record.folders.iter().rev().for_each(|folder| backup::remove_empty_folder(folder));
        records.forget(&kept.file, planned.exact)?;
    }
    if let Some(tools) = tools.as_ref().filter(|_| !request.dry_run) {
        tools.write(&records)?;
    }
    let ours: Vec<&Path> =
        std::iter::once(target.real.as_path()).chain(tools.as_ref().map(Change::real)).collect();
    release_binary(request, &records, &ours, &mut report)?;
    Ok(report)
}

fn open(request: &Request) -> Result<Target> {
    // A project's settings are shared, the person's may hold secrets.
    let mode = if request.project.is_some() { 0o644 } else { 0o600 };
    Target::read(&settings_path(request), mode)
}

fn report(target: &Target, planned: &Planned) -> Report {
    let mut report = Report { other_memories: planned.other_memories.clone(), ..Report::default() };
    if planned.after != target.text {
        report.files.push(FileChange {
            path: target.path.clone(),
            before: target.text.clone(),
            after: planned.after.clone(),
            backup: None,
        });
    }
    report
}

/// The writing part of an install.
struct Write<'a> {
    request: &'a Request,
    target: &'a Target,
    planned: &'a Planned,
    records: &'a Records,
}

impl Write<'_> {
    /// Everything that can fail comes before the rename of the settings, and is taken back when
    /// that fails.
    fn run(
        &self,
        file: &Path,
        kept: Option<&Kept>,
        made: &[PathBuf],
        tools: Option<&Change>,
    ) -> Result<()> {
        let stable = self.request.home.binary();
        let first = !stable.exists();
        let outcome = self.write(file, kept, made);
        if outcome.is_err() {
            // The first failure is the one to tell; what cannot be taken back lies in our folder.
            drop(match kept {
                Some(kept) => self.records.save(file, &kept.record, None),
                None => self.records.forget(file, true),
            });
            if let Some(tools) = tools {
                tools.take_back(self.records);
            }
            if first {
                drop(binary::remove(&stable));
            }
            made.iter().rev().for_each(|folder| backup::remove_empty_folder(folder));
            backup::remove_empty_folder(self.request.home.folder());
        }
        outcome
    }

    fn write(&self, file: &Path, kept: Option<&Kept>, made: &[PathBuf]) -> Result<()> {
        let text = self.planned.after.as_deref().unwrap_or_default();
        let changed = self.planned.after != self.target.text;
        let staged = if changed { Some(self.target.stage(text)?) } else { None };
        binary::place(&self.request.current_exe, &self.request.home.binary())?;
        if changed || kept.is_none() {
            let record = self.record(text, kept, made);
            let before = if kept.is_some() { None } else { self.target.text.as_deref() };
            self.records
                .save(file, &record, before)
                .context("cannot keep a record of the change")?;
        }
        staged.map_or(Ok(()), Staged::commit)
    }

    fn record(&self, text: &str, kept: Option<&Kept>, made: &[PathBuf]) -> Record {
        let original = self.planned.original.clone();
        let mut folders = kept.map(|k| k.record.folders.clone()).unwrap_or_default();
        for folder in made {
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        Record {
            empty_before: self.planned.empty_before.clone(),
            switched_off: self.planned.switched_off.clone(),
            folders,
            ..Record::new(AGENT, &self.target.real, original, text.to_owned())
        }
    }
}

/// The program leaves its stable path with the last install, unless it is the one that runs.
fn release_binary(
    request: &Request,
    records: &Records,
    ours: &[&Path],
    report: &mut Report,
) -> Result<()> {
    let stable = request.home.binary();
    if !stable.exists() || records.others(ours)? > 0 {
        return Ok(());
    }
    if binary::is_same_file(&stable, &request.current_exe) {
        report.notes.push(format!(
            "the program stays at {}, because it is the one that runs now; remove it by hand",
            stable.display()
        ));
        return Ok(());
    }
    report.binary = BinaryChange::Removed(stable.clone());
    if !request.dry_run {
        binary::remove(&stable)?;
        backup::remove_empty_folder(request.home.folder());
    }
    Ok(())
}
