//! Rows that a person corrects: cleaned and bounded as any other text, indexed and embedded anew.

use afterword_domain::observation::ObservationContent;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryContent;
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::timeline::WholeRow;
use afterword_domain::wire::viewer::{
    MergeRequest, ReviseRequest, RevisionRow, Revisions, RowContent,
};
use afterword_domain::{Kind, PublicId, privacy};
use afterword_store::contract::{IndexDoc, NewContent, Revised, Row, RowBody};

use crate::distill::{observation_entry, summary_entry};
use crate::memories::{TITLE_CHARS, refuse_immutable, text_key, told_text};
use crate::timeline::whole;
use crate::{Engine, Error, Result, analyze};

/// Rows that may become part of one at a time.
const MOST_MERGED: usize = 50;

/// Most characters of one field of a distilled row, and most entries of a list.
const FIELD_CHARS: usize = 8_000;
const LIST_ENTRIES: usize = 100;

impl Engine {
    /// Puts what a person says in the place of what a row said. The events behind it stay, and
    /// neither rules nor a model write over it; what it said before is kept as a revision.
    pub async fn revise(&self, request: ReviseRequest) -> Result<WholeRow> {
        let row = self.row_to_revise(request.id).await?;
        let (content, index) = revised_content(&row, request.content)?;
        let takes_in = Vec::new();
        self.save_revised(Revised { id: row.id, content, takes_in, index, at: self.clock.now() })
            .await
    }

    /// Makes one row of several of one kind and project: the events behind all of them stand behind
    /// it, and the others are forgotten.
    pub async fn merge(&self, request: MergeRequest) -> Result<WholeRow> {
        let MergeRequest { into, ids, content } = request;
        let mut takes_in: Vec<PublicId> = Vec::new();
        for id in ids {
            if id != into && !takes_in.contains(&id) {
                takes_in.push(id);
            }
        }
        if takes_in.is_empty() || takes_in.len() > MOST_MERGED {
            return Err(Error::Invalid(format!(
                "name 1 to {MOST_MERGED} other rows that become part of {into}"
            )));
        }
        if !matches!(into.kind, Kind::Observation | Kind::Memory)
            || takes_in.iter().any(|id| id.kind != into.kind)
        {
            return Err(Error::Invalid(
                "only observations with observations and memories with memories can be merged"
                    .into(),
            ));
        }
        let row = self.row_to_revise(into).await?;
        let others = self.store.rows(Scope::Project(row.project_id), &takes_in).await?;
        if let Some(missing) = takes_in.iter().find(|id| !others.iter().any(|o| o.id == **id)) {
            let project = &row.project;
            return Err(Error::NotFound(format!("there is no row {missing} in {project}")));
        }
        let (content, index) = revised_content(&joined(&row, &others), content)?;
        self.save_revised(Revised { id: into, content, takes_in, index, at: self.clock.now() })
            .await
    }

    async fn row_to_revise(&self, id: PublicId) -> Result<Row> {
        if matches!(id.kind, Kind::Prompt | Kind::Snapshot) {
            return Err(Error::Invalid(format!(
                "{id} is a record of what was said; it can be forgotten and not changed"
            )));
        }
        let found = self.store.rows(Scope::All, &[id]).await?.pop();
        found.ok_or_else(|| Error::NotFound(format!("there is no row {id} here")))
    }

    async fn save_revised(&self, revised: Revised) -> Result<WholeRow> {
        let row = match self.store.revise(revised).await {
            Err(afterword_store::Error::Conflict(what)) => {
                return Err(Error::Invalid(format!("there is already {what}: merge the two")));
            }
            other => other?,
        };
        self.live.changed();
        // Its old vectors went with its old words; those of the merged rows are swept away.
        self.vectors.rows_came();
        self.work.notify_one();
        whole(row, Vec::new())
    }

    /// What a row said before each change.
    pub async fn revisions(&self, id: PublicId) -> Result<Revisions> {
        let revisions = self.store.revisions(id).await?;
        let rows = revisions.into_iter().map(|revision| RevisionRow {
            change: revision.change,
            before: revision.before,
            at: revision.at,
        });
        Ok(Revisions { revisions: rows.collect() })
    }
}

/// A row that holds what several hold: lists together, the text of each after the other.
fn joined(row: &Row, others: &[Row]) -> Row {
    let mut whole = row.clone();
    for other in others {
        match (&mut whole.body, &other.body) {
            (RowBody::Observation(into), RowBody::Observation(other)) => {
                let (into, other) = (&mut into.content, &other.content);
                add_text(&mut into.narrative, &other.narrative);
                add_all(&mut into.facts, &other.facts);
                add_all(&mut into.concepts, &other.concepts);
                add_all(&mut into.files_modified, &other.files_modified);
                add_all(&mut into.files_read, &other.files_read);
                let modified = into.files_modified.clone();
                into.files_read.retain(|file| !modified.contains(file));
            }
            (RowBody::Memory(into), RowBody::Memory(other)) => {
                add_text(&mut into.text, &other.text);
                add_all(&mut into.files, &other.files);
            }
            _ => {}
        }
    }
    whole
}

fn add_text(into: &mut String, other: &str) {
    if !other.trim().is_empty() && !into.contains(other.trim()) {
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(other.trim());
    }
}

fn add_all(into: &mut Vec<String>, other: &[String]) {
    for item in other {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// The content that a row is to have, cleaned and bounded, with its index entry.
fn revised_content(row: &Row, asked: RowContent) -> Result<(NewContent, IndexDoc)> {
    let RowContent { title, text, files, observation, summary } = asked;
    let foreign = |yes: bool| {
        if yes {
            let kind = row.id.kind;
            return Err(Error::Invalid(format!(
                "these are not the fields of the {kind} {}",
                row.id
            )));
        }
        Ok(())
    };
    match &row.body {
        RowBody::Memory(memory) => {
            foreign(observation.is_some() || summary.is_some())?;
            refuse_immutable(memory)?;
            let text = told_text(text.as_deref().unwrap_or(&memory.text))?;
            let title = title.map_or_else(|| memory.title.clone(), |title| title_line(&title));
            let files = files.map_or_else(|| memory.files.clone(), |files| list(&files));
            let (text_key, index) =
                (text_key(&memory.owner, &text), analyze::index_doc(&title, &text, &files));
            Ok((NewContent::Memory { title, text, text_key, files }, index))
        }
        RowBody::Observation(row) => {
            foreign(text.is_some() || files.is_some() || summary.is_some())?;
            let mut content = observation.unwrap_or_else(|| row.content.clone());
            if let Some(title) = title {
                content.title = title;
            }
            let content = observation_content(&content)?;
            let index = observation_entry(&content);
            Ok((NewContent::Observation(content), index))
        }
        RowBody::Summary(row) => {
            foreign(text.is_some() || files.is_some() || observation.is_some() || title.is_some())?;
            let content = summary_content(&summary.unwrap_or_else(|| row.content.clone()))?;
            let index = summary_entry(&content);
            Ok((NewContent::Summary(content), index))
        }
        RowBody::Prompt(_) | RowBody::Snapshot(_) => {
            Err(Error::Invalid(format!("{} can be forgotten and not changed", row.id)))
        }
    }
}

fn observation_content(asked: &ObservationContent) -> Result<ObservationContent> {
    let content = ObservationContent {
        r#type: cut_chars(&one_line(&asked.r#type), 40),
        title: title_line(&asked.title),
        subtitle: field(&asked.subtitle),
        narrative: field(&asked.narrative),
        facts: list(&asked.facts),
        concepts: list(&asked.concepts),
        files_read: list(&asked.files_read),
        files_modified: list(&asked.files_modified),
    };
    if content.title.is_empty() && content.narrative.is_empty() && content.facts.is_empty() {
        return Err(Error::Invalid(
            "nothing is left of the observation: forget it, or give it a title".into(),
        ));
    }
    if content.r#type.is_empty() {
        return Err(Error::Invalid("an observation needs a type, such as decision".into()));
    }
    Ok(content)
}

fn summary_content(asked: &SummaryContent) -> Result<SummaryContent> {
    let content = SummaryContent {
        request: field(&asked.request),
        investigated: field(&asked.investigated),
        learned: field(&asked.learned),
        completed: field(&asked.completed),
        next_steps: field(&asked.next_steps),
        notes: field(&asked.notes),
        files_read: list(&asked.files_read),
        files_modified: list(&asked.files_modified),
    };
    let texts = [
        &content.request,
        &content.investigated,
        &content.learned,
        &content.completed,
        &content.next_steps,
        &content.notes,
    ];
    if texts.iter().all(|text| text.is_empty()) {
        return Err(Error::Invalid("nothing is left of the summary: forget it instead".into()));
    }
    Ok(content)
}

fn title_line(text: &str) -> String {
    cut_chars(&one_line(&privacy::clean(text)), TITLE_CHARS)
}

fn field(text: &str) -> String {
    cut_chars(privacy::clean(text).trim(), FIELD_CHARS)
}

fn list(items: &[String]) -> Vec<String> {
    let clean = items.iter().map(|item| cut_chars(privacy::clean(item).trim(), FIELD_CHARS));
    clean.filter(|item| !item.is_empty()).take(LIST_ENTRIES).collect()
}
