//! Remembering on purpose.

use afterword_domain::boundary;
use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::privacy;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::memory::RememberRequest;
use afterword_store::contract::NewMemory;
use uuid::Uuid;

use super::whose::{owner_in, text_key};
use crate::distill::project_path;
use crate::{Engine, Error, Result, analyze};

/// Most bytes of a memory's text; what is longer belongs into a file.
const TEXT_BYTES: usize = 256 * 1024;

/// Most characters of a memory's title.
pub(crate) const TITLE_CHARS: usize = 200;

/// Most files of a memory.
const FILES: usize = 100;

impl Engine {
    /// Stores what a person or a model said on purpose. Said again, it is the same memory, with the
    /// files that it is told with now besides; files are named from the project's root where they lie in it.
    /// Said by another owner (the names in the fields [`OwnerKind::field`](afterword_domain::owner::OwnerKind::field)
    /// of its metadata), it is another one.
    pub async fn remember(&self, request: RememberRequest, origin: Origin) -> Result<Memory> {
        // Taken apart without `..`: a new field does not compile until it is treated here.
        let RememberRequest { text, title, project, files, mut metadata, created_at } = request;
        let now = self.clock.now();
        let told = told_text(&text)?;
        let place = project;
        let project = self.resolve_project(&place).await?;
        let title = cut_chars(&one_line(&privacy::clean(&title)), TITLE_CHARS);
        privacy::clean_value(&mut metadata);
        let owner = owner_in(&metadata)?;
        let files = files_of(files, place, &project)?;
        let memory = NewMemory {
            uid: Uuid::now_v7(),
            project_id: project.id,
            text_key: text_key(&owner, &told),
            owner,
            attributes: Attributes::default(),
            index: analyze::index_doc(&title, &told, &files),
            title,
            text: told,
            metadata,
            files,
            origin,
            // A date to come would head every list until it has come.
            created_at: created_at.unwrap_or(now).min(now),
        };
        let memory = self.store.remember(memory).await?;
        self.live.changed();
        self.vectors.rows_came();
        Ok(memory)
    }
}

/// The files as rows name them, each once.
fn files_of(
    mut told: Vec<String>,
    mut place: ProjectRef,
    project: &Project,
) -> Result<Vec<String>> {
    if told.len() > FILES {
        return Err(Error::Invalid(format!(
            "{} files are too many: a memory names at most {FILES}",
            told.len()
        )));
    }
    boundary::clean_changed(&mut told);
    place.root = place.root.or_else(|| project.root.clone());
    let mut files: Vec<String> = Vec::with_capacity(told.len());
    for file in told {
        let file = project_path(&file, None, &place);
        if !file.is_empty() && !files.contains(&file) {
            files.push(file);
        }
    }
    Ok(files)
}

/// What is left of a memory's text after cleaning.
pub(crate) fn told_text(text: &str) -> Result<String> {
    let clean = privacy::clean(text);
    let told = clean.trim();
    if told.is_empty() {
        return Err(Error::Invalid(
            "there is nothing to remember: the text is empty, or private as a whole".into(),
        ));
    }
    if told.len() > TEXT_BYTES {
        return Err(Error::Invalid(format!(
            "the text has {} bytes, a memory holds at most {TEXT_BYTES}: keep it in a file and \
             remember where it is",
            told.len()
        )));
    }
    Ok(told.to_owned())
}
