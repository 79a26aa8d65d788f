//! A configured address, taken apart.

use std::net::IpAddr;

/// Where a service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Whether it is spoken to under TLS.
    pub(super) secure: bool,
    /// A name or an IP address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// What stands before every path; no slash at its end.
    pub(super) prefix: String,
}

impl Address {
    /// Reads `http://host[:port][/prefix]` or `https://…`.
    pub(super) fn parse(url: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = url.trim().split_once("://").ok_or("it has no http:// or https://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err("only http:// and https:// are spoken"),
        };
        if rest.contains(['?', '#']) || rest.contains(|c: char| c.is_control() || c == ' ') {
            return Err("it holds more than a host and a path");
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return Err("it holds a user; set the token by itself");
        }
        let (host, port) = split_port(authority)?;
        let port = port.unwrap_or(if secure { 443 } else { 80 });
        if host.is_empty() {
            return Err("it names no host");
        }
        let prefix = path.trim_end_matches('/').to_owned();
        Ok(Self { secure, host: host.to_owned(), port, prefix })
    }

    /// The value of the `Host` header.
    pub(super) fn host_header(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.secure { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

fn split_port(authority: &str) -> Result<(&str, Option<u16>), &'static str> {
    const BAD: &str = "its port is no number";
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
            (host, rest.strip_prefix(':').or(rest.is_empty().then_some("")).ok_or(BAD)?)
        }
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    if port.is_empty() {
        Ok((host, None))
    } else {
        Ok((host, Some(port.parse().map_err(|_| BAD)?)))
    }
}

/// Whether an address leads to this machine by its spelling.
pub fn is_loopback(url: &str) -> bool {
    Address::parse(url).is_ok_and(|address| {
        address.host.eq_ignore_ascii_case("localhost")
            || address.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let parts = |url: &str| {
            let address = Address::parse(url).unwrap();
            (address.secure, address.host_header(), address.port, address.prefix)
        };
        assert_eq!(parts("https://m.example"), (true, "m.example".into(), 443, String::new()));
        assert_eq!(parts("HTTP://h:8080/a/b/"), (false, "h:8080".into(), 8080, "/a/b".into()));
        assert_eq!(parts("http://[::1]:9/"), (false, "[::1]:9".into(), 9, String::new()));
        for bad in [
            "h",
            "ftp://h",
            "http://",
            "http://u:p@h",
            "http://h:x",
            "http://h/?q",
            "http://a b",
            "http://h\r\nX: y",
            "http://[::1",
            "http://[::1]x",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for url in ["http://127.0.0.1:1", "http://localhost", "https://[::1]:2/x"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["http://127.0.0.1.example", "https://example.com", "127.0.0.1"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
