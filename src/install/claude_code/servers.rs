//! Our MCP server among those the agent starts: `mcpServers` in `~/.claude.json` for the person, in
//! `.mcp.json` for one project.
//!
//! The agent writes the person's file itself all the time, so it is changed in one careful step and
//! whatever else stands in it stays.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::registrations::AGENT;
use crate::install::backup::{self, EmptyBefore, Kept, Record, Records};
use crate::install::json_file::{Broken, Document, Json, Node, edit};
use crate::install::request::{FileChange, Request};
use crate::install::target::{Staged, Target};

/// The member that holds the servers.
const SERVERS: &str = "mcpServers";

/// Our server's name: tools are called `mcp__afterword__…`.
const NAME: &str = "afterword";

/// What one run does to the file with the servers.
#[derive(Debug)]
pub(super) struct Change {
    target: Target,
    kept: Option<Kept>,
    /// Where the record lies, or will.
    file: PathBuf,
    /// The text after; `None`: no file.
    after: Option<String>,
    /// The text without our part; `None`: no file.
    original: Option<String>,
    empty_before: EmptyBefore,
    /// Our server stands in `after`.
    registered: bool,
    /// Nobody else changed the file since our last install.
    exact: bool,
    /// What the person should know.
    pub(super) notes: Vec<String>,
}

/// What a file that registers servers says of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisteredServer {
    /// Nothing.
    None,
    /// It stands there as an install writes it.
    Ours,
    /// A server of our name, or one that runs our program, is written otherwise.
    Other,
}

/// Reads what a text with `mcpServers` registers of us.
pub fn registered_server(text: &str, binary: &Path) -> Result<RegisteredServer, Broken> {
    let doc = Document::parse(text)?;
    let all = servers(&doc).and_then(Node::properties).unwrap_or_default();
    let any = all.iter().any(|server| server.name == NAME || is_ours(&server.value, binary));
    Ok(match (any, is_met(&doc, binary)) {
        (false, _) => RegisteredServer::None,
        (true, true) => RegisteredServer::Ours,
        (true, false) => RegisteredServer::Other,
    })
}

/// The file a request is about; none when no server is asked for.
fn path(request: &Request) -> Option<PathBuf> {
    let of_person = request.mcp_file.as_ref()?;
    Some(request.project.as_ref().map_or_else(|| of_person.clone(), |p| p.join(".mcp.json")))
}

/// Plans the registration: with the hooks that give memories back, and out with the others.
pub(super) fn install(request: &Request, records: &Records) -> Result<Option<Change>> {
    let Some(mut change) = uninstall(request, records)? else { return Ok(None) };
    if !(request.mcp && request.hook_set.reads()) {
        return Ok(Some(change));
    }
    let name = change.target.path.display().to_string();
    let base = parse(change.original.as_deref().unwrap_or_default(), &change.target.path)?;
    change.empty_before = EmptyBefore {
        servers: servers(&base).is_some_and(|node| node.children().is_empty()),
        ..EmptyBefore::default()
    };
    if servers(&base).is_some_and(|node| node.get(NAME).is_some()) {
        change.notes.push(format!(
            "{name} has an MCP server of another kind called {NAME}: it stays, and ours is not \
             registered"
        ));
        return Ok(Some(change));
    }
    change.registered = true;
    let binary = request.home.binary();
    let stands = change.target.text.as_deref().filter(|_| !change.exact);
    let stands =
        stands.is_some_and(|text| Document::parse(text).is_ok_and(|d| is_met(&d, &binary)));
    if stands {
        change.after.clone_from(&change.target.text);
        return Ok(Some(change));
    }
    let after = with(&base, &binary)?;
    check(&base, &after, &binary, &change.empty_before)?;
    change.after = Some(after.to_source());
    Ok(Some(change))
}

/// Plans the way out: the bytes of before, or the text of now without our server.
pub(super) fn uninstall(request: &Request, records: &Records) -> Result<Option<Change>> {
    let Some(path) = path(request) else { return Ok(None) };
    // A project's file is shared, the person's holds more than settings.
    let mode = if request.project.is_some() { 0o644 } else { 0o600 };
    let target = Target::read(&path, mode)?;
    let kept = records.find(&target.real)?;
    let file =
        kept.as_ref().map_or_else(|| records.place(AGENT, &target.real), |kept| kept.file.clone());
    let record = kept.as_ref().map(|kept| &kept.record);
    let exact = target.text.as_ref().is_none_or(|t| record.is_some_and(|r| r.written == *t));
    let original = match (&target.text, record) {
        (None, _) => None,
        (Some(_), Some(record)) if exact => record.original.clone(),
        (Some(text), _) => {
            let keep = record.map(|r| r.empty_before.clone()).unwrap_or_default();
            let doc = without(parse(text, &path)?, &request.home.binary(), &keep)?;
            let ours_alone = record.is_some_and(|r| r.original.is_none()) && is_blank(&doc);
            (!ours_alone).then(|| doc.to_source())
        }
    };
    let mut notes = Vec::new();
    if let Some(backup) = kept.as_ref().and_then(|k| k.backup.as_ref())
        && !exact
    {
        notes.push(format!(
            "{} was changed by others since the install, so only our server was taken out; the \
             copy of before stays at {}",
            path.display(),
            backup.display()
        ));
    }
    Ok(Some(Change {
        after: original.clone(),
        original,
        file,
        kept,
        target,
        empty_before: EmptyBefore::default(),
        registered: false,
        exact,
        notes,
    }))
}

impl Change {
    /// The file as the report names it; none when it stays as it is.
    pub(super) fn report(&self) -> Option<FileChange> {
        let backup = match &self.kept {
            Some(kept) => kept.backup.clone().filter(|_| self.registered || !self.exact),
            None => self.target.text.is_some().then(|| backup::backup_file(&self.file)),
        };
        self.changes().then(|| FileChange {
            path: self.target.path.clone(),
            before: self.target.text.clone(),
            after: self.after.clone(),
            backup,
        })
    }

    /// The file that is changed, links followed.
    pub(super) fn real(&self) -> &Path {
        &self.target.real
    }

    fn changes(&self) -> bool {
        self.after != self.target.text
    }

    /// Refuses what could not be written.
    pub(super) fn check_writable(&self) -> Result<()> {
        if self.changes() { self.target.check_writable() } else { Ok(()) }
    }

    /// Writes the file and its record; when that fails, both are as before.
    pub(super) fn write(&self, records: &Records) -> Result<()> {
        let outcome = self.try_write(records);
        if outcome.is_err() {
            self.restore_record(records);
        }
        outcome
    }

    fn try_write(&self, records: &Records) -> Result<()> {
        let mut folders = self.kept.as_ref().map(|k| k.record.folders.clone()).unwrap_or_default();
        if self.registered && self.target.text.is_none() {
            folders.extend(self.target.make_folder()?);
        }
        let staged = match &self.after {
            Some(text) if self.changes() => Some(self.target.stage(text)?),
            _ => None,
        };
        if self.registered && (self.changes() || self.kept.is_none()) {
            let written = self.after.clone().unwrap_or_default();
            let record = Record {
                empty_before: self.empty_before.clone(),
                folders: folders.clone(),
                ..Record::new(AGENT, &self.target.real, self.original.clone(), written)
            };
            let before = if self.kept.is_some() { None } else { self.target.text.as_deref() };
            records.save(&self.file, &record, before)?;
        }
        match staged {
            Some(staged) => staged.commit()?,
            None if self.changes() => self.target.remove()?,
            None => {}
        }
        if let (false, Some(kept)) = (self.registered, &self.kept) {
            folders.iter().rev().for_each(|folder| backup::remove_empty_folder(folder));
            records.forget(&kept.file, self.exact)?;
        }
        Ok(())
    }

    fn restore_record(&self, records: &Records) {
        // The first failure is the one to tell.
        drop(match &self.kept {
            Some(kept) => records.save(&kept.file, &kept.record, None),
            None => records.forget(&self.file, true),
        });
    }

    /// Undoes a write that went well, because something after it did not.
    pub(super) fn take_back(&self, records: &Records) {
        self.restore_record(records);
        if self.changes()
            && let Ok(now) = Target::read(&self.target.path, 0o600)
            && now.text == self.after
        {
            drop(match &self.target.text {
                Some(text) => now.stage(text).and_then(Staged::commit),
                None => now.remove(),
            });
        }
    }
}

/// Reads a text that will be changed; refuses what has not the agent's shape.
fn parse(text: &str, path: &Path) -> Result<Document> {
    let name = path.display();
    let doc = Document::parse(text).map_err(|e| {
        anyhow::anyhow!(
            "{name} is not valid JSON: {e}; mend that place, then run the command again; nothing \
             was changed"
        )
    })?;
    let Some(root) = doc.root() else { return Ok(doc) };
    let wrong = [Some(root), root.get(SERVERS)].into_iter().flatten();
    if let Some(node) = wrong.into_iter().find(|node| node.properties().is_none()) {
        let (line, column) = doc.position(node.start);
        bail!(
            "{name}: line {line}, column {column}: an object is expected; mend that place, then \
             run the command again; nothing was changed"
        );
    }
    Ok(doc)
}

fn servers(doc: &Document) -> Option<&Node> {
    doc.root()?.get(SERVERS)
}

/// Whether a server runs nothing but our program's tools.
fn is_ours(server: &Node, binary: &Path) -> bool {
    let Some(command) = server.get("command").and_then(Node::text) else { return false };
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let ours = Path::new(command) == binary || matches!(name, "afterword" | "afterword.exe");
    let args = server.get("args").and_then(Node::elements).unwrap_or_default();
    ours && args.first().and_then(Node::text) == Some("mcp")
}

/// Whether exactly our server stands there as it would be written now.
fn is_met(doc: &Document, binary: &Path) -> bool {
    let all = servers(doc).and_then(Node::properties).unwrap_or_default();
    let mut ours = all.iter().filter(|server| is_ours(&server.value, binary));
    let (Some(one), None) = (ours.next(), ours.next()) else { return false };
    let command = one.value.get("command").and_then(Node::text);
    one.name == NAME && command.is_some_and(|c| Path::new(c) == binary)
}

/// Without our servers, and without the member that this leaves empty.
fn without(doc: Document, binary: &Path, keep: &EmptyBefore) -> Result<Document> {
    let mut doc = doc;
    loop {
        let Some(root) = doc.root() else { return Ok(doc) };
        let Some(servers) = servers(&doc) else { return Ok(doc) };
        let all = servers.properties().unwrap_or_default();
        let ours = |p: &crate::install::json_file::Property| is_ours(&p.value, binary);
        let Some(at) = all.iter().position(ours) else { return Ok(doc) };
        let member = root.properties().unwrap_or_default().iter().position(|p| p.name == SERVERS);
        doc = match member {
            Some(member) if all.len() == 1 && !keep.servers => edit::remove(&doc, root, member)?,
            _ => edit::remove(&doc, servers, at)?,
        };
    }
}

fn with(doc: &Document, binary: &Path) -> Result<Document> {
    let text = |text: &str| Json::Text(text.to_owned());
    let server = Json::Object(vec![
        ("type".to_owned(), text("stdio")),
        ("command".to_owned(), text(&binary.to_string_lossy())),
        ("args".to_owned(), Json::Array(vec![text("mcp")])),
    ]);
    let mut doc = edit::with_root_object(doc)?;
    if servers(&doc).is_none()
        && let Some(root) = doc.root()
    {
        doc = edit::append(&doc, root, Some(SERVERS), &Json::Object(Vec::new()))?;
    }
    let Some(place) = servers(&doc) else { bail!("\"{SERVERS}\" cannot be put in") };
    Ok(edit::append(&doc, place, Some(NAME), &server)?)
}

/// The result is read again before it may be written.
fn check(base: &Document, after: &Document, binary: &Path, keep: &EmptyBefore) -> Result<()> {
    let again = Document::parse(&after.to_source())?;
    ensure!(
        is_met(&again, binary),
        "the changed file does not hold the server as it should; nothing was changed"
    );
    let rest = without(again, binary, keep)?;
    ensure!(
        rest.skeleton() == edit::with_root_object(base)?.skeleton(),
        "the changed file would lose something of somebody else; nothing was changed"
    );
    Ok(())
}

fn is_blank(doc: &Document) -> bool {
    doc.text().split_whitespace().collect::<String>() == "{}"
}
