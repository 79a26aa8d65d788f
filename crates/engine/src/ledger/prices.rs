//! Where prices come from.

use crate::provider::{Prices, Usage};

/// Knows what models cost, in micro-dollars. Where it does not, it says none, which is not free.
pub trait PriceList: Send + Sync + std::fmt::Debug {
    /// The most that a call can cost with so many tokens in and out, however they are counted.
    fn bound(&self, provider: &str, model: &str, input: u64, output: u64) -> Option<u64>;

    /// What a call cost, rounded up.
    fn cost(&self, provider: &str, model: &str, usage: &Usage) -> Option<u64>;
}

/// The table of a release, and what a person has added to it: by model, whoever runs it.
impl PriceList for Prices {
    fn bound(&self, _: &str, model: &str, input: u64, output: u64) -> Option<u64> {
        Some(self.of(model)?.bound(input, output))
    }

    fn cost(&self, _: &str, model: &str, usage: &Usage) -> Option<u64> {
        Some(self.of(model)?.cost(usage))
    }
}

/// Knows no price.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPrices;

impl PriceList for NoPrices {
    fn bound(&self, _: &str, _: &str, _: u64, _: u64) -> Option<u64> {
        None
    }

    fn cost(&self, _: &str, _: &str, _: &Usage) -> Option<u64> {
        None
    }
}
