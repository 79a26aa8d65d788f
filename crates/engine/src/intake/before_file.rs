//! What a hook is answered before a tool reads or changes a file.

use afterword_domain::boundary;
use afterword_domain::reply::Reply;
use afterword_domain::wire::recall::FileQuestion;
use afterword_store::contract::SessionName;

use super::deadline::{FILE_DEADLINE, in_time};
use super::reply::as_reply;
use crate::distill::project_path;
use crate::recall::{self, FileAsked};
use crate::{Engine, Result};

impl Engine {
    /// What other sessions know of the first of the files of which something is known; each file once
    /// in a session, unless a compaction took it from the conversation.
    ///
    /// Nothing is stored but that the session was told, also of a session of which nothing else is.
    /// A project that is not known, or an answer that takes too long, is no reply.
    pub async fn file_recall(&self, question: &FileQuestion) -> Result<Reply> {
        if !self.settings.file_recall {
            return Ok(Reply::None);
        }
        let mut question = question.clone();
        boundary::clean_file_question(&mut question);
        let told = in_time(FILE_DEADLINE, self.tell_of_files(&question)).await?;
        Ok(told.unwrap_or_default())
    }

    async fn tell_of_files(&self, question: &FileQuestion) -> Result<Reply> {
        let FileQuestion { agent, agent_session_id, project, cwd, paths } = question;
        let Some(found) = self.store.find_project(project).await? else { return Ok(Reply::None) };
        let name = SessionName { agent: agent.clone(), agent_session_id: agent_session_id.clone() };
        let session = self.store.find_session(agent, agent_session_id).await?;
        let given = self.store.given(&name).await?;
        for path in paths {
            let file = project_path(path, cwd.as_deref(), project);
            if file.is_empty() || self.store.file_given(&name, &file).await? {
                continue;
            }
            let asked = FileAsked {
                project_id: found.id,
                project: &found.name,
                session_id: session.as_ref().map(|session| session.id),
                file: &file,
                given: &given,
            };
            let block = recall::file_recall(&*self.store, &asked).await?;
            // Of two calls at one time only one tells it.
            if !block.text.is_empty()
                && self.store.note_file_given(&name, &file, &block.shown).await?
            {
                self.ledger().note_handed("file", found.id, &block.text).await;
                return Ok(as_reply(block));
            }
        }
        Ok(Reply::None)
    }
}
