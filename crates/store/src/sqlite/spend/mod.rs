//! What calls to a model cost.

mod lines;
mod reserve;

use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use async_trait::async_trait;
use rusqlite::params;

use super::SqliteStore;
use crate::Result;
use crate::contract::{NewInjected, NewSpend, Reserved, Settled, SpendLimits, SpendStore};
use crate::rules::spend::bounded;

pub(super) use reserve::settle;

#[async_trait]
impl SpendStore for SqliteStore {
    async fn reserve_spend(&self, call: &NewSpend, limits: &SpendLimits) -> Result<Reserved> {
        let (call, limits) = (call.clone(), *limits);
        self.write(move |db| reserve::reserve(db, &call, &limits)).await
    }

    async fn settle_spend(&self, id: i64, settled: Settled) -> Result<bool> {
        self.write(move |db| reserve::settle(db, id, settled)).await
    }

    async fn spend_day(&self, now: Time) -> Result<Day> {
        self.read(move |db| reserve::day_of_ledger(db, now)).await
    }

    async fn spend_lines(&self, by: SpendBy, from: Day, to: Day) -> Result<Vec<SpendLine>> {
        self.read(move |db| lines::lines(db, by, from, to)).await
    }

    async fn note_injected(&self, injected: NewInjected) -> Result<()> {
        self.write(move |db| {
            let day = Day::of(injected.at).number();
            let NewInjected { project_id, way, tokens, .. } = injected;
            db.prepare_cached(
                "INSERT INTO injected (day, project_id, way, blocks, tokens)
                 VALUES (?1, ?2, ?3, 1, ?4)
                 ON CONFLICT (day, project_id, way)
                 DO UPDATE SET blocks = blocks + 1, tokens = tokens + excluded.tokens",
            )?
            .execute(params![day, project_id, way, bounded(tokens)])?;
            Ok(())
        })
        .await
    }
}
