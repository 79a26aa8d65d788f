//! What of the rows that mean a file is worth telling before it is read or changed.

use std::cmp::Reverse;
use std::collections::HashMap;

use afterword_domain::observation::Observation;
use afterword_domain::text::{cut_chars, prefix};
use afterword_store::contract::{Row, RowBody};

use super::named::FileName;
use crate::recall::context::{
    DECISION, Item, Told, UNRESOLVED, is_failure, joined, subject, superseded, without_changes,
};
use crate::recall::newest::gave_way;

/// Most UTF-16 units of a line.
const LINE: usize = 230;

/// Bytes of a quoted change that tell it apart from others.
const CHANGE_HEAD: usize = 80;

/// What a row tells of a file, the most binding first, and how many lines each may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    /// A decision or a memory.
    Rule,
    /// What failed, and what helped.
    Pitfall,
    /// What was changed.
    Change,
    /// How it works.
    Insight,
}

/// The order of the lines: one of each before the second of any.
const LINES: [Class; 7] = [
    Class::Rule,
    Class::Pitfall,
    Class::Change,
    Class::Rule,
    Class::Pitfall,
    Class::Change,
    Class::Insight,
];

/// The lines that tell of a file, best first; none of what was told.
pub(super) fn items<'r>(
    name: &FileName,
    rows: impl Iterator<Item = &'r Row>,
    mut told: Told,
) -> Vec<Item> {
    let mut known: Vec<(&Row, Class)> =
        rows.filter_map(|row| Some((row, class(name, row)?))).collect();
    known.sort_by_key(|(row, _)| Reverse((row.created_at, row.id)));
    drop_superseded(&mut known);
    drop_overtaken(name, &mut known);
    let mut of_class: HashMap<Class, Vec<&Row>> = HashMap::new();
    for (row, class) in known {
        of_class.entry(class).or_default().push(row);
    }
    let pitfalls = pitfall_lines(name, of_class.get(&Class::Pitfall), &told);
    if let Some(changes) = of_class.get_mut(&Class::Change) {
        changes.retain(|row| {
            let of_turn = |(of, _): &&_| turn(row) == Some(*of);
            !pitfalls.iter().filter(of_turn).any(|(_, line)| says_change(name, line, row))
        });
    }
    if let Some(rules) = of_class.get_mut(&Class::Rule) {
        let of_pitfall = |row: &&Row| pitfalls.iter().any(|(of, _)| turn(row) == Some(*of));
        // The second line of rules is the last: it is for what was decided over a failure.
        if let Some(at) = rules.iter().position(of_pitfall).filter(|at| *at > 1) {
            rules[1..=at].rotate_right(1);
        }
    }
    let mut next: HashMap<Class, std::vec::IntoIter<&Row>> =
        of_class.into_iter().map(|(class, rows)| (class, rows.into_iter())).collect();
    let lines = LINES.iter().filter_map(|class| {
        next.get_mut(class)?.find_map(|row| line(name, row, *class, &mut told))
    });
    lines.collect()
}

/// The failures that will be told, by their turns, with as much of each as a line shows.
fn pitfall_lines(
    name: &FileName,
    rows: Option<&Vec<&Row>>,
    told: &Told,
) -> Vec<((i64, i64), String)> {
    let lines = rows.into_iter().flatten().filter_map(|row| {
        let RowBody::Observation(failure) = &row.body else { return None };
        let new = !told.has(about(name, failure.content.title.trim()));
        let line = cut_chars(&telling(name, failure, Class::Pitfall), LINE);
        new.then(|| Some((turn(row)?, line))).flatten()
    });
    lines.take(2).collect()
}

/// Whether the line of a failure says all that a change says: what it was for, or else how the file
/// was changed. That the file was changed is said by the failure being told of the file.
fn says_change(name: &FileName, line: &str, change: &Row) -> bool {
    let RowBody::Observation(row) = &change.body else { return false };
    let (title, narrative) = (row.content.title.trim(), row.content.narrative.trim());
    let verb = row.content.files_modified.iter().fold(title.to_owned(), |title, file| {
        let title = title.replace(file.as_str(), " ");
        title.replace(file.rsplit('/').next().unwrap_or(file), " ")
    });
    let words = verb.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let purpose = if words.count() > 1 { about(name, title) } else { "" };
    let more = without_changes(narrative);
    let more = if more.trim().is_empty() {
        // The line may have cut it.
        prefix(name.change_in(narrative).unwrap_or_default(), CHANGE_HEAD)
    } else {
        &more
    };
    let line = letters(line);
    [purpose, more].iter().all(|part| line.contains(&letters(part)))
}

/// The letters and digits of a text in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn class(name: &FileName, row: &Row) -> Option<Class> {
    match &row.body {
        RowBody::Memory(memory) => {
            let texts = [memory.title.as_str(), &memory.text];
            name.concerns(&memory.files, &texts).then_some(Class::Rule)
        }
        RowBody::Observation(row) if row.subagent.is_none() => class_of(name, row),
        _ => None,
    }
}

fn class_of(name: &FileName, row: &Observation) -> Option<Class> {
    let content = &row.content;
    let modified = name.is_in(&content.files_modified);
    let files = content.files_modified.iter().chain(&content.files_read);
    let name = &name.beside(files.map(String::as_str));
    let named = || names(name, &[&content.title, &content.narrative]);
    if content.r#type == DECISION {
        return (modified || named()).then_some(Class::Rule);
    }
    if is_failure(&content.concepts) {
        return (modified || named()).then_some(Class::Pitfall);
    }
    if modified {
        return Some(Class::Change);
    }
    let looked_into = content.files_read.len() <= 2 && name.is_in(&content.files_read);
    let tells = content.r#type != "change" && !content.narrative.trim().is_empty();
    (tells && (looked_into || named())).then_some(Class::Insight)
}

fn names(name: &FileName, texts: &[&str]) -> bool {
    texts.iter().any(|text| name.is_named_in(text))
}

/// Drops decisions and memories that a newer one took the place of.
fn drop_superseded(newest_first: &mut Vec<(&Row, Class)>) {
    newest_first.retain(|(row, _)| !gave_way(&row.body));
    let says = |row: &Row| match &row.body {
        RowBody::Memory(row) => row.text.clone(),
        RowBody::Observation(row) if row.content.r#type == DECISION => row.content.title.clone(),
        _ => String::new(),
    };
    let texts: Vec<String> = newest_first.iter().map(|(row, _)| says(row)).collect();
    let mut gone = superseded(texts.iter().map(String::as_str)).into_iter();
    newest_first.retain(|_| !gone.next().unwrap_or(false));
}

/// Drops failures that were left open and are older than a later turn's change of the file.
fn drop_overtaken(name: &FileName, newest_first: &mut Vec<(&Row, Class)>) {
    let changed = newest_first.iter().filter(|(row, _)| match &row.body {
        RowBody::Observation(row) => name.is_in(&row.content.files_modified),
        _ => false,
    });
    let changed: Vec<&Row> = changed.map(|(row, _)| *row).collect();
    newest_first.retain(|(row, _)| {
        let RowBody::Observation(open) = &row.body else { return true };
        let is_open = open.content.concepts.iter().any(|concept| concept == UNRESOLVED);
        let later = |other: &&&Row| other.created_at > row.created_at && turn(other) != turn(row);
        !is_open || !changed.iter().any(|other| later(&other))
    });
}

fn turn(row: &Row) -> Option<(i64, i64)> {
    match &row.body {
        RowBody::Observation(observation) => Some((row.session_id?, observation.prompt_number)),
        _ => None,
    }
}

/// A row as a line; none when it says nothing that was not said.
fn line(name: &FileName, row: &Row, class: Class, told: &mut Told) -> Option<Item> {
    // Of a failure that was told the rest says nothing by itself.
    if let RowBody::Observation(row) = &row.body
        && told.has(about(name, row.content.title.trim()))
    {
        return None;
    }
    let (word, text) = match &row.body {
        RowBody::Memory(memory) => {
            (format!("memory, {}", memory.origin.word()), memory.text.clone())
        }
        RowBody::Observation(row) => (row.content.r#type.clone(), telling(name, row, class)),
        _ => return None,
    };
    let text = told.fresh(&text);
    let lead = format!("{} {word} ({})", row.id, row.created_at.date());
    (!text.trim().is_empty()).then(|| Item::new(row.id, lead, text, LINE))
}

fn telling(name: &FileName, row: &Observation, class: Class) -> String {
    let (title, narrative) = (row.content.title.trim(), row.content.narrative.trim());
    let change = name.change_in(narrative).unwrap_or_default();
    match class {
        Class::Rule if title.is_empty() => narrative.to_owned(),
        Class::Rule => title.to_owned(),
        // How it failed is raw output: the title says what came of it.
        Class::Pitfall if change.is_empty() => title.to_owned(),
        Class::Pitfall => format!("{title}: {change}"),
        Class::Change | Class::Insight => {
            let about = about(name, title);
            let more = without_changes(narrative);
            joined(about, if more.trim().is_empty() { change } else { &more })
        }
    }
}

/// A title without the names of the files in front of it, where this one is among them.
fn about<'t>(name: &FileName, title: &'t str) -> &'t str {
    let about = subject(title);
    let files = &title[..title.len() - about.len()];
    if name.is_named_in(files.trim_end_matches([':', ' ', '：'])) { about } else { title }
}
