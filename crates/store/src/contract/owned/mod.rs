//! Memories of owners: found, changed and forgotten by whose they are, and receipts of what was
//! added.

mod memories;
mod receipts;

pub use memories::{
    Change, ChangedMemory, ChangedText, Feedback, HistoryEntry, KnownOwner, OwnedPage, OwnedQuery,
    OwnedStore,
};
pub use receipts::{
    NewReceipt, ReceiptLine, ReceiptOutcome, ReceiptStatus, ReceiptStore, StoredReceipt,
};
