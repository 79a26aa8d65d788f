//! Rows that will be stored, by kind.

use std::collections::BTreeSet;

use afterword_domain::memory::Origin;
use afterword_domain::observation::{Observation, Source};
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use afterword_domain::{Kind, PublicId, Time};
use uuid::Uuid;

use super::sessions::Sessions;
use crate::contract::{ImportRow, IndexDoc, NewMemory};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::memories::{add_history, insert_memories, set_superseded, write_snapshot};
use crate::postgres::rows::{ids_of, insert_observations, insert_summaries};
use crate::postgres::search;
use crate::postgres::values::Text;
use crate::rules::FIRST_PROMPT_CHARS;
use crate::rules::entry::Entry;
use crate::rules::transfer::import::{self as rules, Extra};

/// A row that will be stored.
pub(super) struct Incoming<'a> {
    pub(super) new: &'a ImportRow,
    pub(super) uid: Uuid,
    pub(super) created_at: Time,
    pub(super) now: Time,
    pub(super) extra: Extra,
}

/// A prompt on its way.
struct NewPrompt<'a> {
    incoming_uid: Uuid,
    project_id: i64,
    session_id: i64,
    number: i64,
    text: &'a str,
    created_at: Time,
}

/// Rows that wait to be written together.
#[derive(Default)]
pub(super) struct Stored<'a> {
    observations: Vec<(Observation, &'a IndexDoc)>,
    summaries: Vec<(Summary, bool, &'a IndexDoc)>,
    /// Places of summaries that are taken by rows of this import.
    slots: BTreeSet<(i64, &'static str, i64)>,
    prompts: Vec<(NewPrompt<'a>, &'a IndexDoc)>,
    memories: Vec<(NewMemory, Time)>,
    /// Memories whose place others have taken, by their place in the list, with those others.
    superseded: Vec<(usize, Uuid)>,
    snapshots: Vec<(Snapshot, &'a IndexDoc)>,
}

impl<'a> Stored<'a> {
    pub(super) async fn push(
        &mut self,
        tx: &Tx,
        sessions: &mut Sessions,
        row: &Incoming<'a>,
    ) -> Sql<()> {
        match row.new.row.kind.unwrap_or(Kind::Memory) {
            Kind::Observation => self.observation(tx, sessions, row).await,
            Kind::Summary => self.summary(tx, sessions, row).await,
            Kind::Prompt => self.prompt(tx, sessions, row).await,
            Kind::Memory => {
                self.memory(row);
                Ok(())
            }
            Kind::Snapshot => self.snapshot(tx, sessions, row).await,
        }
    }

    async fn observation(
        &mut self,
        tx: &Tx,
        sessions: &mut Sessions,
        row: &Incoming<'a>,
    ) -> Sql<()> {
        let line = &row.new.row;
        let observation = Observation {
            id: 0,
            uid: row.uid,
            session_id: sessions.of_row(tx, row).await?,
            project_id: row.new.project_id,
            prompt_number: line.prompt_number.unwrap_or(0),
            content: rules::observation(line),
            subagent: row.extra.subagent.clone(),
            source: row.extra.source.unwrap_or(Source::Import),
            created_at: row.created_at,
        };
        self.observations.push((observation, &row.new.index));
        Ok(())
    }

    async fn summary(&mut self, tx: &Tx, sessions: &mut Sessions, row: &Incoming<'a>) -> Sql<()> {
        let line = &row.new.row;
        let summary = Summary {
            id: 0,
            uid: row.uid,
            session_id: sessions.of_row(tx, row).await?,
            project_id: row.new.project_id,
            level: row.extra.level.unwrap_or(SummaryLevel::Session),
            prompt_number: line.prompt_number.unwrap_or(0),
            content: rules::summary(line),
            source: row.extra.source.unwrap_or(Source::Import),
            created_at: row.created_at,
        };
        // Where the session has no such summary yet, distilling goes on from this one.
        let slotted = match summary.session_id {
            Some(id) => {
                let place = (id, summary.level.word(), summary.prompt_number);
                !has_summary(tx, place).await? && self.slots.insert(place)
            }
            None => false,
        };
        self.summaries.push((summary, slotted, &row.new.index));
        Ok(())
    }

    /// A prompt keeps its number when that is free in its session, else it gets the next one.
    async fn prompt(&mut self, tx: &Tx, sessions: &mut Sessions, row: &Incoming<'a>) -> Sql<()> {
        let line = &row.new.row;
        let session_id = sessions.of_row_or_own(tx, row).await?;
        let wanted = line.prompt_number.filter(|number| *number > 0);
        let first = cut_chars(&line.text, FIRST_PROMPT_CHARS);
        let number = sessions.prompt_number(tx, session_id, wanted, first).await?;
        let prompt = NewPrompt {
            incoming_uid: row.uid,
            project_id: row.new.project_id,
            session_id,
            number,
            text: &row.new.row.text,
            created_at: row.created_at,
        };
        self.prompts.push((prompt, &row.new.index));
        Ok(())
    }

    fn memory(&mut self, row: &Incoming<'a>) {
        let line = &row.new.row;
        let memory = NewMemory {
            uid: row.uid,
            project_id: row.new.project_id,
            title: line.title.clone(),
            text: line.text.clone(),
            text_key: row.new.text_key.clone(),
            owner: row.new.owner.clone(),
            attributes: row.extra.attributes.clone(),
            metadata: line.metadata.clone(),
            files: line.files.clone(),
            origin: row.extra.origin.unwrap_or(Origin::Imported),
            created_at: row.created_at,
            index: row.new.index.clone(),
        };
        let updated_at = row.extra.updated_at.unwrap_or(row.created_at).min(row.now);
        if let Some(by) = row.extra.superseded_by {
            self.superseded.push((self.memories.len(), by));
        }
        self.memories.push((memory, updated_at));
    }

    async fn snapshot(&mut self, tx: &Tx, sessions: &mut Sessions, row: &Incoming<'a>) -> Sql<()> {
        let snapshot = Snapshot {
            id: 0,
            uid: row.uid,
            session_id: sessions.of_row_or_own(tx, row).await?,
            project_id: row.new.project_id,
            trigger: row.extra.trigger.clone().unwrap_or_else(|| "import".to_owned()),
            text: row.new.row.text.clone(),
            agent_summary: row.extra.agent_summary.clone(),
            created_at: row.created_at,
        };
        self.snapshots.push((snapshot, &row.new.index));
        Ok(())
    }

    /// Writes everything, with the index entries.
    pub(super) async fn write(mut self, tx: &Tx) -> Sql<()> {
        let rows: Vec<_> = self.observations.iter().map(|(row, _)| (row, None)).collect();
        let ids = insert_observations(tx, &rows).await?;
        let mut docs: Vec<(Entry, &IndexDoc)> = Vec::new();
        for ((row, doc), id) in self.observations.iter_mut().zip(ids) {
            row.id = id;
            docs.push((Entry::from(&*row), doc));
        }
        let rows: Vec<_> = self.summaries.iter().map(|(row, slot, _)| (row, *slot)).collect();
        let ids = insert_summaries(tx, &rows).await?;
        for ((row, _, doc), id) in self.summaries.iter_mut().zip(ids) {
            row.id = id;
            docs.push((Entry::from(&*row), doc));
        }
        let ids = insert_prompts(tx, &self.prompts).await?;
        for ((row, doc), id) in self.prompts.iter().zip(ids) {
            docs.push((entry(row, id), doc));
        }
        search::add_all(tx, &docs).await?;
        let memories: Vec<(&NewMemory, Time)> =
            self.memories.iter().map(|(new, at)| (new, *at)).collect();
        let made = insert_memories(tx, &memories).await?;
        let history: Vec<(Uuid, &String, Time)> = made
            .iter()
            .zip(&self.memories)
            .map(|(memory, (new, _))| (memory.uid, &new.text, new.created_at))
            .collect();
        for (at, by) in &self.superseded {
            set_superseded(tx, made[*at].id, Some(*by)).await?;
        }
        if !history.is_empty() {
            add_history(tx, "imported", &history).await?;
        }
        for (snapshot, doc) in &self.snapshots {
            write_snapshot(tx, snapshot, 0, doc).await?;
        }
        Ok(())
    }
}

fn entry(prompt: &NewPrompt<'_>, id: i64) -> Entry {
    Entry {
        id: PublicId::new(Kind::Prompt, id),
        project_id: prompt.project_id,
        session_id: Some(prompt.session_id),
        created_at: prompt.created_at,
        subagent: false,
    }
}

async fn has_summary(tx: &Tx, (session, level, prompt): (i64, &str, i64)) -> Sql<bool> {
    let sql = "SELECT 1 FROM session_summaries WHERE tenant = $1 AND session_id = $2
               AND level = $3 AND prompt_number = $4 AND slotted";
    tx.exists(sql, &[&session, &level, &prompt]).await
}

async fn insert_prompts(tx: &Tx, prompts: &[(NewPrompt<'_>, &IndexDoc)]) -> Sql<Vec<i64>> {
    if prompts.is_empty() {
        return Ok(Vec::new());
    }
    let uids: Vec<Uuid> = prompts.iter().map(|(new, _)| new.incoming_uid).collect();
    let sessions: Vec<i64> = prompts.iter().map(|(new, _)| new.session_id).collect();
    let projects: Vec<i64> = prompts.iter().map(|(new, _)| new.project_id).collect();
    let numbers: Vec<i64> = prompts.iter().map(|(new, _)| new.number).collect();
    let texts: Vec<Text<'_>> = prompts.iter().map(|(new, _)| Text(new.text)).collect();
    let times: Vec<i64> = prompts.iter().map(|(new, _)| new.created_at.millis()).collect();
    let made = tx
        .rows(
            "INSERT INTO user_prompts (tenant, uid, session_id, project_id, number, text, created_at)
             SELECT $1, uid, session_id, project_id, number, text, created_at
             FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
                 $7::bigint[]) WITH ORDINALITY
             AS new (uid, session_id, project_id, number, text, created_at, n)
             ORDER BY n RETURNING id, uid",
            &[&uids, &sessions, &projects, &numbers, &texts, &times],
        )
        .await?;
    ids_of(&made, &uids)
}
