//! What the block is made of before it becomes text.

use std::collections::HashSet;

use afterword_domain::PublicId;
use afterword_domain::text::prefix;
use afterword_domain::wire::viewer::Why;

use crate::analyze::text_key;

/// A heading and the lines under it, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    /// What the lines are and where they come from.
    pub(crate) heading: String,
    /// The lines.
    pub(crate) items: Vec<Item>,
    /// Room in UTF-16 units that later sections leave to it; it may use what they do not want.
    pub(crate) share: usize,
}

/// One line. Its texts are as stored: only rendering quotes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Item {
    /// The row it shows; several lines may show one row.
    pub(crate) id: Option<PublicId>,
    /// What stands before the colon: id, type, date. Empty for a bare line.
    pub(crate) lead: String,
    /// What it says.
    pub(crate) text: String,
    /// Most UTF-16 units of the text after quoting.
    pub(crate) most: usize,
    /// The UTC day that heads it; lines of one day follow each other.
    pub(crate) day: Option<String>,
    /// Equal for lines that say the same: the block has one of them.
    pub(crate) key: String,
    /// Why it is offered, the weightiest reason first; for people.
    pub(crate) why: Vec<Why>,
}

/// Bytes that tell lines apart for each unit that a line may show.
const KEY_BYTES: usize = 4;

impl Item {
    /// A line whose text is all it says.
    pub(crate) fn new(id: PublicId, lead: String, text: String, most: usize) -> Self {
        let key = key(&text, most);
        Self { id: Some(id), lead, text, most, day: None, key, why: Vec::new() }
    }

    /// The same with reasons.
    pub(crate) fn because(mut self, why: &[Why]) -> Self {
        self.why = why.to_vec();
        self
    }

    /// As [`Item::new`], told apart from other lines by a part of the text.
    pub(crate) fn about(mut self, topic: &str) -> Self {
        self.key = key(topic, self.most);
        self
    }
}

/// What a line says in even words; no more of it than the line can show.
fn key(text: &str, most: usize) -> String {
    let text = prefix(text.trim(), most * KEY_BYTES);
    let key = text_key(text);
    // A text of nothing but signs has no words: it is compared as it is.
    if key.is_empty() { text.to_owned() } else { key }
}

/// Keeps the first of the lines that say the same.
pub(crate) fn first_of_each<'i>(
    items: impl Iterator<Item = Item> + 'i,
) -> impl Iterator<Item = Item> + 'i {
    let mut said = HashSet::new();
    items.filter(move |item| said.insert(item.key.clone()))
}
