//! `afterword import`

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use afterword_domain::wire::portable::{ImportProblem, ImportReport};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::door::Door;
use crate::cli::output::Failure;
use crate::cli::{Tools, project};

/// Bytes of lines sent at a time.
const BATCH_BYTES: usize = 512 * 1024;

/// Longest line that is taken.
const LINE_BYTES: usize = 16 * 1024 * 1024;

/// Problems that are kept of a whole file.
const LISTED_PROBLEMS: usize = 20;

/// Take rows in from a file
#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArguments {
    #[command(subcommand)]
    source: Source,
}

#[derive(Debug, Subcommand)]
enum Source {
    /// JSON Lines as `export` writes them; a line needs only `text`
    ///
    /// A line that cannot be used is reported by its number and skipped; the others are stored. Exits
    /// 1 only when no line could be used.
    File {
        /// The file; `-` reads standard input
        path: PathBuf,
        /// Where rows go that name no project; the current folder's unless given
        #[arg(long, value_name = "NAME|PATH")]
        project: Option<String>,
    },
}

/// Streams the file to the daemon; a bad line is reported and skipped.
pub(in crate::cli) fn import(
    tools: &Tools,
    arguments: &ImportArguments,
) -> anyhow::Result<ExitCode> {
    let Source::File { path, project: wanted } = &arguments.source;
    let unreadable = |e| Failure::User(format!("cannot read {}: {e}", path.display()));
    // Before a daemon is started for it.
    let input = Input::open(path).map_err(unreadable)?;
    let door = Door::open(tools)?;
    let project = project::chosen_or_new(tools, &door, wanted.as_deref())?;
    let mut sender = Sender {
        door: &door,
        project: percent(&serde_json::to_string(&project)?),
        report: ImportReport::default(),
        lines: String::new(),
        first_line: 1,
        next_line: 1,
    };
    let bar = bar(tools, input.length);
    let mut reader = BufReader::with_capacity(256 * 1024, input.bytes);
    let mut line = Vec::new();
    loop {
        line.clear();
        let n = reader.read_until(b'\n', &mut line).map_err(unreadable)?;
        if n == 0 {
            break;
        }
        bar.inc(n as u64);
        sender.line(&line)?;
    }
    sender.flush()?;
    bar.finish_and_clear();
    finish(tools, path, &sender.report)
}

/// What rows are read from, and its length where that is known.
struct Input {
    bytes: Box<dyn Read>,
    length: u64,
}

impl Input {
    fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self { bytes: Box::new(io::stdin()), length: 0 });
        }
        let file = File::open(path)?;
        let length = file.metadata().map_or(0, |m| m.len());
        Ok(Self { bytes: Box::new(file), length })
    }
}

fn bar(tools: &Tools, bytes: u64) -> ProgressBar {
    if !tools.out.watched() || bytes < BATCH_BYTES as u64 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes}  {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style)
}

/// Lines on their way to the daemon.
struct Sender<'a> {
    door: &'a Door,
    project: String,
    report: ImportReport,
    lines: String,
    first_line: u64,
    next_line: u64,
}

impl Sender<'_> {
    fn line(&mut self, line: &[u8]) -> anyhow::Result<()> {
        if line.len() > LINE_BYTES {
            self.flush()?;
            self.report.read += 1;
            self.report.failed += 1;
            let reason = format!("is longer than {LINE_BYTES} bytes");
            self.problem(ImportProblem { line: self.next_line, reason });
            self.next_line += 1;
            self.first_line = self.next_line;
            return Ok(());
        }
        if self.lines.len() + line.len() > BATCH_BYTES && !self.lines.is_empty() {
            self.flush()?;
        }
        self.lines.push_str(&String::from_utf8_lossy(line));
        self.next_line += 1;
        Ok(())
    }

    fn problem(&mut self, problem: ImportProblem) {
        if self.report.problems.len() < LISTED_PROBLEMS {
            self.report.problems.push(problem);
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if !self.lines.is_empty() {
            let path =
                format!("/api/import?first_line={}&project={}", self.first_line, self.project);
            let batch: ImportReport = self.door.post_bytes(&path, self.lines.as_bytes())?;
            self.report.read += batch.read;
            self.report.stored += batch.stored;
            self.report.skipped += batch.skipped;
            self.report.failed += batch.failed;
            for problem in batch.problems {
                self.problem(problem);
            }
            self.lines.clear();
        }
        self.first_line = self.next_line;
        Ok(())
    }
}

fn finish(tools: &Tools, path: &Path, report: &ImportReport) -> anyhow::Result<ExitCode> {
    if tools.out.json {
        tools.out.value(report)?;
    } else {
        tools.out.line(&format!(
            "{} read, {} stored, {} skipped, {} failed.",
            report.read, report.stored, report.skipped, report.failed
        ));
        for problem in &report.problems {
            tools.out.note(&format!("{}:{} {}", path.display(), problem.line, problem.reason));
        }
    }
    let nothing_usable = report.failed > 0 && report.failed == report.read;
    Ok(if nothing_usable { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Escapes everything of a query value that is not plainly safe.
fn percent(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").expect("a string takes all");
        }
    }
    escaped
}
