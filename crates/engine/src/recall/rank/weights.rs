//! Every number that ranks, in one place.
//!
//! Where they come from: they were set on the `dev` questions of three datasets, of real coding
//! sessions, of a Chinese team chat and of long talks, one setting for all (`docs/reference/retrieval.md`
//! has the figures and the command), next to the same questions asked of texts that they have nothing
//! to do with. Around what stands here the figures are flat: none rests on its last digit.
//!
//! BM25 orders rows well, but its size means nothing across questions until it is divided by what the
//! question can reach; coverage, the share of the question that a row holds, helps short rows and parts
//! answers from rows that share a word by chance. What stands beside a row brought 4 points of recall
//! at 10 where rows are turns of a talk, and changed nothing where they are long digests; dates brought
//! 2 points where one question in eight names one. Half to two thirds of all known answers come above
//! [`ANSWERS_AT`], and none of 226 foreign questions did.
//!
//! Meaning: from three quarters of [`MEANING`] to one and a quarter of it, recall at 10 moves by less
//! than a point; much more of it helps where rows are long digests, much less where they are short
//! turns that all sound alike, and so a long row gets more ([`MEANING_LONG`]: half a point of recall
//! on digests, but four times of it only learns their `dev` questions by heart). A floor at the 50th
//! row is right where there are 500 of them, at the 100th where there are 1,300 and more.
//! [`LITTLE_TOKENS`] brought 1 to 2 points where rows are turns of a talk; twice of it costs as much
//! in Chinese, where terse rows are facts. [`FILE_NAMED`] brought 2 points of MRR on digests; one
//! and a half or three times came out the same.

/// Share of BM25 in the mix; the rest is coverage.
pub(crate) const DENSITY: f64 = 0.8;
/// The mix at which a row answers the question: it becomes a score of 0.5.
pub(crate) const ANSWERS_AT: f64 = 0.28;
/// Part of the score that only the newest rows earn whole.
pub(crate) const RECENCY: f64 = 0.03;

/// BM25's saturation, as in the store, and its correction for length, which is gentler than there:
/// rows are cut to size by distilling, so a longer one mostly says more.
pub(crate) const K1: f64 = 1.2;
/// See [`K1`].
pub(crate) const B: f64 = 0.4;
/// How much an occurrence in the title counts, as in the store.
pub(crate) const TITLE_WEIGHT: f64 = 4.0;
/// How much more than another word of its rarity a question's name of a file weighs: who names a
/// file asks about it.
pub(crate) const FILE_NAMED: f64 = 2.0;
/// How much an occurrence in the name of a file counts, as in the store.
pub(crate) const FILE_WEIGHT: f64 = 2.0;

/// How much of coverage is measured on the best passage instead of on the whole row: long rows hold
/// many words by chance, but an answer has them close together.
pub(crate) const PASSAGE: f64 = 0.3;
/// Tokens in a passage: about a paragraph.
pub(crate) const PASSAGE_TOKENS: usize = 80;

/// What the row before a row in its session adds of its own answer.
pub(crate) const BESIDE_BEFORE: f64 = 0.2;
/// What the row after it adds.
pub(crate) const BESIDE_AFTER: f64 = 0.2;
/// What those two steps away add.
pub(crate) const BESIDE_TWO: f64 = 0.1;
/// Tokens at which a row takes half as much from beside it; much longer rows take next to nothing.
pub(crate) const BESIDE_TOKENS: f64 = 80.0;

/// Tokens of a row of a session at which it keeps half of its answer.
pub(crate) const LITTLE_TOKENS: f64 = 4.0;

/// How much meaning counts beside words.
pub(crate) const MEANING: f64 = 0.4;
/// How much more it counts in a very long row, which holds many words by chance.
pub(crate) const MEANING_LONG: f64 = 0.4;
/// Tokens of a row that gets half of [`MEANING_LONG`].
pub(crate) const MEANING_LONG_TOKENS: f64 = 320.0;
/// The cosine over that of most of the nearest rows at which meaning is 1.
pub(crate) const MEANING_SPAN: f64 = 0.1;
/// From this place on the nearest rows are taken to be near by chance: one row in so many, but no
/// place before the least or behind the last.
pub(crate) const MEANS_NOTHING_SHARE: u64 = 10;
/// See [`MEANS_NOTHING_SHARE`].
pub(crate) const MEANS_NOTHING_LEAST: usize = 50;
/// See [`MEANS_NOTHING_SHARE`].
pub(crate) const MEANS_NOTHING_FROM: usize = 100;
/// The same in a small store, as a share of the rows: one in so many.
pub(crate) const MEANS_NOTHING_ONE_IN: usize = 2;

/// How much a date in the question weighs against a word as rare as rows of that date are.
pub(crate) const DATE: f64 = 0.7;
/// How well the day before or after a named day fits.
pub(crate) const DATE_NEXT_DAY: f64 = 0.7;
/// How well the month of a named day fits.
pub(crate) const DATE_SAME_MONTH: f64 = 0.3;

/// After so many days the recency part has halved.
pub(crate) const RECENCY_HALF_LIFE_DAYS: f64 = 30.0;

/// A store is taken as a sample of at least so many rows when a term's rarity is judged. Otherwise
/// a term that a store of three rows does not know would outweigh all that it knows.
pub(crate) const LEAST_COLLECTION: f64 = 1_000.0;

/// Part of its weight that a pair of CJK characters keeps when no row holds it: most such pairs
/// straddle two words and are no word themselves.
pub(crate) const UNKNOWN_CJK_PAIR: f64 = 0.25;

/// Terms of a question that count whole; of every further one only [`LONG_QUESTION_SHARE`] is
/// expected in an answer, as people tell more than they ask in a long question.
pub(crate) const PLAIN_TERMS: usize = 6;
/// See [`PLAIN_TERMS`].
pub(crate) const LONG_QUESTION_SHARE: f64 = 0.5;

/// A prompt asks more often than it answers.
pub(crate) const PROMPT_ROW: f64 = 0.85;
/// Most that a summary of what was asked and never answered can score: it holds every word of the
/// same question and answers none.
pub(crate) const ASKED_ONLY: f64 = 0.45;
/// A snapshot is a long digest of many things.
pub(crate) const SNAPSHOT_ROW: f64 = 0.95;

/// The least score of a row that holds no word of the question: one that is hardly nearer than the
/// hundredth nearest row falls below it.
pub(crate) const LEAST_MEANT: f64 = 0.05;

/// A row at or above this score answers the question.
pub(crate) const ANSWERS: f64 = 0.5;

/// What a memory or decision keeps of its score when a newer one says otherwise.
pub(crate) const SUPERSEDED: f64 = 0.5;

/// Share of the words of two rows that both hold when they say nearly the same.
pub(crate) const NEARLY: f64 = 0.9;
/// Rows of fewer different words are never nearly the same.
pub(crate) const NEARLY_WORDS: usize = 20;

/// Share of a summary's words that another of the session must hold to say the same.
pub(crate) const SAME_SUMMARY: f64 = 0.9;

/// What makes an observation worth a place in the session-start block. Recency counts 1 for the
/// newest and halves every [`WORK_HALF_LIFE_DAYS`].
pub(crate) const WORK_HALF_LIFE_DAYS: f64 = 14.0;
/// Added for work on the branch that is checked out.
pub(crate) const WORK_SAME_BRANCH: f64 = 0.6;
/// Added for work on a file that the last session changed or its next steps name.
pub(crate) const WORK_SAME_FILE: f64 = 0.6;
/// Added for work on a file that is changed in the checkout and not committed.
pub(crate) const WORK_CHANGED_FILE: f64 = 0.6;
/// Added, times its score, for what a search for the next steps finds.
pub(crate) const WORK_RELATED: f64 = 0.5;
/// Added for findings over plain changes.
pub(crate) const WORK_FINDING: f64 = 0.2;
