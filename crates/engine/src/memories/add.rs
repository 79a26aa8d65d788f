//! Adding memories.

use afterword_domain::memory::{Attributes, Origin};
use afterword_domain::owner::Owner;
use afterword_domain::project::ProjectRef;
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::{Time, privacy};
use afterword_store::contract::{NewMemory, NewReceipt, ReceiptStatus};
use serde_json::Value;
use uuid::Uuid;

use super::change::cleaned_metadata;
use super::receipt::Receipt;
use super::remember::told_text;
use super::whose::{id_of, text_key};
use crate::infer::{InferRequest, Message, Speaker};
use crate::{Engine, Error, Result, analyze};

/// Most messages of one request.
const MESSAGES: usize = 1_000;

/// Most categories of a memory, and characters of one.
const CATEGORIES: usize = 50;
const CATEGORY_CHARS: usize = 200;

/// Characters of a speaker's name.
const ACTOR_CHARS: usize = 200;

/// A request to add memories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddMemories {
    /// Names the request and its receipt: made once more with the same id, it changes nothing and
    /// gives the same receipt. See [`receipt_id`].
    pub id: Uuid,
    /// What was said, oldest first.
    pub messages: Vec<Message>,
    /// Whose the memories are: at least one name.
    pub owner: Owner,
    /// Whether facts are drawn from the messages; else each message is a memory as it is.
    pub infer: bool,
    /// A caller's own fields, kept with every memory: an object or null.
    pub metadata: Value,
    /// What else is kept with every memory. Role and actor are those of its message.
    pub attributes: Attributes,
    /// When it was said; now unless said, and never later than now.
    pub created_at: Option<Time>,
    /// What the caller wishes to be kept besides, in words for a model.
    pub wishes: String,
    /// How far the speakers' clocks are ahead of UTC, in minutes.
    pub offset_minutes: i32,
    /// Where the memories belong. Without a key and a name it is the project that
    /// `metadata.project` or else the owner's app names, and without these the nameless one.
    pub project: ProjectRef,
}

/// The id of the request that an owner makes under a key of its own.
pub fn receipt_id(owner: &Owner, key: &str) -> Uuid {
    id_of(&["receipt", &owner.to_string(), key])
}

impl Engine {
    /// Adds memories and gives a receipt, which is durable before it is given.
    ///
    /// Without `infer` the memories are stored with it: one a message, those of systems and tools left
    /// out, the same text of the same owner once. With `infer` the request waits to be worked on in
    /// the background. [`Error::Invalid`] where the request cannot be used; nothing is kept then.
    pub async fn add_memories(&self, request: AddMemories) -> Result<Receipt> {
        let request = self.checked(request)?;
        if !request.infer {
            return self.added(request).await;
        }
        let (receipt, asked) = self.request_of(request)?;
        let (stored, _) = self.store.open_receipt(receipt, asked, false).await?;
        if stored.status == ReceiptStatus::Pending {
            self.adding.work.notify_one();
        }
        self.told(stored).await
    }

    /// As [`add_memories`](Self::add_memories), and waits for what comes of it, with `infer` as long
    /// as a call to a model takes. Who stops waiting leaves the request to the background.
    pub async fn add_memories_now(&self, request: AddMemories) -> Result<Receipt> {
        let request = self.checked(request)?;
        if !request.infer {
            return self.added(request).await;
        }
        let id = request.id;
        let (receipt, asked) = self.request_of(request)?;
        let (_, fresh) = self.store.open_receipt(receipt, asked.clone(), true).await?;
        if fresh {
            self.work_now(id, asked).await?;
        } else if let Some((id, asked)) =
            self.store.claim_receipt(Some(id), self.clock.now()).await?
        {
            self.work_now(id, asked).await?;
        } else {
            self.wait_for(id).await?;
        }
        self.receipt(id).await
    }

    /// Stores each message as it is.
    async fn added(&self, request: AddMemories) -> Result<Receipt> {
        let now = self.clock.now();
        let project_id = self.resolve_project(&project_of(&request)).await?.id;
        let mut memories = Vec::with_capacity(request.messages.len());
        for message in &request.messages {
            if let Some(text) = said(message)? {
                memories.push(memory_of(&request, message, text, project_id, now));
            }
        }
        if memories.is_empty() {
            return Err(Error::Invalid(
                "there is nothing to remember: every message is empty, private as a whole, or of a \
                 system"
                    .into(),
            ));
        }
        let receipt = NewReceipt { uid: request.id, owner: request.owner, at: now };
        let stored = self.store.add_with_receipt(receipt, memories).await?;
        self.live.changed();
        self.vectors.rows_came();
        self.told(stored).await
    }

    fn checked(&self, mut request: AddMemories) -> Result<AddMemories> {
        if request.owner.is_nobody() {
            return Err(Error::Invalid(
                "nobody is named whose memories these are: give user_id, agent_id, app_id or run_id"
                    .into(),
            ));
        }
        if request.messages.is_empty() {
            return Err(Error::Invalid("there are no messages".into()));
        }
        if request.messages.len() > MESSAGES {
            return Err(Error::Invalid(format!(
                "{} messages are too many: send at most {MESSAGES} at one time",
                request.messages.len()
            )));
        }
        cleaned_metadata(&mut request.metadata)?;
        clean_attributes(&mut request.attributes)?;
        let now = self.clock.now();
        request.created_at = request.created_at.map(|at| at.min(now));
        Ok(request)
    }

    /// The request as it waits.
    fn request_of(&self, request: AddMemories) -> Result<(NewReceipt, Value)> {
        let project = project_of(&request);
        let messages = request.messages.into_iter().map(|message| Message {
            content: privacy::clean(&message.content),
            name: message.name.map(|name| privacy::clean(&name)),
            ..message
        });
        let now = self.clock.now();
        let asked = InferRequest {
            id: request.id,
            messages: messages.collect(),
            project,
            metadata: request.metadata,
            owner: request.owner.clone(),
            attributes: request.attributes,
            // Worked on tomorrow, it was said today all the same.
            at: Some(request.created_at.unwrap_or(now)),
            offset_minutes: request.offset_minutes,
            wishes: request.wishes,
        };
        let asked = serde_json::to_value(&asked)
            .map_err(|error| Error::Invalid(format!("the request cannot be kept: {error}")))?;
        Ok((NewReceipt { uid: request.id, owner: request.owner, at: now }, asked))
    }
}

/// What a message says; none where nothing of it is kept.
fn said(message: &Message) -> Result<Option<String>> {
    if message.speaker == Speaker::Other || privacy::clean(&message.content).trim().is_empty() {
        return Ok(None);
    }
    told_text(&message.content).map(Some)
}

fn memory_of(
    request: &AddMemories,
    message: &Message,
    text: String,
    project_id: i64,
    now: Time,
) -> NewMemory {
    let actor = message.name.as_deref().unwrap_or_default();
    NewMemory {
        uid: Uuid::now_v7(),
        project_id,
        title: String::new(),
        text_key: text_key(&request.owner, &text),
        owner: request.owner.clone(),
        attributes: Attributes {
            role: message.speaker.word().to_owned(),
            actor: cut_chars(&one_line(&privacy::clean(actor)), ACTOR_CHARS),
            ..request.attributes.clone()
        },
        metadata: request.metadata.clone(),
        files: Vec::new(),
        origin: Origin::Told,
        created_at: message.at.or(request.created_at).unwrap_or(now).min(now),
        index: analyze::index_doc("", &text, &[]),
        text,
    }
}

fn clean_attributes(attributes: &mut Attributes) -> Result<()> {
    let mut categories: Vec<String> = Vec::with_capacity(attributes.categories.len());
    for category in &attributes.categories {
        let category = cut_chars(&one_line(&privacy::clean(category)), CATEGORY_CHARS);
        if !category.is_empty() && !categories.contains(&category) {
            categories.push(category);
        }
    }
    if categories.len() > CATEGORIES {
        return Err(Error::Invalid(format!(
            "{} categories are too many: a memory has at most {CATEGORIES}",
            categories.len()
        )));
    }
    attributes.categories = categories;
    attributes.actor = cut_chars(&one_line(&privacy::clean(&attributes.actor)), ACTOR_CHARS);
    Ok(())
}

fn project_of(request: &AddMemories) -> ProjectRef {
    let project = &request.project;
    if !project.keys.is_empty() || !project.name.trim().is_empty() {
        return project.clone();
    }
    let named = request.metadata.get("project").and_then(Value::as_str);
    ProjectRef::named(named.or(request.owner.app.as_deref()).unwrap_or_default())
}
