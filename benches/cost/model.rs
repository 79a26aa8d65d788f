//! A model that answers every question alike, and tells what it was sent.

use std::sync::Arc;

use afterword_engine::distill::model::Model;
use afterword_engine::provider::{Answer, Ask, Provider, Refusal, Usage, estimate_tokens};
use async_trait::async_trait;

/// An answer of ordinary length: two observations and a summary.
const ANSWER: &str = include_str!("answer.xml");

#[derive(Debug)]
struct Scripted;

pub(crate) fn scripted() -> Model {
    Model::new(Arc::new(Scripted))
}

#[async_trait]
impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn model(&self) -> &'static str {
        "alike"
    }

    async fn complete(&self, ask: &Ask) -> Result<Answer, Refusal> {
        let usage = Usage {
            input_tokens: estimate_tokens(&ask.system) + estimate_tokens(&ask.prompt),
            output_tokens: estimate_tokens(ANSWER),
            ..Usage::default()
        };
        Ok(Answer { text: ANSWER.to_owned(), usage: Some(usage), cut: false })
    }
}
