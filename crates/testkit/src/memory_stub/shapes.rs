//! What each kind of service listens to, and how it answers.

use serde_json::{Value, json};

/// The kind of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// mem0's platform: v3 paths, `Authorization: Token`.
    Platform,
    /// The platform of old: v1 and v2 paths, bare lists.
    PlatformV1,
    /// Bare paths, `Authorization: Bearer`.
    Bare,
    /// mem0's self-hosted server: bare paths, `X-API-Key`.
    BareKey,
    /// `/mem/` paths, `X-Auth-Token: static:`.
    Mem,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Add,
    Search,
    List,
    /// One memory by its id.
    One(String),
}

impl Spelling {
    /// What a request asks for; none where the service has no such path.
    pub(super) fn asked(self, method: &str, path: &str) -> Option<Asked> {
        let (add, search, list, one) = match self {
            Self::Platform => (
                "/v3/memories/add/",
                "/v3/memories/search/",
                Some("/v3/memories/"),
                "/v1/memories/",
            ),
            Self::PlatformV1 => {
                ("/v1/memories/", "/v2/memories/search/", Some("/v2/memories/"), "/v1/memories/")
            }
            Self::Bare | Self::BareKey => ("/memories", "/search", None, "/memories/"),
            Self::Mem => ("/mem/memories", "/mem/search", None, "/mem/memories/"),
        };
        match method {
            "POST" if path == add => Some(Asked::Add),
            "POST" if path == search => Some(Asked::Search),
            "POST" if Some(path) == list => Some(Asked::List),
            "PUT" | "DELETE" => {
                let id = path.strip_prefix(one)?.trim_end_matches('/');
                (!id.is_empty()).then(|| Asked::One(id.to_owned()))
            }
            _ => None,
        }
    }

    /// The one header that opens it.
    pub(super) fn key(self, token: &str) -> (&'static str, String) {
        match self {
            Self::Platform | Self::PlatformV1 => ("authorization", format!("Token {token}")),
            Self::Bare => ("authorization", format!("Bearer {token}")),
            Self::BareKey => ("x-api-key", token.to_owned()),
            Self::Mem => ("x-auth-token", format!("static:{token}")),
        }
    }

    /// A list of memories.
    pub(super) fn list(self, items: Vec<Value>) -> Value {
        match self {
            Self::PlatformV1 | Self::Bare => Value::Array(items),
            Self::Platform | Self::BareKey | Self::Mem => json!({ "results": items }),
        }
    }

    /// The answer to an add that was kept.
    pub(super) fn stored(self, id: &str, text: &str) -> Value {
        match self {
            Self::Platform => json!({
                "message": "Memories stored successfully",
                "status": "SUCCEEDED",
                "event_id": "00000000-0000-4000-8000-000000000000",
                "results": [{"id": id, "data": {"memory": text}, "event": "ADD"}],
            }),
            _ => self.list(vec![json!({"id": id, "memory": text, "event": "ADD"})]),
        }
    }

    /// The answer to an add that will be kept.
    pub(super) fn queued(self) -> Value {
        let item = json!({
            "event": null, "event_id": "bb33acfe-0000-4000-8000-000000000000", "id": null, "memory": null,
            "message": "Memory processing has been queued for background execution",
            "status": "PENDING",
        });
        match self {
            Self::Platform => json!({
                "message": "Memory processing has been queued for background execution",
                "status": "PENDING",
                "event_id": "bb33acfe-0000-4000-8000-000000000000",
            }),
            _ => self.list(vec![item]),
        }
    }
}
