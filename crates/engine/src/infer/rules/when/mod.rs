//! Days that a sentence names by their distance: `yesterday`, `in two weeks`, 下周五, 三天前.
//!
//! They become dates, since nobody knows later from where they were counted. What is no single day
//! becomes the month, the year, the Monday of the week, or a day with `around` in front. A weekday
//! alone is counted only where the sentence says that it is to come.

mod chinese;
mod english;

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::words::{starts_word, word_at};
use chinese::{chinese, in_chinese};
use english::{english, in_english};

/// Says that something is still to come.
const TO_COME: [&str; 18] = [
    "will",
    "going to",
    "plan",
    "plans",
    "planning",
    "'ll",
    "due",
    "deadline",
    "by",
    "until",
    "must",
    "need to",
    "needs to",
    "have to",
    "has to",
    "want to",
    "wants to",
    "scheduled",
];

/// A sentence with its days as dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dated {
    pub(super) text: String,
    /// The first single day that was named.
    pub(super) day: Option<Date>,
    /// Whether any time was named, by its distance or as a date.
    pub(super) names_a_time: bool,
}

/// What was named, and over how many bytes.
#[derive(Clone, Debug)]
struct Named {
    len: usize,
    what: What,
    /// What follows it in the same words: ` in the morning`, 晚上.
    more: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Day(Date),
    Around(Date),
    Week(Date),
    Month(Date),
    Year(Date),
}

/// The sentence with every day that is named by its distance from `today` as a date.
pub(super) fn dated(sentence: &str, today: Date) -> Dated {
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    // A changed length would move places: such a sentence is read as it is.
    let lower = if lower.len() == sentence.len() { lower } else { sentence.to_ascii_lowercase() };
    let to_come = TO_COME.iter().any(|cue| word_at(&lower, cue).is_some());
    let mut out = Dated { text: String::new(), day: None, names_a_time: has_date(&lower) };
    let mut at = 0;
    while let Some(c) = sentence[at..].chars().next() {
        let found = if c.is_ascii() {
            if starts_word(&lower, at) { english(&lower[at..], today, to_come) } else { None }
        } else {
            chinese(&sentence[at..], &sentence[..at], today)
        };
        let Some(named) = found else {
            out.text.push(c);
            at += c.len_utf8();
            continue;
        };
        out.names_a_time = true;
        if let What::Day(day) | What::Around(day) = named.what {
            out.day = out.day.or(Some(day));
        }
        let written = if c.is_ascii() {
            let before = out.text.to_ascii_lowercase();
            in_english(&named, &before, lower[at + named.len..].starts_with("'s"))
        } else {
            in_chinese(&named)
        };
        if out.text.is_empty() {
            let mut chars = written.chars();
            out.text.extend(chars.next().into_iter().flat_map(char::to_uppercase));
            out.text.push_str(chars.as_str());
        } else {
            out.text.push_str(&written);
        }
        at += named.len;
    }
    out
}

/// Whether a text names a day or a month as such: 2026-03-04, 3月4日, 4 March.
fn has_date(lower: &str) -> bool {
    crate::recall::names_a_date(lower)
}

/// So many units, and whether people mean that very day.
fn span(unit: &str, count: i64) -> Option<(Span, bool)> {
    Some(match unit {
        "day" => (Span::new().try_days(count).ok()?, true),
        "week" => (Span::new().try_weeks(count).ok()?, false),
        "month" => (Span::new().try_months(count).ok()?, false),
        _ => (Span::new().try_years(count).ok()?, false),
    })
}

/// The Monday of a week so many weeks away.
fn week(today: Date, step: i64) -> Option<Date> {
    let since_monday = i64::from(today.weekday().to_monday_zero_offset());
    moved(today, (7 * step - since_monday).days())
}

fn moved(day: Date, by: Span) -> Option<Date> {
    day.checked_add(by).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// 2026-03-04 was a Wednesday.
    fn told(text: &str) -> String {
        dated(text, date(2026, 3, 4)).text
    }

    #[test]
    fn days_are_counted_from_the_message() {
        for (text, wanted) in [
            ("I went to Oslo yesterday.", "I went to Oslo on 2026-03-03."),
            ("Yesterday's release failed", "2026-03-03's release failed"),
            ("The day before yesterday we met", "On 2026-03-02 we met"),
            ("Moved here two weeks ago", "Moved here around 2026-02-18"),
            ("I started 3 days ago, really", "I started on 2026-03-01, really"),
            ("We ship in 10 days", "We ship on 2026-03-14"),
            ("It rained last night", "It rained on 2026-03-03 at night"),
            ("since last week", "since the week of 2026-02-23"),
            ("The rewrite starts next month", "The rewrite starts in 2026-04"),
            ("Last year I lived in Rome", "In 2025 I lived in Rome"),
            ("We met last Friday", "We met on 2026-02-27"),
            ("We met last Wednesday", "We met on 2026-02-25"),
            ("The demo is next Monday", "The demo is on 2026-03-09"),
            ("I will fly on Friday", "I will fly on 2026-03-06"),
            ("due by Wednesday", "due by 2026-03-11"),
        ] {
            assert_eq!(told(text), wanted);
        }
    }

    #[test]
    fn chinese_days_too() {
        for (text, wanted) in [
            ("我昨天去了北京", "我2026年3月3日去了北京"),
            ("昨晚发布失败", "2026年3月3日晚上发布失败"),
            ("三天前开始用 Rust", "2026年3月1日开始用 Rust"),
            ("十二天后上线", "2026年3月16日上线"),
            ("下周五去上海出差", "2026年3月13日去上海出差"),
            ("这个星期天搬家", "2026年3月8日搬家"),
            ("上周修好了", "2026年2月23日那一周修好了"),
            ("下个月换工作", "2026年4月换工作"),
            ("去年毕业", "2025年毕业"),
            ("两个月前搬到杭州", "2026年1月4日前后搬到杭州"),
            ("半年前结婚", "2025年9月4日前后结婚"),
            ("大后天考试", "2026年3月7日考试"),
        ] {
            assert_eq!(told(text), wanted);
        }
    }

    #[test]
    fn what_is_no_such_day_stays() {
        for text in [
            "We deploy on Fridays",
            "Friday's build",
            "We deploy on Friday",
            "the last weekday of a month",
            "以前天天加班",
            "第三年级",
            "in two minds",
            "a day in the life",
            "🦀 crabs walk",
        ] {
            assert_eq!(told(text), text);
        }
        assert_eq!(told("todayness"), "todayness");
        assert_eq!(dated("on 2026-05-01 we ship", date(2026, 3, 4)).day, None);
        assert!(dated("on 2026-05-01 we ship", date(2026, 3, 4)).names_a_time);
        assert_eq!(dated("yesterday", date(2026, 3, 4)).day, Some(date(2026, 3, 3)));
    }
}
