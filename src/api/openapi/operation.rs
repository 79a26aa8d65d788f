//! What one route takes and gives.

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Makes the schema of a type.
type Shape = fn(&mut SchemaGenerator) -> Schema;

/// A parameter of a query string.
#[derive(Clone, Copy, Debug)]
pub(in crate::api) struct Parameter {
    /// Its name.
    pub(in crate::api) name: &'static str,
    /// `string`, `integer`, `number` or `boolean`.
    pub(in crate::api) kind: &'static str,
    /// What it does.
    pub(in crate::api) about: &'static str,
}

/// A parameter of a query string.
pub(in crate::api) const fn parameter(
    name: &'static str,
    kind: &'static str,
    about: &'static str,
) -> Parameter {
    Parameter { name, kind, about }
}

/// What an operation answers with.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// JSON of a shape.
    Json(Shape),
    /// Something else, by its content type.
    Raw(&'static str),
}

/// One method of one path.
#[derive(Clone)]
pub(in crate::api) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Shape>,
    pub(super) answer: Answer,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

fn shape<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// An operation that answers with JSON of a type.
pub(in crate::api) fn gives<T: JsonSchema>(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
) -> Operation {
    let answer = Answer::Json(shape::<T>);
    Operation { method, path, summary, parameters: Vec::new(), body: None, answer }
}

impl Operation {
    /// With a JSON body.
    pub(in crate::api) fn takes<T: JsonSchema>(self) -> Self {
        Self { body: Some(shape::<T>), ..self }
    }

    /// With parameters in its query string.
    pub(in crate::api) fn asks(self, parameters: &[Parameter]) -> Self {
        Self { parameters: parameters.to_vec(), ..self }
    }

    /// Answers with something that is no JSON.
    pub(in crate::api) fn raw(self, content_type: &'static str) -> Self {
        Self { answer: Answer::Raw(content_type), ..self }
    }

    /// Whether this is its path.
    pub(in crate::api) fn is_at(&self, path: &str) -> bool {
        self.path == path
    }

    /// The same under another path.
    pub(in crate::api) fn at(&self, path: &'static str) -> Self {
        Self { path, ..self.clone() }
    }
}
