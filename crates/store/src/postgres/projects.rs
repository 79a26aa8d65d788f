//! Projects and their aliases.

use afterword_domain::Time;
use afterword_domain::project::{Project, ProjectRef};
use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresStore;
use super::connect::{Sql, Tx, required};
use super::values::{Text, get, short, text, time};
use crate::Result;
use crate::contract::ProjectStore;
use crate::rules::{new_uid, project_name};

#[async_trait]
impl ProjectStore for PostgresStore {
    async fn find_project(&self, project: &ProjectRef) -> Result<Option<Project>> {
        let only = self.only(project);
        self.read(|tx| async move {
            match only {
                Some(id) => of_id(&tx, id).await.map(Some),
                None => find(&tx, project).await,
            }
        })
        .await
    }

    async fn resolve_project(&self, project: &ProjectRef, now: Time) -> Result<Project> {
        let only = self.only(project);
        self.write(|tx| async move {
            match only {
                Some(id) => of_id(&tx, id).await,
                None => resolve(&tx, project, now).await,
            }
        })
        .await
    }

    async fn projects_named(&self, name: &str) -> Result<Vec<Project>> {
        self.read(|tx| async move {
            let sql = "SELECT * FROM projects WHERE tenant = $1 AND name = $2
                       ORDER BY last_seen_at DESC, id DESC";
            tx.rows(sql, &[&Text(name)]).await?.iter().map(from_row).collect()
        })
        .await
    }

    async fn list_projects(&self) -> Result<Vec<Project>> {
        self.read(|tx| async move {
            let sql =
                "SELECT * FROM projects WHERE tenant = $1 ORDER BY last_seen_at DESC, id DESC";
            tx.rows(sql, &[]).await?.iter().map(from_row).collect()
        })
        .await
    }

    async fn project_keys(&self, project_id: i64) -> Result<Vec<String>> {
        self.read(|tx| async move { keys(&tx, project_id).await }).await
    }
}

impl PostgresStore {
    /// The project that is meant where none is named: the one that this store is bound to, if it is.
    fn only(&self, project: &ProjectRef) -> Option<i64> {
        self.project().filter(|_| project.keys.is_empty() && project.name.trim().is_empty())
    }
}

async fn of_id(tx: &Tx, id: i64) -> Sql<Project> {
    let sql = "SELECT * FROM projects WHERE tenant = $1 AND id = $2";
    from_row(&required(tx.first(sql, &[&id]).await?, "project")?)
}

async fn keys(tx: &Tx, project_id: i64) -> Sql<Vec<String>> {
    let sql = "SELECT key FROM project_aliases WHERE tenant = $1 AND project_id = $2 ORDER BY id";
    tx.rows(sql, &[&project_id]).await?.iter().map(|row| get(row, "key")).collect()
}

fn from_row(row: &Row) -> Sql<Project> {
    Ok(Project {
        id: get(row, "id")?,
        uid: get(row, "uid")?,
        name: get(row, "name")?,
        root: get(row, "root")?,
        created_at: time(row, "created_at")?,
        last_seen_at: time(row, "last_seen_at")?,
    })
}

async fn find(tx: &Tx, project: &ProjectRef) -> Sql<Option<Project>> {
    let found = if project.keys.is_empty() {
        let sql = "SELECT * FROM projects WHERE tenant = $1 AND name = $2
                   ORDER BY last_seen_at DESC, id DESC LIMIT 1";
        tx.first(sql, &[&Text(project_name(&project.name))]).await?
    } else {
        let keys: Vec<String> = project.keys.iter().map(|key| short(key)).collect();
        let sql = "SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS k (short, n)
                   JOIN project_aliases a ON a.tenant = $1 AND a.short = k.short
                   JOIN projects p ON p.tenant = $1 AND p.id = a.project_id
                   ORDER BY k.n LIMIT 1";
        tx.first(sql, &[&keys]).await?
    };
    found.as_ref().map(from_row).transpose()
}

/// As the contract's `resolve_project`, inside a transaction.
pub(super) async fn resolve(tx: &Tx, project: &ProjectRef, now: Time) -> Sql<Project> {
    if let Some(known) = find(tx, project).await? {
        return refresh(tx, known, project, now).await;
    }
    if project.keys.is_empty() {
        // No unique key holds names apart, so callers that know only a name come one by one.
        let name = project_name(&project.name);
        let sql = "SELECT pg_advisory_xact_lock(hashtextextended('project ' || $2::text, $1))";
        tx.run(sql, &[&Text(name)]).await?;
        if let Some(known) = find(tx, project).await? {
            return refresh(tx, known, project, now).await;
        }
    }
    insert(tx, project, now).await
}

async fn insert(tx: &Tx, project: &ProjectRef, now: Time) -> Sql<Project> {
    let sql = "INSERT INTO projects (tenant, uid, name, root, created_at, last_seen_at)
               VALUES ($1, $2, $3, $4, $5, $5) RETURNING *";
    let name = Text(project_name(&project.name));
    let (uid, now) = (new_uid(now), now.millis());
    let row = tx.one(sql, &[&uid, &name, &text(project.root.as_ref()), &now]).await?;
    let made = from_row(&row)?;
    // None of the keys was known: one that is now belongs to somebody who was quicker, and this is
    // done again.
    add_keys(tx, made.id, &project.keys, "").await?;
    Ok(made)
}

async fn refresh(tx: &Tx, known: Project, project: &ProjectRef, now: Time) -> Sql<Project> {
    tx.touch_project(known.id, now);
    let last_seen_at = known.last_seen_at.max(now);
    if project.keys.is_empty() {
        return Ok(Project { last_seen_at, ..known });
    }
    let name = match project.name.trim() {
        "" => known.name.clone(),
        name => name.to_owned(),
    };
    let root = project.root.clone().or_else(|| known.root.clone());
    if name != known.name || root != known.root {
        let sql = "UPDATE projects SET name = $3, root = $4 WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&known.id, &Text(&name), &text(root.as_ref())]).await?;
    }
    let new = new_keys(tx, &project.keys).await?;
    add_keys(tx, known.id, &new, "ON CONFLICT (tenant, short) DO NOTHING").await?;
    Ok(Project { name, root, last_seen_at, ..known })
}

/// Makes keys aliases of a project; `conflict` says what becomes of those that somebody has.
async fn add_keys(tx: &Tx, project_id: i64, keys: &[String], conflict: &str) -> Sql<()> {
    let (mut shorts, mut whole): (Vec<String>, Vec<Text<'_>>) = (Vec::new(), Vec::new());
    for key in keys {
        let short = short(key);
        if !shorts.contains(&short) {
            shorts.push(short);
            whole.push(Text(key));
        }
    }
    if shorts.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO project_aliases (tenant, short, key, project_id)
         SELECT $1, new.short, new.key, $4
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS new (short, key, n)
         ORDER BY new.n {conflict}"
    );
    tx.run(&sql, &[&shorts, &whole, &project_id]).await?;
    Ok(())
}

/// Those of some keys that nobody has.
async fn new_keys(tx: &Tx, keys: &[String]) -> Sql<Vec<String>> {
    let shorts: Vec<String> = keys.iter().map(|key| short(key)).collect();
    let sql = "SELECT short FROM project_aliases WHERE tenant = $1 AND short = ANY ($2)";
    let rows = tx.rows(sql, &[&shorts]).await?;
    let known = rows.iter().map(|row| get(row, "short")).collect::<Sql<Vec<String>>>()?;
    Ok(keys.iter().filter(|key| !known.contains(&short(key))).cloned().collect())
}
