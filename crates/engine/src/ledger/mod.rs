//! What may be spent with a model, what was, and what sessions were handed for it.
//!
//! [`Ledger`] is the [`Budget`](crate::distill::model::budget::Budget) that the model's worker asks:
//! it keeps the caps of [`SpendLimits`] with the prices of a [`PriceList`], says what stops it, and
//! adds everything up for people.

mod budget;
mod prices;
mod report;
mod stop;
#[cfg(test)]
mod tests;

pub use afterword_store::contract::SpendLimits;
pub use budget::Ledger;
pub use prices::{NoPrices, PriceList};
