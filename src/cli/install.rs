//! `afterword install` and `afterword uninstall`

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use afterword_domain::project::ProjectRef;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::output::Failure;
use super::{Tools, model, project};
use crate::config::remote;
use crate::hook::remote::service_of;
use crate::install::{
    HookSet, Report, Request, detect_claude_code, install_claude_code, uninstall_claude_code,
};

/// Agents that hooks can be registered with.
const AGENTS: [&str; 1] = ["claude-code"];

/// Register the hooks with your agents
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct InstallArguments {
    /// Which agents; those found on this machine unless named
    agents: Vec<String>,
    /// Only for the project of the current folder
    #[arg(long)]
    project: bool,
    /// Which hooks: read (give context), write (capture), all
    #[arg(long = "type", default_value = "all", value_name = "read|write|all")]
    hook_set: HookSet,
    /// Deny writes to the agent's own memory files
    #[arg(long, conflicts_with = "no_guard")]
    guard: bool,
    /// Never deny anything
    #[arg(long)]
    no_guard: bool,
    /// Do not register the tools that the model can call (MCP)
    #[arg(long)]
    no_mcp: bool,
    /// Fetch the model that finds by meaning, too
    #[arg(long, conflicts_with = "no_model")]
    model: bool,
    /// Do not offer the model
    #[arg(long)]
    no_model: bool,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Switch off other memories found in the same settings; `uninstall` switches them on again
    #[arg(long)]
    disable_others: bool,
}

/// Take every hook and every other change back
#[derive(Debug, Args)]
pub(super) struct UninstallArguments {
    /// Which agents; all unless named
    agents: Vec<String>,
    /// Only for the project of the current folder
    #[arg(long)]
    project: bool,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Delete everything that is remembered, too
    #[arg(long)]
    purge: bool,
}

/// Registers hooks and names every file it touches.
pub(super) fn install(tools: &Tools, arguments: &InstallArguments) -> anyhow::Result<ExitCode> {
    let env = &tools.config.env;
    check_agents(&arguments.agents)?;
    if arguments.agents.is_empty() && !detect_claude_code(env.get("PATH"), &env.claude_folder()) {
        return Err(Failure::User(format!(
            "no agent was found on this machine; name one: afterword install {}",
            AGENTS[0]
        ))
        .into());
    }
    let scope = scope(tools, arguments.project)?;
    let remote = scope.as_deref().map_or_else(
        || remote::resolve(env, None).is_some(),
        |root| service_of(&tools.config, &ProjectRef::default(), root).is_some(),
    );
    let mut request = Request {
        home: tools.config.home.clone(),
        claude_folder: env.claude_folder(),
        project: scope,
        mcp_file: Some(env.claude_servers_file()),
        // The tools ask the memory of this machine, which knows nothing where a service alone keeps it.
        mcp: !arguments.no_mcp && (!remote || tools.config.file.remote.local),
        starts: !tools.config.context_at_prompt(),
        hook_set: arguments.hook_set,
        guard: arguments.guard || (remote && !arguments.no_guard),
        current_exe: own_file()?,
        dry_run: arguments.dry_run || !arguments.disable_others,
        disable_other_memories: arguments.disable_others,
    };
    if !arguments.disable_others {
        // A look first: another memory is named before anything changes, with an offer.
        let found = install_claude_code(&request).map_err(|e| settings_error(&e))?;
        request.disable_other_memories =
            !found.other_memories.is_empty() && !arguments.dry_run && offer(tools, &found)?;
        request.dry_run = arguments.dry_run;
    }
    let report = install_claude_code(&request).map_err(|e| settings_error(&e))?;
    let wanted = arguments.model && !request.dry_run;
    let model = wanted.then(|| model::install_recommended(tools)).transpose()?;
    say(tools, &report, request.dry_run, "Installed", model)?;
    if !request.dry_run && !arguments.no_model && model.is_none() {
        offer_model(tools)?;
    }
    if !tools.out.json && !request.dry_run {
        tools.out.line("Start a new session of your agent: it is remembered from now on.");
        tools.out.line("'afterword doctor' checks the whole set-up.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes every change back; stops the daemon when nothing of ours is registered any more.
pub(super) fn uninstall(tools: &Tools, arguments: &UninstallArguments) -> anyhow::Result<ExitCode> {
    check_agents(&arguments.agents)?;
    let request = Request {
        home: tools.config.home.clone(),
        claude_folder: tools.config.env.claude_folder(),
        project: scope(tools, arguments.project)?,
        mcp_file: Some(tools.config.env.claude_servers_file()),
        mcp: true,
        starts: true,
        hook_set: HookSet::All,
        guard: false,
        current_exe: own_file()?,
        dry_run: arguments.dry_run,
        disable_other_memories: false,
    };
    let report = uninstall_claude_code(&request).map_err(|e| settings_error(&e))?;
    let last = !tools.config.home.binary().exists();
    if !arguments.dry_run && (last || arguments.purge) {
        // A daemon that does not answer must not keep the hooks in place.
        drop(super::daemon::stop(tools));
    }
    say(tools, &report, arguments.dry_run, "Uninstalled", None)?;
    let folder = tools.config.home.folder();
    if arguments.purge && !arguments.dry_run && folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot delete {}", folder.display()))?;
        tools.out.note(&format!("Deleted {} and everything in it.", folder.display()));
    } else if folder.exists() {
        tools.out.note(&format!(
            "What is remembered stays in {}; 'afterword uninstall --purge' deletes it.",
            folder.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What stops an installation lies in the agent's settings file, not in what was typed.
fn settings_error(error: &anyhow::Error) -> Failure {
    Failure::Config(format!("{error:#}"))
}

fn check_agents(agents: &[String]) -> anyhow::Result<()> {
    match agents.iter().find(|agent| !AGENTS.contains(&agent.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Failure::User(format!(
            "'{unknown}' is no agent that hooks can be registered with; known: {}",
            AGENTS.join(", ")
        ))
        .into()),
    }
}

fn own_file() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file")
}

/// The project's folder for `--project`; none for the person's own settings.
fn scope(tools: &Tools, project: bool) -> anyhow::Result<Option<PathBuf>> {
    if !project {
        return Ok(None);
    }
    let here = std::env::current_dir()?;
    let found = project::here(tools, None)?;
    Ok(Some(found.root.map_or(here, PathBuf::from)))
}

/// Names other memories, and asks whether to switch them off where somebody can answer.
fn offer(tools: &Tools, found: &Report) -> anyhow::Result<bool> {
    for other in &found.other_memories {
        tools.out.note(&format!(
            "Another memory is registered: {} ({}: {}).",
            other.product, other.event, other.command
        ));
    }
    if !somebody_answers(tools) {
        tools.out.note("Two memories inject twice; 'install --disable-others' switches it off.");
        return Ok(false);
    }
    tools.out.note("Two memories inject twice. Switch the other one off? [y/N]");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn somebody_answers(tools: &Tools) -> bool {
    !tools.out.json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Offers the model where somebody can answer and none is there. Everything works on keywords
/// without it, so what goes wrong here is only told.
fn offer_model(tools: &Tools) -> anyhow::Result<()> {
    let has_service = !tools.config.embeddings().url.is_empty();
    if has_service || model::installed(tools).is_some() || !somebody_answers(tools) {
        return Ok(());
    }
    tools.out.note(&format!(
        "A small model on this machine finds by meaning what has no word in common ({}). Fetch \
         it? [Y/n]",
        model::recommended()
    ));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim(), "" | "y" | "Y" | "yes") {
        tools.out.note("'afterword model pull' fetches it later.");
        return Ok(());
    }
    match model::install_recommended(tools) {
        Ok(name) => tools.out.line(&format!("Installed: {name}")),
        Err(error) => {
            tools.out.note(&format!("{error:#}\n'afterword model pull' tries it again."));
        }
    }
    Ok(())
}

fn say(
    tools: &Tools,
    report: &Report,
    dry_run: bool,
    done: &str,
    model: Option<&str>,
) -> anyhow::Result<()> {
    if tools.out.json {
        let files: Vec<_> = report
            .files
            .iter()
            .map(|f| json!({ "path": f.path, "backup": f.backup, "removed": f.after.is_none() }))
            .collect();
        let others: Vec<_> = report
            .other_memories
            .iter()
            .map(|o| {
                json!({ "product": o.product, "event": o.event, "command": o.command,
                             "switched_off": o.switched_off })
            })
            .collect();
        tools.out.value(&json!({
            "dry_run": dry_run, "files": files, "other_memories": others,
            "notes": report.notes, "diff": report.diff(), "model": model,
        }))?;
        return Ok(());
    }
    if dry_run {
        tools.out.raw(&report.diff());
    }
    for file in &report.files {
        let backup = file
            .backup
            .as_ref()
            .map_or_else(String::new, |b| format!("  (original kept in {})", b.display()));
        let verb = if dry_run { "Would change" } else { done };
        tools.out.line(&format!("{verb}: {}{backup}", file.path.display()));
    }
    if report.files.is_empty() {
        tools.out.line("No settings file had to change.");
    }
    if let Some(model) = model {
        tools.out.line(&format!("{done}: {model}"));
    }
    for note in &report.notes {
        tools.out.note(note);
    }
    Ok(())
}
