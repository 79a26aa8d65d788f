//! Lists, bare, wrapped and in pages.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::super::asked::{Paging, links};
use super::Item;

/// A list under the name `results`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Results<T> {
    /// The list.
    pub(in crate::api) results: Vec<T>,
}

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Page<T> {
    /// How many there are on all pages.
    count: u64,
    /// The address of the next page.
    next: Option<String>,
    /// The address of the page before.
    previous: Option<String>,
    /// This page.
    results: Vec<T>,
}

impl<T> Page<T> {
    /// Everything in one piece.
    pub(in crate::api) fn whole(total: u64, results: Vec<T>) -> Self {
        Self { count: total, next: None, previous: None, results }
    }

    pub(in crate::api) fn of(paging: &Paging, total: u64, results: Vec<T>) -> Self {
        let (next, previous) = links(paging, total);
        Self { count: total, next, previous, results }
    }
}

/// A memory of which a caller may have asked for single fields.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(in crate::api) struct Shown(pub(super) Value);

impl JsonSchema for Shown {
    fn schema_name() -> Cow<'static, str> {
        Item::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Item::json_schema(generator)
    }
}

/// The memories of an answer: bare, or under the name `results` where the newer output format is
/// asked for, and then beside relations, of which there are none.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::api) enum ListOrResults<T> {
    /// Bare.
    List(Vec<T>),
    /// Under a name.
    Results {
        /// The list.
        results: Vec<T>,
        /// Always empty.
        relations: Vec<Value>,
    },
}

impl<T> ListOrResults<T> {
    /// As the output format of old callers has it.
    pub(in crate::api) fn of(list: Vec<T>, output_format: Option<&str>) -> Self {
        match output_format {
            None | Some("" | "v1.0") => Self::List(list),
            Some(_) => Self::Results { results: list, relations: Vec::new() },
        }
    }
}

/// Memories, bare or one page of them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::api) enum ListOrPage<T> {
    /// Bare.
    List(Vec<T>),
    /// A page.
    Page(Page<T>),
}
