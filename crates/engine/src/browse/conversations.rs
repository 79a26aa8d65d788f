//! Sessions, those that continue each other together.

use std::collections::HashMap;

use afterword_domain::scope::Scope;
use afterword_domain::session::Session;
use afterword_domain::wire::viewer::{Conversation, Conversations, SessionCard};

use super::feed::scope;
use crate::{Engine, Result};

/// Sessions that are looked at where no number is asked for, and most of them.
const SESSIONS: usize = 100;
const MOST_SESSIONS: usize = 5_000;

/// Sessions that are looked through for the agents there are.
const FOR_AGENTS: usize = 2_000;

impl Engine {
    /// The conversations of the last `sessions` sessions, the one that went on last first. A
    /// conversation that reaches further back is shown with those of its sessions that were looked
    /// at.
    pub async fn conversations(
        &self,
        project_id: Option<i64>,
        sessions: Option<usize>,
    ) -> Result<Conversations> {
        let limit = sessions.unwrap_or(SESSIONS).clamp(1, MOST_SESSIONS);
        let mut found = self.store.list_sessions(scope(project_id), limit + 1).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        let cards = self.cards(found).await?;
        let mut conversations: Vec<Conversation> = Vec::new();
        let mut places: HashMap<i64, usize> = HashMap::new();
        for card in cards {
            let id = card.session.conversation_id;
            let place = *places.entry(id).or_insert_with(|| {
                let empty = Conversation { id, title: String::new(), sessions: Vec::new() };
                conversations.push(empty);
                conversations.len() - 1
            });
            conversations[place].sessions.push(card);
        }
        for conversation in &mut conversations {
            conversation.sessions.sort_by_key(|card| (card.session.started_at, card.session.id));
            let mut titles =
                conversation.sessions.iter().filter_map(|s| s.session.first_prompt.clone());
            conversation.title = titles.next().unwrap_or_default();
        }
        Ok(Conversations { conversations, more })
    }

    /// The sessions of one conversation, oldest first.
    pub(super) async fn conversation_of(&self, session: &Session) -> Result<Vec<SessionCard>> {
        let scope = Scope::Project(session.project_id);
        let mut all = self.store.list_sessions(scope, MOST_SESSIONS).await?;
        all.retain(|other| other.conversation_id == session.conversation_id);
        all.sort_by_key(|other| (other.started_at, other.id));
        self.cards(all).await
    }

    pub(super) async fn cards(&self, sessions: Vec<Session>) -> Result<Vec<SessionCard>> {
        let projects = self.store.list_projects().await?;
        let names: HashMap<i64, String> = projects.into_iter().map(|p| (p.id, p.name)).collect();
        let card = |session: Session| {
            let project = names.get(&session.project_id).cloned().unwrap_or_default();
            SessionCard { session, project }
        };
        Ok(sessions.into_iter().map(card).collect())
    }

    /// Every agent of the last 2,000 sessions, by name.
    pub async fn agents(&self) -> Result<Vec<String>> {
        let sessions = self.store.list_sessions(Scope::All, FOR_AGENTS).await?;
        let mut agents: Vec<String> = sessions.into_iter().map(|session| session.agent).collect();
        agents.sort();
        agents.dedup();
        Ok(agents)
    }
}
