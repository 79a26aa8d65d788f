//! Changing and deleting memories.

use std::collections::HashMap;

use afterword_domain::day::Day;
use afterword_domain::filter::{NameMatch, OwnerMatch};
use afterword_domain::memory::Memory;
use afterword_domain::owner::{Owner, OwnerKind};
use afterword_domain::text::cut_chars;
use afterword_domain::{Time, privacy};
use afterword_store::contract::{ChangedMemory, ChangedText, Feedback};
use serde_json::Value;
use uuid::Uuid;

use super::remember::told_text;
use super::whose::text_key;
use crate::{Engine, Error, Result, analyze};

/// Memories that are deleted in one transaction, so that nobody waits for long.
const AT_ONCE: usize = 500;

/// Characters of a reason that are kept.
const REASON: usize = 2_000;

/// A change of a memory. What is none stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryChange {
    /// What it says from now on.
    pub text: Option<String>,
    /// A caller's own fields, in place of those before: an object or null.
    pub metadata: Option<Value>,
    /// The last day on which it counts; `Some(None)`: it counts for ever.
    pub expires: Option<Option<Day>>,
    /// When; now unless said, and never later than now.
    pub at: Option<Time>,
}

/// Owners by name. Each kind that is named must match: by its name, or by any name for `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerPattern {
    /// Of the person.
    pub user: Option<String>,
    /// Of the agent.
    pub agent: Option<String>,
    /// Of the application.
    pub app: Option<String>,
    /// Of the run.
    pub run: Option<String>,
}

impl OwnerPattern {
    fn matched(&self) -> Result<OwnerMatch> {
        let mut owner = OwnerMatch::default();
        for (kind, named) in
            OwnerKind::ALL.into_iter().zip([&self.user, &self.agent, &self.app, &self.run])
        {
            let Some(name) = named else { continue };
            *owner.of_mut(kind) = if name.trim() == "*" {
                NameMatch::Present
            } else {
                let name = Owner::name(name);
                let name = name.map_err(|why| Error::Invalid(format!("{} {why}", kind.field())))?;
                NameMatch::OneOf([name].into())
            };
        }
        if owner == OwnerMatch::default() {
            return Err(Error::Invalid(
                "nothing is deleted: name the owner by user_id, agent_id, app_id or run_id".into(),
            ));
        }
        Ok(owner)
    }
}

impl Engine {
    /// Changes a memory. [`Error::NotFound`] where there is none, [`Error::Invalid`] where it is
    /// immutable or the change says nothing; the store's
    /// [`Conflict`](afterword_store::Error::Conflict) where its owner has that text already.
    pub async fn change_memory(&self, uid: Uuid, change: MemoryChange) -> Result<Memory> {
        let mut changed = self.changed(vec![(uid, change)]).await?;
        changed.pop().ok_or_else(|| Error::NotFound(format!("there is no memory {uid}")))
    }

    /// Changes memories, all of them or none; returns how many. Errors as for one.
    pub async fn change_memories(&self, changes: Vec<(Uuid, MemoryChange)>) -> Result<u64> {
        Ok(self.changed(changes).await?.len() as u64)
    }

    async fn changed(&self, changes: Vec<(Uuid, MemoryChange)>) -> Result<Vec<Memory>> {
        let uids: Vec<Uuid> = changes.iter().map(|(uid, _)| *uid).collect();
        let known = self.store.memories_by_uid(&uids).await?;
        let known: HashMap<Uuid, Memory> = known.into_iter().map(|m| (m.uid, m)).collect();
        let now = self.clock.now();
        let mut ready = Vec::with_capacity(changes.len());
        for (uid, change) in changes {
            let known = known
                .get(&uid)
                .ok_or_else(|| Error::NotFound(format!("there is no memory {uid}")))?;
            ready.push(ready_change(known, change, now)?);
        }
        let memories = self.store.change_memories(ready).await?;
        if !memories.is_empty() {
            self.live.changed();
            self.vectors.rows_came();
        }
        Ok(memories)
    }

    /// Deletes memories for good, with everything that holds their texts; returns how many there
    /// were.
    pub async fn delete_memories(&self, uids: &[Uuid]) -> Result<u64> {
        let gone = self.store.forget_memories(uids, self.clock.now()).await?;
        self.swept(gone);
        Ok(gone)
    }

    /// Deletes all memories of the owners that match, and drops what is still to be added for them;
    /// returns how many memories there were. [`Error::Invalid`] where nobody is named: nothing is
    /// deleted then.
    pub async fn delete_owned(&self, owners: OwnerPattern) -> Result<u64> {
        let owner = owners.matched()?;
        let mut gone = 0;
        loop {
            let part = self.store.forget_owned(owner.clone(), AT_ONCE, self.clock.now()).await?;
            gone += part;
            if part == 0 {
                break;
            }
        }
        self.swept(gone);
        Ok(gone)
    }

    /// Has the worker sweep away what forgotten memories left in the files.
    fn swept(&self, gone: u64) {
        if gone > 0 {
            self.live.changed();
            self.work.notify_one();
        }
    }

    /// Notes what somebody thinks of a memory; none takes it back. Returns the note's id.
    /// [`Error::NotFound`] where there is no such memory.
    pub async fn feedback(
        &self,
        uid: Uuid,
        feedback: Option<Feedback>,
        reason: &str,
    ) -> Result<Uuid> {
        let reason = cut_chars(privacy::clean(reason).trim(), REASON);
        let noted = self.store.note_feedback(uid, feedback, &reason, self.clock.now()).await;
        noted.map_err(|error| match error {
            afterword_store::Error::NotFound(_) => {
                Error::NotFound(format!("there is no memory {uid}"))
            }
            error => error.into(),
        })
    }
}

fn ready_change(known: &Memory, change: MemoryChange, now: Time) -> Result<ChangedMemory> {
    // Taken apart without `..`: a new field does not compile until it is treated here.
    let MemoryChange { text, mut metadata, expires, at } = change;
    let uid = known.uid;
    refuse_immutable(known)?;
    if text.is_none() && metadata.is_none() && expires.is_none() {
        return Err(Error::Invalid(format!(
            "there is nothing to change of the memory {uid}: give a text, metadata or an expiration"
        )));
    }
    if let Some(metadata) = &mut metadata {
        cleaned_metadata(metadata)?;
    }
    let text = text.map(|text| told_text(&text)).transpose()?.map(|text| ChangedText {
        text_key: text_key(&known.owner, &text),
        index: analyze::index_doc("", &text, &known.files),
        text,
    });
    Ok(ChangedMemory { uid, text, metadata, expires, at: at.unwrap_or(now).min(now) })
}

/// Refuses to change a memory that its caller wished to stay as it is.
pub(crate) fn refuse_immutable(memory: &Memory) -> Result<()> {
    if memory.attributes.immutable {
        let uid = memory.uid;
        return Err(Error::Invalid(format!("the memory {uid} is immutable: delete it instead")));
    }
    Ok(())
}

/// Cleans a caller's own fields, which are an object or nothing.
pub(super) fn cleaned_metadata(metadata: &mut Value) -> Result<()> {
    if !(metadata.is_null() || metadata.is_object()) {
        return Err(Error::Invalid("metadata is an object, or nothing at all".into()));
    }
    privacy::clean_value(metadata);
    Ok(())
}
