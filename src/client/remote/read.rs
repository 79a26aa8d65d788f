//! Understanding what services answer: lists bare or wrapped, ids and texts under several names.

use serde_json::Value;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its id at the service.
    pub id: String,
    /// Its text.
    pub text: String,
    /// How well it answers; services that give none get no cut.
    pub score: Option<f64>,
    /// When it was made, as the service spells it; empty where it does not say.
    pub created_at: String,
    /// What was kept with it.
    pub metadata: Value,
}

impl Found {
    /// A text of the metadata; empty where there is none.
    pub fn told(&self, key: &str) -> &str {
        self.metadata.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What came of adding a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is kept, under this id where the service says so.
    Stored(Option<String>),
    /// The service will keep it; it has no id yet.
    Queued,
}

/// The memories of an answer; none where it is no list of anything.
pub(super) fn found(body: &[u8]) -> Option<Vec<Found>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    Some(items(&value)?.iter().filter_map(one).collect())
}

fn items(value: &Value) -> Option<&Vec<Value>> {
    ["results", "memories"].iter().find_map(|key| value.get(key)).unwrap_or(value).as_array()
}

fn one(item: &Value) -> Option<Found> {
    Some(Found {
        id: id_of(item)?,
        text: ["memory", "text", "content"]
            .iter()
            .find_map(|key| item.get(key)?.as_str())?
            .to_owned(),
        score: item.get("score").and_then(Value::as_f64),
        created_at: item.get("created_at").and_then(Value::as_str).unwrap_or_default().to_owned(),
        metadata: item.get("metadata").cloned().unwrap_or_default(),
    })
}

fn id_of(item: &Value) -> Option<String> {
    let id = ["id", "memory_id"].iter().find_map(|key| item.get(key).filter(|id| !id.is_null()))?;
    match id {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// What the answer to an add says; none where it says nothing that could be understood.
pub(super) fn added(body: &[u8]) -> Option<Added> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let items = items(&value);
    if let Some(id) = items.into_iter().flatten().find_map(id_of) {
        return Some(Added::Stored(Some(id)));
    }
    let waits = |item: &Value| {
        let status = item.get("status").and_then(Value::as_str).unwrap_or_default();
        matches!(status.to_ascii_uppercase().as_str(), "PENDING" | "RUNNING" | "QUEUED")
    };
    if waits(&value) || items.into_iter().flatten().any(waits) {
        return Some(Added::Queued);
    }
    match (items, &value) {
        // Known already, or kept without a word about its id.
        (Some(_), _) => Some(Added::Stored(None)),
        (None, Value::Object(_)) => Some(Added::Stored(id_of(&value))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_bare_or_wrapped() {
        let item = r#"{"id":"a","memory":"m","score":0.5,"metadata":null}"#;
        for list in [
            format!("[{item}]"),
            format!("{{\"results\":[{item}]}}"),
            format!("{{\"memories\":[{item}]}}"),
        ] {
            let found = found(list.as_bytes()).unwrap();
            assert_eq!(
                (found[0].id.as_str(), found[0].text.as_str(), found[0].score),
                ("a", "m", Some(0.5))
            );
        }
        assert_eq!(found(br#"[{"memory_id":7,"text":"t"}]"#).unwrap()[0].id, "7");
        assert_eq!(found(b"[]"), Some(Vec::new()));
        for bad in ["", "<html>", "7", r#"{"results":7}"#, r#"{"a":1}"#] {
            assert_eq!(found(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn what_came_of_an_add() {
        let stored = |id: &str| Some(Added::Stored(Some(id.to_owned())));
        let platform = r#"{"message":"Memories stored successfully","status":"SUCCEEDED","event_id":"e",
            "results":[{"id":"i","data":{"memory":"m"},"event":"ADD"}]}"#;
        assert_eq!(added(platform.as_bytes()), stored("i"));
        assert_eq!(added(br#"{"results":[{"id":"i","memory":"m","event":"ADD"}]}"#), stored("i"));
        assert_eq!(added(br#"[{"id":"i"}]"#), stored("i"));
        let queued = r#"{"results":[{"event":null,"event_id":"b","id":null,"memory":null,
            "message":"Memory processing has been queued for background execution","status":"PENDING"}]}"#;
        assert_eq!(added(queued.as_bytes()), Some(Added::Queued));
        assert_eq!(
            added(br#"{"message":"...","status":"PENDING","event_id":"b"}"#),
            Some(Added::Queued)
        );
        assert_eq!(
            added(br#"[{"message":"...","status":"PENDING","event_id":"b"}]"#),
            Some(Added::Queued)
        );
        assert_eq!(added(br#"{"results":[]}"#), Some(Added::Stored(None)));
        for bad in ["", "<html>", "7"] {
            assert_eq!(added(bad.as_bytes()), None, "{bad}");
        }
    }
}
