//! What the daemon publishes about itself.

use serde::{Deserialize, Serialize};

/// `daemon.json` in the data folder: where the running daemon answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Endpoint {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// Process id, for people; never proof that the daemon lives.
    pub pid: u32,
    /// When it started, milliseconds since the epoch.
    pub started_at_ms: i64,
    /// [`super::PROTOCOL`] of that daemon.
    pub protocol: u32,
    /// Its release.
    pub version: String,
}

impl Endpoint {
    /// Whether this daemon is to leave the folder to a release of this version and protocol: only
    /// to a newer one. Of two releases at most one gives way to the other, so they never chase each
    /// other; a version that cannot be read gives way to nobody.
    pub fn gives_way_to(&self, version: &str, protocol: u32) -> bool {
        if self.protocol != protocol {
            return self.protocol < protocol;
        }
        matches!((order(&self.version), order(version)), (Some(ours), Some(theirs)) if ours < theirs)
    }
}

/// What versions are sorted by: three numbers, then releases after what came before them.
fn order(version: &str) -> Option<([u64; 3], bool, &str)> {
    let version = version.split('+').next()?;
    let (numbers, before) = version.split_once('-').map_or((version, None), |(n, b)| (n, Some(b)));
    let mut parsed = [0; 3];
    let mut words = numbers.split('.');
    for number in &mut parsed {
        *number = words.next()?.parse().ok()?;
    }
    words.next().is_none().then_some((parsed, before.is_none(), before.unwrap_or_default()))
}

/// The answer of `GET /api/ping`, which needs the token: liveness means that this answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ping {
    /// Release of the daemon.
    pub version: String,
    /// Its protocol version.
    pub protocol: u32,
    /// Its process id.
    pub pid: u32,
    /// Seconds since it started.
    pub uptime_s: u64,
}

/// The error body of every door: what happened, a stable code, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// A sentence for people.
    pub error: String,
    /// A stable word for programs.
    pub code: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The sentence and what to do next in one: what clients of memory services show.
    #[serde(default)]
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s1_only_a_newer_release_takes_the_place_and_never_both_ways() {
        let daemon = |version: &str, protocol| Endpoint {
            port: 1,
            pid: 1,
            started_at_ms: 0,
            protocol,
            version: version.to_owned(),
        };
        let rising = ["0.1.0-rc.1", "0.1.0", "0.1.1", "0.2.0", "0.10.0", "1.0.0-a", "1.0.0-b"];
        for (i, older) in rising.iter().enumerate() {
            for (j, newer) in rising.iter().enumerate() {
                assert_eq!(daemon(older, 1).gives_way_to(newer, 1), i < j, "{older} {newer}");
            }
        }
        assert!(!daemon("1.0.0", 1).gives_way_to("1.0.0+build", 1));
        for odd in ["", "next", "1", "1.2", "1.2.3.4", "1.-2.3"] {
            assert!(!daemon(odd, 1).gives_way_to("9.9.9", 1), "{odd}");
            assert!(!daemon("0.0.1", 1).gives_way_to(odd, 1), "{odd}");
        }
        // What cannot be spoken to for being older gives way, whatever it calls itself.
        assert!(daemon("9.9.9", 1).gives_way_to("0.1.0", 101));
        assert!(!daemon("0.1.0", 101).gives_way_to("9.9.9", 1));
    }
}
