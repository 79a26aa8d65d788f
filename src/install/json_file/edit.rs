//! Putting members in and taking them out, byte by byte.

use super::tree::{Broken, Document, Node};
use super::value::{Json, Layout, quoted};

/// The document with `value` put in behind the last child of `container`; `name` is needed when
/// that is an object.
pub fn append(
    doc: &Document,
    container: &Node,
    name: Option<&str>,
    value: &Json,
) -> Result<Document, Broken> {
    let text = doc.text();
    let children = container.children();
    let layout = layout_for(doc, container, &children);
    let value = value.render(&layout);
    let item = match name {
        Some(name) => format!("{}{}{value}", quoted(name), layout.colon()),
        None => value,
    };
    let close = container.end - 1;
    let mut out = String::with_capacity(text.len() + item.len() + 64);
    if let Some((_, last)) = children.last() {
        let comma = next_comma(text, *last);
        let behind = comma.map_or(*last, |at| at + 1);
        let at = end_of_comments_on_line(text, behind);
        out.push_str(&text[..*last]);
        if comma.is_none() {
            out.push(',');
        }
        out.push_str(&text[*last..at]);
        match &layout {
            Layout::Lines { newline, indent, .. } => out.extend([*newline, indent, &item]),
            Layout::Line { spaced } => out.extend([if *spaced { " " } else { "" }, &item]),
        }
        if comma.is_some() {
            out.push(',');
        }
        out.push_str(&text[at..]);
    } else {
        let at = container.start + text[container.start..close].trim_end().len();
        out.push_str(&text[..at]);
        match &layout {
            Layout::Lines { newline, indent, .. } => {
                out.extend([*newline, indent, &item]);
                if !text[at..close].contains('\n') {
                    out.extend([*newline, line_indent(text, container.start)]);
                }
            }
            Layout::Line { .. } => out.push_str(&item),
        }
        out.push_str(&text[at..]);
    }
    doc.with_text(out)
}

/// A document without a root gets `{}`, behind what comments it has.
pub fn with_root_object(doc: &Document) -> Result<Document, Broken> {
    if doc.root().is_some() {
        return Ok(doc.clone());
    }
    let newline = newline(doc.text());
    let mut text = doc.text().to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    text.push_str("{}");
    text.push_str(newline);
    doc.with_text(text)
}

/// The document without the child at `index` of `container`, its comma and the space before it.
/// Comments beside it stay.
pub fn remove(doc: &Document, container: &Node, index: usize) -> Result<Document, Broken> {
    let text = doc.text();
    let children = container.children();
    let (start, end) = children[index];
    let comma = next_comma(text, end);
    let previous = index.checked_sub(1).map(|i| children[i].1);
    let previous_comma = previous.and_then(|at| next_comma(text, at));
    let before = previous_comma.map_or(container.start, |at| at) + 1;
    let lead = before + text[before..start].trim_end().len();

    let mut cuts = match comma {
        Some(at) if text[end..at].trim().is_empty() => vec![(lead, at + 1)],
        Some(at) => vec![(lead, end), (at, at + 1)],
        None => vec![(lead, end)],
    };
    if comma.is_none()
        && let Some(at) = previous_comma
    {
        cuts.insert(0, (at, at + 1));
    }
    let last = if comma.is_none() { cuts.len() - 1 } else { 0 };
    keep_line_comment_closed(text, before, &mut cuts[last]);

    let mut out = text.to_owned();
    for (from, to) in cuts.iter().rev() {
        out.replace_range(*from..*to, "");
    }
    if children.len() == 1 {
        let taken: usize = cuts.iter().map(|(from, to)| to - from).sum();
        let inside = container.start + 1..container.end - 1 - taken;
        if out[inside.clone()].trim().is_empty() {
            out.replace_range(inside, "");
        }
    }
    doc.with_text(out)
}

/// The document with other bytes for one value.
pub fn replace(doc: &Document, node: &Node, raw: &str) -> Result<Document, Broken> {
    let mut out = doc.text().to_owned();
    out.replace_range(node.start..node.end, raw);
    doc.with_text(out)
}

/// A cut that begins behind a line comment leaves the line end, unless one follows the cut: the
/// rest of the line would become part of the comment.
fn keep_line_comment_closed(text: &str, region: usize, cut: &mut (usize, usize)) {
    let lead = &text[region..cut.0];
    let in_comment = comments(text, region)
        .last()
        .is_some_and(|(from, to)| *to == region + lead.len() && text[*from..].starts_with("//"));
    let follows = text[cut.1..].trim_start_matches([' ', '\t']);
    if in_comment && !follows.starts_with(['\n', '\r']) {
        let rest = &text[cut.0..cut.1];
        cut.0 += rest.find('\n').map_or(0, |i| i + 1);
    }
}

fn layout_for(doc: &Document, container: &Node, children: &[(usize, usize)]) -> Layout {
    let text = doc.text();
    let is_root = doc.root().is_some_and(|root| root.start == container.start);
    let lines = match children {
        [] => is_root || text.contains('\n'),
        _ => gaps(container, children).any(|(from, to)| text[from..to].contains('\n')),
    };
    if !lines {
        return Layout::Line { spaced: text.contains("\": ") };
    }
    let unit = unit(doc);
    let own_line = |start: usize| {
        let indent = line_indent(text, start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        (line_start > 0 && line_start + indent.len() == start).then(|| indent.to_owned())
    };
    let indent = children
        .last()
        .and_then(|(start, _)| own_line(*start))
        .unwrap_or_else(|| format!("{}{unit}", line_indent(text, container.start)));
    Layout::Lines { newline: newline(text), unit, indent }
}

/// The stretches of a container that belong to no child.
fn gaps<'a>(
    container: &'a Node,
    children: &'a [(usize, usize)],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let starts = std::iter::once(container.start).chain(children.iter().map(|c| c.1));
    let ends = children.iter().map(|c| c.0).chain(std::iter::once(container.end));
    starts.zip(ends)
}

/// One step of indentation: that of the root's first child which begins a line.
fn unit(doc: &Document) -> String {
    let text = doc.text();
    let children = doc.root().map(Node::children).unwrap_or_default();
    let indents = children.iter().filter_map(|(start, _)| {
        let indent = line_indent(text, *start);
        let line_start = text[..*start].rfind('\n')? + 1;
        (!indent.is_empty() && line_start + indent.len() == *start).then(|| indent.to_owned())
    });
    indents.into_iter().next().unwrap_or_else(|| "  ".to_owned())
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The blanks that begin the line of `offset`.
fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |i| i + 1);
    let line = &text[start..offset];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Comments from `from` on, up to the first byte that is neither comment nor blank.
fn comments(text: &str, from: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = from;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |i| i + 2)
        } else {
            return found;
        };
        found.push((at, at + length));
        at += length;
    }
}

/// The comma behind a child that ends at `from`, if one follows.
fn next_comma(text: &str, from: usize) -> Option<usize> {
    let at = comments(text, from).last().map_or(from, |c| c.1);
    let at = at + text[at..].len() - text[at..].trim_start().len();
    text[at..].starts_with(',').then_some(at)
}

/// The end of the last comment that begins on the line of `from`; `from` when there is none.
fn end_of_comments_on_line(text: &str, from: usize) -> usize {
    let mut end = from;
    for (start, stop) in comments(text, from) {
        if text[end..start].contains(['\n', '\r']) {
            break;
        }
        end = stop;
    }
    end
}
