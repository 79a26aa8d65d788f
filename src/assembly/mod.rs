//! From the settings to what works by them: engines, providers, ledgers, embedders.
//!
//! The daemon makes one engine of it, a team server one for each organisation.

mod embedder;
mod engine;
mod ledger;
mod model;
mod provider;

pub use embedder::SharedSource;
pub use engine::{embeddings, extras, settings};
pub use ledger::{ledger_on, open_ledger};
pub use model::mode;
pub use provider::{open_provider, settings_mark};
