//! How services spell the same requests: paths, the header of the token, bodies.
//!
//! Services of one kind differ by age: mem0's platform has v3 paths and once had v1 ones, its
//! self-hosted server has bare paths, and services spoken to like it have bare paths or `/mem/`.

use serde_json::{Value, json};

/// One way of spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v3/memories/…` with `Authorization: Token`.
    Platform,
    /// `/v1/memories/` and `/v2/memories/search/` with `Authorization: Token`.
    PlatformV1,
    /// `/memories`, `/search` with `Authorization: Bearer`.
    Bare,
    /// `/memories`, `/search` with `X-API-Key`.
    BareKey,
    /// `/mem/memories`, `/mem/search` with `X-Auth-Token: static:`.
    Mem,
}

/// Every way, in the order in which they are tried.
pub const DIALECTS: [(&str, Dialect); 5] = [
    ("platform", Dialect::Platform),
    ("platform-v1", Dialect::PlatformV1),
    ("bare", Dialect::Bare),
    ("bare-key", Dialect::BareKey),
    ("mem", Dialect::Mem),
];

impl Dialect {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        DIALECTS.iter().find(|(_, one)| *one == self).map_or("", |(word, _)| word)
    }

    /// Reads a word of a file.
    pub fn from_word(word: &str) -> Option<Self> {
        DIALECTS.iter().find(|(name, _)| *name == word).map(|(_, one)| *one)
    }

    /// The header that holds the token.
    pub(super) fn auth(self, token: &str) -> (&'static str, String) {
        match self {
            Self::Platform | Self::PlatformV1 => ("Authorization", format!("Token {token}")),
            Self::Bare => ("Authorization", format!("Bearer {token}")),
            Self::BareKey => ("X-API-Key", token.to_owned()),
            Self::Mem => ("X-Auth-Token", format!("static:{token}")),
        }
    }

    pub(super) const fn search_path(self) -> &'static str {
        match self {
            Self::Platform => "/v3/memories/search/",
            Self::PlatformV1 => "/v2/memories/search/",
            Self::Bare | Self::BareKey => "/search",
            Self::Mem => "/mem/search",
        }
    }

    pub(super) const fn add_path(self) -> &'static str {
        match self {
            Self::Platform => "/v3/memories/add/",
            Self::PlatformV1 => "/v1/memories/",
            Self::Bare | Self::BareKey => "/memories",
            Self::Mem => "/mem/memories",
        }
    }

    /// Where memories are listed by filters; the others have no filters to list by.
    pub(super) const fn list_path(self) -> Option<&'static str> {
        match self {
            Self::Platform => Some("/v3/memories/?page=1&page_size=100"),
            Self::PlatformV1 => Some("/v2/memories/?page=1&page_size=100"),
            Self::Bare | Self::BareKey | Self::Mem => None,
        }
    }

    /// The path of one memory.
    pub(super) fn memory_path(self, id: &str) -> String {
        let id = encoded(id);
        match self {
            Self::Platform | Self::PlatformV1 => format!("/v1/memories/{id}/"),
            Self::Bare | Self::BareKey => format!("/memories/{id}"),
            Self::Mem => format!("/mem/memories/{id}"),
        }
    }

    pub(super) fn search_body(self, query: &str, user_id: &str, most: usize) -> Value {
        match self {
            Self::Platform | Self::PlatformV1 => {
                json!({"query": query, "filters": {"user_id": user_id}, "top_k": most})
            }
            Self::Bare | Self::BareKey | Self::Mem => {
                json!({"query": query, "user_id": user_id, "top_k": most, "limit": most})
            }
        }
    }

    /// A text kept as it is.
    pub(super) fn add_body(self, text: &str, user_id: &str, metadata: &Value) -> Value {
        let mut body = json!({
            "messages": [{"role": "user", "content": text}],
            "user_id": user_id,
            "metadata": metadata,
            "infer": false,
        });
        if self == Self::PlatformV1 {
            // Without these the answer names no id.
            body["async_mode"] = false.into();
            body["output_format"] = "v1.1".into();
        }
        body
    }
}

/// A path segment, percent-encoded.
fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push_str(&afterword_domain::text::hex(&[byte]).to_ascii_uppercase());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_headers() {
        for (word, dialect) in DIALECTS {
            assert_eq!((dialect.word(), Dialect::from_word(word)), (word, Some(dialect)));
        }
        let header = |dialect: Dialect| {
            let (name, value) = dialect.auth("K");
            format!("{name}: {value}")
        };
        assert_eq!(
            DIALECTS.map(|(_, dialect)| header(dialect)),
            [
                "Authorization: Token K",
                "Authorization: Token K",
                "Authorization: Bearer K",
                "X-API-Key: K",
                "X-Auth-Token: static:K"
            ]
        );
    }

    #[test]
    fn ids_stay_in_their_segment() {
        assert_eq!(Dialect::Bare.memory_path("a/b c?"), "/memories/a%2Fb%20c%3F");
    }
}
