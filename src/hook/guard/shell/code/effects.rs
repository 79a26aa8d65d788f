//! What a call does to files.

use super::evaluate::{Finding, Reader};
use super::names::{self, Call};
use super::value::{Value, join_texts, texts, writes};

impl Reader {
    /// A method called on a value.
    pub(super) fn method(&mut self, receiver: Value, name: &str, arguments: Vec<Value>) -> Value {
        let Some(path) = receiver.text else {
            return self.call(names::call(name, None), arguments);
        };
        let call = names::call(name, None);
        match (call, arguments.as_slice()) {
            // `Path("a").replace("b")`; with two arguments it is that of texts.
            (_, [to]) if name == "replace" || name == "rename" => {
                self.findings.push(Finding::Write(path));
                self.findings.extend(to.text.clone().map(Finding::Write));
            }
            (Call::Open, _) if arguments.iter().any(writes) => {
                self.findings.push(Finding::Write(path));
            }
            (Call::Join, _) => return Value::text(join_texts(Some(path), &arguments)),
            (Call::Others, [to, ..]) => self.findings.extend(to.text.clone().map(Finding::Write)),
            _ if names::writes_to_receiver(name) => self.findings.push(Finding::Write(path)),
            _ => {}
        }
        Value::default()
    }

    /// A function called with arguments; gives the path that comes out of it.
    pub(super) fn call(&mut self, call: Call, arguments: Vec<Value>) -> Value {
        match call {
            Call::First => {
                self.findings.extend(texts(&arguments).into_iter().take(1).map(Finding::Write));
            }
            Call::Others => {
                let others = arguments.get(1..).unwrap_or_default();
                self.findings.extend(texts(others).into_iter().map(Finding::Write));
            }
            Call::All => self.findings.extend(texts(&arguments).into_iter().map(Finding::Write)),
            Call::Whole => self.findings.extend(texts(&arguments).into_iter().map(Finding::Whole)),
            Call::Open => self.open(&arguments),
            Call::Run => {
                if let Some(first) = arguments.into_iter().next() {
                    let words = Some(first.list).filter(|words| words.len() > 1);
                    let script = first.text.map(Finding::Script);
                    self.findings.extend(words.map(Finding::Words).or(script));
                }
            }
            Call::Join => return Value::text(join_texts(None, &arguments)),
            Call::Home => return Value::text("~"),
            Call::Unknown => {}
        }
        Value::default()
    }

    /// Opens for writing: the first argument that is no mode; `>file` names both at once.
    fn open(&mut self, arguments: &[Value]) {
        let named = |value: &Value| {
            let text = value.text.as_deref()?.trim();
            let file = text.strip_prefix('+').unwrap_or(text).strip_prefix('>')?;
            let file = file.trim_start_matches('>').trim();
            (!file.is_empty()).then(|| file.to_owned())
        };
        self.findings.extend(arguments.iter().filter_map(named).map(Finding::Write));
        if arguments.iter().any(writes) {
            let path = arguments.iter().filter(|value| !writes(value)).find_map(|v| v.text.clone());
            self.findings.extend(path.map(Finding::Write));
        }
    }
}
