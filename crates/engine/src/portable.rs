//! Export and import of whole rows.

use std::collections::HashMap;

use afterword_domain::owner::Owner;
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::{ImportProblem, ImportReport, PortableRow};
use afterword_domain::{Kind, boundary, privacy, repair};
use afterword_store::contract::{ExportCursor, ImportRow};
use serde::Deserialize as _;

use crate::memories::text_key;
use crate::{Engine, Result, analyze};

/// Problems that a report lists; the others are only counted.
const LISTED_PROBLEMS: usize = 20;

impl Engine {
    /// The next rows of an export after a cursor; an empty list ends it.
    pub async fn export_page(
        &self,
        scope: Scope,
        after: Option<ExportCursor>,
        limit: usize,
    ) -> Result<Vec<(ExportCursor, PortableRow)>> {
        Ok(self.store.export_page(scope, after, limit).await?)
    }

    /// Imports lines of JSON, `first_line` being the number of the first. Lines that cannot be used
    /// are counted and skipped; all others are stored in one transaction.
    ///
    /// `fallback` is where rows go that name no project.
    pub async fn import_lines(
        &self,
        lines: &str,
        first_line: u64,
        fallback: &ProjectRef,
    ) -> Result<ImportReport> {
        let mut report = ImportReport::default();
        let mut rows = Vec::new();
        let mut projects: HashMap<String, i64> = HashMap::new();
        for (line, number) in lines.lines().zip(first_line..) {
            if line.trim().is_empty() {
                continue;
            }
            report.read += 1;
            let read = match read_row(line) {
                Ok(row) => {
                    let project_id = self.project_of(&row, fallback, &mut projects).await?;
                    import_row(row, project_id)
                }
                Err(reason) => Err(reason),
            };
            match read {
                Ok(row) => rows.push(row),
                Err(reason) => {
                    report.failed += 1;
                    if report.problems.len() < LISTED_PROBLEMS {
                        report.problems.push(ImportProblem { line: number, reason });
                    }
                }
            }
        }
        if !rows.is_empty() {
            let counts = self.store.import_rows(rows, self.clock.now()).await?;
            report.stored = counts.stored;
            report.skipped = counts.skipped;
            self.vectors.rows_came();
            self.live.changed();
        }
        Ok(report)
    }

    async fn project_of(
        &self,
        row: &PortableRow,
        fallback: &ProjectRef,
        known: &mut HashMap<String, i64>,
    ) -> Result<i64> {
        let reference = match &row.project {
            Some(name) if !name.trim().is_empty() => {
                ProjectRef { keys: row.project_keys.clone(), ..ProjectRef::named(name) }
            }
            _ => fallback.clone(),
        };
        let key = format!("{}\0{}", reference.name, reference.keys.join("\0"));
        if let Some(id) = known.get(&key) {
            return Ok(*id);
        }
        let id = self.resolve_project(&reference).await?.id;
        known.insert(key, id);
        Ok(id)
    }
}

/// Reads and checks one line; the error says what is wrong with it.
fn read_row(line: &str) -> std::result::Result<PortableRow, String> {
    let value = match serde_json::from_str::<serde_json::Value>(line) {
        Ok(value) => value,
        // Only damage inside texts is repaired: half a line must not pass for a row.
        Err(error) => match repair::parse(line.as_bytes()) {
            Some(value) if line.trim_end().ends_with('}') => value,
            _ => return Err(format!("is no JSON: {error}")),
        },
    };
    let mut row: PortableRow = serde_json::from_value(value).map_err(|e| e.to_string())?;
    clean(&mut row);
    if row.text.is_empty() {
        return Err("has no text".to_owned());
    }
    row.kind.get_or_insert(Kind::Memory);
    Ok(row)
}

/// Cleans a row. It is taken apart without `..`: a new field does not compile until it is treated here.
fn clean(row: &mut PortableRow) {
    let PortableRow {
        uid: _,
        kind: _,
        title,
        text,
        // Cleaned where they are resolved.
        project: _,
        project_keys: _,
        agent,
        session,
        prompt_number: _,
        created_at: _,
        files,
        metadata,
        content,
    } = row;
    for text in [text, title] {
        privacy::clean(text).trim().clone_into(text);
    }
    if let Some(agent) = agent {
        *agent = boundary::agent_name(agent);
    }
    if let Some(session) = session {
        *session = boundary::session_id(session);
    }
    for file in files {
        *file = privacy::clean(file);
    }
    for value in [metadata, content] {
        privacy::clean_value(value);
    }
}

/// A line with whose it is: as its content says, else as the fields of its metadata do.
fn import_row(row: PortableRow, project_id: i64) -> std::result::Result<ImportRow, String> {
    let owner = match row.content.get("owner") {
        _ if row.kind != Some(Kind::Memory) => Owner::default(),
        Some(owner) => Owner::deserialize(owner).map_err(|error| format!("its owner: {error}"))?,
        None => Owner::in_fields(&row.metadata).unwrap_or_default(),
    };
    Ok(ImportRow {
        project_id,
        text_key: text_key(&owner, &row.text),
        owner,
        index: analyze::index_doc(&row.title, &row.text, &row.files),
        row,
    })
}
