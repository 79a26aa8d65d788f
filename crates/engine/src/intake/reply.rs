//! What a hook is answered: the block at session start, memories at a prompt.

use afterword_domain::boundary;
use afterword_domain::event::{Event, EventBody, StartSource};
use afterword_domain::reply::Reply;
use afterword_domain::wire::context::ContextBlock;
use afterword_store::contract::{Recorded, SessionName};

use super::deadline::{BLOCK_DEADLINE, PROMPT_DEADLINE, in_time};
use crate::recall::{self, ContextRequest};
use crate::{Engine, Result};

/// What a hook wants to be answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// With a session's first prompt, the block that it was not given at its start.
    pub block: bool,
    /// With prompts, the memories that answer them.
    pub memories: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Self { block: false, memories: true }
    }
}

impl Engine {
    /// The reply to an event that is not to be stored. A project or session that is not known stays
    /// unknown.
    pub async fn reply_only(&self, event: &Event, asked: Asked) -> Result<Reply> {
        let Some(sealed) = boundary::seal(event.clone()) else { return Ok(Reply::None) };
        let event = sealed.event;
        if !matches!(event.body, EventBody::SessionStart { .. }) {
            self.store.note_sign_of_life().await?;
        }
        let Some(project) = self.store.find_project(&event.project).await? else {
            return Ok(Reply::None);
        };
        let session = self.store.find_session(&event.agent, &event.agent_session_id).await?;
        // The prompt may have been stored already, by the hook that stores it.
        let first = asked.block && session.as_ref().is_none_or(|one| one.prompt_counter <= 1);
        let asked = Asked { block: first, ..asked };
        self.reply_for(&event, project.id, session.map(|s| s.id), asked).await
    }

    pub(super) async fn reply(
        &self,
        event: &Event,
        recorded: &Recorded,
        asked: Asked,
    ) -> Result<Reply> {
        match recorded {
            // A report that comes again was not answered the first time.
            Recorded::Stored { turn, project_id, .. }
            | Recorded::Duplicate { turn, project_id, same_report: true } => {
                let asked = Asked { block: asked.block && turn.prompt_number <= 1, ..asked };
                self.reply_for(event, *project_id, Some(turn.session_id), asked).await
            }
            // A hook that is registered twice: the other one is answered.
            Recorded::Duplicate { .. } | Recorded::Skipped(_) => Ok(Reply::None),
        }
    }

    /// The reply to an event; sub-agents are never given context.
    async fn reply_for(
        &self,
        event: &Event,
        project_id: i64,
        session_id: Option<i64>,
        asked: Asked,
    ) -> Result<Reply> {
        if event.subagent.is_some() {
            return Ok(Reply::None);
        }
        match &event.body {
            EventBody::SessionStart { source, .. }
                if self.settings.session_context && source.wants_context() =>
            {
                let request = request(event, project_id, session_id, *source, self.command());
                Ok(as_reply(self.session_context(&request, &session_name(event)).await?))
            }
            EventBody::Prompt { text, private: false } => {
                self.prompt_reply(event, text, (project_id, session_id), asked).await
            }
            _ => Ok(Reply::None),
        }
    }

    async fn prompt_reply(
        &self,
        event: &Event,
        text: &str,
        (project_id, session_id): (i64, Option<i64>),
        asked: Asked,
    ) -> Result<Reply> {
        let name = session_name(event);
        if let Some(session) = session_id
            && self.settings.session_context
            && self.store.take_compaction(session).await?
        {
            let request =
                request(event, project_id, session_id, StartSource::Compact, self.command());
            return Ok(as_reply(self.session_context(&request, &name).await?));
        }
        if asked.block && self.settings.session_context && self.store.given(&name).await?.is_empty()
        {
            let source = StartSource::Startup;
            let request = request(event, project_id, session_id, source, self.command());
            let made = self.session_context(&request, &name);
            let block = in_time(BLOCK_DEADLINE, made).await?.unwrap_or_default();
            if !block.text.is_empty() {
                return Ok(as_reply(block));
            }
        }
        if !asked.memories || !self.prompt_recall() {
            return Ok(Reply::None);
        }
        let recalled = async {
            let given = self.store.given(&name).await?;
            let near = self.near_prompt(project_id, text).await;
            let near = near.as_deref();
            recall::prompt_recall(&*self.store, project_id, session_id, text, &given, near).await
        };
        let Some(block) = in_time(PROMPT_DEADLINE, recalled).await? else {
            return Ok(Reply::None);
        };
        let noted = self.note_given(&name, &block.shown, false);
        let counted = self.ledger().note_handed("prompt", project_id, &block.text);
        tokio::join!(noted, counted);
        Ok(as_reply(block))
    }
}

/// The session that an event is of.
fn session_name(event: &Event) -> SessionName {
    let (agent, agent_session_id) = (event.agent.clone(), event.agent_session_id.clone());
    SessionName { agent, agent_session_id }
}

/// What the block for this event is to be made of.
fn request(
    event: &Event,
    project_id: i64,
    session_id: Option<i64>,
    source: StartSource,
    command: String,
) -> ContextRequest {
    ContextRequest {
        project_id,
        project: event.project.name.clone(),
        branch: event.project.branch.clone(),
        session_id,
        changed_files: match &event.body {
            EventBody::SessionStart { changed_files, .. } => changed_files.clone(),
            _ => Vec::new(),
        },
        after_compaction: source == StartSource::Compact,
        command,
    }
}

pub(super) fn as_reply(block: ContextBlock) -> Reply {
    if block.text.is_empty() {
        Reply::None
    } else {
        Reply::Context { text: block.text, notice: None }
    }
}
