//! What expressions stand for.

use super::names;

/// Longest path that is put together, in bytes.
const MAX_PATH: usize = 1024;

/// What an expression is, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The path or text it stands for.
    pub(super) text: Option<String>,
    /// The texts of a list.
    pub(super) list: Vec<String>,
    /// It holds flags that open for writing.
    pub(super) flags: bool,
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()).filter(|text| text.len() <= MAX_PATH), ..Self::default() }
    }
}

pub(super) fn writes(value: &Value) -> bool {
    value.flags || value.text.as_deref().is_some_and(names::is_writing_mode)
}

pub(super) fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(|value| value.text.clone()).collect()
}

pub(super) fn join_texts(first: Option<String>, arguments: &[Value]) -> String {
    let pieces = arguments.iter().filter_map(|value| value.text.clone());
    first.into_iter().chain(pieces).collect::<Vec<_>>().join("/")
}

/// Two pieces of one path; what is not known is left out.
pub(super) fn joined(left: Value, right: Value, sign: char) -> Value {
    let flags = left.flags || right.flags;
    let text = match (left.text, right.text) {
        (Some(left), Some(right)) if sign == '/' => Some(format!("{left}/{right}")),
        (Some(left), Some(right)) => Some(format!("{left}{right}")),
        (left, right) => left.or(right),
    };
    Value { text: text.filter(|text| text.len() <= MAX_PATH), list: Vec::new(), flags }
}
