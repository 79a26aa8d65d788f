//! Tool uses as they were reported.

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody};
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::observer::{ObserverToolUse, platform};
use afterword_store::contract::{StoredToolUse, ToolUseQuery};
use serde_json::Value;

use super::Order;
use crate::{Engine, Result};

/// Tool uses of an answer where no number is asked for, and most of them.
const USES: usize = 50;
const MOST_USES: usize = 200;

/// Which tool uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUsesAsked {
    /// Only of this project.
    pub project: Option<ProjectRef>,
    /// The agent's id of the session.
    pub session: Option<String>,
    /// Names of tools.
    pub tools: Vec<String>,
    /// The agent's id of the sub-agent.
    pub subagent: Option<String>,
    /// Only at or after this time.
    pub since: Option<Time>,
    /// Only before this time.
    pub until: Option<Time>,
    /// Only these: keys, and agents' ids of calls.
    pub named: Option<(Vec<i64>, Vec<String>)>,
    /// By time of arrival; the newest first unless said.
    pub order: Option<Order>,
    /// How many are left out at the beginning.
    pub offset: usize,
    /// Most of them; 50 unless said, more than 200 are taken for 200.
    pub limit: Option<usize>,
}

impl Engine {
    /// Tool uses whose raw report is kept; `whole` with what the tools were asked and answered.
    pub async fn observer_tool_uses(
        &self,
        asked: &ToolUsesAsked,
        whole: bool,
    ) -> Result<Vec<ObserverToolUse>> {
        let Some(scope) = self.scope_named(asked.project.as_ref()).await? else {
            return Ok(Vec::new());
        };
        let query = ToolUseQuery {
            scope,
            session: asked.session.clone(),
            tools: asked.tools.clone(),
            subagent: asked.subagent.clone(),
            since: asked.since,
            until: asked.until,
            named: asked.named.clone(),
            oldest_first: asked.order == Some(Order::OldestFirst),
            offset: asked.offset,
            limit: asked.limit.unwrap_or(USES).clamp(1, MOST_USES),
        };
        let found = self.store.tool_uses(query).await?;
        Ok(found.into_iter().filter_map(|stored| in_form(stored, whole)).collect())
    }
}

fn in_form(stored: StoredToolUse, whole: bool) -> Option<ObserverToolUse> {
    let StoredToolUse { event_id, session_id, prompt_number, project, observation_id, event } =
        stored;
    let Event { at, agent, agent_session_id, cwd, subagent, body, .. } = event;
    let EventBody::ToolUse { tool } = body else { return None };
    let input = tool.input.to_string();
    let output = tool.error.map_or(tool.output, Value::String).to_string();
    let (agent_id, agent_type) = match subagent {
        Some(subagent) => (Some(subagent.id), Some(subagent.kind)),
        None => (None, None),
    };
    Some(ObserverToolUse {
        id: event_id,
        tool_use_id: tool.call_id,
        tool_name: tool.name,
        project,
        content_session_id: agent_session_id.clone(),
        memory_session_id: agent_session_id,
        session_db_id: session_id,
        platform_source: platform(&agent).to_owned(),
        agent_id,
        agent_type,
        observation_id,
        prompt_number,
        cwd,
        created_at: at,
        created_at_epoch: at.millis(),
        tool_input_bytes: input.len(),
        tool_response_bytes: output.len(),
        tool_input: whole.then_some(input),
        tool_response: whole.then_some(output),
    })
}
