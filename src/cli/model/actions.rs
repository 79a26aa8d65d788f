use std::path::PathBuf;
use std::process::ExitCode;

use super::catalogue::{Entry, MODELS};
use super::fetch;
use super::store::Folder;
use crate::cli::Tools;
use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::config;

/// The model of a name, or the recommended one.
pub(super) fn entry(name: Option<&str>) -> anyhow::Result<&'static Entry> {
    let Some(name) = name else { return Ok(&MODELS[0]) };
    MODELS.iter().find(|model| model.name == name).ok_or_else(|| {
        let known: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        Failure::User(format!("there is no model `{name}`; known: {}", known.join(", "))).into()
    })
}

fn folder(tools: &Tools, entry: &'static Entry) -> Folder {
    Folder::new(tools.config.home.models(), entry)
}

/// Fetches, checks and installs a model; one that is installed and whole is left alone.
pub(super) fn pull(
    tools: &Tools,
    entry: &'static Entry,
    from: Option<&str>,
    force: bool,
) -> anyhow::Result<ExitCode> {
    let fetched = install(tools, entry, from, force)?;
    report(tools, entry, &folder(tools, entry), fetched)
}

/// As [`pull`], without a word; false where the model was there.
pub(super) fn install(
    tools: &Tools,
    entry: &'static Entry,
    from: Option<&str>,
    force: bool,
) -> anyhow::Result<bool> {
    let folder = folder(tools, entry);
    let held = folder.lock()?;
    if !force && folder.is_whole(tools) {
        return Ok(false);
    }
    let source: PathBuf = match from {
        None => fetch::package(tools, entry, &folder.downloads()?)?,
        Some(url) if url.starts_with("file://") => fetch::named_file(url).ok_or_else(|| {
            Failure::User(format!("{url} names no file of this machine: give file:///PATH"))
        })?,
        Some(url) if url.contains("://") => fetch::url(tools, url, &folder)?,
        Some(file) => config::env::expand(file, &tools.config.env.user_home()),
    };
    folder.install(tools, &source)?;
    drop(held);
    // A daemon that runs looks for a model when it is asked how it stands, and embeds what it has.
    if let Ok(door) = Door::find(tools) {
        drop(door.get::<serde_json::Value>("/api/stats"));
    }
    Ok(true)
}

fn report(
    tools: &Tools,
    entry: &Entry,
    folder: &Folder,
    fetched: bool,
) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        let path = folder.path().display().to_string();
        tools
            .out
            .value(&serde_json::json!({ "name": entry.name, "path": path, "fetched": fetched }))?;
    } else if fetched {
        tools.out.line(&format!("{} is installed.", tools.out.bold(entry.name)));
    } else {
        tools.out.line(&format!("{} is installed already.", tools.out.bold(entry.name)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the models.
pub(super) fn status(tools: &Tools) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    for entry in MODELS {
        let folder = folder(tools, entry);
        let installed = folder.is_there();
        rows.push(serde_json::json!({
            "name": entry.name,
            "installed": installed,
            "path": folder.path().display().to_string(),
            "bytes": entry.bytes,
            "dimension": entry.dimension,
            "licence": entry.licence,
        }));
        if !tools.out.json {
            let state = if installed {
                tools.out.good("installed")
            } else {
                tools.out.dim("not installed (afterword model pull)")
            };
            let name = tools.out.bold(entry.name);
            tools.out.line(&format!("{name}  {state}  {}", entry.about));
        }
    }
    if tools.out.json {
        tools.out.value(&serde_json::json!({ "models": rows }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Deletes an installed model.
pub(super) fn remove(tools: &Tools, entry: &'static Entry) -> anyhow::Result<ExitCode> {
    let folder = folder(tools, entry);
    let held = folder.lock()?;
    let removed = folder.remove()?;
    drop(held);
    if tools.out.json {
        tools.out.value(&serde_json::json!({ "name": entry.name, "removed": removed }))?;
    } else if removed {
        tools.out.line(&format!("{} is removed.", entry.name));
    } else {
        tools.out.line(&format!("{} was not installed.", entry.name));
    }
    Ok(ExitCode::SUCCESS)
}
