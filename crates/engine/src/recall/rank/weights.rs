//! Every number that ranks, in one place.
//!
//! Where they come from: the score has to read "0.5 and more answers the question", so the share of
//! the question that a row covers carries it, and everything else can only scale that share. A row
//! that covers three of five equally rare terms lands just above 0.5, one of two just below. The
//! rest are tie-breakers, 0.14 in sum: with equally rare terms no mix of them lifts a row past one
//! that covers a seventh more of the question.

/// Part of the score that coverage alone earns.
pub(crate) const COVERAGE: f64 = 0.86;
/// Part for BM25 relative to the best candidate: how often and how densely the terms occur.
pub(crate) const BM25: f64 = 0.06;
/// Part for terms in the title or in the names of files.
pub(crate) const TITLE: f64 = 0.05;
/// Part for being recent, relative to the newest candidate.
pub(crate) const RECENCY: f64 = 0.03;

/// How much of coverage is measured on the best passage instead of on the whole row: long rows hold
/// many words by chance, but an answer has them close together.
pub(crate) const PASSAGE: f64 = 0.5;
/// Tokens in a passage: about a paragraph.
pub(crate) const PASSAGE_TOKENS: usize = 80;

/// After so many days the recency part has halved.
pub(crate) const RECENCY_HALF_LIFE_DAYS: f64 = 30.0;

/// A store is taken as a sample of at least so many rows when a term's rarity is judged. Otherwise
/// a term that a store of three rows does not know would outweigh all that it knows.
pub(crate) const LEAST_COLLECTION: f64 = 1_000.0;

/// A pair of CJK characters that no row holds counts half: about every second pair of a sentence
/// straddles two words and is no word itself.
pub(crate) const UNKNOWN_CJK_PAIR: f64 = 0.5;

/// Terms of a question that count whole; of every further one only [`LONG_QUESTION_SHARE`] is
/// expected in an answer, as people tell more than they ask in a long question.
pub(crate) const PLAIN_TERMS: usize = 6;
/// See [`PLAIN_TERMS`].
pub(crate) const LONG_QUESTION_SHARE: f64 = 0.5;

/// A prompt asks more often than it answers.
pub(crate) const PROMPT_ROW: f64 = 0.85;
/// A snapshot is a long digest of many things.
pub(crate) const SNAPSHOT_ROW: f64 = 0.95;

/// A row at or above this score answers the question.
pub(crate) const ANSWERS: f64 = 0.5;

/// Share of a summary's words that another of the session must hold to say the same.
pub(crate) const SAME_SUMMARY: f64 = 0.9;

/// What makes an observation worth a place in the session-start block. Recency counts 1 for the
/// newest and halves every [`WORK_HALF_LIFE_DAYS`].
pub(crate) const WORK_HALF_LIFE_DAYS: f64 = 14.0;
/// Added for work on the branch that is checked out.
pub(crate) const WORK_SAME_BRANCH: f64 = 0.6;
/// Added for work on a file that the last session changed or its next steps name.
pub(crate) const WORK_SAME_FILE: f64 = 0.6;
/// Added, times its score, for what a search for the next steps finds.
pub(crate) const WORK_RELATED: f64 = 0.5;
/// Added for findings over plain changes.
pub(crate) const WORK_FINDING: f64 = 0.2;
