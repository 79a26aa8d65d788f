//! What export and import do with a memory's rows.

pub(crate) mod import;
pub(crate) mod portable;
