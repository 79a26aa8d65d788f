//! What was found to be damaged while the store was open.
//!
//! A damaged page stops all writing: what a write would do to a file whose pages do not fit is not
//! known, so the file stays as it is and whoever keeps events elsewhere goes on doing so. Reading
//! goes on as far as it can. A damaged full-text index is made again instead, once.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, Ordering};

use rusqlite::{ErrorCode, ffi};

use super::errors::Fault;
use crate::{Error, Result};

const WELL: u8 = 0;
const BROKEN: u8 = 1;
const MADE_AGAIN: u8 = 2;

/// Shared by all threads of a store.
#[derive(Debug, Default)]
pub(crate) struct Damage {
    /// Why nothing is written any more.
    pages: Mutex<Option<String>>,
    index: AtomicU8,
}

impl Damage {
    /// Looks at a failure of the driver.
    pub(super) fn note(&self, fault: &Fault) {
        let Fault::Driver(error) = fault else { return };
        let code = error.sqlite_error().map_or(0, |error| error.extended_code);
        if code == ffi::SQLITE_CORRUPT_VTAB {
            let first =
                self.index.compare_exchange(WELL, BROKEN, Ordering::AcqRel, Ordering::Acquire);
            // Made again already, and broken again: not the index, but what is below it.
            if first == Err(MADE_AGAIN) {
                self.close(&error.to_string());
            }
        } else if matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ) {
            self.close(&error.to_string());
        }
    }

    /// Stops all writing, and says so once.
    pub(crate) fn close(&self, why: &str) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.is_none() {
            tracing::error!(
                why,
                "the database is damaged and is not written any more; run 'afterword doctor'"
            );
            *pages = Some(why.to_owned());
        }
    }

    /// Refuses where nothing may be written.
    pub(crate) fn refuse(&self) -> Result<()> {
        match &*self.pages.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(Error::Corrupt(why.clone())),
            None => Ok(()),
        }
    }

    /// Whether the index is to be made again; true once.
    pub(crate) fn takes_index(&self) -> bool {
        self.index.compare_exchange(BROKEN, MADE_AGAIN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}
