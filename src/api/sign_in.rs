//! How a page comes in: by a link that works once, and a cookie afterwards.
//!
//! Whoever has the token asks for a code; whoever opens the link with it within two minutes is given
//! a cookie in its place. The cookie says when it was made and is sealed with the token: it is kept
//! nowhere, it outlives the process, and another token ends it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use afterword_domain::Time;
use afterword_domain::proof::{same, seal};
use uuid::Uuid;

/// How long a link may be opened.
pub(super) const LINK: Duration = Duration::from_mins(2);

/// How long a cookie counts, in seconds.
pub(super) const COOKIE_S: i64 = 30 * 24 * 60 * 60;

/// Links that wait to be opened; of more, the oldest is given up.
const LINKS: usize = 16;

/// What the seal of a cookie is for.
const PURPOSE: &str = "page";

/// The links that were handed out and not opened yet.
#[derive(Debug, Default)]
pub(super) struct Links(Mutex<Vec<(String, Instant)>>);

impl Links {
    /// A new code: 32 hexadecimal digits.
    pub(super) fn make(&self, now: Instant) -> String {
        let code = Uuid::new_v4().simple().to_string();
        let mut links = self.0.lock().expect("no panic while held");
        links.retain(|(_, until)| *until > now);
        if links.len() == LINKS {
            links.remove(0);
        }
        links.push((code.clone(), now + LINK));
        code
    }

    /// Whether a code may come in; it may not a second time.
    pub(super) fn take(&self, code: &str, now: Instant) -> bool {
        let mut links = self.0.lock().expect("no panic while held");
        links.retain(|(_, until)| *until > now);
        let found = links.iter().position(|(known, _)| same(known.as_bytes(), code.as_bytes()));
        found.map(|at| links.remove(at)).is_some()
    }
}

/// The name of the cookie of the server at a port: browsers keep one jar for all ports of a host.
pub(super) fn cookie_name(port: u16) -> String {
    format!("afterword_{port}")
}

/// A new value of the cookie.
pub(super) fn cookie_value(token: &str, now: Time) -> String {
    let body = format!("{}.{}", now.millis(), Uuid::new_v4().simple());
    let sealed = seal(token, PURPOSE, &body);
    format!("{body}.{sealed}")
}

/// Whether a value was made with this token and is not too old. One that a clock made which was
/// ahead for a while counts.
pub(super) fn is_cookie(value: &str, token: &str, now: Time) -> bool {
    let Some((body, sealed)) = value.rsplit_once('.') else { return false };
    let made = body.split_once('.').and_then(|(made, _)| made.parse::<i64>().ok());
    let Some(made) = made else { return false };
    same(sealed.as_bytes(), seal(token, PURPOSE, body).as_bytes())
        && now.millis().saturating_sub(made) < COOKIE_S * 1_000
}

/// The value of a cookie in a `Cookie` header.
pub(super) fn cookie_in<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(found, _)| *found == name).map(|(_, value)| value).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: i64) -> Time {
        Time::from_millis(1_796_000_000_000).plus_millis(days * 86_400_000)
    }

    #[test]
    fn a_link_is_opened_once_and_in_time() {
        let (links, now) = (Links::default(), Instant::now());
        let code = links.make(now);
        assert_eq!(code.len(), 32);
        assert!(!links.take("", now) && !links.take(&code[1..], now));
        assert!(links.take(&code, now + LINK / 2));
        assert!(!links.take(&code, now + LINK / 2), "twice");
        let late = links.make(now);
        assert!(!links.take(&late, now + LINK));
        let many: Vec<String> = (0..=LINKS).map(|_| links.make(now)).collect();
        assert!(!links.take(&many[0], now), "given up");
        assert!(links.take(&many[LINKS], now));
    }

    #[test]
    fn a_cookie_is_of_its_token_and_ends() {
        let value = cookie_value("secret", at(0));
        assert!(is_cookie(&value, "secret", at(0)) && is_cookie(&value, "secret", at(29)));
        assert!(is_cookie(&value, "secret", at(-400)), "the clock was set back");
        assert!(!is_cookie(&value, "secret", at(30)) && !is_cookie(&value, "another", at(0)));
        let later = value.replacen("1796000000000", "1896000000000", 1);
        assert!(!is_cookie(&later, "secret", at(0)), "its time is sealed");
        for odd in ["", ".", "..", "a.b.c", "1.2", &value[1..]] {
            assert!(!is_cookie(odd, "secret", at(0)), "{odd}");
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let header = "a=1; afterword_1=x=y;afterword_12=z";
        assert_eq!(cookie_in(header, "afterword_1"), Some("x=y"));
        assert_eq!(cookie_in(header, "afterword_12"), Some("z"));
        assert_eq!(cookie_in(header, "afterword_"), None);
        assert_eq!(cookie_in("", "a"), None);
    }
}
