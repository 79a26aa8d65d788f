//! Answers of a model that are paid for, and facts drawn from messages.

mod facts;
mod paid;

use async_trait::async_trait;
use uuid::Uuid;

use super::SqliteStore;
use crate::Result;
use crate::contract::{
    AnswerOf, AnswerStore, InferenceStore, KeptFact, NewAnswer, NewInference, PaidAnswer, Settled,
};

pub(super) use facts::restore_links;
pub(super) use paid::{forget_of_inference, forget_of_job, forget_of_session};

#[async_trait]
impl AnswerStore for SqliteStore {
    async fn settle_with_answer(
        &self,
        id: i64,
        settled: Settled,
        answer: NewAnswer,
    ) -> Result<bool> {
        self.write(move |db| paid::settle_keeping(db, id, settled, &answer)).await
    }

    async fn paid_answer(&self, of: AnswerOf) -> Result<Option<PaidAnswer>> {
        self.read(move |db| paid::kept(db, of)).await
    }
}

#[async_trait]
impl InferenceStore for SqliteStore {
    async fn save_inference(&self, inference: NewInference) -> Result<Vec<KeptFact>> {
        self.write(move |db| facts::save(db, &inference)).await
    }

    async fn inference(&self, uid: Uuid) -> Result<Option<Vec<KeptFact>>> {
        self.read(move |db| facts::saved(db, uid)).await
    }
}
