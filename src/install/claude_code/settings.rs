//! Reading and changing the `hooks` of a settings text.
//!
//! The agent's shape: `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command":
//! …, "timeout": SECONDS}]}]}}`. What has another shape is somebody else's and stays.

use std::path::Path;

use anyhow::{Result, bail};

use super::registrations::{AGENT, Registration};
use crate::install::backup::EmptyBefore;
use crate::install::command_line;
use crate::install::json_file::{Broken, Document, Json, Kind, Node, edit};

/// A hook entry of a settings file, whoever it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    pub(super) command: String,
    /// Arguments of the form without a shell.
    pub(super) args: Option<Vec<String>>,
    pub(super) timeout: Option<u64>,
    /// The entry's own text.
    pub(super) raw: String,
}

impl Hook {
    /// The words that are run; `None` for a longer shell line.
    fn words(&self) -> Option<Vec<String>> {
        match &self.args {
            Some(args) => Some([std::slice::from_ref(&self.command), args].concat()),
            None => command_line::words(&self.command),
        }
    }

    /// Whether the entry runs nothing but our hook.
    pub(super) fn is_ours(&self, binary: &Path) -> bool {
        self.words().is_some_and(|words| command_line::runs_our_hook(&words, AGENT, binary))
    }

    /// Whether our hook is part of a longer line of the person's own.
    pub(super) fn mentions_us(&self) -> bool {
        self.words().is_none()
            && self.command.contains("afterword")
            && self.command.contains(&format!("hook {AGENT}"))
    }
}

/// One of our hooks as it stands in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event's name.
    pub event: String,
    /// The matcher of its group; `None`: all.
    pub matcher: Option<String>,
    /// The command.
    pub command: String,
    /// Seconds; `None`: not given, or no whole number.
    pub timeout: Option<u64>,
    /// Whether the command runs the program at the stable path.
    pub stable: bool,
}

/// What a settings file says about our hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Our hooks in the order of the file.
    pub hooks: Vec<InstalledHook>,
    /// `disableAllHooks` is on: the agent runs none of them.
    pub all_disabled: bool,
}

/// Finds our hooks in a settings text; `binary` is the stable path.
pub fn installed_hooks(settings_text: &str, binary: &Path) -> Result<Installed, Broken> {
    let doc = Document::parse(settings_text)?;
    let disabled = doc.root().and_then(|root| root.get("disableAllHooks"));
    let all_disabled = disabled.is_some_and(|node| node.kind == Kind::Flag(true));
    let hooks = hooks(&doc).into_iter().filter(|hook| hook.is_ours(binary));
    let found = hooks.map(|hook| InstalledHook {
        stable: hook
            .words()
            .is_some_and(|words| words.iter().any(|word| Path::new(word) == binary)),
        event: hook.event,
        matcher: hook.matcher,
        command: hook.command,
        timeout: hook.timeout,
    });
    Ok(Installed { hooks: found.collect(), all_disabled })
}

/// Reads a settings text that will be changed; refuses what has not the agent's shape.
pub(super) fn parse(text: &str, path: &Path) -> Result<Document> {
    let name = path.display();
    let doc = Document::parse(text).map_err(|e| {
        anyhow::anyhow!(
            "{name} is not valid JSON: {e}; mend that place, then run the command again; nothing \
             was changed"
        )
    })?;
    let Some(root) = doc.root() else { return Ok(doc) };
    let refuse = |offset: usize, what: &str| -> Result<()> {
        let (line, column) = doc.position(offset);
        bail!(
            "{name}: line {line}, column {column}: {what}; mend that place, then run the command \
             again; nothing was changed"
        )
    };
    let Some(properties) = root.properties() else {
        refuse(root.start, "the settings are no JSON object")?;
        return Ok(doc);
    };
    if let Some(twice) = properties.iter().filter(|p| p.name == "hooks").nth(1) {
        refuse(twice.start, "the key \"hooks\" stands here a second time")?;
    }
    let Some(hooks) = root.get("hooks") else { return Ok(doc) };
    let Some(events) = hooks.properties() else {
        refuse(hooks.start, "the value of \"hooks\" is no JSON object")?;
        return Ok(doc);
    };
    for (i, event) in events.iter().enumerate() {
        if events[..i].iter().any(|other| other.name == event.name) {
            refuse(event.start, &format!("the event {:?} stands here a second time", event.name))?;
        }
        if event.value.elements().is_none() {
            refuse(event.value.start, &format!("the hooks of {:?} are no JSON array", event.name))?;
        }
    }
    Ok(doc)
}

/// Every command hook of the text.
pub(super) fn hooks(doc: &Document) -> Vec<Hook> {
    let events = doc.root().and_then(|root| root.get("hooks")).and_then(Node::properties);
    let mut found = Vec::new();
    for event in events.unwrap_or_default() {
        for group in event.value.elements().unwrap_or_default() {
            let entries = entries(group).iter();
            found.extend(entries.filter_map(|entry| hook(doc, &event.name, group, entry)));
        }
    }
    found
}

fn entries(group: &Node) -> &[Node] {
    group.get("hooks").and_then(Node::elements).unwrap_or_default()
}

fn hook(doc: &Document, event: &str, group: &Node, entry: &Node) -> Option<Hook> {
    if entry.get("type").is_some_and(|kind| kind.text() != Some("command")) {
        return None;
    }
    let args = entry
        .get("args")
        .and_then(Node::elements)
        .map(|args| args.iter().filter_map(|arg| arg.text().map(str::to_owned)).collect());
    Some(Hook {
        event: event.to_owned(),
        matcher: group.get("matcher").and_then(Node::text).map(str::to_owned),
        command: entry.get("command")?.text()?.to_owned(),
        args,
        timeout: entry.get("timeout").and_then(|node| doc.raw(node).parse().ok()),
        raw: doc.raw(entry).to_owned(),
    })
}

/// The containers that stand empty in the text.
pub(super) fn empty_containers(doc: &Document) -> EmptyBefore {
    let Some(hooks) = doc.root().and_then(|root| root.get("hooks")) else {
        return EmptyBefore::default();
    };
    let events = hooks.properties().unwrap_or_default();
    EmptyBefore {
        hooks: events.is_empty(),
        events: events
            .iter()
            .filter(|event| event.value.elements().is_some_and(<[Node]>::is_empty))
            .map(|event| event.name.clone())
            .collect(),
        ..EmptyBefore::default()
    }
}

/// Takes out the hooks that are `wanted`, and the groups, event arrays and `hooks` object which
/// that leaves empty, except those that were empty before.
pub(super) fn without(
    doc: Document,
    wanted: &dyn Fn(&Hook) -> bool,
    empty_before: &EmptyBefore,
) -> Result<Document> {
    let mut doc = doc;
    while let Some((container, index)) = next_cut(&doc, wanted, empty_before) {
        doc = edit::remove(&doc, container, index)?;
    }
    Ok(doc)
}

/// The largest member that holds nothing but wanted hooks.
fn next_cut<'a>(
    doc: &'a Document,
    wanted: &dyn Fn(&Hook) -> bool,
    empty_before: &EmptyBefore,
) -> Option<(&'a Node, usize)> {
    let root = doc.root()?;
    let at = root.properties()?.iter().position(|p| p.name == "hooks")?;
    let hooks = &root.properties()?[at].value;
    let events = hooks.properties()?;
    let entry_goes = |event: &str, group: &Node, entry: &Node| {
        hook(doc, event, group, entry).is_some_and(|hook| wanted(&hook))
    };
    let group_goes = |event: &str, group: &Node| {
        let entries = entries(group);
        !entries.is_empty() && entries.iter().all(|entry| entry_goes(event, group, entry))
    };
    let event_goes = |name: &str, value: &Node| {
        let groups = value.elements().unwrap_or_default();
        !groups.is_empty()
            && !empty_before.events.iter().any(|kept| kept == name)
            && groups.iter().all(|group| group_goes(name, group))
    };
    if !events.is_empty()
        && !empty_before.hooks
        && events.iter().all(|event| event_goes(&event.name, &event.value))
    {
        return Some((root, at));
    }
    for (i, event) in events.iter().enumerate() {
        if event_goes(&event.name, &event.value) {
            return Some((hooks, i));
        }
        for (j, group) in event.value.elements().unwrap_or_default().iter().enumerate() {
            if group_goes(&event.name, group) {
                return Some((&event.value, j));
            }
            let goes = |entry| entry_goes(&event.name, group, entry);
            if let Some(k) = entries(group).iter().position(goes) {
                return Some((group.get("hooks")?, k));
            }
        }
    }
    None
}

/// Puts in our entries, each in a group of its own behind what is there.
pub(super) fn with(doc: &Document, wanted: &[Registration]) -> Result<Document> {
    let mut doc = edit::with_root_object(doc)?;
    for one in wanted {
        let entry = Json::Object(vec![
            ("type".to_owned(), Json::Text("command".to_owned())),
            ("command".to_owned(), Json::Text(one.command.clone())),
            ("timeout".to_owned(), Json::Number(one.timeout)),
        ]);
        doc = with_entry(&doc, &one.event, one.matcher.as_deref(), entry)?;
    }
    Ok(doc)
}

/// Puts in one entry in a group of its own.
pub(super) fn with_entry(
    doc: &Document,
    event: &str,
    matcher: Option<&str>,
    entry: Json,
) -> Result<Document> {
    let mut group = Vec::new();
    if let Some(matcher) = matcher {
        group.push(("matcher".to_owned(), Json::Text(matcher.to_owned())));
    }
    group.push(("hooks".to_owned(), Json::Array(vec![entry])));
    let group = Json::Object(group);

    let mut doc = edit::with_root_object(doc)?;
    if place(&doc, &["hooks"]).is_none() {
        doc = append(&doc, &[], "hooks", &Json::Object(Vec::new()))?;
    }
    if place(&doc, &["hooks", event]).is_none() {
        doc = append(&doc, &["hooks"], event, &Json::Array(Vec::new()))?;
    }
    let Some(array) = place(&doc, &["hooks", event]) else { bail!("\"hooks\" is no object") };
    Ok(edit::append(&doc, array, None, &group)?)
}

fn append(doc: &Document, path: &[&str], name: &str, value: &Json) -> Result<Document> {
    let Some(container) = place(doc, path) else { bail!("the settings are no JSON object") };
    Ok(edit::append(doc, container, Some(name), value)?)
}

fn place<'a>(doc: &'a Document, path: &[&str]) -> Option<&'a Node> {
    path.iter().try_fold(doc.root()?, |node, name| node.get(name))
}
