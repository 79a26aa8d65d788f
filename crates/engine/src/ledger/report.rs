//! The ledger for people, and what sessions were handed.

use afterword_domain::wire::spend::{SpendBy, SpendLine, SpendReport};
use afterword_domain::wire::status::Spend;
use afterword_store::contract::NewInjected;

use super::Ledger;
use crate::Result;
use crate::provider::estimate_tokens;

/// Most days that one report goes back.
const MOST_DAYS: u32 = 3_660;

impl Ledger {
    /// How today stands.
    pub async fn today(&self) -> Result<Spend> {
        let day = self.store.spend_day(self.clock.now()).await?;
        let models = self.store.spend_lines(SpendBy::Model, day, day).await?;
        let all = total(&self.store.spend_lines(SpendBy::Day, day, day).await?);
        Ok(Spend {
            day,
            tokens_today: all.tokens(),
            open_tokens: all.open_tokens,
            daily_token_cap: Some(self.limits.tokens),
            cost_today_micros: all.cost_micros,
            unpriced_tokens: all.unpriced_tokens,
            daily_cost_cap_micros: self.limits.cost,
            models,
            injected_blocks: all.injected_blocks.unwrap_or(0),
            injected_tokens: all.injected_tokens.unwrap_or(0),
            stopped: self.stopped().await?,
        })
    }

    /// The net ledger of the last `days` days, today counted; at least of today.
    pub async fn report(&self, by: SpendBy, days: u32) -> Result<SpendReport> {
        let to = self.store.spend_day(self.clock.now()).await?;
        let from = to.plus(1 - i64::from(days.clamp(1, MOST_DAYS)));
        let lines = self.store.spend_lines(by, from, to).await?;
        let total = total(&self.store.spend_lines(SpendBy::Day, from, to).await?);
        Ok(SpendReport {
            from,
            to,
            by,
            lines,
            total,
            daily_token_cap: self.limits.tokens,
            daily_cost_cap_micros: self.limits.cost,
        })
    }

    /// Counts a block that a session was handed. What cannot be counted is handed over all the same.
    pub async fn note_handed(&self, way: &'static str, project_id: i64, block: &str) {
        if block.is_empty() {
            return;
        }
        let tokens = estimate_tokens(block);
        let injected = NewInjected { at: self.clock.now(), project_id, way, tokens };
        if let Err(error) = self.store.note_injected(injected).await {
            tracing::warn!(%error, way, "what was handed over cannot be counted");
        }
    }
}

fn total(days: &[SpendLine]) -> SpendLine {
    let mut total = SpendLine {
        name: "total".to_owned(),
        injected_blocks: Some(0),
        injected_tokens: Some(0),
        ..SpendLine::default()
    };
    for day in days {
        total.add(day);
    }
    total
}
