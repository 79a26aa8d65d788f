//! `afterword export`

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use afterword_domain::PublicId;
use afterword_domain::project::Project;
use anyhow::Context as _;
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::cli::{Tools, project};

/// Write every row to a file
#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArguments {
    /// The file; standard output for `-` or unless given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only this project: a name or a folder
    #[arg(long, value_name = "NAME|PATH")]
    project: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Found {
    project: Option<Project>,
}

/// One page of the answer of `GET /api/export`.
#[derive(Debug, Deserialize)]
struct Page {
    rows: Vec<Box<RawValue>>,
    next: Option<PublicId>,
}

/// Streams every row as JSON Lines. A file appears whole or not at all.
pub(in crate::cli) fn export(
    tools: &Tools,
    arguments: &ExportArguments,
) -> anyhow::Result<ExitCode> {
    let door = Door::open(tools)?;
    let scope = match &arguments.project {
        None => String::new(),
        Some(text) => {
            let reference = project::known(tools, &door, text)?;
            let found: Found = door.post("/api/projects/find", &reference)?;
            let project = found.project.ok_or_else(|| {
                Failure::User(format!("nothing is remembered for {}", reference.name))
            })?;
            format!("&project_id={}", project.id)
        }
    };
    let Some(file) = arguments.out.as_deref().filter(|out| *out != Path::new("-")) else {
        let mut out = BufWriter::new(io::stdout().lock());
        copy(&door, &scope, &mut out)?;
        drop(out.flush());
        return Ok(ExitCode::SUCCESS);
    };
    let rows = write_whole(&door, &scope, file)?;
    if tools.out.json {
        tools.out.value(&json!({ "file": file, "rows": rows }))?;
    } else {
        tools.out.line(&format!("Wrote {rows} rows to {}.", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies every page; gives the number of rows. A reader that closed the pipe has had enough.
fn copy(door: &Door, scope: &str, out: &mut dyn Write) -> anyhow::Result<u64> {
    let mut after: Option<PublicId> = None;
    let mut rows = 0;
    loop {
        let cursor = after.map_or_else(String::new, |id| format!("&after={id}"));
        let page: Page = door.get(&format!("/api/export?limit=500{scope}{cursor}"))?;
        for row in &page.rows {
            match writeln!(out, "{}", row.get()) {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(rows),
                written => written.context("cannot write the export")?,
            }
            rows += 1;
        }
        let Some(next) = page.next else { return Ok(rows) };
        after = Some(next);
    }
}

fn write_whole(door: &Door, scope: &str, file: &Path) -> anyhow::Result<u64> {
    let temporary = file.with_extension(format!("{}.part", std::process::id()));
    let cannot = || format!("cannot write {}", file.display());
    let result = (|| {
        let mut out = BufWriter::new(File::create(&temporary).with_context(cannot)?);
        let rows = copy(door, scope, &mut out)?;
        let whole = out.into_inner().context("cannot finish the file")?;
        whole.sync_all().with_context(cannot)?;
        fs::rename(&temporary, file).with_context(cannot)?;
        Ok(rows)
    })();
    if result.is_err() {
        drop(fs::remove_file(&temporary));
    }
    result
}
