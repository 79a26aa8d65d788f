//! Stories by noun; each gets an empty store of any backend.

pub(crate) mod answers;
pub(crate) mod build;
pub(crate) mod changes;
pub(crate) mod events;
pub(crate) mod jobs;
pub(crate) mod memories;
pub(crate) mod model_jobs;
pub(crate) mod owned;
pub(crate) mod portable;
pub(crate) mod projects;
pub(crate) mod receipts;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod spend;
pub(crate) mod vectors;
