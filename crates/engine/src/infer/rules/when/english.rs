//! Days in English.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::super::words::is_word_at;
use super::{Named, What, moved, span, week};

/// Characters that stand before a date by themselves, so that no other one is put there.
const BEFORE_DATES: [&str; 12] = [
    "on", "since", "by", "until", "till", "from", "before", "after", "starting", "of", "in", "for",
];

pub(super) fn in_english(named: &Named, before: &str, owns: bool) -> String {
    let last = before.split_whitespace().last().unwrap_or_default();
    let bare = owns || BEFORE_DATES.contains(&last);
    let lead = |word: &str| if bare { String::new() } else { format!("{word} ") };
    let date = match named.what {
        What::Day(day) => format!("{}{day}", lead("on")),
        What::Around(day) => format!("{}{day}", if owns { "" } else { "around " }),
        What::Week(day) => format!("{}the week of {day}", lead("in")),
        What::Month(day) => format!("{}{}", lead("in"), month(day)),
        What::Year(day) => format!("{}{}", lead("in"), day.year()),
    };
    date + named.more
}

fn month(day: Date) -> String {
    format!("{:04}-{:02}", day.year(), day.month())
}

const DAYS: [(&str, i64, &str); 17] = [
    ("the day before yesterday", -2, ""),
    ("day before yesterday", -2, ""),
    ("the day after tomorrow", 2, ""),
    ("day after tomorrow", 2, ""),
    ("yesterday morning", -1, " in the morning"),
    ("yesterday afternoon", -1, " in the afternoon"),
    ("yesterday evening", -1, " in the evening"),
    ("yesterday", -1, ""),
    ("last night", -1, " at night"),
    ("this morning", 0, " in the morning"),
    ("this afternoon", 0, " in the afternoon"),
    ("this evening", 0, " in the evening"),
    ("tonight", 0, " at night"),
    ("today", 0, ""),
    ("tomorrow morning", 1, " in the morning"),
    ("tomorrow evening", 1, " in the evening"),
    ("tomorrow", 1, ""),
];

/// A day named by its distance at the beginning of a text in small letters.
pub(super) fn english(text: &str, today: Date, to_come: bool) -> Option<Named> {
    for (words, days, more) in DAYS {
        if is_word_at(text, words) {
            let day = moved(today, days.days())?;
            return Some(Named { len: words.len(), what: What::Day(day), more });
        }
    }
    counted(text, today).or_else(|| beside(text, today)).or_else(|| weekday(text, today, to_come))
}

/// `three days ago`, `in 2 weeks`, `a month ago`.
fn counted(text: &str, today: Date) -> Option<Named> {
    let ahead = text.strip_prefix("in ");
    let rest = ahead.unwrap_or(text);
    let (count, after) = number(rest)?;
    let unit_text = after.strip_prefix(' ')?;
    let unit = ["day", "week", "month", "year"].into_iter().find(|u| unit_text.starts_with(u))?;
    let mut rest = &unit_text[unit.len()..];
    rest = rest.strip_prefix('s').unwrap_or(rest);
    let back = rest.strip_prefix(" ago");
    let end = match (ahead, back) {
        (Some(_), None) => rest,
        (None, Some(end)) => end,
        _ => return None,
    };
    if end.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let count = if ahead.is_some() { count } else { -count };
    let (span, exact) = span(unit, count)?;
    let day = moved(today, span)?;
    let what = if exact { What::Day(day) } else { What::Around(day) };
    Some(Named { len: text.len() - end.len(), what, more: "" })
}

/// A number in digits or as a word, and what follows it.
fn number(text: &str) -> Option<(i64, &str)> {
    const WORDS: [(&str, i64); 15] = [
        ("a couple of", 2),
        ("a", 1),
        ("an", 1),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
    ];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=4).contains(&digits) {
        return Some((text[..digits].parse().ok()?, &text[digits..]));
    }
    let (word, n) = WORDS.into_iter().find(|(word, _)| is_word_at(text, word))?;
    Some((n, &text[word.len()..]))
}

/// `last week`, `next month`, `this year`, `next Friday`.
fn beside(text: &str, today: Date) -> Option<Named> {
    let (word, step) = [("last ", -1), ("this ", 0), ("next ", 1)]
        .into_iter()
        .find(|(w, _)| text.starts_with(w))?;
    let rest = &text[word.len()..];
    let unit = |name: &str, what: Option<What>| {
        Some(Named { len: word.len() + name.len(), what: what?, more: "" })
    };
    if is_word_at(rest, "week") {
        return unit("week", week(today, step).map(What::Week));
    }
    if is_word_at(rest, "weekend") {
        let saturday = week(today, step).and_then(|monday| moved(monday, 5.days()));
        return unit("weekend", saturday.map(What::Around));
    }
    if is_word_at(rest, "month") {
        return unit("month", moved(today.first_of_month(), step.months()).map(What::Month));
    }
    if is_word_at(rest, "year") {
        return unit("year", moved(today.first_of_year(), step.years()).map(What::Year));
    }
    let (name, wanted) = weekday_named(rest)?;
    let day = match step {
        -1 => moved(today, (-1 - days_since(today, wanted, 1)).days()),
        0 => in_week(today, 0, wanted),
        _ => in_week(today, 1, wanted),
    };
    unit(name, day.map(What::Day))
}

/// `on Friday`, `by Friday`, where it is to come.
fn weekday(text: &str, today: Date, to_come: bool) -> Option<Named> {
    let (name, wanted) = weekday_named(text)?;
    // `Fridays` and `Friday's` are no day.
    if !to_come || text[name.len()..].starts_with('\'') {
        return None;
    }
    let ahead = (i64::from(wanted.to_monday_zero_offset())
        - i64::from(today.weekday().to_monday_zero_offset()))
    .rem_euclid(7);
    let ahead = if ahead == 0 { 7 } else { ahead };
    let day = moved(today, ahead.days())?;
    Some(Named { len: name.len(), what: What::Day(day), more: "" })
}

/// Days since the last one before yesterday's midnight of a weekday; `less` is taken off first.
fn days_since(today: Date, wanted: Weekday, less: i64) -> i64 {
    let now = i64::from(today.weekday().to_monday_zero_offset()) - less;
    (now - i64::from(wanted.to_monday_zero_offset())).rem_euclid(7)
}

fn weekday_named(text: &str) -> Option<(&'static str, Weekday)> {
    [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ]
    .into_iter()
    .find(|(name, _)| is_word_at(text, name))
}

fn in_week(today: Date, step: i64, wanted: Weekday) -> Option<Date> {
    moved(week(today, step)?, i64::from(wanted.to_monday_zero_offset()).days())
}
