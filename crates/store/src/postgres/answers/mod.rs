//! Answers of a model that are paid for, and facts drawn from messages.

mod facts;
mod paid;

use async_trait::async_trait;
use uuid::Uuid;

use super::PostgresStore;
use crate::Result;
use crate::contract::{
    AnswerOf, AnswerStore, InferenceStore, KeptFact, NewAnswer, NewInference, PaidAnswer, Settled,
};

pub(super) use facts::restore_links;
pub(super) use paid::{forget_of_inference, forget_of_job, forget_of_session};

#[async_trait]
impl AnswerStore for PostgresStore {
    async fn settle_with_answer(
        &self,
        id: i64,
        settled: Settled,
        answer: NewAnswer,
    ) -> Result<bool> {
        let answer = &answer;
        self.write(|tx| async move { paid::settle_keeping(&tx, id, settled, answer).await }).await
    }

    async fn paid_answer(&self, of: AnswerOf) -> Result<Option<PaidAnswer>> {
        self.read(|tx| async move { paid::kept(&tx, of).await }).await
    }
}

#[async_trait]
impl InferenceStore for PostgresStore {
    async fn save_inference(&self, inference: NewInference) -> Result<Vec<KeptFact>> {
        let inference = &inference;
        self.write(|tx| async move { facts::save(&tx, inference).await }).await
    }

    async fn inference(&self, uid: Uuid) -> Result<Option<Vec<KeptFact>>> {
        self.read(|tx| async move { facts::saved(&tx, uid).await }).await
    }
}
