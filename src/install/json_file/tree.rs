//! The text of a JSON file and the places of its values.

use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A text that is not JSON (with comments and trailing commas allowed).
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}, column {column}: {reason}")]
pub struct Broken {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What the parser expected.
    pub reason: String,
}

/// A value and the bytes it takes, as offsets into the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Members in the order of the text; a name may occur twice.
    Object(Vec<Property>),
    /// Elements in order.
    Array(Vec<Node>),
    /// A string, escapes resolved.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// A number or `null`.
    Other,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Where the name begins.
    pub start: usize,
    /// The name, escapes resolved.
    pub name: String,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The members, when this is an object.
    pub fn properties(&self) -> Option<&[Property]> {
        if let Kind::Object(properties) = &self.kind { Some(properties) } else { None }
    }

    /// The elements, when this is an array.
    pub fn elements(&self) -> Option<&[Self]> {
        if let Kind::Array(elements) = &self.kind { Some(elements) } else { None }
    }

    /// The string, when this is one.
    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The value of the first member with this name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.properties()?.iter().find(|p| p.name == name).map(|p| &p.value)
    }

    /// The places of the direct children, names included.
    pub fn children(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Object(properties) => properties.iter().map(|p| (p.start, p.value.end)).collect(),
            Kind::Array(elements) => elements.iter().map(|e| (e.start, e.end)).collect(),
            _ => Vec::new(),
        }
    }
}

/// A JSON text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    bom: bool,
    text: String,
    root: Option<Node>,
}

const BOM: char = '\u{feff}';

impl Document {
    /// Reads a text; a byte order mark is remembered, an empty text has no root.
    pub fn parse(source: &str) -> Result<Self, Broken> {
        let (bom, text) = source.strip_prefix(BOM).map_or((false, source), |rest| (true, rest));
        Ok(Self { bom, text: text.to_owned(), root: root(text)? })
    }

    /// The text as it is written to the file.
    pub fn to_source(&self) -> String {
        if self.bom { format!("{BOM}{}", self.text) } else { self.text.clone() }
    }

    /// The text that places refer to: without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outermost value.
    pub fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    /// The bytes of a value.
    pub fn raw(&self, node: &Node) -> &str {
        &self.text[node.start..node.end]
    }

    /// Line and column of an offset, both from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let head = &self.text[..offset];
        let line_start = head.rfind('\n').map_or(0, |i| i + 1);
        (head.matches('\n').count() + 1, head[line_start..].chars().count() + 1)
    }

    /// The same file with another text.
    pub(super) fn with_text(&self, text: String) -> Result<Self, Broken> {
        Ok(Self { bom: self.bom, root: root(&text)?, text })
    }

    /// Names and values in order, without layout and comments: equal for two texts that say the
    /// same in the same order.
    pub fn skeleton(&self) -> String {
        let mut out = String::new();
        if let Some(root) = &self.root {
            self.write_skeleton(root, &mut out);
        }
        out
    }

    fn write_skeleton(&self, node: &Node, out: &mut String) {
        match &node.kind {
            Kind::Object(properties) => {
                out.push('{');
                for property in properties {
                    out.push_str(&serde_json::Value::from(property.name.as_str()).to_string());
                    out.push(':');
                    self.write_skeleton(&property.value, out);
                    out.push(',');
                }
                out.push('}');
            }
            Kind::Array(elements) => {
                out.push('[');
                for element in elements {
                    self.write_skeleton(element, out);
                    out.push(',');
                }
                out.push(']');
            }
            _ => out.push_str(self.raw(node)),
        }
    }
}

fn root(text: &str) -> Result<Option<Node>, Broken> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(result) => Ok(result.value.as_ref().map(node)),
        Err(e) => Err(Broken {
            line: e.line_display(),
            column: e.column_display(),
            reason: e.kind().to_string(),
        }),
    }
}

fn node(value: &Value<'_>) -> Node {
    let (range, kind) = match value {
        Value::StringLit(v) => (v.range, Kind::Text(v.value.clone().into_owned())),
        Value::NumberLit(v) => (v.range, Kind::Other),
        Value::NullKeyword(v) => (v.range, Kind::Other),
        Value::BooleanLit(v) => (v.range, Kind::Flag(v.value)),
        Value::Array(v) => (v.range, Kind::Array(v.elements.iter().map(node).collect())),
        Value::Object(v) => {
            let property = |p: &jsonc_parser::ast::ObjectProp<'_>| Property {
                start: p.range.start,
                name: p.name.as_str().to_owned(),
                value: node(&p.value),
            };
            (v.range, Kind::Object(v.properties.iter().map(property).collect()))
        }
    };
    Node { start: range.start, end: range.end, kind }
}
