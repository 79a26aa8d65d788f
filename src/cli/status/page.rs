//! How figures are laid out: for a terminal as wide as it is and in its colours, for a file or
//! another program plain and whole.

use afterword_domain::Time;
use afterword_domain::amounts::grouped;

use crate::cli::output::{Output, visible};
use crate::cli::width::{fit, pad, wrap};

/// Columns in front of a text that has a name.
const BEFORE_TEXT: usize = 18;

/// Columns in front of what a figure means.
const BEFORE_MEANING: usize = 27;

/// Fewer columns than this say nothing.
const LEAST_MEANING: usize = 12;

/// Columns of a meter.
const METER: usize = 20;

/// The figures of a command at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) out: Output,
    pub(super) now: Time,
}

impl Page {
    /// The title of a part.
    pub(super) fn head(self, title: &str) {
        self.out.line(&self.out.bold(title));
    }

    /// How many there are; none stands back.
    pub(super) fn count(self, name: &str, n: u64, meaning: &str) {
        let figure = format!("{:>10}", grouped(n));
        let figure = if n == 0 { self.out.dim(&figure) } else { figure };
        self.figure(name, &figure, meaning);
    }

    /// How many there are of what should not be: any stands out.
    pub(super) fn pressing(self, name: &str, n: u64, meaning: &str) {
        let figure = format!("{:>10}", grouped(n));
        let figure = if n == 0 { self.out.dim(&figure) } else { self.out.bad(&figure) };
        self.figure(name, &figure, meaning);
    }

    fn figure(self, name: &str, figure: &str, meaning: &str) {
        let room = self.out.columns().saturating_sub(BEFORE_MEANING);
        let meaning = if room < LEAST_MEANING { String::new() } else { fit(meaning, room).into() };
        let line = format!("  {} {figure}  {}", pad(name, 12), self.out.dim(&meaning));
        self.out.line(line.trim_end());
    }

    /// A text with its name; what is too long for a line goes on below its beginning.
    pub(super) fn told(self, name: &str, text: &str) {
        self.laid_out(&format!("  {}", pad(name, BEFORE_TEXT - 2)), text, str::to_owned);
    }

    /// A figure that is a text, with its name and what is drawn behind it.
    pub(super) fn figures(self, name: &str, text: &str, drawn: &str) {
        let name = pad(name, BEFORE_TEXT - 2);
        let room = self.out.columns().saturating_sub(BEFORE_TEXT + METER + 8);
        let drawn = if text.len() > room { "" } else { drawn };
        self.out.line(&format!("  {name}{text}{drawn}"));
    }

    /// A text that is less than the others, with its name.
    pub(super) fn told_aside(self, name: &str, text: &str) {
        let dim = |part: &str| self.out.dim(part);
        self.laid_out(&format!("  {}", pad(name, BEFORE_TEXT - 2)), text, dim);
    }

    /// A sentence without a name.
    pub(super) fn say(self, text: &str) {
        self.laid_out("  ", text, str::to_owned);
    }

    /// A sentence that says what is wrong.
    pub(super) fn alarm(self, text: &str) {
        self.laid_out("  ", text, |part| self.out.bad(part));
    }

    fn laid_out(self, begin: &str, text: &str, paint: impl Fn(&str) -> String) {
        let room = self.out.columns().saturating_sub(begin.len());
        let text = visible(text);
        let mut begin = begin.to_owned();
        for line in wrap(&text, room) {
            self.out.line(format!("{begin}{}", paint(&line)).trim_end());
            begin = " ".repeat(begin.len());
        }
    }

    /// A time with its name: on a terminal how long ago, elsewhere exactly.
    pub(super) fn time(self, name: &str, at: Option<Time>) {
        let Some(at) = at else { return self.told_aside(name, "none yet") };
        if self.out.on_terminal() {
            self.told(name, &ago(self.now, at));
        } else {
            self.told(name, &at.rfc3339());
        }
    }

    /// How much of a cap is used, as a bar: on a terminal only.
    pub(super) fn meter(self, used: u64, cap: u64) -> String {
        if !self.out.on_terminal() || cap == 0 {
            return String::new();
        }
        let percent = used.saturating_mul(100).div_ceil(cap);
        let full = usize::try_from(percent).unwrap_or(usize::MAX).min(100) * METER / 100;
        let bar = "█".repeat(full.max(usize::from(used > 0)));
        let bar = if percent >= 90 { self.out.bad(&bar) } else { self.out.accent(&bar) };
        let rest = self.out.dim(&"░".repeat(METER - full.max(usize::from(used > 0))));
        format!("  {bar}{rest} {percent} %")
    }
}

/// How long ago something was.
fn ago(now: Time, at: Time) -> String {
    let minutes = now.millis().saturating_sub(at.millis()) / 60_000;
    match minutes {
        ..1 => "just now".to_owned(),
        1..90 => format!("{minutes} min ago"),
        90..2_880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1_440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_ago_is_said_in_words() {
        let now = Time::from_millis(1_796_000_000_000);
        let minutes = |minutes: i64| ago(now, now.plus_millis(-minutes * 60_000));
        assert_eq!(minutes(-5), "just now", "a clock that was ahead");
        assert_eq!(minutes(0), "just now");
        assert_eq!(minutes(89), "89 min ago");
        assert_eq!(minutes(90), "1 h ago");
        assert_eq!(minutes(2_879), "47 h ago");
        assert_eq!(minutes(2_880), "2 days ago");
    }
}
