//! Marks around text that is not to be remembered.
//!
//! `marks` finds the marks; here it is decided which text they hide.

use super::marks::{Kind, Mark, first, mark_at, next_bracket};

/// Marks in one field after which the rest of it is dropped.
const MAX_MARKS: usize = 100;
/// Text after its marks were removed.
#[derive(Debug)]
pub(super) struct Stripped {
    /// What is left.
    pub(super) text: String,
    /// Whether text inside a private kind of mark was removed.
    pub(super) private: bool,
}

/// Removes marked text; none when there is no mark at all.
pub(super) fn strip(text: &str) -> Option<Stripped> {
    let (marks, limit) = collect(text);
    if marks.is_empty() {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut private = limit < text.len();
    let mut from = 0;
    let mut next = 0;
    while next < marks.len() {
        let mark = marks[next];
        kept.push_str(&text[from..mark.start]);
        match (mark.closing, closed_at(&marks, next), mark.kind) {
            // Where private text ends without having begun, its beginning was lost or disguised.
            (true, _, Kind::Private(_)) => {
                if first(&kept).is_some() {
                    // What was removed has joined a beginning, which the next round finds.
                    from = mark.end;
                    next += 1;
                    continue;
                }
                if next_bracket(&kept, 0).is_some() {
                    // Half of a disguised beginning, and the other half may follow.
                    return Some(Stripped { text: String::new(), private: true });
                }
                kept.clear();
                private = true;
                from = mark.end;
                next += 1;
            }
            (true, _, Kind::Host(_)) | (false, None, Kind::Host(_)) => {
                from = mark.end;
                next += 1;
            }
            (false, Some(close), kind) => {
                private |= matches!(kind, Kind::Private(_))
                    || marks[next..close].iter().any(|m| matches!(m.kind, Kind::Private(_)));
                from = marks[close].end;
                next = close + 1;
            }
            (false, None, Kind::Private(_)) => {
                return Some(Stripped { text: kept, private: true });
            }
        }
    }
    kept.push_str(&text[from..limit]);
    Some(Stripped { text: kept, private })
}

/// The first marks of a text and where the text that may be kept ends.
fn collect(text: &str) -> (Vec<Mark>, usize) {
    let mut marks = Vec::new();
    let mut from = 0;
    while let Some(at) = next_bracket(text, from) {
        match mark_at(text, at) {
            Some(_) if marks.len() == MAX_MARKS => return (marks, at),
            Some(mark) => {
                from = mark.end;
                marks.push(mark);
            }
            None => from = at + 1,
        }
    }
    (marks, text.len())
}

/// The index of the mark that closes the opening one, counting nested marks of the same kind.
///
/// Marks of another kind do not close. Private text inside host text is skipped as a whole, so that
/// the host's closing mark inside it is not seen; left open, it leaves the host's mark open too.
fn closed_at(marks: &[Mark], open: usize) -> Option<usize> {
    let kind = marks[open].kind;
    let inside_host = matches!(kind, Kind::Host(_));
    let mut depth = 0;
    let mut at = open;
    while at < marks.len() {
        let mark = marks[at];
        if mark.kind == kind {
            if mark.closing {
                depth -= 1;
            } else {
                depth += 1;
            }
            if depth == 0 {
                return Some(at);
            }
        } else if inside_host && !mark.closing && matches!(mark.kind, Kind::Private(_)) {
            at = closed_at(marks, at)?;
        }
        at += 1;
    }
    None
}
