//! A memory.

use afterword_domain::memory::Memory;
use afterword_domain::text::hex;
use afterword_domain::{Time, day::Day};
use md5::{Digest as _, Md5};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Shown;

/// A memory as every client finds it: ids and runs under both of their names.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(transform = only_the_id_is_certain)]
pub(in crate::api) struct Item {
    /// Its id.
    pub(in crate::api) id: Uuid,
    /// Its id once more, as tools for models call it.
    memory_id: Uuid,
    /// Its text.
    memory: String,
    /// MD5 of the text.
    hash: String,
    /// The person it belongs to.
    user_id: Option<String>,
    /// The agent it belongs to.
    agent_id: Option<String>,
    /// The application it belongs to.
    app_id: Option<String>,
    /// The run it belongs to.
    run_id: Option<String>,
    /// The run once more, as the platform calls it in answers.
    session_id: Option<String>,
    /// The caller's own fields.
    #[schemars(with = "Option<Map<String, Value>>")]
    metadata: Value,
    /// What it is about.
    categories: Vec<String>,
    /// Whether it cannot be changed.
    immutable: bool,
    /// The last day on which it counts.
    #[schemars(with = "Option<String>")]
    expiration_date: Option<Day>,
    /// The memory that took its place.
    replaced_by: Option<Uuid>,
    /// The role of whoever said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The name of whoever said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_id: Option<String>,
    /// When it was made.
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Time,
    /// When it last changed.
    #[schemars(with = "String", extend("format" = "date-time"))]
    updated_at: Time,
    /// How well it answers, from 0 to 1: from 0.5 on it answers the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// What the score is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_breakdown: Option<Parts>,
}

/// Callers may ask for single fields.
fn only_the_id_is_certain(schema: &mut Schema) {
    schema.insert("required".to_owned(), serde_json::json!(["id"]));
}

/// What a score is made of, each part from 0 to 1.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Parts {
    /// By meaning.
    pub(in crate::api) semantic: f64,
    /// By words.
    pub(in crate::api) bm25: f64,
}

/// A memory as clients see it.
pub(in crate::api) fn item(memory: Memory) -> Item {
    let Memory { uid, text, owner, attributes, metadata, .. } = memory;
    let said = |word: String| (!word.is_empty()).then_some(word);
    Item {
        id: uid,
        memory_id: uid,
        hash: hex(&Md5::digest(text.as_bytes())),
        memory: text,
        user_id: owner.user,
        agent_id: owner.agent,
        app_id: owner.app,
        session_id: owner.run.clone(),
        run_id: owner.run,
        metadata: if metadata.is_object() { metadata } else { Value::Null },
        categories: attributes.categories,
        immutable: attributes.immutable,
        expiration_date: attributes.expires,
        replaced_by: memory.superseded_by,
        role: said(attributes.role),
        actor_id: said(attributes.actor),
        created_at: memory.created_at,
        updated_at: memory.updated_at,
        score: None,
        score_breakdown: None,
    }
}

impl Item {
    /// With how well it answers.
    pub(in crate::api) fn scored(mut self, score: f64, parts: Parts) -> Self {
        (self.score, self.score_breakdown) = (Some(score), Some(parts));
        self
    }
}

/// Only the fields that were asked for, and the id; all of them where none was.
pub(in crate::api) fn only(items: Vec<Item>, fields: Option<&[String]>) -> Vec<Shown> {
    let wanted = |name: &String| {
        name == "id" || fields.is_none_or(|fields| fields.iter().any(|field| field == name))
    };
    let values = items.into_iter().map(|item| match serde_json::to_value(item) {
        Ok(Value::Object(map)) => map.into_iter().filter(|(name, _)| wanted(name)).collect(),
        _ => Map::new(),
    });
    values.map(|fields| Shown(Value::Object(fields))).collect()
}
