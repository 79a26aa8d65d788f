//! How well recall finds what it should, measured on a dataset of questions with known answers.
//!
//! [`Dataset`] reads a folder of the neutral format: `docs.jsonl`, `queries.jsonl` and `split.json`.
//! [`ingest`] stores its docs by the import that people use, each group as a project of its own, and
//! [`measure`] asks each question inside its group through whatever answers a search. What comes out
//! is strict: recall is the share of the known answers found, not whether any was found.

mod dataset;
mod error;
mod kept;
mod meaning;
mod metrics;
mod prompts;
mod run;
#[cfg(test)]
mod tests;

pub use dataset::{Dataset, Doc, Docs, Level, Query, Split};
pub use error::DatasetError;
pub use kept::KeptEmbedder;
pub use meaning::{Meaning, prompt};
pub use metrics::Scores;
pub use prompts::{Answered, PromptReport, measure_prompts};
pub use run::{Ingested, Latency, Mode, ModeReport, Report, ingest, measure};
