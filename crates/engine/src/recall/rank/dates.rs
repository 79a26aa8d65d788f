//! The dates that a question names: "in May", "on 13 October, 2023", `2025-03-17`, 3月17日.
//!
//! A row's date stands in no text that is searched, so a date is matched against the time the row
//! was made. A date without a year means that day in the year of the newest row or in the two years
//! before it. Days are those of UTC; as people's days begin earlier or later, the days before and
//! after count for somewhat less.

use afterword_domain::Time;
use afterword_domain::text::prefix;
use afterword_store::contract::Period;
use jiff::civil::Date;

use super::weights as w;

/// Bytes of a question that are looked at.
const MAX_TEXT: usize = 4_000;

/// Dates of one question.
const MOST_DATES: usize = 4;

/// Years that a date without one may mean.
const YEARS_BACK: i16 = 3;

/// Longest period whose rows are candidates without a word in common.
const LONGEST_PERIOD_MS: i64 = 31 * DAY_MS;

const DAY_MS: i64 = 86_400_000;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words before which a month or a year is a date, and without which some are not.
const BEFORE_DATES: [&str; 16] = [
    "in", "of", "on", "during", "since", "until", "till", "by", "before", "after", "from", "early",
    "mid", "late", "last", "this",
];

/// A date as far as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mention {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

/// The spans of time that a question is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dates {
    spans: Vec<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    period: Period,
    /// How well a row made in it fits what was said.
    fit: f64,
}

impl Dates {
    /// Whether a text names a date at all.
    pub(crate) fn named_in(text: &str) -> bool {
        !mentions(text).is_empty()
    }

    /// The dates of a question about rows of which the newest was made at `newest`.
    pub(crate) fn of(text: &str, newest: Time) -> Self {
        let this_year = newest.date().parse::<Date>().map_or(1970, Date::year);
        let mut spans = Vec::new();
        for mention in mentions(text) {
            let years = match mention.year {
                Some(year) => year..=year,
                None => this_year.saturating_sub(YEARS_BACK - 1)..=this_year,
            };
            for year in years.rev() {
                mention.spans(year, &mut spans);
            }
        }
        Self { spans }
    }

    /// Whether the question names no date.
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Where rows are looked for by their time alone.
    pub(crate) fn periods(&self) -> Vec<Period> {
        let near = self.spans.iter().filter(|span| {
            let length = span.period.to.millis() - span.period.from.millis();
            span.fit >= w::DATE_NEXT_DAY && length <= LONGEST_PERIOD_MS
        });
        near.map(|span| span.period).collect()
    }

    /// How well a time fits the dates, from 0 to 1.
    pub(crate) fn fit(&self, at: Time) -> f64 {
        let holds = self.spans.iter().filter(|span| span.period.from <= at && at < span.period.to);
        holds.map(|span| span.fit).fold(0.0, f64::max)
    }
}

impl Mention {
    fn spans(self, year: i16, spans: &mut Vec<Span>) {
        let day = |month, day| Date::new(year, month, day).ok().and_then(midnight);
        let next_month = |month: i8| match month {
            12 => Date::new(year + 1, 1, 1).ok().and_then(midnight),
            month => day(month + 1, 1),
        };
        let mut push = |from: Option<i64>, to: Option<i64>, fit| {
            if let (Some(from), Some(to)) = (from, to) {
                let period = Period { from: Time::from_millis(from), to: Time::from_millis(to) };
                spans.push(Span { period, fit });
            }
        };
        match (self.month, self.day) {
            (None, _) => push(day(1, 1), next_month(12), 1.0),
            (Some(month), None) => push(day(month, 1), next_month(month), 1.0),
            (Some(month), Some(number)) => {
                let Some(from) = day(month, number) else { return };
                push(Some(from), Some(from + DAY_MS), 1.0);
                push(Some(from - DAY_MS), Some(from), w::DATE_NEXT_DAY);
                push(Some(from + DAY_MS), Some(from + 2 * DAY_MS), w::DATE_NEXT_DAY);
                push(day(month, 1), next_month(month), w::DATE_SAME_MONTH);
            }
        }
    }
}

fn midnight(date: Date) -> Option<i64> {
    Some(date.to_string().parse::<Time>().ok()?.millis())
}

/// A run of digits, a run of letters, or any other single character but a blank or a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'t> {
    /// With how many digits it was written.
    Number(u16, usize),
    Word(&'t str),
    Sign(char),
}

impl Piece<'_> {
    fn year(self) -> Option<i16> {
        match self {
            Self::Number(n @ 1970..=2199, 4) => i16::try_from(n).ok(),
            _ => None,
        }
    }

    fn day(self) -> Option<i8> {
        self.number(31)
    }

    fn number(self, most: u16) -> Option<i8> {
        match self {
            Self::Number(n, 1 | 2) if (1..=most).contains(&n) => i8::try_from(n).ok(),
            _ => None,
        }
    }
}

fn mentions(text: &str) -> Vec<Mention> {
    let pieces = pieces(prefix(text, MAX_TEXT));
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() && found.len() < MOST_DATES {
        let read = numeric(&pieces, at)
            .or_else(|| chinese(&pieces, at))
            .or_else(|| english(&pieces, at))
            .or_else(|| year_alone(&pieces, at));
        if let Some((mention, length)) = read {
            found.push(mention);
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = |wanted: fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let length = if c.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            // What does not fit is no part of a date.
            pieces.push(Piece::Number(rest[..length].parse().unwrap_or(0), length));
            length
        } else if c.is_ascii_alphabetic() {
            let length = run(|c| c.is_ascii_alphabetic());
            let word = &rest[..length];
            // 13th of October, October the 13th: what joins them says nothing.
            let is_ordinal = matches!(pieces.last(), Some(Piece::Number(..)))
                && ["st", "nd", "rd", "th"].contains(&word);
            if !is_ordinal {
                pieces.push(Piece::Word(word));
            }
            length
        } else {
            if !c.is_whitespace() && c != ',' {
                pieces.push(Piece::Sign(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    pieces
}

/// 2025-03-17, 2025/3/17, 2025-03.
fn numeric(pieces: &[Piece<'_>], at: usize) -> Option<(Mention, usize)> {
    let sign = |place: usize| match pieces.get(place)? {
        Piece::Sign(sign @ ('-' | '/')) => Some(*sign),
        _ => None,
    };
    let year = pieces[at].year()?;
    if at > 0 && (sign(at - 1).is_some() || matches!(pieces[at - 1], Piece::Sign('.' | '#'))) {
        return None;
    }
    let month = sign(at + 1).and(pieces.get(at + 2)?.number(12))?;
    let day = sign(at + 3).and_then(|_| pieces.get(at + 4)?.day());
    let length = if day.is_some() { 5 } else { 3 };
    Some((Mention { year: Some(year), month: Some(month), day }, length))
}

/// 2025年3月17日, 三月, 5月中旬, 2024年.
fn chinese(pieces: &[Piece<'_>], at: usize) -> Option<(Mention, usize)> {
    let is = |place: usize, signs: &str| matches!(pieces.get(place), Some(Piece::Sign(c)) if signs.contains(*c));
    let year = pieces[at].year().filter(|_| is(at + 1, "年"));
    if at > 0 && is(at - 1, "一二三四五六七八九十") {
        return None;
    }
    let start = if year.is_some() { at + 2 } else { at };
    let month = han_number(pieces, start, 12).filter(|(_, length)| is(start + length, "月"));
    let Some((month, length)) = month else {
        return year.map(|year| (Mention { year: Some(year), month: None, day: None }, 2));
    };
    let after = start + length + 1;
    let day = han_number(pieces, after, 31).filter(|(_, length)| is(after + length, "日号"));
    let end = day.map_or(after, |(_, length)| after + length + 1);
    let mention = Mention { year, month: Some(month), day: day.map(|(day, _)| day) };
    Some((mention, end - at))
}

/// A number of at most `most` in digits or in Han characters, and how many pieces it takes.
fn han_number(pieces: &[Piece<'_>], at: usize, most: u16) -> Option<(i8, usize)> {
    if let Some(number) = pieces.get(at)?.number(most) {
        return Some((number, 1));
    }
    let digit = |place: usize| match pieces.get(place) {
        Some(Piece::Sign(c)) => "一二三四五六七八九".chars().position(|d| d == *c).map(|n| n + 1),
        _ => None,
    };
    let ten = |place: usize| matches!(pieces.get(place), Some(Piece::Sign('十')));
    let (number, length) = match (digit(at), ten(at), ten(at + 1)) {
        (Some(tens), _, true) => match digit(at + 2) {
            Some(ones) => (tens * 10 + ones, 3),
            None => (tens * 10, 2),
        },
        (Some(ones), ..) => (ones, 1),
        (None, true, _) => digit(at + 1).map_or((10, 1), |ones| (10 + ones, 2)),
        _ => return None,
    };
    (number <= usize::from(most)).then_some((i8::try_from(number).ok()?, length))
}

/// 13 October, 2023; October 13; in May. A month that is another word as well, or is cut short,
/// needs a number or a word beside it that goes with dates.
fn english(pieces: &[Piece<'_>], at: usize) -> Option<(Mention, usize)> {
    let of = |place: usize| matches!(pieces.get(place), Some(Piece::Word("of" | "the")));
    let before = pieces[at].day();
    let mut name = at + usize::from(before.is_some());
    name += usize::from(before.is_some() && of(name));
    let Some(Piece::Word(word)) = pieces.get(name) else { return None };
    let (month, plain) = month(word)?;
    let mut end = name + 1;
    let mut day = before;
    let number = end + usize::from(of(end));
    if before.is_none()
        && let Some(after) = pieces.get(number).and_then(|piece| piece.day())
    {
        day = Some(after);
        end = number + 1;
    }
    let year = pieces.get(end).and_then(|piece| piece.year());
    end += usize::from(year.is_some());
    let beside = day.is_some() || year.is_some() || after_date_word(pieces, name);
    (plain || beside).then_some((Mention { year, month: Some(month), day }, end - at))
}

/// A month's number, and whether the word means nothing else.
fn month(word: &str) -> Option<(i8, bool)> {
    let lower = word.to_ascii_lowercase();
    let place = MONTHS.iter().position(|name| {
        *name == lower
            || (name[..3] == *lower && lower != "may")
            || (lower == "sept" && *name == "september")
    })?;
    let plain = lower.len() > 3 && !["march", "sept"].contains(&lower.as_str());
    Some((i8::try_from(place + 1).ok()?, plain))
}

/// in 2023, since 2024.
fn year_alone(pieces: &[Piece<'_>], at: usize) -> Option<(Mention, usize)> {
    let year = pieces[at].year().filter(|_| after_date_word(pieces, at))?;
    Some((Mention { year: Some(year), month: None, day: None }, 1))
}

fn after_date_word(pieces: &[Piece<'_>], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|place| match pieces[place] {
        Piece::Word(word) => BEFORE_DATES.iter().any(|before| word.eq_ignore_ascii_case(before)),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let part = |n: Option<i16>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let mentions = mentions(text);
        let line = |m: &Mention| {
            format!(
                "{}-{}-{}",
                part(m.year),
                part(m.month.map(i16::from)),
                part(m.day.map(i16::from))
            )
        };
        mentions.iter().map(line).collect()
    }

    #[test]
    fn dates_are_read_in_both_languages() {
        for (text, wanted) in [
            ("What happened in May?", "?-5-?"),
            ("who came on 13 October, 2023", "2023-10-13"),
            ("who came on October 13th 2023", "2023-10-13"),
            ("the 3rd of June", "?-6-3"),
            ("since March the 4th", "?-3-4"),
            ("notes of sept 2024", "2024-9-?"),
            ("deployed on 2025-03-17?", "2025-3-17"),
            ("deployed on 2025/3/7", "2025-3-7"),
            ("2025-03 的发布", "2025-3-?"),
            ("how often in 2023", "2023-?-?"),
            ("3月17号那次报警", "?-3-17"),
            ("2024年十二月二十一日", "2024-12-21"),
            ("五月中旬提交", "?-5-?"),
            ("2024年的目标", "2024-?-?"),
            ("三十一号之前，十月十日", "?-10-10"),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
        assert_eq!(told("in June or July 2023"), ["?-6-?", "2023-7-?"]);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "it may fail",
            "March on",
            "mar the surface",
            "port 2000 is taken",
            "#2023-10",
            "v1.2023-10-04",
            "step 13 of 20",
            "3个月",
            "二十月",
            "decide",
            "",
            "2025-13-01",
            "99999999999999999999 May",
        ] {
            let found = told(text);
            assert!(found.is_empty() || text.ends_with(" May"), "{text}: {found:?}");
        }
        assert!(told(&"May 1 ".repeat(9_000)).len() <= MOST_DATES);
    }

    #[test]
    fn times_fit_their_dates() {
        let newest: Time = "2025-06-01".parse().unwrap();
        let fit = |text: &str, at: &str| Dates::of(text, newest).fit(at.parse().unwrap());
        assert!(fit("on 17 March", "2025-03-17T23:59:59Z") > 0.99);
        assert!(fit("on 17 March", "2024-03-17") > 0.99);
        assert!(fit("on 17 March", "2021-03-17") < 0.01);
        assert!((fit("on 17 March", "2025-03-18") - w::DATE_NEXT_DAY).abs() < 1e-9);
        assert!((fit("on 17 March", "2025-03-30") - w::DATE_SAME_MONTH).abs() < 1e-9);
        assert!(fit("in December 2024", "2024-12-31T23:00:00Z") > 0.99);
        assert!(fit("in December 2024", "2025-01-01") < 0.01);
        assert!(fit("in 2024", "2024-02-29") > 0.99);
        assert!(fit("on 30 February", "2025-02-28") < 0.01);
    }

    #[test]
    fn only_short_periods_bring_candidates() {
        let newest: Time = "2025-06-01".parse().unwrap();
        assert_eq!(Dates::of("on 17 March 2025", newest).periods().len(), 3);
        assert_eq!(Dates::of("in March", newest).periods().len(), 3, "one a year");
        assert!(Dates::of("in 2024", newest).periods().is_empty());
        assert!(Dates::of("no date", newest).is_empty());
        let odd = Dates::of("in December 2199", Time::from_millis(i64::MAX));
        assert!(odd.fit(Time::from_millis(i64::MIN)) < 0.01);
    }
}
