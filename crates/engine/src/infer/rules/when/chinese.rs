//! Days in Chinese.

use jiff::ToSpan;
use jiff::civil::Date;

use super::{Named, What, moved, span, week};

pub(super) fn in_chinese(named: &Named) -> String {
    let day = |day: Date| format!("{}年{}月{}日", day.year(), day.month(), day.day());
    let date = match named.what {
        What::Day(date) => day(date),
        What::Around(date) => format!("{}前后", day(date)),
        What::Week(date) => format!("{}那一周", day(date)),
        What::Month(date) => format!("{}年{}月", date.year(), date.month()),
        What::Year(date) => format!("{}年", date.year()),
    };
    date + named.more
}

const HAN_DAYS: [(&str, i64, &str); 20] = [
    ("大前天", -3, ""),
    ("大后天", 3, ""),
    ("前天", -2, ""),
    ("昨天晚上", -1, "晚上"),
    ("昨天", -1, ""),
    ("昨日", -1, ""),
    ("昨晚", -1, "晚上"),
    ("昨夜", -1, "夜里"),
    ("今天", 0, ""),
    ("今日", 0, ""),
    ("今晚", 0, "晚上"),
    ("今早", 0, "早上"),
    ("今晨", 0, "早上"),
    ("明天", 1, ""),
    ("明日", 1, ""),
    ("明早", 1, "早上"),
    ("明晚", 1, "晚上"),
    ("后天", 2, ""),
    ("隔天", 1, ""),
    ("当天", 0, ""),
];

/// A day named by its distance at the beginning of a Chinese text; `before` stands in front.
pub(super) fn chinese(text: &str, before: &str, today: Date) -> Option<Named> {
    // 以前天天, 先天后天: other words.
    let other = before.ends_with('以') || before.ends_with("先天");
    if !other
        && let Some((words, days, more)) = HAN_DAYS.into_iter().find(|(w, ..)| text.starts_with(w))
    {
        let day = moved(today, days.days())?;
        return Some(Named { len: words.len(), what: What::Day(day), more });
    }
    han_week(text, today).or_else(|| han_month_or_year(text, before, today)).or_else(|| {
        let after_digit = before.ends_with(|c: char| c.is_ascii_digit() || HAN_DIGITS.contains(c));
        if after_digit { None } else { han_counted(text, today) }
    })
}

/// 上周, 下周五, 这个星期天.
fn han_week(text: &str, today: Date) -> Option<Named> {
    let (word, step) = [("上", -1), ("这", 0), ("本", 0), ("下", 1)]
        .into_iter()
        .find(|(word, _)| text.starts_with(word))?;
    let rest = &text[word.len()..];
    let rest = rest.strip_prefix('个').unwrap_or(rest);
    let rest = ["星期", "礼拜", "周"].into_iter().find_map(|unit| rest.strip_prefix(unit))?;
    let day = rest.chars().next().and_then(|c| {
        let at = "一二三四五六日天".chars().position(|day| day == c)?.min(6);
        Some((i64::try_from(at).ok()?, c.len_utf8()))
    });
    let monday = week(today, step)?;
    let (what, rest) = match day {
        Some((at, len)) => (What::Day(moved(monday, at.days())?), &rest[len..]),
        None if rest.starts_with('末') => {
            (What::Around(moved(monday, 5.days())?), &rest['末'.len_utf8()..])
        }
        None => (What::Week(monday), rest),
    };
    Some(Named { len: text.len() - rest.len(), what, more: "" })
}

/// 上个月, 下月, 去年, 明年.
fn han_month_or_year(text: &str, before: &str, today: Date) -> Option<Named> {
    const MONTHS: [(&str, i64); 6] =
        [("上个月", -1), ("上月", -1), ("这个月", 0), ("本月", 0), ("下个月", 1), ("下月", 1)];
    const YEARS: [(&str, i64); 5] =
        [("去年", -1), ("今年", 0), ("明年", 1), ("前年", -2), ("后年", 2)];
    if let Some((word, step)) = MONTHS.into_iter().find(|(word, _)| text.starts_with(word)) {
        let month = moved(today.first_of_month(), step.months())?;
        return Some(Named { len: word.len(), what: What::Month(month), more: "" });
    }
    // 三年前年底: the word before takes the first character.
    if before.ends_with('年') {
        return None;
    }
    let (word, step) = YEARS.into_iter().find(|(word, _)| text.starts_with(word))?;
    let year = moved(today.first_of_year(), step.years())?;
    Some(Named { len: word.len(), what: What::Year(year), more: "" })
}

const HAN_DIGITS: &str = "一二两三四五六七八九十";

/// 三天前, 2周后, 两个月以前, 半年前.
fn han_counted(text: &str, today: Date) -> Option<Named> {
    let (count, rest) = han_number(text)?;
    let rest = rest.strip_prefix('个').unwrap_or(rest);
    let units = [("天", "day"), ("日", "day"), ("周", "week"), ("星期", "week"), ("礼拜", "week")];
    let units = units.into_iter().chain([("月", "month"), ("年", "year")]);
    let (unit, rest) =
        units.into_iter().find_map(|(han, unit)| Some((unit, rest.strip_prefix(han)?)))?;
    let sides = [("之前", -1), ("以前", -1), ("前", -1), ("之后", 1), ("以后", 1), ("后", 1)];
    let (rest, sign) =
        sides.into_iter().find_map(|(side, sign)| Some((rest.strip_prefix(side)?, sign)))?;
    let (span, exact) = match count {
        Some(count) => span(unit, sign * count)?,
        None if unit == "year" => ((sign * 6).months(), false),
        None => return None,
    };
    let day = moved(today, span)?;
    let what = if exact { What::Day(day) } else { What::Around(day) };
    Some(Named { len: text.len() - rest.len(), what, more: "" })
}

/// A number in digits or in Han characters, and what follows; none for 半.
fn han_number(text: &str) -> Option<(Option<i64>, &str)> {
    if let Some(rest) = text.strip_prefix('半') {
        return Some((None, rest));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=4).contains(&digits) {
        return Some((Some(text[..digits].parse().ok()?), &text[digits..]));
    }
    let value = |c: char| match c {
        '两' => Some(2),
        '十' => Some(10),
        c => "一二三四五六七八九"
            .chars()
            .position(|d| d == c)
            .and_then(|n| i64::try_from(n + 1).ok()),
    };
    let mut chars = text.chars();
    let first = value(chars.next()?)?;
    let after_first = chars.as_str();
    let second = chars.next().and_then(value);
    Some(match (first, second) {
        // 十二, 二十, 二十三.
        (10, Some(ones)) if ones < 10 => (Some(10 + ones), chars.as_str()),
        (tens, Some(10)) if tens < 10 => {
            let rest = chars.as_str();
            match chars.next().and_then(value).filter(|ones| *ones < 10) {
                Some(ones) => (Some(10 * tens + ones), chars.as_str()),
                None => (Some(10 * tens), rest),
            }
        }
        (n, _) => (Some(n), after_first),
    })
}
