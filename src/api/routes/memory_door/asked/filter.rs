//! Filters as callers write them, read into a tree.
//!
//! Two grammars are in use, and both are understood at once: the platform's, with a list of known
//! keys and a `metadata` object, and that of mem0's open-source library, in which a key that is not
//! known is a key of the metadata. Siblings are all to hold.

use afterword_domain::Time;
use afterword_domain::filter::{Field, Filter, Test};
use afterword_domain::owner::{Owner, OwnerKind};
use serde_json::{Map, Value};
use uuid::Uuid;

/// How deep a filter may be nested.
const DEPTH: usize = 20;

/// Most tests of a filter.
const TESTS: usize = 200;

/// Most values of one list.
const VALUES: usize = 10_000;

/// Reads a filter; null and an empty object are every memory. The error is a sentence for people.
pub(in crate::api) fn filter(value: &Value) -> Result<Filter, String> {
    let mut reader = Reader { tests: 0 };
    match value {
        Value::Null => Ok(Filter::default()),
        Value::Object(map) => reader.group(map, 0),
        _ => Err("filters is an object, for example {\"user_id\": \"ada\"}".to_owned()),
    }
}

/// Reads an object of metadata that is to be as it says.
pub(in crate::api) fn metadata(map: &Map<String, Value>) -> Result<Filter, String> {
    Reader { tests: 0 }.metadata(&mut Vec::new(), map, 0)
}

struct Reader {
    tests: usize,
}

impl Reader {
    fn group(&mut self, map: &Map<String, Value>, depth: usize) -> Result<Filter, String> {
        deep(depth)?;
        let parts = map.iter().map(|(key, value)| self.part(key, value, depth));
        Ok(all(parts.collect::<Result<_, _>>()?))
    }

    fn part(&mut self, key: &str, value: &Value, depth: usize) -> Result<Filter, String> {
        match key {
            "AND" | "and" => Ok(all(self.parts(key, value, depth)?)),
            "OR" | "or" => Ok(Filter::Any(self.parts(key, value, depth)?)),
            // None of them.
            "NOT" | "not" => Ok(not(Filter::Any(self.parts(key, value, depth)?))),
            "metadata" => match value {
                Value::Object(map) => self.metadata(&mut Vec::new(), map, depth + 1),
                _ => Err("metadata in filters is an object".to_owned()),
            },
            _ => match known(key) {
                Some(field) => self.field(key, &field, value),
                None => self.value(&mut vec![key.to_owned()], value, depth),
            },
        }
    }

    fn parts(&mut self, key: &str, value: &Value, depth: usize) -> Result<Vec<Filter>, String> {
        let one = |part: &Value, reader: &mut Self| match part {
            Value::Object(map) => reader.group(map, depth + 1),
            _ => Err(format!("{key} holds objects, each a filter")),
        };
        match value {
            Value::Array(parts) if parts.is_empty() => Err(format!("{key} holds no filter")),
            Value::Array(parts) => parts.iter().map(|part| one(part, self)).collect(),
            part => Ok(vec![one(part, self)?]),
        }
    }

    fn metadata(
        &mut self,
        path: &mut Vec<String>,
        map: &Map<String, Value>,
        depth: usize,
    ) -> Result<Filter, String> {
        deep(depth)?;
        let mut parts = Vec::with_capacity(map.len());
        for (key, value) in map {
            path.push(key.clone());
            parts.push(self.value(path, value, depth)?);
            path.pop();
        }
        Ok(all(parts))
    }

    /// A value of the metadata: what it is to be, tests of it, or an object of values.
    fn value(
        &mut self,
        path: &mut Vec<String>,
        value: &Value,
        depth: usize,
    ) -> Result<Filter, String> {
        if let Value::Object(map) = value
            && !map.is_empty()
            && !map.keys().any(|key| is_operator(key))
        {
            return self.metadata(path, map, depth + 1);
        }
        let name = path.join(".");
        self.field(&name, &Field::Metadata(path.clone()), value)
    }

    /// The tests of one field.
    fn field(&mut self, name: &str, field: &Field, value: &Value) -> Result<Filter, String> {
        let tests = match value {
            Value::Object(map) if map.is_empty() => {
                return Err(format!("{name} is asked for by no operator"));
            }
            Value::Object(map) => map
                .iter()
                .map(|(operator, value)| operation(name, field, operator, value))
                .collect::<Result<Vec<_>, _>>()?,
            Value::Array(_) => vec![operation(name, field, "in", value)?],
            // Words are looked for, everything else is to be as it says.
            Value::String(word) if is_word_field(name) => {
                vec![operation(name, field, "icontains", &Value::String(word.clone()))?]
            }
            _ => vec![operation(name, field, "eq", value)?],
        };
        self.tests += tests.len();
        if self.tests > TESTS {
            return Err(format!("the filters hold more than {TESTS} tests"));
        }
        Ok(all(tests))
    }
}

fn deep(depth: usize) -> Result<(), String> {
    if depth < DEPTH {
        return Ok(());
    }
    Err(format!("the filters are nested deeper than {DEPTH}"))
}

fn all(mut parts: Vec<Filter>) -> Filter {
    if parts.len() == 1 { parts.remove(0) } else { Filter::All(parts) }
}

fn not(part: Filter) -> Filter {
    Filter::Not(Box::new(part))
}

/// What keys mean that are no metadata. One client sends them as its own language spells them.
fn known(key: &str) -> Option<Field> {
    Some(match key {
        "user_id" | "userId" => Field::Owner(OwnerKind::User),
        "agent_id" | "agentId" => Field::Owner(OwnerKind::Agent),
        "app_id" | "appId" => Field::Owner(OwnerKind::App),
        "run_id" | "runId" => Field::Owner(OwnerKind::Run),
        "created_at" | "createdAt" | "timestamp" => Field::Created,
        "updated_at" | "updatedAt" => Field::Updated,
        "expiration_date" | "expirationDate" => Field::Expires,
        "text" | "memory" | "keywords" | "keywords_search" | "keywordsSearch" => Field::Text,
        "categories" | "category" => Field::Category,
        "memory_ids" | "memoryIds" | "memory_id" | "memoryId" | "id" => Field::Uid,
        _ => return None,
    })
}

fn is_word_field(name: &str) -> bool {
    matches!(name, "keywords" | "keywords_search" | "keywordsSearch")
}

fn is_operator(word: &str) -> bool {
    matches!(
        word,
        "eq" | "ne"
            | "in"
            | "nin"
            | "not_in"
            | "gt"
            | "gte"
            | "lt"
            | "lte"
            | "contains"
            | "icontains"
    )
}

/// One test of a field, its value looked at.
fn operation(name: &str, field: &Field, operator: &str, value: &Value) -> Result<Filter, String> {
    let is = |test| Filter::Is(field.clone(), test);
    let checked = || checked(name, field, value).map(|()| value.clone());
    let list = || -> Result<Vec<Value>, String> {
        let Value::Array(values) = value else {
            return Err(format!("{name}: '{operator}' takes a list"));
        };
        if values.len() > VALUES {
            return Err(format!("{name}: '{operator}' takes at most {VALUES} values"));
        }
        values.iter().try_for_each(|value| self::checked(name, field, value))?;
        Ok(values.clone())
    };
    let text = || match value {
        Value::String(text) if !text.is_empty() => Ok(text.clone()),
        _ => Err(format!("{name}: '{operator}' takes a text")),
    };
    let ordered = || match value {
        Value::String(_) | Value::Number(_) => checked(),
        _ => Err(format!("{name}: '{operator}' takes a number, a text or a date")),
    };
    let any = *value == Value::String("*".to_owned());
    Ok(match operator {
        "eq" if any => is(Test::Present),
        "ne" if any => not(is(Test::Present)),
        "eq" => is(Test::Eq(checked()?)),
        "ne" => is(Test::Ne(checked()?)),
        "in" => is(Test::In(list()?)),
        "nin" | "not_in" => is(Test::NotIn(list()?)),
        "gt" => is(Test::Gt(ordered()?)),
        "gte" => is(Test::Gte(ordered()?)),
        "lt" => is(Test::Lt(ordered()?)),
        "lte" => is(Test::Lte(ordered()?)),
        "contains" => is(Test::Contains(text()?)),
        "icontains" => is(Test::ContainsFold(text()?)),
        other => {
            return Err(format!(
                "{name}: '{other}' is no operator: use eq, ne, in, nin, gt, gte, lt, lte, contains \
                 or icontains"
            ));
        }
    })
}

/// Refuses a value that the field can never have: it would find nothing and look right.
fn checked(name: &str, field: &Field, value: &Value) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    match field {
        Field::Metadata(_) => Ok(()),
        Field::Owner(_) => match value {
            Value::String(owner) => {
                Owner::name(owner).map(drop).map_err(|why| format!("{name} {why}"))
            }
            Value::Number(_) => Ok(()),
            _ => Err(format!("{name} is a text or a number")),
        },
        Field::Created | Field::Updated | Field::Expires => match value {
            Value::String(at) => {
                at.parse::<Time>().map(drop).map_err(|why| format!("{name}: {why}"))
            }
            Value::Number(_) => Ok(()),
            _ => Err(format!("{name} is a date, or a number of seconds")),
        },
        Field::Uid => match value.as_str().map(|uid| Uuid::try_parse(uid.trim())) {
            Some(Ok(_)) => Ok(()),
            _ => Err(format!("{name} holds {value}, which is no UUID")),
        },
        Field::Text | Field::Category if value.is_string() => Ok(()),
        Field::Text | Field::Category => Err(format!("{name} is compared with texts")),
    }
}

#[cfg(test)]
#[path = "tests/filter.rs"]
mod tests;
