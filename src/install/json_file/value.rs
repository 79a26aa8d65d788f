//! New values and how they are laid out.

/// A value to put in. Members keep their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// An object.
    Object(Vec<(String, Json)>),
    /// An array.
    Array(Vec<Json>),
    /// A string.
    Text(String),
    /// A number.
    Number(u64),
    /// JSON text that is put in as it is.
    Raw(String),
}

/// How a new value is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A member a line.
    Lines {
        /// The file's line end.
        newline: &'static str,
        /// One step of indentation.
        unit: String,
        /// The indentation of the line the value begins on.
        indent: String,
    },
    /// Everything on one line, with or without spaces.
    Line {
        /// A space after colons and commas.
        spaced: bool,
    },
}

impl Layout {
    fn deeper(&self) -> Self {
        match self {
            Self::Lines { newline, unit, indent } => {
                Self::Lines { newline, unit: unit.clone(), indent: format!("{indent}{unit}") }
            }
            Self::Line { spaced } => Self::Line { spaced: *spaced },
        }
    }

    /// What stands between an opening bracket or comma and the next member.
    fn before_member(&self, first: bool) -> String {
        match self {
            Self::Lines { newline, indent, .. } => format!("{newline}{indent}"),
            Self::Line { spaced } => if *spaced && !first { " " } else { "" }.to_owned(),
        }
    }

    /// What stands between the last member and the closing bracket.
    fn before_close(&self) -> String {
        match self {
            Self::Lines { newline, indent, .. } => format!("{newline}{indent}"),
            Self::Line { .. } => String::new(),
        }
    }

    pub(super) fn colon(&self) -> &'static str {
        if matches!(self, Self::Line { spaced: false }) { ":" } else { ": " }
    }
}

impl Json {
    pub(super) fn render(&self, layout: &Layout) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Number(number) => number.to_string(),
            Self::Raw(text) => text.clone(),
            Self::Array(elements) => {
                let inner = layout.deeper();
                let parts = elements.iter().map(|e| e.render(&inner)).collect();
                bracketed('[', parts, ']', layout, &inner)
            }
            Self::Object(members) => {
                let inner = layout.deeper();
                let member = |(name, value): &(String, Self)| {
                    format!("{}{}{}", quoted(name), layout.colon(), value.render(&inner))
                };
                bracketed('{', members.iter().map(member).collect(), '}', layout, &inner)
            }
        }
    }
}

fn bracketed(
    open: char,
    parts: Vec<String>,
    close: char,
    outer: &Layout,
    inner: &Layout,
) -> String {
    if parts.is_empty() {
        return format!("{open}{close}");
    }
    let mut out = String::from(open);
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&inner.before_member(i == 0));
        out.push_str(&part);
    }
    out.push_str(&outer.before_close());
    out.push(close);
    out
}

/// The text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
