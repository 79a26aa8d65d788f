//! The list of the viewer's files; a test keeps it equal to the folder.

use super::File;

macro_rules! file {
    ($path:literal) => {
        File { path: $path, bytes: include_bytes!(concat!("../../../viewer/", $path)) }
    };
}

/// Every file of the folder `viewer`.
pub(in crate::api) const FILES: &[File] = &[file!("index.html")];
