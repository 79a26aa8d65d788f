//! Which terms of a query drive a ranking.

/// Rows up to which a term is counted exactly. A term in more rows is common: its rows are never
/// all looked at.
pub(crate) const COMMON: i64 = 1_000;

/// Most terms of a query; what comes after them is not looked at.
pub(crate) const MOST: usize = 64;

/// Rows that the terms which drive a ranking may have together.
const DRIVEN: i64 = 1_500;

/// Splits the terms that occur into those that drive the ranking, rarest first and as many as
/// their rows allow, and those that only weigh in on rows found otherwise. `counted` is in how many
/// rows a term is, up to one more than [`COMMON`].
pub(crate) fn split<T>(mut terms: Vec<T>, counted: impl Fn(&T) -> i64) -> (Vec<T>, Vec<T>) {
    terms.retain(|term| counted(term) > 0);
    terms.sort_by_key(&counted);
    let mut room = DRIVEN;
    terms.into_iter().partition(|term| {
        let counted = counted(term);
        let drives = counted <= COMMON && counted <= room;
        room = (room - counted).max(0);
        drives
    })
}

/// In how many rows each text occurs, by what was found out of it; 0 for one that was not looked at.
pub(crate) fn rows_with(texts: &[String], rows: impl Fn(&str) -> Option<f64>) -> Vec<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of rows")]
    let whole = |text: &String| rows(text).map_or(0, |rows| rows.round() as u64);
    texts.iter().map(whole).collect()
}
