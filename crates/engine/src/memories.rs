//! Remembering on purpose.

use afterword_domain::memory::{Memory, Origin};
use afterword_domain::privacy;
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::NewMemory;
use uuid::Uuid;

use crate::live::LiveBody;
use crate::{Engine, Error, Result, analyze};

/// Most bytes of a memory's text; what is longer belongs into a file.
const TEXT_BYTES: usize = 256 * 1024;

/// Most characters of a memory's title.
const TITLE_CHARS: usize = 200;

impl Engine {
    /// Stores what a person or a model said on purpose. Said again, it is the same memory.
    pub async fn remember(&self, request: RememberRequest, origin: Origin) -> Result<Memory> {
        // Taken apart without `..`: a new field does not compile until it is treated here.
        let RememberRequest { text, title, project, files, mut metadata, created_at } = request;
        let now = self.clock.now();
        let clean = privacy::clean(&text);
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
        let project = self.resolve_project(&project).await?;
        let title = cut_chars(&one_line(&privacy::clean(&title)), TITLE_CHARS);
        privacy::clean_value(&mut metadata);
        let files: Vec<String> = files.iter().map(|file| privacy::clean(file)).collect();
        let memory = NewMemory {
            uid: Uuid::now_v7(),
            project_id: project.id,
            text_key: analyze::text_key(told),
            index: analyze::index_doc(&title, told, &files),
            title,
            text: told.to_owned(),
            metadata,
            files,
            origin,
            created_at: created_at.unwrap_or(now),
        };
        let memory = self.store.remember(memory).await?;
        let id = PublicId::new(Kind::Memory, memory.id);
        self.announce(memory.project_id, LiveBody::NewMemory { id });
        self.vectors.rows_came();
        Ok(memory)
    }
}
