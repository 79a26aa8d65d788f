//! What came of adding memories.

use afterword_domain::Time;
use afterword_engine::memories::{Change, Receipt, ReceiptStatus, Receipted};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// The answer to an add.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Added {
    /// What is to be expected, in a sentence.
    message: &'static str,
    /// `PENDING`, `RUNNING`, `SUCCEEDED` or `FAILED`.
    status: &'static str,
    /// Asks `GET /v1/event/{event_id}/` what came of it.
    event_id: Uuid,
    /// What came of it, once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<AddedItem>>,
}

/// One memory that was added or changed; in old lists, also that one will be.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(in crate::api) struct AddedItem {
    /// The memory; null while it waits.
    id: Option<Uuid>,
    /// The memory once more.
    memory_id: Option<Uuid>,
    /// Its text, as it is now.
    memory: Option<String>,
    /// Its text once more, as the platform has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Text>,
    /// `ADD`, `UPDATE`, `DELETE` or `NOOP`; null while it waits.
    event: Option<&'static str>,
    /// What it said before.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_memory: Option<String>,
    /// The role of whoever said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The name of whoever said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_id: Option<String>,
    /// What is to be expected, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    /// How far it is, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// Asks `GET /v1/event/{event_id}/` what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<Uuid>,
}

/// A text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Text {
    memory: String,
}

/// How far an add is, and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "as clients name them")]
pub(in crate::api) struct Event {
    /// Names it.
    id: Uuid,
    /// Always `ADD`.
    event_type: &'static str,
    /// `PENDING`, `RUNNING`, `SUCCEEDED` or `FAILED`.
    status: &'static str,
    /// What was sent is not kept.
    payload: Option<Value>,
    /// Nothing.
    metadata: Option<Value>,
    /// What came of it.
    results: Vec<AddedItem>,
    /// When it was asked for.
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Time,
    /// When it last changed.
    #[schemars(with = "String", extend("format" = "date-time"))]
    updated_at: Time,
    /// When it was first worked on.
    #[schemars(with = "Option<String>")]
    started_at: Option<Time>,
    /// When it was done.
    #[schemars(with = "Option<String>")]
    completed_at: Option<Time>,
    /// Milliseconds from the first work to the end.
    latency: Option<i64>,
    /// Why it failed.
    error: Option<String>,
}

/// The answer to an add.
pub(in crate::api) fn added(receipt: Receipt) -> Added {
    let done = receipt.status == ReceiptStatus::Succeeded;
    Added {
        message: sentence(receipt.status),
        status: status(receipt.status),
        event_id: receipt.id,
        results: done.then(|| results(receipt)),
    }
}

/// The list that old callers are answered with: what came of it, or that it waits.
pub(in crate::api) fn added_list(receipt: Receipt) -> Vec<AddedItem> {
    if receipt.status == ReceiptStatus::Succeeded {
        return results(receipt);
    }
    vec![AddedItem {
        message: Some(sentence(receipt.status)),
        status: Some(status(receipt.status)),
        event_id: Some(receipt.id),
        ..AddedItem::default()
    }]
}

/// How far an add is.
pub(in crate::api) fn event(receipt: Receipt) -> Event {
    let took = |from: Time, to: Time| to.millis() - from.millis();
    Event {
        id: receipt.id,
        event_type: "ADD",
        status: status(receipt.status),
        payload: None,
        metadata: None,
        created_at: receipt.created_at,
        updated_at: receipt.updated_at,
        started_at: receipt.started_at,
        completed_at: receipt.completed_at,
        latency: receipt.started_at.zip(receipt.completed_at).map(|(from, to)| took(from, to)),
        error: (!receipt.error.is_empty()).then(|| receipt.error.clone()),
        results: results(receipt),
    }
}

fn results(receipt: Receipt) -> Vec<AddedItem> {
    receipt.results.into_iter().filter(|one| one.change != Change::None).map(item).collect()
}

fn item(one: Receipted) -> AddedItem {
    let said = |word: String| (!word.is_empty()).then_some(word);
    AddedItem {
        id: Some(one.memory),
        memory_id: Some(one.memory),
        data: Some(Text { memory: one.text.clone() }),
        memory: Some(one.text),
        event: Some(word(one.change)),
        previous_memory: one.previous,
        role: said(one.role),
        actor_id: said(one.actor),
        ..AddedItem::default()
    }
}

/// How clients know a change.
pub(super) const fn word(change: Change) -> &'static str {
    match change {
        Change::Add => "ADD",
        Change::Update => "UPDATE",
        Change::Delete => "DELETE",
        Change::None => "NOOP",
    }
}

const fn status(status: ReceiptStatus) -> &'static str {
    match status {
        ReceiptStatus::Pending => "PENDING",
        ReceiptStatus::Running => "RUNNING",
        ReceiptStatus::Succeeded => "SUCCEEDED",
        ReceiptStatus::Failed => "FAILED",
    }
}

const fn sentence(status: ReceiptStatus) -> &'static str {
    match status {
        ReceiptStatus::Pending | ReceiptStatus::Running => {
            "Memory processing has been queued for background execution"
        }
        ReceiptStatus::Succeeded => "Memories stored successfully",
        ReceiptStatus::Failed => "Memories could not be stored: the event says why",
    }
}
