//! Projects and their aliases.

use afterword_domain::Time;
use afterword_domain::project::{Project, ProjectRef};
use async_trait::async_trait;

use crate::Result;

/// Projects and the keys they are known by.
#[async_trait]
pub trait ProjectStore {
    /// The project that has any of the reference's keys (the first key that matches wins); with no
    /// keys, the newest-seen project of that exact name.
    async fn find_project(&self, project: &ProjectRef) -> Result<Option<Project>>;

    /// As [`find_project`](Self::find_project), else a new project. Keys not known yet become
    /// aliases of it unless they belong to another project; name and root are brought up to date
    /// when the reference has keys.
    async fn resolve_project(&self, project: &ProjectRef, now: Time) -> Result<Project>;

    /// Every project of exactly this name, last seen first.
    async fn projects_named(&self, name: &str) -> Result<Vec<Project>>;

    /// Every project, last seen first.
    async fn list_projects(&self) -> Result<Vec<Project>>;

    /// The keys of a project, in the order they were added.
    async fn project_keys(&self, project_id: i64) -> Result<Vec<String>>;
}
