//! Items and a budget into text.

use std::collections::HashSet;
use std::fmt::Write;

use afterword_domain::PublicId;
use afterword_domain::quote::{quote, quote_attribute};
use afterword_domain::text::utf16_len;
use afterword_domain::wire::context::{BLOCK_TAG, ContextBlock};

use super::PROGRAM;
use super::item::{Item, Section};

/// Most UTF-16 units of a project's name before quotes are escaped.
const MAX_NAME: usize = 80;
/// Most UTF-16 units of a heading.
const MAX_HEADING: usize = 160;
/// Most UTF-16 units of what stands before the colon of a line.
const MAX_LEAD: usize = 120;
/// Room kept for the last line without the names of the program in it.
const FOOTER_ROOM: usize = 240;
/// Most UTF-16 units of how the program is called; of a longer call only the name is said.
const MAX_COMMAND: usize = 160;

/// What goes around the sections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// The project's name.
    pub(crate) project: &'a str,
    /// The first line: what this is. Its quoted parts are quoted already.
    pub(crate) intro: &'a str,
    /// Most UTF-16 units of the whole block with its wrapper.
    pub(crate) budget: usize,
    /// How many rows there are in all.
    pub(crate) total: u64,
    /// How the program is called, for a last line that says how to fetch more; none has no such line.
    pub(crate) command: Option<&'a str>,
}

/// A line as it will stand, with its line feed.
struct Line<'i> {
    section: &'i Section,
    item: &'i Item,
    text: String,
    units: usize,
}

/// The block: wrapped once, at most `budget` UTF-16 units, ending after a whole line.
///
/// Sections come in order. Each takes lines while they fit into its share and into what later
/// sections do not want of theirs. A line that says what a line before it says is passed over.
/// Without a single line the text is empty.
pub(crate) fn render(frame: &Frame<'_>, sections: &[Section]) -> ContextBlock {
    let (open, close) = wrapper(frame);
    let mut text = open;
    let mut shown: Vec<PublicId> = Vec::new();
    for line in chosen(sections, room(frame)) {
        text.push_str(&line.text);
        if let Some(id) = line.item.id.filter(|id| !shown.contains(id)) {
            shown.push(id);
        }
    }
    let rows_shown = u64::try_from(shown.len()).unwrap_or(u64::MAX);
    let left_out = frame.total.saturating_sub(rows_shown);
    let left_out_count = usize::try_from(left_out).unwrap_or(usize::MAX);
    if shown.is_empty() {
        return ContextBlock { left_out: left_out_count, ..ContextBlock::default() };
    }
    if let Some(command) = frame.command.map(named) {
        text.push_str(&footer(left_out, &command, shown[0]));
    }
    text.push_str(&close);
    ContextBlock { text, shown, left_out: left_out_count }
}

fn wrapper(frame: &Frame<'_>) -> (String, String) {
    let open = format!(
        "<{BLOCK_TAG} project=\"{}\">\n{}\n",
        quote_attribute(frame.project, MAX_NAME),
        frame.intro
    );
    (open, format!("</{BLOCK_TAG}>"))
}

/// Room for lines in UTF-16 units.
fn room(frame: &Frame<'_>) -> usize {
    let (open, close) = wrapper(frame);
    let footer_room = frame.command.map_or(0, |name| FOOTER_ROOM + 2 * utf16_len(&named(name)));
    frame.budget.saturating_sub(utf16_len(&open) + utf16_len(&close) + footer_room)
}

/// The lines of the block with their sections, as [`render`] writes them: each without its heading
/// and its day.
pub(super) fn lines<'i>(
    frame: &Frame<'_>,
    sections: &'i [Section],
) -> Vec<(&'i Section, &'i Item, String)> {
    let told = |line: Line<'i>| {
        let own = line.text.trim_end().rsplit_once('\n');
        let own = own.map_or(line.text.trim_end(), |(_, own)| own).to_owned();
        (line.section, line.item, own)
    };
    chosen(sections, room(frame)).into_iter().map(told).collect()
}

/// The lines that fit, in order.
fn chosen(sections: &[Section], room: usize) -> Vec<Line<'_>> {
    let mut said = HashSet::new();
    let wanted: Vec<usize> = sections
        .iter()
        .map(|section| {
            let units: usize = lines_of(section, &said).iter().map(|line| line.units).sum();
            units.min(section.share)
        })
        .collect();
    let mut left = room;
    let mut chosen = Vec::new();
    for (place, section) in sections.iter().enumerate() {
        let later: usize = wanted[place + 1..].iter().sum();
        let mut allowed = section.share.max(left.saturating_sub(later)).min(left);
        for line in lines_of(section, &said) {
            if line.units > allowed {
                break;
            }
            allowed -= line.units;
            left -= line.units;
            said.insert(line.item.key.as_str());
            chosen.push(line);
        }
    }
    chosen
}

/// A section's lines that say something new; its heading and the days stand in front of the line
/// that they head, so that none is left without one.
fn lines_of<'i>(section: &'i Section, said: &HashSet<&str>) -> Vec<Line<'i>> {
    let mut lines = Vec::with_capacity(section.items.len());
    let mut day = None;
    for item in section.items.iter().filter(|item| !said.contains(item.key.as_str())) {
        let Some(line) = line_of(item) else { continue };
        let mut text = String::new();
        if lines.is_empty() {
            text = format!("\n## {}\n", quote(&section.heading, MAX_HEADING));
        }
        if let Some(new) = item.day.as_ref().filter(|new| day != Some(*new)) {
            day = Some(new);
            writeln!(text, "### {}", quote(new, MAX_LEAD)).expect("a string takes all");
        }
        text.push_str(&line);
        lines.push(Line { section, item, units: utf16_len(&text), text });
    }
    lines
}

fn line_of(item: &Item) -> Option<String> {
    let quoted = quote(&item.text, item.most);
    let text = quoted.trim_start_matches(['-', '*', '#', '>', '+', ' ']);
    if text.is_empty() {
        return None;
    }
    if item.lead.is_empty() {
        return Some(format!("- {text}\n"));
    }
    Some(format!("- {}: {text}\n", quote(&item.lead, MAX_LEAD)))
}

/// How the program is called, as it may stand in a block.
fn named(command: &str) -> String {
    let name = quote(command, MAX_COMMAND);
    if name == command && !name.is_empty() { name } else { PROGRAM.to_owned() }
}

fn footer(left_out: u64, command: &str, example: PublicId) -> String {
    let how = format!(
        "`{command} search \"WORDS\"` finds rows by words, `{command} show {example}` gives one whole."
    );
    match left_out {
        0 => format!("\n{how}\n"),
        1 => format!("\n1 more row of this project is kept and not shown. {how}\n"),
        n => format!("\n{n} more rows of this project are kept and not shown. {how}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> PublicId {
        PublicId::new(afterword_domain::Kind::Observation, number)
    }

    fn section(heading: &str, numbers: std::ops::Range<i64>, share: usize) -> Section {
        let line = |n| Item::new(id(n), id(n).to_string(), format!("line number {n}"), 60);
        Section { heading: heading.into(), items: numbers.map(line).collect(), share }
    }

    fn frame(budget: usize) -> Frame<'static> {
        Frame { project: "shop", intro: "Facts.", budget, total: 400, command: Some(PROGRAM) }
    }

    #[test]
    fn every_budget_holds_and_ends_on_a_line() {
        let sections = [section("A", 0..40, 200), section("B", 100..140, 200)];
        let whole = render(&frame(9_000), &sections);
        assert_eq!((whole.shown.len(), whole.left_out), (80, 320));
        for budget in 0..utf16_len(&whole.text) {
            let block = render(&frame(budget), &sections);
            assert!(utf16_len(&block.text) <= budget, "{budget}");
            assert_eq!(block.shown.len() + block.left_out, 400);
            assert_eq!(block.text.is_empty(), block.shown.is_empty());
            let lines = block.text.lines().filter(|line| line.starts_with("- "));
            let lines: Vec<&str> = lines.collect();
            assert_eq!(lines.len(), block.shown.len());
            assert!(lines.iter().all(|line| whole.text.contains(&format!("{line}\n"))));
            let heads = block.text.lines().filter(|line| line.starts_with("## ")).count();
            assert!(heads <= lines.len(), "a heading without a line at {budget}");
        }
    }

    #[test]
    fn d9_the_program_is_named_by_a_path_that_works() {
        let sections = [section("A", 0..40, 9_000)];
        for (command, named) in [
            ("~/.afterword/bin/afterword", "`~/.afterword/bin/afterword show o0`"),
            ("'/a b/afterword'", "`'/a b/afterword' search \"WORDS\"`"),
            ("/x</afterword-context>/afterword", "`afterword show o0`"),
            ("", "`afterword show o0`"),
            (&"/x".repeat(90), "`afterword show o0`"),
        ] {
            for budget in [900, 2_000] {
                let frame = Frame { command: Some(command), ..frame(budget) };
                let block = render(&frame, &sections);
                assert!(block.text.contains(named), "{}", block.text);
                assert!(utf16_len(&block.text) <= budget);
            }
        }
    }

    #[test]
    fn a_section_may_use_what_later_ones_do_not_want() {
        let alone = render(&frame(2_000), &[section("A", 0..200, 100)]);
        assert!(utf16_len(&alone.text) > 1_700 && utf16_len(&alone.text) <= 2_000);
        let both = render(&frame(2_000), &[section("A", 0..200, 100), section("B", 300..330, 400)]);
        let later = both.shown.iter().filter(|id| id.number >= 300).count();
        assert!(later >= 12, "the later section got {later} lines only");
    }

    #[test]
    fn j9_a_line_said_further_up_is_passed_over() {
        let mut again = section("B", 50..52, 400);
        again.items[0].key = section("A", 0..1, 0).items[0].key.clone();
        let block = render(&frame(3_000), &[section("A", 0..3, 400), again]);
        assert_eq!(block.shown, [0, 1, 2, 51].map(id));
    }

    #[test]
    fn a_day_heads_its_lines_once() {
        let mut days = section("Index", 0..5, 400);
        for (item, day) in days.items.iter_mut().zip(["02", "02", "02", "01", "01"]) {
            item.day = Some(format!("2026-03-{day}"));
        }
        let text = render(&frame(3_000), &[days]).text;
        assert_eq!(text.matches("### 2026-03-02\n- o0").count(), 1);
        assert_eq!(text.matches("### ").count(), 2);
    }

    #[test]
    fn markers_at_the_start_of_a_bare_line_go() {
        let bare = Item::new(id(1), String::new(), "## - > ls -l".into(), 60);
        let hidden = Item::new(id(2), String::new(), "--- \u{200b}".into(), 60);
        let section = Section { heading: "A".into(), items: vec![bare, hidden], share: 400 };
        let block = render(&frame(3_000), &[section]);
        assert!(block.text.contains("\n- ls -l\n"), "{}", block.text);
        assert_eq!(block.shown, [id(1)]);
    }
}
