//! A model that answers every question alike, and tells what it was sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use afterword_engine::distill::model::Model;
use afterword_engine::provider::{Answer, Ask, Provider, Refusal, Usage, estimate_tokens};
use async_trait::async_trait;

/// An answer of ordinary length: two observations and a summary.
const ANSWER: &str = include_str!("answer.xml");

#[derive(Debug)]
struct Scripted {
    shown: Arc<AtomicU64>,
}

/// The model, and how many tool calls it has been shown so far: the same done again is shown once.
pub(crate) fn scripted() -> (Model, Arc<AtomicU64>) {
    let shown = Arc::new(AtomicU64::new(0));
    (Model::new(Arc::new(Scripted { shown: Arc::clone(&shown) })), shown)
}

/// Tool calls that a question names: its numbered pieces, but for what was said.
fn tool_calls(question: &str) -> u64 {
    let named = question.lines().filter(|line| {
        let piece = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        piece.is_some_and(|(number, what)| {
            let said = what.starts_with("The person's request:") || what.contains("'s answer");
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && !said
        })
    });
    named.count() as u64
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
        self.shown.fetch_add(tool_calls(&ask.prompt), Ordering::Relaxed);
        let usage = Usage {
            input_tokens: estimate_tokens(&ask.system) + estimate_tokens(&ask.prompt),
            output_tokens: estimate_tokens(ANSWER),
            ..Usage::default()
        };
        Ok(Answer { text: ANSWER.to_owned(), usage: Some(usage), cut: false })
    }
}
