//! Building the value of a valid document, bounded in depth and in the number of its parts.

use std::cell::Cell;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, MAX_MEMBERS, MAX_PARTS, TOO_DEEP, TOO_MANY, without_nul};

/// The value of a document that is valid as it stands.
pub(super) fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    read(serde_json::Deserializer::from_slice(bytes))
}

/// The value of a text that is valid as it stands.
pub(super) fn parse_text(text: &str) -> serde_json::Result<Value> {
    read(serde_json::Deserializer::from_str(text))
}

fn read<'de, R: serde_json::de::Read<'de>>(
    mut document: serde_json::Deserializer<R>,
) -> serde_json::Result<Value> {
    let parts = Cell::new(MAX_PARTS);
    let value = Part { left: &parts, depth: 0 }.deserialize(&mut document)?;
    document.end()?;
    Ok(value)
}

/// One value of the document, `depth` containers deep.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// How many values may still be kept.
    left: &'a Cell<usize>,
    depth: usize,
}

impl Part<'_> {
    fn inside(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Whether one more value may be kept, `before` it there being so many in the same container.
    ///
    /// The members of the document itself are what a payload is about: they do not use up what
    /// one large value in front of them left over.
    fn takes_one(self, before: usize) -> bool {
        if self.depth == 0 {
            return before < MAX_MEMBERS;
        }
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(without_nul(value.to_owned()).into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(without_nul(value).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        if self.depth == MAX_DEPTH {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(TOO_DEEP.into());
        }
        while self.takes_one(kept.len()) {
            match items.next_element_seed(self.inside())? {
                Some(item) => kept.push(item),
                None => return Ok(kept.into()),
            }
        }
        let mut more = false;
        while items.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        if more {
            kept.push(TOO_MANY.into());
        }
        Ok(kept.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        if self.depth == MAX_DEPTH {
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(TOO_DEEP.into());
        }
        while self.takes_one(kept.len()) {
            let Some(key) = members.next_key::<String>()? else { return Ok(kept.into()) };
            let value = members.next_value_seed(self.inside())?;
            kept.insert(without_nul(key), value);
        }
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(kept.into())
    }
}
