//! Rows on their way in.

use std::collections::BTreeSet;

use afterword_domain::memory::Origin;
use afterword_domain::observation::{Observation, Source};
use afterword_domain::scope::Scope;
use afterword_domain::snapshot::Snapshot;
use afterword_domain::summary::{Summary, SummaryLevel};
use afterword_domain::text::cut_chars;
use afterword_domain::{Kind, PublicId, Time};
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::connect::Sql;
use super::super::memories::{add_history, insert_memory, set_superseded, write_snapshot};
use super::super::projects;
use super::super::rows::{insert_observation, insert_summary, is_forgotten, is_known, row};
use super::super::search;
use super::export::portable;
use crate::contract::{ImportCounts, ImportRow, NewMemory};
use crate::rules::entry::Entry;
use crate::rules::transfer::import::{self as rules, Extra, read_content};
use crate::rules::{FIRST_PROMPT_CHARS, new_uid};

/// Stores rows; see the contract for which are skipped.
pub(super) fn rows(db: &Connection, rows: &[ImportRow], now: Time) -> Sql<ImportCounts> {
    let mut counts = ImportCounts::default();
    let mut projects_seen = BTreeSet::new();
    for row in rows {
        if import_one(db, row, now)? {
            counts.stored += 1;
            projects_seen.insert(row.project_id);
        } else {
            counts.skipped += 1;
        }
    }
    for project_id in projects_seen {
        projects::touch(db, project_id, now)?;
    }
    Ok(counts)
}

fn import_one(db: &Connection, new: &ImportRow, now: Time) -> Sql<bool> {
    let kind = new.row.kind.unwrap_or(Kind::Memory);
    match new.row.uid {
        Some(uid) => {
            let uid = uid.to_string();
            if is_forgotten(db, &uid)? || is_known(db, kind, &uid)? {
                return Ok(false);
            }
        }
        None if has_same_text(db, new, kind)? => return Ok(false),
        None => {}
    }
    // A row from a clock that ran ahead must not stay the newest until that time comes.
    let created_at = new.row.created_at.unwrap_or(now).min(now);
    let incoming = Incoming {
        new,
        uid: new.row.uid.unwrap_or_else(|| new_uid(created_at)),
        created_at,
        now,
        extra: read_content(&new.row.content),
    };
    let stored = match kind {
        Kind::Observation => incoming.observation(db)?,
        Kind::Summary => incoming.summary(db)?,
        Kind::Prompt => incoming.prompt(db)?,
        Kind::Memory => return incoming.memory(db),
        Kind::Snapshot => return incoming.snapshot(db),
    };
    search::put(db, &stored, &new.index)?;
    Ok(true)
}

/// Whether the project holds the same text as a row of the same kind. Same tokens find the
/// candidates, same words decide.
fn has_same_text(db: &Connection, new: &ImportRow, kind: Kind) -> Sql<bool> {
    if kind == Kind::Memory && has_memory(db, new)? {
        return Ok(true);
    }
    for id in search::same_doc(db, new.project_id, kind, &new.index)? {
        if let Some(known) = row(db, &Scope::All, id)?
            && rules::says_the_same(&portable(db, known)?, &new.row)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_memory(db: &Connection, new: &ImportRow) -> Sql<bool> {
    let mut one =
        db.prepare_cached("SELECT 1 FROM memories WHERE project_id = ?1 AND text_key = ?2")?;
    Ok(one.exists(params![new.project_id, new.text_key])?)
}

/// A row that will be stored.
pub(super) struct Incoming<'a> {
    pub(super) new: &'a ImportRow,
    uid: Uuid,
    pub(super) created_at: Time,
    now: Time,
    extra: Extra,
}

impl Incoming<'_> {
    fn entry(&self, kind: Kind, id: i64, session_id: Option<i64>, subagent: bool) -> Entry {
        Entry {
            id: PublicId::new(kind, id),
            project_id: self.new.project_id,
            session_id,
            created_at: self.created_at,
            subagent,
        }
    }

    fn observation(&self, db: &Connection) -> Sql<Entry> {
        let line = &self.new.row;
        let session_id = self.session(db)?;
        let row = Observation {
            id: 0,
            uid: self.uid,
            session_id,
            project_id: self.new.project_id,
            prompt_number: line.prompt_number.unwrap_or(0),
            content: rules::observation(line),
            subagent: self.extra.subagent.clone(),
            source: self.extra.source.unwrap_or(Source::Import),
            created_at: self.created_at,
        };
        let id = insert_observation(db, &row, None)?;
        Ok(self.entry(Kind::Observation, id, session_id, row.subagent.is_some()))
    }

    fn summary(&self, db: &Connection) -> Sql<Entry> {
        let line = &self.new.row;
        let session_id = self.session(db)?;
        let row = Summary {
            id: 0,
            uid: self.uid,
            session_id,
            project_id: self.new.project_id,
            level: self.extra.level.unwrap_or(SummaryLevel::Session),
            prompt_number: line.prompt_number.unwrap_or(0),
            content: rules::summary(line),
            source: self.extra.source.unwrap_or(Source::Import),
            created_at: self.created_at,
        };
        // Where the session has no such summary yet, distilling goes on from this one.
        let slotted = match session_id {
            Some(session_id) => !db
                .prepare_cached(
                    "SELECT 1 FROM session_summaries WHERE session_id = ?1 AND level = ?2
                     AND prompt_number = ?3 AND slotted = 1",
                )?
                .exists(params![session_id, row.level.word(), row.prompt_number])?,
            None => false,
        };
        let id = insert_summary(db, &row, slotted)?;
        Ok(self.entry(Kind::Summary, id, session_id, false))
    }

    /// A prompt keeps its number when that is free in its session, else it gets the next one.
    fn prompt(&self, db: &Connection) -> Sql<Entry> {
        let line = &self.new.row;
        let session_id = self.session_or_own(db)?;
        let mut taken =
            db.prepare_cached("SELECT 1 FROM user_prompts WHERE session_id = ?1 AND number = ?2")?;
        let wanted = line.prompt_number.filter(|n| *n > 0);
        let number = match wanted {
            Some(n) if !taken.exists(params![session_id, n])? => n,
            _ => db
                .prepare_cached("SELECT prompt_counter + 1 FROM sdk_sessions WHERE id = ?1")?
                .query_row([session_id], |row| row.get(0))?,
        };
        db.prepare_cached(
            "UPDATE sdk_sessions SET prompt_counter = max(prompt_counter, ?2),
             first_prompt = CASE WHEN first_prompt IS NULL OR ?2 = 1 THEN ?3 ELSE first_prompt END
             WHERE id = ?1",
        )?
        .execute(params![
            session_id,
            number,
            cut_chars(&line.text, FIRST_PROMPT_CHARS)
        ])?;
        db.prepare_cached(
            "INSERT INTO user_prompts (uid, session_id, project_id, number, text, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            self.uid.to_string(),
            session_id,
            self.new.project_id,
            number,
            line.text,
            self.created_at.millis()
        ])?;
        Ok(self.entry(Kind::Prompt, db.last_insert_rowid(), Some(session_id), false))
    }

    /// A text that the project remembers already under another uid is known.
    fn memory(&self, db: &Connection) -> Sql<bool> {
        if has_memory(db, self.new)? {
            return Ok(false);
        }
        let line = &self.new.row;
        let memory = NewMemory {
            uid: self.uid,
            project_id: self.new.project_id,
            title: line.title.clone(),
            text: line.text.clone(),
            text_key: self.new.text_key.clone(),
            owner: self.new.owner.clone(),
            attributes: self.extra.attributes.clone(),
            metadata: line.metadata.clone(),
            files: line.files.clone(),
            origin: self.extra.origin.unwrap_or(Origin::Imported),
            created_at: self.created_at,
            index: self.new.index.clone(),
        };
        let updated_at = self.extra.updated_at.unwrap_or(self.created_at).min(self.now);
        let id = insert_memory(db, &memory, updated_at)?;
        if let Some(by) = self.extra.superseded_by {
            set_superseded(db, id, Some(by))?;
        }
        add_history(db, self.uid, "imported", &line.text, self.created_at)?;
        Ok(true)
    }

    fn snapshot(&self, db: &Connection) -> Sql<bool> {
        let snapshot = Snapshot {
            id: 0,
            uid: self.uid,
            session_id: self.session_or_own(db)?,
            project_id: self.new.project_id,
            trigger: self.extra.trigger.clone().unwrap_or_else(|| "import".to_owned()),
            text: self.new.row.text.clone(),
            agent_summary: self.extra.agent_summary.clone(),
            created_at: self.created_at,
        };
        write_snapshot(db, &snapshot, 0, &self.new.index)?;
        Ok(true)
    }
}
