//! Other memory products in the same settings. Two memories inject twice.

use std::path::Path;

use anyhow::Result;

use super::settings::{self, Hook};
use crate::install::backup::{EmptyBefore, SwitchedOff};
use crate::install::json_file::{Document, Json, Kind, Node, Property, edit};
use crate::install::request::OtherMemory;

/// A product, what its commands hold, and the name of its plugin.
const PRODUCTS: [(&str, &[&str], &str); 3] = [
    ("claude-mem", &["claude-mem", "worker-service.cjs"], "claude-mem"),
    ("adbpgmem", &["adbpgmem-"], "adbpgmem"),
    ("mem0", &["mem0"], "mem0"),
];

fn product(hook: &Hook, binary: &Path) -> Option<&'static str> {
    if hook.is_ours(binary) {
        return None;
    }
    let args = hook.args.iter().flatten();
    let mut words = std::iter::once(&hook.command).chain(args);
    let holds = |word: &String| {
        PRODUCTS.iter().find(|(_, marks, _)| marks.iter().any(|mark| word.contains(mark)))
    };
    words.find_map(holds).map(|(name, ..)| *name)
}

fn plugin_product(property: &Property) -> Option<&'static str> {
    let (plugin, _) = property.name.split_once('@')?;
    let on = property.value.kind == Kind::Flag(true);
    PRODUCTS.iter().find(|(_, _, name)| on && *name == plugin).map(|(name, ..)| *name)
}

fn plugins(doc: &Document) -> &[Property] {
    let plugins = doc.root().and_then(|root| root.get("enabledPlugins"));
    plugins.and_then(Node::properties).unwrap_or_default()
}

/// The hooks and plugins of other memories, in the order of the file.
pub(super) fn found(doc: &Document, binary: &Path, file: &Path) -> Vec<OtherMemory> {
    let other = |product: &str, event: &str, command: &str| OtherMemory {
        product: product.to_owned(),
        event: event.to_owned(),
        command: command.to_owned(),
        file: file.to_owned(),
        switched_off: false,
    };
    let hooks = settings::hooks(doc);
    let hooks = hooks
        .iter()
        .filter_map(|hook| Some(other(product(hook, binary)?, &hook.event, &hook.command)));
    let plugins = plugins(doc)
        .iter()
        .filter_map(|plugin| Some(other(plugin_product(plugin)?, "plugin", &plugin.name)));
    hooks.chain(plugins).collect()
}

/// Takes out their hooks and sets their plugins to `false`; what that was, to be put back.
pub(super) fn switch_off(doc: Document, binary: &Path) -> Result<(Document, Vec<SwitchedOff>)> {
    let mut off: Vec<SwitchedOff> = settings::hooks(&doc)
        .into_iter()
        .filter(|hook| product(hook, binary).is_some())
        .map(|hook| SwitchedOff::Hook { event: hook.event, matcher: hook.matcher, entry: hook.raw })
        .collect();
    let keep = EmptyBefore::default();
    let mut doc = settings::without(doc, &|hook| product(hook, binary).is_some(), &keep)?;
    while let Some(plugin) = plugins(&doc).iter().find(|p| plugin_product(p).is_some()) {
        off.push(SwitchedOff::Plugin { key: plugin.name.clone() });
        doc = edit::replace(&doc, &plugin.value, "false")?;
    }
    Ok((doc, off))
}

/// Puts back what was switched off, where somebody else has changed the file since.
pub(super) fn switch_on(doc: Document, off: &[SwitchedOff]) -> Result<Document> {
    let mut doc = doc;
    for one in off {
        match one {
            SwitchedOff::Hook { event, matcher, entry } => {
                let there = |hook: &Hook| hook.event == *event && hook.raw == *entry;
                if !settings::hooks(&doc).iter().any(there) {
                    let entry = Json::Raw(entry.clone());
                    doc = settings::with_entry(&doc, event, matcher.as_deref(), entry)?;
                }
            }
            SwitchedOff::Plugin { key } => {
                let off = |p: &&Property| p.name == *key && p.value.kind == Kind::Flag(false);
                if let Some(plugin) = plugins(&doc).iter().find(off) {
                    doc = edit::replace(&doc, &plugin.value, "true")?;
                }
            }
        }
    }
    Ok(doc)
}
