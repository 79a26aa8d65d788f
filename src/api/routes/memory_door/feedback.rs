//! What somebody thinks of a memory.

use std::sync::Arc;

use afterword_engine::memories::Feedback;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::asked::{Fields, uuid};
use crate::api::body::Json;
use crate::api::door::Door;
use crate::api::error::{ApiError, ApiResult};

/// What somebody thinks of a memory. Further fields are passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct FeedbackBody {
    /// The memory.
    #[serde(default, alias = "memoryId")]
    memory_id: Option<String>,
    /// `POSITIVE`, `NEGATIVE` or `VERY_NEGATIVE`; null takes back what was said.
    #[serde(default)]
    feedback: Option<String>,
    /// Why.
    #[serde(default, alias = "feedbackReason")]
    feedback_reason: Option<String>,
}

/// What was noted.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Noted {
    /// Names the note.
    id: Uuid,
    /// What was said.
    feedback: Option<&'static str>,
    /// Why.
    feedback_reason: Option<String>,
}

/// `POST /v1/feedback/`.
pub(super) async fn note(
    State(door): State<Arc<Door>>,
    Fields(body): Fields<FeedbackBody>,
) -> ApiResult<Json<Noted>> {
    let id = body.memory_id.ok_or_else(|| ApiError::invalid("memory_id is missing"))?;
    let memory = uuid("memory_id", &id)?;
    let feedback = match body.feedback.as_deref().map(|word| word.trim().to_ascii_uppercase()) {
        None => None,
        Some(word) => Some(match word.as_str() {
            "POSITIVE" => (Feedback::Positive, "POSITIVE"),
            "NEGATIVE" => (Feedback::Negative, "NEGATIVE"),
            "VERY_NEGATIVE" => (Feedback::VeryNegative, "VERY_NEGATIVE"),
            _ => {
                return Err(ApiError::invalid(
                    "feedback is POSITIVE, NEGATIVE, VERY_NEGATIVE or null",
                ));
            }
        }),
    };
    let (said, word) = feedback.unzip();
    let reason = body.feedback_reason.as_deref().unwrap_or_default();
    let id = door.engine.feedback(memory, said, reason).await?;
    Ok(Json(Noted { id, feedback: word, feedback_reason: body.feedback_reason }))
}
