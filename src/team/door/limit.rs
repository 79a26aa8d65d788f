//! How often a token may ask: a bucket of calls for each, which fills at a steady rate.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;
use uuid::Uuid;

/// Buckets that are kept before full ones are thrown away: a new one is full as well.
const MOST: usize = 10_000;

/// Bounds the calls of each token, on this server.
#[derive(Debug)]
pub(in crate::team) struct Limits {
    /// Calls that a full bucket holds, and that flow in within a minute; 0: no limit.
    per_minute: u32,
    buckets: Mutex<HashMap<Uuid, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    calls: f64,
    at: Instant,
}

/// How a call was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::team) struct Judged {
    /// The limit, where there is one.
    limit: Option<u32>,
    /// Calls that are left.
    left: u32,
    /// Until the bucket is full again.
    full_in: Duration,
    /// Where the call is refused: until one may be made.
    pub(in crate::team) wait: Option<Duration>,
}

impl Limits {
    pub(in crate::team) fn new(per_minute: u32) -> Self {
        Self { per_minute, buckets: Mutex::default() }
    }

    /// Takes a call out of a token's bucket.
    pub(in crate::team) fn take(&self, token: Uuid, now: Instant) -> Judged {
        if self.per_minute == 0 {
            return Judged { limit: None, left: 0, full_in: Duration::ZERO, wait: None };
        }
        let size = f64::from(self.per_minute);
        let rate = size / 60.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST && !buckets.contains_key(&token) {
            buckets.retain(|_, bucket| bucket.at_time(now, size, rate) < size);
        }
        let bucket = buckets.entry(token).or_insert(Bucket { calls: size, at: now });
        let calls = bucket.at_time(now, size, rate);
        let (left, wait) = if calls >= 1.0 {
            (calls - 1.0, None)
        } else {
            (calls, Some(Duration::from_secs_f64((1.0 - calls) / rate)))
        };
        *bucket = Bucket { calls: left, at: now };
        Judged {
            limit: Some(self.per_minute),
            left: whole(left),
            full_in: Duration::from_secs_f64((size - left) / rate),
            wait,
        }
    }
}

impl Bucket {
    fn at_time(&self, now: Instant, size: f64, rate: f64) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        rate.mul_add(since, self.calls).min(size)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as saturates")]
fn whole(calls: f64) -> u32 {
    calls.floor() as u32
}

/// Whole seconds, rounded up: who waits for so long has waited long enough.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

impl Judged {
    /// Tells the caller: the limit, what is left of it, seconds until it is whole again, and after
    /// a refusal seconds until the next call.
    pub(in crate::team) fn tell(&self, headers: &mut HeaderMap) {
        let Some(limit) = self.limit else { return };
        let mut put = |name: &'static str, value: u64| {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        };
        put("x-ratelimit-limit", limit.into());
        put("x-ratelimit-remaining", self.left.into());
        put("x-ratelimit-reset", seconds(self.full_in));
        if let Some(wait) = self.wait {
            put("retry-after", seconds(wait));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_and_is_each_tokens_own() {
        let limits = Limits::new(60);
        let (one, two, begun) = (Uuid::from_u128(1), Uuid::from_u128(2), Instant::now());
        for n in 0..60 {
            let judged = limits.take(one, begun);
            assert_eq!((judged.wait, judged.left), (None, 59 - n));
        }
        let refused = limits.take(one, begun);
        assert_eq!(refused.wait, Some(Duration::from_secs(1)));
        assert_eq!(limits.take(two, begun).wait, None);
        let mut headers = HeaderMap::new();
        refused.tell(&mut headers);
        let value = |name: &str| headers[name].to_str().unwrap().to_owned();
        assert_eq!(value("retry-after"), "1");
        assert_eq!(
            (value("x-ratelimit-limit"), value("x-ratelimit-remaining")),
            ("60".into(), "0".into())
        );
        assert_eq!(value("x-ratelimit-reset"), "60");
        // Who waits as long as was said gets through, once.
        let later = begun + Duration::from_secs(1);
        assert_eq!(limits.take(one, later).wait, None);
        assert!(limits.take(one, later).wait.is_some());
        assert_eq!(
            limits.take(one, begun + Duration::from_hours(1)).left,
            59,
            "never over the brim"
        );
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        let limits = Limits::new(0);
        let judged = limits.take(Uuid::nil(), Instant::now());
        let mut headers = HeaderMap::new();
        judged.tell(&mut headers);
        assert!(judged.wait.is_none() && headers.is_empty());
    }

    #[test]
    fn full_buckets_go_when_there_are_many() {
        let limits = Limits::new(60);
        let begun = Instant::now();
        for n in 0..=MOST as u128 {
            limits
                .take(Uuid::from_u128(n), begun + Duration::from_millis(u64::try_from(n).unwrap()));
        }
        assert!(limits.buckets.lock().unwrap().len() < MOST);
    }
}
