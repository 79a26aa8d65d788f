//! Schemas of what tools take and answer, without what tells nobody anything.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::Value;

/// The schema without what tells the model nothing.
pub(super) fn tidied(schema: &Arc<JsonObject>) -> Arc<JsonObject> {
    let mut schema = Value::Object((**schema).clone());
    tidy(&mut schema);
    let Value::Object(schema) = schema else { unreachable!("an object stays one") };
    Arc::new(schema)
}

/// Takes out of a schema what tells the model nothing: every session pays for it.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("$schema");
            // Only words are titles: a member of that name stays.
            if members.get("title").is_some_and(Value::is_string) {
                members.remove("title");
            }
            if members.get("format").is_some_and(Value::is_string) {
                members.remove("format");
            }
            members.retain(|name, value| name != "default" || !value.is_null());
            for (name, value) in members.iter_mut() {
                match (name.as_str(), value) {
                    // What may be left out need not be null.
                    ("type" | "enum", Value::Array(words)) => {
                        words.retain(|w| w != "null" && !w.is_null());
                    }
                    (_, value) => tidy(value),
                }
            }
            if let Some(Value::Array(words)) = members.get_mut("type")
                && words.len() == 1
            {
                let word = words.remove(0);
                members.insert("type".to_owned(), word);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(tidy),
        _ => {}
    }
}
