//! A unified difference of two texts, by lines.

use std::fmt::Write;
use std::path::Path;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Keep(usize),
    Remove(usize),
    Add(usize),
}

/// The difference as `diff -u` writes it; empty when the texts are equal.
/// No file stands as `/dev/null`.
pub fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let old = lines(before.unwrap_or_default());
    let new = lines(after.unwrap_or_default());
    let name = |text: Option<&str>| match text {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let mut out = format!("--- {}\n+++ {}\n", name(before), name(after));
    for hunk in hunks(&script(&old, &new)) {
        write_hunk(&mut out, &hunk, &old, &new);
    }
    out
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The shortest edit script (Myers), with equal ends taken off first.
fn script(old: &[&str], new: &[&str]) -> Vec<Op> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let mut ops: Vec<Op> = (0..head).map(Op::Keep).collect();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    for op in middle(&old[head..old_end], &new[head..new_end]) {
        ops.push(match op {
            Op::Keep(i) => Op::Keep(i + head),
            Op::Remove(i) => Op::Remove(i + head),
            Op::Add(i) => Op::Add(i + head),
        });
    }
    ops.extend((old_end..old.len()).map(Op::Keep));
    ops
}

fn middle(old: &[&str], new: &[&str]) -> Vec<Op> {
    let steps = furthest(old, new);
    let (mut x, mut y) = (old.len(), new.len());
    let mut ops = Vec::new();
    for (d, reach) in steps.iter().enumerate().rev() {
        let (from_x, from_y) = if d == 0 { (0, 0) } else { previous(reach, d, x, y) };
        while x > from_x && y > from_y {
            x -= 1;
            y -= 1;
            ops.push(Op::Keep(x));
        }
        if d > 0 {
            if x == from_x {
                y -= 1;
                ops.push(Op::Add(y));
            } else {
                x -= 1;
                ops.push(Op::Remove(x));
            }
        }
    }
    ops.reverse();
    ops
}

/// For each number of edits, the furthest old line reached on each diagonal before that edit.
/// Diagonal `x - y = k` is kept at `k + edits + 1`, which is never negative.
fn furthest(old: &[&str], new: &[&str]) -> Vec<Vec<usize>> {
    let mut steps: Vec<Vec<usize>> = Vec::new();
    let mut reach = vec![0_usize; 3];
    for d in 0..=old.len() + new.len() {
        // `reach` is indexed from diagonal -(d + 1).
        steps.push(reach.clone());
        let mut next = vec![0_usize; reach.len() + 2];
        for slot in (1..=2 * d + 1).step_by(2) {
            let down = slot == 1 || (slot != 2 * d + 1 && reach[slot - 1] < reach[slot + 1]);
            let mut x = if down { reach[slot + 1] } else { reach[slot - 1] + 1 };
            // y = x - k with k = slot - (d + 1); a cell outside the grid is never extended.
            let Some(mut y) = (x + d + 1).checked_sub(slot) else { continue };
            while x < old.len() && y < new.len() && old[x] == new[y] {
                x += 1;
                y += 1;
            }
            next[slot + 1] = x;
            if x >= old.len() && y >= new.len() {
                return steps;
            }
        }
        reach = next;
    }
    steps
}

/// Where the `d`th edit began, for a path that ends at (`x`, `y`).
fn previous(reach: &[usize], d: usize, x: usize, y: usize) -> (usize, usize) {
    let slot = x + d + 1 - y;
    let down = slot == 1 || (slot != 2 * d + 1 && reach[slot - 1] < reach[slot + 1]);
    let before = if down { slot + 1 } else { slot - 1 };
    let from_x = reach[before];
    (from_x, from_x + d + 1 - before)
}

/// Groups of changes with their context; each is (ops, first old line, first new line).
fn hunks(ops: &[Op]) -> Vec<(Vec<Op>, usize, usize)> {
    let mut found = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let mut at = 0;
    while at < ops.len() {
        let Some(first) = ops[at..].iter().position(|op| !matches!(op, Op::Keep(_))) else { break };
        let start = (at + first).saturating_sub(CONTEXT).max(at);
        old_at += start - at;
        new_at += start - at;
        let mut end = at + first;
        let mut quiet = 0;
        let mut stop = end;
        while stop < ops.len() && quiet <= 2 * CONTEXT {
            quiet = if matches!(ops[stop], Op::Keep(_)) { quiet + 1 } else { 0 };
            stop += 1;
            if quiet == 0 {
                end = stop;
            }
        }
        let end = (end + CONTEXT).min(ops.len());
        let part = ops[start..end].to_vec();
        let adds = part.iter().filter(|op| matches!(op, Op::Add(_))).count();
        let removes = part.iter().filter(|op| matches!(op, Op::Remove(_))).count();
        let length = part.len();
        found.push((part, old_at, new_at));
        old_at += length - adds;
        new_at += length - removes;
        at = end;
    }
    found
}

fn write_hunk(out: &mut String, hunk: &(Vec<Op>, usize, usize), old: &[&str], new: &[&str]) {
    let (ops, old_at, new_at) = hunk;
    let old_count = ops.iter().filter(|op| !matches!(op, Op::Add(_))).count();
    let new_count = ops.iter().filter(|op| !matches!(op, Op::Remove(_))).count();
    let from = |at: &usize, count: usize| if count == 0 { *at } else { at + 1 };
    let _ = writeln!(
        out,
        "@@ -{},{old_count} +{},{new_count} @@",
        from(old_at, old_count),
        from(new_at, new_count)
    );
    for op in ops {
        let (mark, line) = match *op {
            Op::Keep(i) => (' ', old[i]),
            Op::Remove(i) => ('-', old[i]),
            Op::Add(i) => ('+', new[i]),
        };
        out.push(mark);
        out.push_str(line.trim_end_matches(['\r', '\n']));
        out.push('\n');
        if !line.ends_with('\n') {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rebuilt(ops: &[Op], old: &[&str], new: &[&str]) -> (String, String) {
        let (mut left, mut right) = (String::new(), String::new());
        for op in ops {
            match *op {
                Op::Keep(i) => {
                    left.push_str(old[i]);
                    right.push_str(old[i]);
                }
                Op::Remove(i) => left.push_str(old[i]),
                Op::Add(i) => right.push_str(new[i]),
            }
        }
        (left, right)
    }

    #[test]
    fn a_change_is_shown_with_its_context() {
        let text = unified(
            Path::new("/s.json"),
            Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            Some("1\n2\n3\n4\nfive\n6\n7\n8\n9\nten"),
        );
        assert_eq!(
            text,
            "--- /s.json\n+++ /s.json\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+ten\n\
             \\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        let text = unified(Path::new("/s.json"), None, Some("{}\n"));
        assert_eq!(text, "--- /dev/null\n+++ /s.json\n@@ -0,0 +1,1 @@\n+{}\n");
        assert_eq!(unified(Path::new("/s.json"), Some("{}"), Some("{}")), "");
    }

    #[test]
    fn changes_far_apart_make_two_hunks() {
        let old: String = (0..30).fold(String::new(), |all, i| format!("{all}{i}\n"));
        let new = old.replace("\n3\n", "\nthree\n").replace("\n27\n", "\n");
        let text = unified(Path::new("a"), Some(&old), Some(&new));
        assert_eq!(text.matches("@@ -").count(), 2, "{text}");
        assert!(text.contains("@@ -1,7 +1,7 @@"), "{text}");
        assert!(text.contains("@@ -25,6 +25,5 @@"), "{text}");
    }

    proptest! {
        #[test]
        fn the_script_rebuilds_both_sides(
            old in prop::collection::vec("[abc]\n", 0..12),
            new in prop::collection::vec("[abc]\n", 0..12),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let ops = script(&old, &new);
            prop_assert_eq!(rebuilt(&ops, &old, &new), (old.concat(), new.concat()));
        }
    }
}
