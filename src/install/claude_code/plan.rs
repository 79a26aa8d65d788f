//! What one run changes, worked out on texts before anything is written.

use std::path::Path;

use anyhow::{Result, ensure};

use super::registrations::{Registration, registrations};
use super::settings::{self, Hook, Installed, installed_hooks};
use super::{AGENT, memories};
use crate::install::backup::{EmptyBefore, Kept, Record, SwitchedOff};
use crate::install::json_file::{Document, edit};
use crate::install::request::{OtherMemory, Request};
use crate::install::target::Target;

/// The outcome of a run.
#[derive(Debug, Default)]
pub(super) struct Planned {
    /// The text after; `None`: no file.
    pub(super) after: Option<String>,
    /// The text without our part; `None`: no file.
    pub(super) original: Option<String>,
    /// Containers that are empty in `original`.
    pub(super) empty_before: EmptyBefore,
    /// What of other products was switched off.
    pub(super) switched_off: Vec<SwitchedOff>,
    /// Other memory products in the settings.
    pub(super) other_memories: Vec<OtherMemory>,
    /// Nobody else changed the file since our last install.
    pub(super) exact: bool,
    /// Own lines of the person that run our hook among other things.
    pub(super) mentions: Vec<String>,
}

/// Plans an install: our entries out, those that are asked for in.
pub(super) fn install(
    request: &Request,
    target: &Target,
    record: Option<&Record>,
) -> Result<Planned> {
    let binary = request.home.binary();
    ensure!(
        binary.to_str().is_some(),
        "the data folder {} has a name that is not UTF-8, which a settings file cannot hold: set \
         AFTERWORD_HOME to another folder; nothing was changed",
        request.home.folder().display()
    );
    let wanted = registrations(&binary, request.hook_set, request.guard, request.starts);
    let mut planned = uninstall(request, target, record)?;
    planned.original = planned.after.take();

    let base = settings::parse(planned.original.as_deref().unwrap_or_default(), &target.path)?;
    // What was switched off once stays off: a second install is often just an upgrade.
    let switch_off =
        request.disable_other_memories || record.is_some_and(|r| !r.switched_off.is_empty());
    planned.other_memories = memories::found(&base, &binary, &target.path);
    planned.other_memories.iter_mut().for_each(|other| other.switched_off = switch_off);
    planned.empty_before = settings::empty_containers(&base);
    planned.mentions = mentions(&base);

    if let (false, Some(text)) = (planned.exact, &target.text) {
        let now = installed_hooks(text, &binary)?;
        let others_stand = switch_off
            && !memories::found(&Document::parse(text)?, &binary, &target.path).is_empty();
        if is_met(&now, &wanted) && !others_stand {
            planned.after = Some(text.clone());
            return Ok(planned);
        }
    }
    let base = if switch_off {
        let (base, off) = memories::switch_off(base, &binary)?;
        planned.switched_off = off;
        base
    } else {
        base
    };
    let after = settings::with(&base, &wanted)?;
    check(&base, &after, &wanted, &binary)?;
    planned.after = Some(after.to_source());
    Ok(planned)
}

/// Plans an uninstall: the bytes of before, or the text of now without our entries.
pub(super) fn uninstall(
    request: &Request,
    target: &Target,
    record: Option<&Record>,
) -> Result<Planned> {
    let Some(text) = target.text.as_deref() else {
        return Ok(Planned { exact: true, ..Planned::default() });
    };
    if let Some(record) = record
        && record.written == text
    {
        let after = record.original.clone();
        return Ok(Planned { after, exact: true, ..Planned::default() });
    }
    let binary = request.home.binary();
    let doc = settings::parse(text, &target.path)?;
    let mentions = mentions(&doc);
    let keep = record.map(|r| r.empty_before.clone()).unwrap_or_default();
    let doc = settings::without(doc, &|hook| hook.is_ours(&binary), &keep)?;
    let doc = memories::switch_on(doc, record.map_or(&[], |r| &r.switched_off))?;
    let ours_alone = record.is_some_and(|r| r.original.is_none()) && is_blank(&doc);
    let after = (!ours_alone).then(|| doc.to_source());
    Ok(Planned { after, mentions, ..Planned::default() })
}

fn mentions(doc: &Document) -> Vec<String> {
    let hooks = settings::hooks(doc).into_iter().filter(Hook::mentions_us);
    hooks.map(|hook| hook.command).collect()
}

fn is_blank(doc: &Document) -> bool {
    doc.text().split_whitespace().collect::<String>() == "{}"
}

/// Whether exactly the wanted entries stand in the file.
fn is_met(now: &Installed, wanted: &[Registration]) -> bool {
    let mut found: Vec<Registration> = now
        .hooks
        .iter()
        .filter_map(|hook| {
            Some(Registration {
                event: hook.event.clone(),
                matcher: hook.matcher.clone(),
                command: hook.command.clone(),
                timeout: hook.timeout?,
            })
        })
        .collect();
    let mut wanted = wanted.to_vec();
    found.sort();
    wanted.sort();
    found.len() == now.hooks.len() && found == wanted
}

/// The result is read again before it may be written: our entries stand in it with a command and a
/// limit, and without them it says what it said before.
fn check(base: &Document, after: &Document, wanted: &[Registration], binary: &Path) -> Result<()> {
    let again = Document::parse(&after.to_source())?;
    let found = installed_hooks(&after.to_source(), binary)?;
    ensure!(
        is_met(&found, wanted) && wanted.iter().all(|one| (1..=60).contains(&one.timeout)),
        "the changed settings do not hold the hooks as they should; nothing was changed"
    );
    let keep = settings::empty_containers(base);
    let rest = settings::without(again, &|hook| hook.is_ours(binary), &keep)?;
    ensure!(
        rest.skeleton() == edit::with_root_object(base)?.skeleton(),
        "the changed settings would lose something of somebody else; nothing was changed"
    );
    Ok(())
}

/// What the person should know after an install.
pub(super) fn install_notes(request: &Request, planned: &Planned) -> Vec<String> {
    let mut notes = Vec::new();
    let text = planned.after.as_deref().unwrap_or_default();
    let binary = request.home.binary();
    if installed_hooks(text, &binary).is_ok_and(|found| found.all_disabled) {
        notes.push(
            "disableAllHooks is true in these settings: no hook runs until it is removed".into(),
        );
    }
    notes.extend(planned.mentions.iter().map(|line| mention(line)));
    if request.guard && !request.hook_set.writes() {
        notes.push("the guard belongs to the write hooks and is not registered".into());
    }
    if request.guard && request.hook_set.writes() && native_memory_is_on(text) {
        notes.push(
            "Claude Code's own auto memory stays on and the guard denies its writes; \
             \"autoMemoryEnabled\": false in the settings switches it off"
                .into(),
        );
    }
    if request.project.is_some() {
        notes.extend(scope_note(request, &binary));
    }
    notes
}

fn native_memory_is_on(text: &str) -> bool {
    use crate::install::json_file::Kind;
    let doc = Document::parse(text).ok();
    let flag = doc.as_ref().and_then(|d| d.root()).and_then(|root| root.get("autoMemoryEnabled"));
    flag.is_none_or(|node| node.kind != Kind::Flag(false))
}

/// Equal commands of both scopes run once, different ones twice.
fn scope_note(request: &Request, binary: &Path) -> Option<String> {
    let path = request.claude_folder.join("settings.json");
    let text = std::fs::read_to_string(&path).ok()?;
    let found = installed_hooks(&text, binary).ok()?.hooks;
    let wanted = registrations(binary, request.hook_set, request.guard, request.starts);
    let differs = |hook: &settings::InstalledHook| {
        wanted.iter().any(|one| one.event == hook.event && one.command != hook.command)
    };
    found.iter().any(differs).then(|| {
        format!(
            "{} registers hooks of another type for every project, and both run here: uninstall \
             one of them",
            path.display()
        )
    })
}

/// What the person should know after an uninstall.
pub(super) fn uninstall_notes(
    target: &Target,
    planned: &Planned,
    kept: Option<&Kept>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if planned.after == target.text {
        notes.push(format!("{} holds no hooks of afterword", target.path.display()));
    }
    notes.extend(planned.mentions.iter().map(|line| mention(line)));
    if let Some(backup) = kept.and_then(|k| k.backup.as_ref())
        && !planned.exact
    {
        notes.push(format!(
            "{} was changed by others since the install, so only our entries were taken out; the \
             copy of before stays at {}",
            target.path.display(),
            backup.display()
        ));
    }
    notes
}

fn mention(line: &str) -> String {
    format!("a hook of your own runs `afterword hook {AGENT}` in a longer line and stays: {line}")
}
