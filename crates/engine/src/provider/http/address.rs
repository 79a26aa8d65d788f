//! Where an API is, from what a person wrote.

use std::net::IpAddr;

use reqwest::Url;

use crate::provider::refusal::{Refusal, RefusalKind};

/// An address of an API.
#[derive(Clone, Debug)]
pub(super) struct Address {
    base: Url,
}

impl Address {
    /// Reads an address; `http` and `https` only, without a name or a password in it.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        let wrong = |why: &str| {
            // A password may stand in the address: only what is before it is shown.
            let shown = if text.contains('@') { "with a name or password in it" } else { text };
            let what = format!("the url of the provider ({shown}) {why}");
            Err(Refusal::new(RefusalKind::Misconfigured, what).before_sending())
        };
        let Ok(base) = Url::parse(text) else {
            return wrong("is no address such as https://api.example.com/v1");
        };
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return wrong("must begin with https:// or http://");
        }
        if !base.username().is_empty() || base.password().is_some() {
            return wrong("is refused: give the key as api_key");
        }
        Ok(Self { base })
    }

    /// The address of an endpoint such as `chat/completions`: below a version where the address names
    /// one, else below `version`; the address itself where it already is that endpoint.
    pub(super) fn endpoint(&self, version: &str, endpoint: &str) -> Url {
        let mut url = self.base.clone();
        let path = self.base.path().trim_end_matches('/');
        let path = if path.ends_with(&format!("/{endpoint}")) {
            path.to_owned()
        } else if path.split('/').any(is_version) {
            format!("{path}/{endpoint}")
        } else {
            format!("{path}/{version}/{endpoint}")
        };
        url.set_path(&path);
        url
    }

    /// Host and port, for messages.
    pub(super) fn place(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    pub(super) fn host_is(&self, host: &str) -> bool {
        self.base.host_str() == Some(host)
    }

    pub(super) fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether what is sent there passes no network but the person's own.
    pub(super) fn is_near(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse() {
            Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
            Ok(IpAddr::V6(ip)) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
            Err(_) => {
                let own = [".local", ".lan", ".internal", ".localhost"];
                !host.contains('.') || own.iter().any(|end| host.ends_with(end))
            }
        }
    }
}

/// `v1`, `v3`, `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        segment.len() > 1 + rest.len() && matches!(rest, "" | "alpha" | "beta")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_spelling_leads_to_the_endpoint() {
        for (text, wanted) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"),
            (
                "https://dashscope.aliyuncs.com/compatible-mode/v1",
                "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions",
            ),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
            ),
            (" http://h/x/chat/completions ", "http://h/x/chat/completions"),
            (
                "https://h/openai/v1?api-version=1",
                "https://h/openai/v1/chat/completions?api-version=1",
            ),
        ] {
            let url = Address::read(text).unwrap().endpoint("v1", "chat/completions");
            assert_eq!(url.as_str(), wanted);
        }
    }

    #[test]
    fn what_is_no_address_is_told_without_its_password() {
        for text in ["", "api.openai.com", "ftp://h/v1", "https://me:hunter2@h/v1"] {
            let refusal = Address::read(text).unwrap_err();
            assert_eq!(refusal.kind, RefusalKind::Misconfigured);
            assert!(!refusal.message.contains("hunter2"), "{refusal}");
        }
    }

    #[test]
    fn a_key_goes_in_the_clear_only_where_nobody_else_listens() {
        for (text, near) in [
            ("http://127.0.0.1:1/", true),
            ("http://[::1]:1/", true),
            ("http://192.168.1.5:8000", true),
            ("http://gpu-box:8000", true),
            ("http://gpu.local", true),
            ("http://api.example.com", false),
            ("http://8.8.8.8", false),
        ] {
            assert_eq!(Address::read(text).unwrap().is_near(), near, "{text}");
        }
    }
}
