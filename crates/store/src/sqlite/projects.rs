//! Projects and their aliases.

use afterword_domain::Time;
use afterword_domain::project::{Project, ProjectRef};
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use super::SqliteStore;
use super::connect::Sql;
use super::values::{optional, required, time, uid};
use crate::Result;
use crate::contract::ProjectStore;
use crate::rules::{new_uid, project_name};

#[async_trait]
impl ProjectStore for SqliteStore {
    async fn find_project(&self, project: &ProjectRef) -> Result<Option<Project>> {
        let project = project.clone();
        self.read(move |db| find(db, &project)).await
    }

    async fn resolve_project(&self, project: &ProjectRef, now: Time) -> Result<Project> {
        let project = project.clone();
        self.write(move |db| resolve(db, &project, now)).await
    }

    async fn projects_named(&self, name: &str) -> Result<Vec<Project>> {
        let name = name.to_owned();
        self.read(move |db| {
            let mut list = db.prepare_cached(
                "SELECT * FROM projects WHERE name = ?1 ORDER BY last_seen_at DESC, id DESC",
            )?;
            let rows = list.query_map([name], from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn list_projects(&self) -> Result<Vec<Project>> {
        self.read(|db| {
            let mut list =
                db.prepare_cached("SELECT * FROM projects ORDER BY last_seen_at DESC, id DESC")?;
            let rows = list.query_map([], from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn project_keys(&self, project_id: i64) -> Result<Vec<String>> {
        self.read(move |db| keys(db, project_id)).await
    }
}

pub(super) fn keys(db: &Connection, project_id: i64) -> Sql<Vec<String>> {
    let mut list =
        db.prepare_cached("SELECT key FROM project_aliases WHERE project_id = ?1 ORDER BY id")?;
    let rows = list.query_map([project_id], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: row.get("id")?,
        uid: uid(row)?,
        name: row.get("name")?,
        root: row.get("root")?,
        created_at: time(row, "created_at")?,
        last_seen_at: time(row, "last_seen_at")?,
    })
}

fn by_id(db: &Connection, id: i64) -> Sql<Project> {
    let mut one = db.prepare_cached("SELECT * FROM projects WHERE id = ?1")?;
    required(one.query_row([id], from_row), "project")
}

fn find(db: &Connection, project: &ProjectRef) -> Sql<Option<Project>> {
    if project.keys.is_empty() {
        let mut one = db.prepare_cached(
            "SELECT * FROM projects WHERE name = ?1 ORDER BY last_seen_at DESC, id DESC LIMIT 1",
        )?;
        return optional(one.query_row([project_name(&project.name)], from_row));
    }
    let mut one = db.prepare_cached("SELECT project_id FROM project_aliases WHERE key = ?1")?;
    for key in &project.keys {
        if let Some(id) = optional(one.query_row([key], |row| row.get(0)))? {
            return by_id(db, id).map(Some);
        }
    }
    Ok(None)
}

/// As the contract's `resolve_project`, inside a transaction.
pub(super) fn resolve(db: &Connection, project: &ProjectRef, now: Time) -> Sql<Project> {
    let id = match find(db, project)? {
        Some(known) => {
            refresh(db, known.id, project, now)?;
            known.id
        }
        None => insert(db, project, now)?,
    };
    let mut add = db.prepare_cached(
        "INSERT OR IGNORE INTO project_aliases (key, project_id) VALUES (?1, ?2)",
    )?;
    for key in &project.keys {
        add.execute(params![key, id])?;
    }
    by_id(db, id)
}

fn insert(db: &Connection, project: &ProjectRef, now: Time) -> Sql<i64> {
    db.prepare_cached(
        "INSERT INTO projects (uid, name, root, created_at, last_seen_at)
         VALUES (?1, ?2, ?3, ?4, ?4)",
    )?
    .execute(params![
        new_uid(now).to_string(),
        project_name(&project.name),
        project.root,
        now.millis()
    ])?;
    Ok(db.last_insert_rowid())
}

fn refresh(db: &Connection, id: i64, project: &ProjectRef, now: Time) -> Sql<()> {
    if !project.keys.is_empty() {
        db.prepare_cached(
            "UPDATE projects SET name = CASE WHEN ?2 = '' THEN name ELSE ?2 END,
             root = coalesce(?3, root) WHERE id = ?1",
        )?
        .execute(params![id, project.name.trim(), project.root])?;
    }
    touch(db, id, now)
}

/// Notes that something was stored for a project.
pub(super) fn touch(db: &Connection, id: i64, at: Time) -> Sql<()> {
    db.prepare_cached("UPDATE projects SET last_seen_at = ?2 WHERE id = ?1 AND last_seen_at < ?2")?
        .execute(params![id, at.millis()])?;
    Ok(())
}
