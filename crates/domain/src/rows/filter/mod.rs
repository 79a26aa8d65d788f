//! Which memories are meant: the grammar of filters as a tree.

mod holds;
mod necessary;
#[cfg(test)]
mod tests;
mod value;

use serde_json::Value;

use crate::owner::OwnerKind;

pub use necessary::{NameMatch, Necessary, OwnerMatch, Place, Span, Written};

/// Which memories are meant.
///
/// [`holds`](Self::holds) is the one place where its meaning is written. Trees come from callers:
/// whoever reads one bounds its depth, because everything here goes down it by recursion.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Those that pass every one of these; all memories where there is none.
    All(Vec<Self>),
    /// Those that pass one of these at least; none where there is none.
    Any(Vec<Self>),
    /// Those that do not pass this.
    Not(Box<Self>),
    /// Those whose field passes a test.
    Is(Field, Test),
}

impl Default for Filter {
    /// Every memory.
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// What of a memory is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A name of its owner.
    Owner(OwnerKind),
    /// When it was made.
    Created,
    /// When it last changed.
    Updated,
    /// The last day on which it counts.
    Expires,
    /// Its text.
    Text,
    /// Its categories: one that passes is enough.
    Category,
    /// A value in its metadata, by the keys that lead to it.
    Metadata(Vec<String>),
    /// Its uid.
    Uid,
}

/// What is asked of a field.
///
/// A value that cannot be one of the field's kind (a text that is no date beside a time) equals
/// nothing, and nothing is larger or smaller than it. A field that a memory does not have equals
/// null alone.
///
/// Times are texts as [`Time`](crate::Time) reads them, of which a bare day means the whole day, or
/// numbers since the Unix epoch: seconds, and milliseconds from 100,000,000,000 on.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It equals the value. Of a list (categories, a list in metadata) one element does, or the
    /// whole list. A name is compared as text, also where the value is a number; numbers by size.
    Eq(Value),
    /// It does not.
    Ne(Value),
    /// It equals one of the values.
    In(Vec<Value>),
    /// It equals none of them.
    NotIn(Vec<Value>),
    /// It is larger: numbers beside numbers, texts beside texts, later beside times.
    Gt(Value),
    /// It is larger or equals.
    Gte(Value),
    /// It is smaller.
    Lt(Value),
    /// It is smaller or equals.
    Lte(Value),
    /// It holds the text; of a list one element does.
    Contains(String),
    /// It holds the text, in whatever case.
    ContainsFold(String),
    /// It is there and not null.
    Present,
}

impl Filter {
    /// Those of one name.
    pub fn owned(kind: OwnerKind, name: &str) -> Self {
        Self::Is(Field::Owner(kind), Test::Eq(Value::String(name.to_owned())))
    }

    /// Whether nothing passes that is nobody's: at least one name of an owner, or that there is
    /// one, is asked for on every way through.
    pub fn names_an_owner(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(Self::names_an_owner),
            Self::Any(parts) => !parts.is_empty() && parts.iter().all(Self::names_an_owner),
            Self::Not(part) => match &**part {
                Self::Not(inner) => inner.names_an_owner(),
                _ => false,
            },
            Self::Is(Field::Owner(_), test) => match test {
                Test::Eq(value) => !value.is_null(),
                Test::In(values) => values.iter().all(|value| !value.is_null()),
                Test::Ne(_) | Test::NotIn(_) => false,
                _ => true,
            },
            Self::Is(..) => false,
        }
    }
}
