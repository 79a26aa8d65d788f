//! Where a request comes from, under which name it asked, and the id that it goes by.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use uuid::Uuid;

use crate::api::{ApiError, ApiResult};

/// The header of a request's id, in requests and in answers.
pub(in crate::team) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Most characters of an id that a caller gives.
const ID_CHARS: usize = 128;

/// The id of a request: the caller's where it gives a usable one, else a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::team) struct RequestId(pub(in crate::team) String);

impl RequestId {
    pub(in crate::team) fn of(headers: &HeaderMap) -> Self {
        let usable = |id: &&str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
            !id.is_empty() && id.len() <= ID_CHARS && id.chars().all(plain)
        };
        let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(usable);
        Self(given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned))
    }

    pub(in crate::team) fn tell(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.0) {
            headers.insert(REQUEST_ID, value);
        }
    }
}

/// An address, or all that begin like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::team) struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                let shift = 32 - u32::from(self.bits);
                u64::from(ours.to_bits()) >> shift == u64::from(theirs.to_bits()) >> shift
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => {
                let cut = |bits: u128| bits.checked_shr(128 - u32::from(self.bits)).unwrap_or(0);
                cut(ours.to_bits()) == cut(theirs.to_bits())
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no address and no network such as 10.0.0.0/8");
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().map_err(|_| wrong())?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The names that the server answers to, and whose word on callers it believes.
#[derive(Clone, Debug, Default)]
pub(in crate::team) struct Origins {
    /// In lower case; empty: any.
    pub(in crate::team) hosts: Vec<String>,
    pub(in crate::team) proxies: Vec<Network>,
    /// Whether connections are encrypted here.
    pub(in crate::team) tls: bool,
}

impl Origins {
    fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }

    /// Where a request comes from: the other end of the connection, or whom the nearest proxy that
    /// is not believed has spoken for.
    pub(in crate::team) fn address(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let mut address = peer.ip().to_canonical();
        let told: Vec<&str> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        for before in told.iter().rev() {
            if !self.is_proxy(address) {
                break;
            }
            let with_port = || before.parse::<SocketAddr>().ok().map(|address| address.ip());
            match before.parse().ok().or_else(with_port) {
                Some(before) => address = IpAddr::to_canonical(&before),
                // What cannot be read is nobody's word.
                None => break,
            }
        }
        address
    }

    /// Refuses requests under foreign names, and those that a page of somebody else makes. Tokens
    /// stand in headers that no page sends by itself; this is a wall behind that one.
    pub(in crate::team) fn check(&self, peer: SocketAddr, headers: &HeaderMap) -> ApiResult<()> {
        let all =
            |name| headers.get_all(name).iter().map(|v: &HeaderValue| v.to_str().unwrap_or(""));
        let host = all(header::HOST).next().unwrap_or("");
        if all(header::HOST).count() != 1 || !self.answers_to(host) {
            return Err(ApiError::forbidden("this server does not answer to that name"));
        }
        let behind = self.is_proxy(peer.ip());
        let proto = all(FORWARDED_PROTO).next().filter(|_| behind);
        let scheme = proto.unwrap_or(if self.tls { "https" } else { "http" });
        let own = format!("{scheme}://{host}");
        let foreign_origin = all(header::ORIGIN).any(|origin| !origin.eq_ignore_ascii_case(&own));
        let foreign_site = all(FETCH_SITE).any(|site| !matches!(site, "same-origin" | "none"));
        if foreign_origin || foreign_site {
            return Err(ApiError::forbidden("other pages may not ask this server"));
        }
        Ok(())
    }

    fn answers_to(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        !name.is_empty()
            && (self.hosts.is_empty()
                || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn origins() -> Origins {
        let proxies = ["10.0.0.0/8", "::1"].map(|text| text.parse().unwrap()).to_vec();
        Origins { hosts: vec!["memory.example.com".to_owned()], proxies, tls: false }
    }

    #[test]
    fn networks_are_read_and_contain_what_they_should() {
        let network = |text: &str| text.parse::<Network>();
        for bad in ["", "x", "10.0.0.0/33", "::1/129", "10.0.0/8", "1.2.3.4/", "1.2.3.4/-1"] {
            assert!(network(bad).unwrap_err().contains("no network"), "{bad}");
        }
        for (text, inside, outside) in [
            ("10.0.0.0/8", "10.9.8.7", "11.0.0.1"),
            ("192.168.1.4", "192.168.1.4", "192.168.1.5"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("10.0.0.0/8", "::ffff:10.1.1.1", "::1"),
        ] {
            let network = network(text).unwrap();
            assert!(network.contains(inside.parse().unwrap()), "{network} {inside}");
            assert!(!network.contains(outside.parse().unwrap()), "{network} {outside}");
        }
        assert!(network("0.0.0.0/0").unwrap().contains("8.8.8.8".parse().unwrap()));
        assert!(network("::/0").unwrap().contains("fd00::1".parse().unwrap()));
    }

    #[test]
    fn only_a_trusted_proxy_speaks_for_others() {
        let of = |peer: &str, told: &[(&str, &str)]| {
            origins().address(peer.parse().unwrap(), &headers(told)).to_string()
        };
        let told = [("x-forwarded-for", "6.6.6.6, 7.7.7.7")];
        assert_eq!(of("9.9.9.9:1", &told), "9.9.9.9");
        assert_eq!(of("10.0.0.1:1", &told), "7.7.7.7", "what 7.7.7.7 says counts for nothing");
        let chain = [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "10.0.0.2")];
        assert_eq!(of("10.0.0.1:1", &chain), "6.6.6.6");
        assert_eq!(of("10.0.0.1:1", &[("x-forwarded-for", "nonsense")]), "10.0.0.1");
        assert_eq!(of("10.0.0.1:1", &[("x-forwarded-for", "6.6.6.6:80")]), "6.6.6.6");
        assert_eq!(of("10.0.0.1:1", &[]), "10.0.0.1");
    }

    #[test]
    fn foreign_names_and_pages_are_refused() {
        let check = |peer: &str, told: &[(&str, &str)]| {
            origins().check(peer.parse().unwrap(), &headers(told)).is_ok()
        };
        let host = ("host", "memory.example.com:8443");
        assert!(check("9.9.9.9:1", &[host]));
        assert!(check("9.9.9.9:1", &[("host", "MEMORY.example.com")]));
        assert!(!check("9.9.9.9:1", &[("host", "evil.example.com")]));
        assert!(!check("9.9.9.9:1", &[]));
        assert!(!check("9.9.9.9:1", &[host, host]));
        let page = ("origin", "http://memory.example.com:8443");
        assert!(check("9.9.9.9:1", &[host, page]));
        assert!(!check("9.9.9.9:1", &[host, ("origin", "http://evil.example.com")]));
        assert!(!check("9.9.9.9:1", &[host, ("sec-fetch-site", "cross-site")]));
        // Behind a proxy that encrypts, the page has another scheme than the connection.
        let (https, proto) =
            (("origin", "https://memory.example.com:8443"), ("x-forwarded-proto", "https"));
        assert!(check("10.0.0.1:1", &[host, https, proto]));
        assert!(!check("9.9.9.9:1", &[host, https, proto]), "nobody believes it of a stranger");
    }

    #[test]
    fn ids_are_taken_where_they_can_be_written_anywhere() {
        let id = |text: &str| RequestId::of(&headers(&[("x-request-id", text)])).0;
        assert_eq!(id("abc-1.2:3"), "abc-1.2:3");
        for bad in ["", "a b", "\"x\"", &"x".repeat(129)] {
            assert_eq!(id(bad).len(), 32, "{bad}");
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }
}
