//! What the next session of a project would be given, with the reasons.

use afterword_domain::boundary;
use afterword_domain::wire::context::ContextQuestion;
use afterword_domain::wire::viewer::ContextExplained;

use crate::recall::{self, ContextRequest};
use crate::{Engine, Result};

impl Engine {
    /// As [`context`](Self::context), with the reason for each line and what was left out.
    pub async fn explain_context(&self, question: &ContextQuestion) -> Result<ContextExplained> {
        let mut changed_files = question.changed_files.clone();
        boundary::clean_changed(&mut changed_files);
        let Some(found) = self.find_project(&question.project).await? else {
            return Ok(ContextExplained::default());
        };
        let mut project = question.project.clone();
        boundary::clean_project(&mut project);
        let request = ContextRequest {
            project_id: found.id,
            project: found.name,
            branch: project.branch,
            changed_files,
            session_id: None,
            after_compaction: false,
            command: self.command(),
        };
        let explained = recall::explained(&*self.store, &request).await?;
        Ok(ContextExplained { switched_off: !self.settings.session_context, ..explained })
    }
}
