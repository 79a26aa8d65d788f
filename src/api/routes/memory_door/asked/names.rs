//! Whose memories a caller means.

use std::borrow::Cow;

use afterword_domain::filter::{Field, Filter, Test};
use afterword_domain::owner::{Owner, OwnerKind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::api::error::{ApiError, ApiResult};

/// A name of an owner: a text, or a number, which is its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::api) struct Name(pub(super) String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("a name is a text or a number")),
        }
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A name of an owner: one word of at most 256 characters; a number is its digits.",
            "type": ["string", "number"],
        })
    }
}

/// Whose memories are meant, by up to four names.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "as callers name them")]
pub(in crate::api) struct Names {
    /// A person.
    #[serde(default, alias = "userId")]
    user_id: Option<Name>,
    /// An agent.
    #[serde(default, alias = "agentId")]
    agent_id: Option<Name>,
    /// An application, or a project.
    #[serde(default, alias = "appId")]
    app_id: Option<Name>,
    /// A run, a session.
    #[serde(default, alias = "runId")]
    run_id: Option<Name>,
}

impl Names {
    fn each(&self) -> impl Iterator<Item = (OwnerKind, &Name)> {
        let names = [&self.user_id, &self.agent_id, &self.app_id, &self.run_id];
        OwnerKind::ALL
            .into_iter()
            .zip(names)
            .filter_map(|(kind, name)| Some((kind, name.as_ref()?)))
    }

    /// What each of them asks of a memory; `*` is every name of a kind.
    pub(in crate::api) fn filters(&self) -> ApiResult<Vec<Filter>> {
        let each = self.each().map(|(kind, Name(name))| {
            if name.trim() == "*" {
                return Ok(Filter::Is(Field::Owner(kind), Test::Present));
            }
            let name = Owner::name(name)
                .map_err(|why| ApiError::invalid(format!("{} {why}", kind.field())))?;
            Ok(Filter::owned(kind, &name))
        });
        each.collect()
    }

    /// The owner that they name.
    pub(in crate::api) fn owner(&self) -> ApiResult<Owner> {
        let mut owner = Owner::default();
        for (kind, Name(name)) in self.each() {
            owner.set(kind, name).map_err(ApiError::invalid)?;
        }
        Ok(owner)
    }
}

/// Adds the names that filters hold as plain values, which is where some clients put them; a name
/// that says something else than the one that is there already is refused.
pub(in crate::api) fn with_filters(
    mut owner: Owner,
    filters: Option<&Map<String, Value>>,
) -> ApiResult<Owner> {
    let mut groups: Vec<&Map<String, Value>> = filters.into_iter().collect();
    if let Some(Value::Array(parts)) = filters.and_then(|filters| filters.get("AND")) {
        groups.extend(parts.iter().filter_map(Value::as_object));
    }
    for group in groups {
        let names: Names = serde_json::from_value(Value::Object(group.clone()))
            .map_err(|why| ApiError::invalid(format!("filters: {why}")))?;
        for (kind, name) in names.owner()?.names() {
            match owner.get(kind) {
                Some(known) if known != name => {
                    return Err(ApiError::invalid(format!(
                        "{} is '{known}' in one place and '{name}' in another",
                        kind.field()
                    )));
                }
                _ => owner.set(kind, name).map_err(ApiError::invalid)?,
            }
        }
    }
    Ok(owner)
}

/// Refuses a request that names nobody.
pub(in crate::api) fn somebody(owner: Owner) -> ApiResult<Owner> {
    if owner.is_nobody() {
        return Err(ApiError::invalid(NOBODY));
    }
    Ok(owner)
}

/// What is wrong with a request that names nobody.
pub(in crate::api) const NOBODY: &str =
    "at least one of user_id, agent_id, app_id and run_id is required";
