//! What a call names, read: numbers within their bounds, ids, days. What cannot be read is refused with a
//! way out.

use afterword_domain::ids::BadId;
use afterword_domain::time::BadTime;
use afterword_domain::{PublicId, Time};

use super::answer::TAKE_IDS;
use super::door::Refusal;

/// A number when the call names none, the least and the most.
pub(super) struct Bounds {
    usual: u32,
    least: u32,
    most: u32,
}

/// Results of a search.
pub(super) const RESULTS: Bounds = Bounds { usual: 10, least: 1, most: 50 };

/// Neighbours on each side.
pub(super) const NEIGHBOURS: Bounds = Bounds { usual: 5, least: 0, most: 50 };

/// Characters of a whole text.
pub(super) const CHARACTERS: Bounds = Bounds { usual: 3_000, least: 1, most: 20_000 };

/// A number that a call names, within its bounds; what lies beyond is refused, never bent.
pub(super) fn within(name: &str, given: Option<u32>, bounds: &Bounds) -> Result<usize, Refusal> {
    let Bounds { usual, least, most } = *bounds;
    match given.unwrap_or(usual) {
        number if (least..=most).contains(&number) => {
            Ok(usize::try_from(number).expect("small numbers fit"))
        }
        number => Err(Refusal::new(
            format!("{name} is {number}, and may be {least} to {most}"),
            format!("Leave it out for {usual}, or ask for less at a time."),
        )),
    }
}

pub(super) fn ids(texts: &[String]) -> Result<Vec<PublicId>, Refusal> {
    let (ids, bad) = told_apart(texts)?;
    match bad.into_iter().next() {
        Some(bad) => Err(Refusal::new(bad.to_string(), TAKE_IDS)),
        None => Ok(ids),
    }
}

/// The ids among texts, and the others; never none of both.
pub(super) fn told_apart(texts: &[String]) -> Result<(Vec<PublicId>, Vec<BadId>), Refusal> {
    if texts.is_empty() {
        return Err(Refusal::new("no ids were given", TAKE_IDS));
    }
    let (mut ids, mut bad) = (Vec::new(), Vec::new());
    for text in texts {
        match text.parse() {
            Ok(id) => ids.push(id),
            Err(error) => bad.push(error),
        }
    }
    Ok((ids, bad))
}

/// A time that a call names; none when it names none.
pub(super) fn time(
    name: &str,
    text: Option<&str>,
    read: impl Fn(&str) -> Result<Time, BadTime>,
) -> Result<Option<Time>, Refusal> {
    let text = text.filter(|text| !text.trim().is_empty());
    let read = text.map(read).transpose();
    read.map_err(|e| Refusal::new(e.to_string(), format!("Correct {name} and try again.")))
}
