//! What calls to a model cost.

mod lines;
mod reserve;

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use async_trait::async_trait;

use super::PostgresStore;
use crate::Result;
use crate::contract::{NewInjected, NewSpend, Reserved, Settled, SpendLimits, SpendStore};
use crate::rules::spend::bounded;

pub(super) use reserve::settle;

#[async_trait]
impl SpendStore for PostgresStore {
    async fn reserve_spend(&self, call: &NewSpend, limits: &SpendLimits) -> Result<Reserved> {
        self.write(|tx| async move { reserve::reserve(&tx, call, limits).await }).await
    }

    async fn settle_spend(&self, id: i64, settled: Settled) -> Result<bool> {
        self.write(|tx| async move { reserve::settle(&tx, id, settled).await }).await
    }

    async fn spend_day(&self, now: Time) -> Result<Day> {
        self.read(|tx| async move { reserve::day_of_ledger(&tx, now).await }).await
    }

    async fn spend_lines(&self, by: SpendBy, from: Day, to: Day) -> Result<Vec<SpendLine>> {
        self.read(|tx| async move { lines::lines(&tx, by, from, to).await }).await
    }

    async fn note_injected(&self, injected: NewInjected) -> Result<()> {
        let injected = &injected;
        self.write(|tx| async move {
            let day = Day::of(injected.at).number();
            let NewInjected { project_id, way, tokens, .. } = injected;
            tx.run(
                "INSERT INTO injected AS i (tenant, day, project_id, way, blocks, tokens)
                 VALUES ($1, $2, $3, $4, 1, $5)
                 ON CONFLICT (tenant, day, project_id, way) DO UPDATE
                 SET blocks = i.blocks + 1, tokens = i.tokens + excluded.tokens",
                &[&day, project_id, way, &bounded(*tokens)],
            )
            .await?;
            Ok(())
        })
        .await
    }
}
