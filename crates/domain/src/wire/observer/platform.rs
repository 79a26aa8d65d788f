//! Names of agents.

use crate::boundary;

/// The agent whose name differs from that of its platform.
const CLAUDE_CODE: &str = "claude-code";

/// The observer's name for it.
const CLAUDE: &str = "claude";

/// What the observer calls an agent.
pub fn platform(agent: &str) -> &str {
    if agent == CLAUDE_CODE { CLAUDE } else { agent }
}

/// The agent that the observer's name of a platform means.
pub fn agent(platform: &str) -> String {
    match platform.trim() {
        CLAUDE | "" => CLAUDE_CODE.to_owned(),
        other => boundary::agent_name(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_means_one_agent() {
        for (name, means) in [("claude", "claude-code"), ("codex", "codex"), (" Cursor ", "cursor")]
        {
            assert_eq!(agent(name), means);
            assert_eq!(agent(platform(means)), means);
        }
    }
}
