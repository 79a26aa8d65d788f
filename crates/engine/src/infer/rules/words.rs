//! Words in a text of small letters.

/// Whether a text begins with these words, whole.
pub(super) fn is_word_at(text: &str, words: &str) -> bool {
    text.strip_prefix(words).is_some_and(|rest| !rest.starts_with(is_inside))
}

/// Whether a word may begin at a place.
pub(super) fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c| is_inside(c) || c == '\'')
}

/// Where words stand in a text, whole.
pub(super) fn word_at(text: &str, words: &str) -> Option<usize> {
    let begins = words.starts_with(is_inside);
    text.match_indices(words)
        .map(|(at, _)| at)
        .find(|&at| (!begins || starts_word(text, at)) && is_word_at(&text[at..], words))
}

/// Whether one of the words, parted by `|`, stands in a text; those of other scripts anywhere.
pub(super) fn has_any(text: &str, words: &str) -> bool {
    words.split('|').any(|word| {
        if word.is_ascii() { word_at(text, word).is_some() } else { text.contains(word) }
    })
}

/// Whether a text begins with one of the words, parted by `|`.
pub(super) fn opens_with(text: &str, words: &str) -> bool {
    words
        .split('|')
        .any(|word| if word.is_ascii() { is_word_at(text, word) } else { text.starts_with(word) })
}

fn is_inside(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
