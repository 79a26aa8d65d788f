//! Random JSON texts in random hands, for tests.

use proptest::prelude::*;

/// A value without layout.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// A way of writing JSON.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
pub(crate) struct Hand {
    pub(crate) newline: &'static str,
    pub(crate) indent: &'static str,
    pub(crate) one_line: bool,
    pub(crate) spaced: bool,
    pub(crate) trailing_commas: bool,
    pub(crate) comments: bool,
    pub(crate) bom: bool,
    pub(crate) end: bool,
}

pub(crate) fn hands() -> impl Strategy<Value = Hand> {
    let styles = (
        prop_oneof![Just("\n"), Just("\r\n")],
        prop_oneof![Just("  "), Just("    "), Just("\t"), Just("")],
        prop::bool::weighted(0.2),
        any::<(bool, bool, bool, bool, bool)>(),
    );
    styles.prop_map(|(newline, indent, one_line, (spaced, trailing_commas, comments, bom, end))| {
        Hand { newline, indent, one_line, spaced, trailing_commas, comments, bom, end }
    })
}

fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1e400".to_owned()),
        "-?[1-9][0-9]{0,20}(\\.[0-9]{1,3})?",
        "\\PC{0,12}".prop_map(|text| serde_json::Value::from(text).to_string()),
        Just("\"// no comment, { [\"".to_owned()),
    ]
    .prop_map(Value::Scalar)
}

pub(crate) fn values() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            objects(inner),
        ]
    })
}

pub(crate) fn objects(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(("[a-z]{1,6}", inner), 0..4).prop_map(|members| {
        // A name that occurs twice is another test's matter.
        let numbered = members.into_iter().enumerate();
        Value::Object(numbered.map(|(i, (name, value))| (format!("{name}{i}"), value)).collect())
    })
}

impl Hand {
    pub(crate) fn write(&self, value: &Value) -> String {
        let mut out = String::from(if self.bom { "\u{feff}" } else { "" });
        if self.comments && !self.one_line {
            out.push_str("// head");
            out.push_str(self.newline);
        }
        self.value(&mut out, value, 0);
        if self.end {
            out.push_str(self.newline);
        }
        out
    }

    fn value(&self, out: &mut String, value: &Value, depth: usize) {
        match value {
            Value::Scalar(text) => out.push_str(text),
            Value::Array(elements) => {
                let write = |out: &mut String, i: usize| self.value(out, &elements[i], depth + 1);
                self.members(out, '[', ']', elements.len(), depth, &write);
            }
            Value::Object(members) => {
                let write = |out: &mut String, i: usize| {
                    let (name, value) = &members[i];
                    out.push_str(&serde_json::Value::from(name.as_str()).to_string());
                    out.push_str(if self.spaced || !self.one_line { ": " } else { ":" });
                    self.value(out, value, depth + 1);
                };
                self.members(out, '{', '}', members.len(), depth, &write);
            }
        }
    }

    fn members(
        &self,
        out: &mut String,
        open: char,
        close: char,
        count: usize,
        depth: usize,
        write: &dyn Fn(&mut String, usize),
    ) {
        out.push(open);
        for i in 0..count {
            if !self.one_line {
                if self.comments && i % 2 == 1 {
                    self.line(out, depth + 1);
                    out.push_str("/* about the next */");
                }
                self.line(out, depth + 1);
            }
            write(out, i);
            if i + 1 < count || (self.trailing_commas && !self.one_line) {
                out.push(',');
                if self.one_line && self.spaced {
                    out.push(' ');
                }
            }
            if self.comments && !self.one_line && i % 3 == 0 {
                out.push_str(" // beside, \"quoted\" }");
            }
        }
        if count > 0 && !self.one_line {
            self.line(out, depth);
        }
        out.push(close);
    }

    fn line(&self, out: &mut String, depth: usize) {
        out.push_str(self.newline);
        out.push_str(&self.indent.repeat(depth));
    }
}
