//! The document.

use std::collections::BTreeMap;

use afterword_domain::wire::daemon::ErrorBody;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::operation::{Answer, Operation};
use crate::api::table::{Access, Route};

/// The OpenAPI document of the routes of a table. An operation that the table does not have is left
/// out, and so is a route without one.
pub(in crate::api) fn document(routes: &[Route], operations: &[Operation]) -> Value {
    let mut answers = settings().for_serialize().into_generator();
    let mut bodies = settings()
        .for_deserialize()
        // What is read and what is written of one type differ: each has its own schema.
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let error = answers.subschema_for::<Told>();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for operation in operations {
        let served =
            routes.iter().find(|r| (r.method, r.path) == (operation.method, operation.path));
        let Some(route) = served else { continue };
        let told = told(operation, route.access, error.as_value(), &mut answers, &mut bodies);
        let methods = paths.entry(operation.path.replace("{*", "{")).or_default();
        methods.insert(operation.method.to_ascii_lowercase(), told);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "afterword",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The memory of coding agents. Every path is served with and without a slash at its end where it belongs to the memory door.",
        },
        "paths": paths,
        "components": {
            "schemas": answers.take_definitions(true),
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "token": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "Token <token>",
                },
                "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "static": {
                    "type": "apiKey", "in": "header", "name": "X-Auth-Token",
                    "description": "static:<token>",
                },
            },
        },
    })
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

fn told(
    operation: &Operation,
    access: Access,
    error: &Value,
    answers: &mut SchemaGenerator,
    bodies: &mut SchemaGenerator,
) -> Value {
    let content = match operation.answer {
        Answer::Json(shape) => json!({ "application/json": { "schema": shape(answers) } }),
        Answer::Raw(content_type) => json!({ content_type: {} }),
    };
    let in_path = segments(operation.path).map(|name| {
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    });
    let in_query = operation.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name, "in": "query", "description": parameter.about,
            "schema": { "type": parameter.kind },
        })
    });
    let mut told = json!({
        "summary": operation.summary,
        "tags": [door(operation.path, access)],
        "security": security(access),
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "Done.", "content": content },
            "default": {
                "description": "What went wrong, and what to do next.",
                "content": { "application/json": { "schema": error } },
            },
        },
    });
    if let Some(shape) = operation.body {
        told["requestBody"] = json!({
            "content": { "application/json": { "schema": shape(bodies) } },
        });
    }
    told
}

/// The names of the variable parts of a path.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    // `{*path}` takes the rest of a path.
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'))
}

/// The door that a path belongs to.
fn door(path: &str, access: Access) -> &'static str {
    match access {
        // What tells of every door is the people's.
        Access::Read | Access::Write | Access::Erase if path != "/openapi.json" => "memory door",
        _ if path.starts_with("/mem/") => "memory door",
        Access::Observer => "observer door",
        _ => "people's door",
    }
}

fn security(access: Access) -> Value {
    match access {
        Access::Everybody | Access::Page => json!([]),
        Access::Read | Access::Write | Access::Erase => {
            json!([{ "token": [] }, { "bearer": [] }, { "key": [] }, { "static": [] }])
        }
        Access::Observer | Access::Shared | Access::Person | Access::Token => {
            json!([{ "bearer": [] }])
        }
    }
}

/// The shape of [`ErrorBody`].
struct Told;

impl schemars::JsonSchema for Told {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Error".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        // Taken apart without `..`: a new field does not compile until it is told of here.
        let ErrorBody { error: _, code: _, hint: _, detail: _ } = ErrorBody {
            error: String::new(),
            code: String::new(),
            hint: None,
            detail: String::new(),
        };
        schemars::json_schema!({
            "type": "object",
            "required": ["error", "code", "detail"],
            "properties": {
                "error": { "type": "string", "description": "A sentence for people." },
                "code": { "type": "string", "description": "A stable word for programs." },
                "hint": { "type": "string", "description": "What to do next." },
                "detail": { "type": "string", "description": "The sentence and what to do next in one." },
            },
        })
    }
}
