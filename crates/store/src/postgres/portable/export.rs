//! Rows on their way out.

use std::collections::{BTreeMap, BTreeSet};

use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, PublicId};

use crate::contract::{ExportCursor, Row};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::rows::{agents, in_scope, rows, table};
use crate::postgres::values::{get, limit as sql_limit};
use crate::rules::transfer::portable::{fill, line};

/// The rows after a cursor, kind by kind, each by id.
pub(super) async fn page(
    tx: &Tx,
    scope: &Scope,
    after: Option<ExportCursor>,
    limit: usize,
) -> Sql<Vec<(ExportCursor, PortableRow)>> {
    let mut found = Vec::new();
    let kinds = Kind::ALL.into_iter().filter(|kind| after.is_none_or(|after| *kind >= after.kind));
    for kind in kinds {
        let last = after.filter(|after| after.kind == kind).map_or(0, |after| after.id);
        let ids = ids(tx, scope, kind, last, limit - found.len()).await?;
        let whole = rows(tx, scope, &ids).await?;
        let cursors: Vec<ExportCursor> =
            whole.iter().map(|row| ExportCursor { kind, id: row.id.number }).collect();
        found.extend(cursors.into_iter().zip(portable(tx, whole).await?));
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

async fn ids(tx: &Tx, scope: &Scope, kind: Kind, after: i64, limit: usize) -> Sql<Vec<PublicId>> {
    let sql = format!(
        "SELECT id FROM {} WHERE tenant = $1 AND {} AND id > $3 ORDER BY id LIMIT $4",
        table(kind),
        in_scope(scope)
    );
    let found = tx.rows(&sql, &[&scope.project(), &after, &sql_limit(limit)]).await?;
    found.iter().map(|row| Ok(PublicId::new(kind, get(row, "id")?))).collect()
}

/// Rows as lines of an export file, in their order.
pub(super) async fn portable(tx: &Tx, rows: Vec<Row>) -> Sql<Vec<PortableRow>> {
    let agents = agents(tx, &rows).await?;
    let keys = project_keys(tx, &rows).await?;
    let line_of = |row: Row| {
        let agent = row.session_id.and_then(|id| agents.get(&id).cloned());
        let keys = keys.get(&row.project_id).cloned().unwrap_or_default();
        let line = line(&row, agent, keys);
        Ok(fill(line, row.body)?)
    };
    rows.into_iter().map(line_of).collect()
}

async fn project_keys(tx: &Tx, rows: &[Row]) -> Sql<BTreeMap<i64, Vec<String>>> {
    let ids: BTreeSet<i64> = rows.iter().map(|row| row.project_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let mut keys: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    if ids.is_empty() {
        return Ok(keys);
    }
    let sql = "SELECT project_id, key FROM project_aliases
               WHERE tenant = $1 AND project_id = ANY ($2) ORDER BY id";
    for row in tx.rows(sql, &[&ids]).await? {
        keys.entry(get(&row, "project_id")?).or_default().push(get(&row, "key")?);
    }
    Ok(keys)
}
