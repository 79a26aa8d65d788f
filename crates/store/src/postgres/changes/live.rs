//! Reading the log of rows and sessions.

use afterword_domain::PublicId;
use tokio_postgres::Row;

use crate::contract::{LiveChange, LiveChanges, RowChange, SessionChange, What};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::log::{self, Log};
use crate::postgres::values::{get, kind, limit as sql_limit};

pub(super) async fn changes(tx: &Tx, after: Option<i64>, limit: usize) -> Sql<LiveChanges> {
    let stand = log::stand(tx, Log::Live).await?;
    let last = stand.newest;
    let Some(after) = after.filter(|after| *after != last) else {
        return Ok(LiveChanges { last, ..LiveChanges::default() });
    };
    if stand.has_lost(after) {
        return Ok(LiveChanges { last, lost: true, ..LiveChanges::default() });
    }
    let sql = "SELECT id, change, kind, subject, project_id, session_id FROM live_changes
               WHERE tenant = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4";
    let rows = tx.rows(sql, &[&after, &last, &sql_limit(limit)]).await?;
    let changes = rows.iter().map(change).collect::<Sql<_>>()?;
    Ok(LiveChanges { changes, last, lost: false })
}

fn change(row: &Row) -> Sql<LiveChange> {
    let word: &str = get(row, "change")?;
    let subject: i64 = get(row, "subject")?;
    let what = if get::<Option<&str>>(row, "kind")?.is_some() {
        let change = RowChange::ALL.into_iter().find(|change| change.word() == word);
        What::Row(PublicId::new(kind(row, "kind")?, subject), change.unwrap_or(RowChange::Changed))
    } else {
        let change = SessionChange::ALL.into_iter().find(|change| change.word() == word);
        What::Session(subject, change.unwrap_or(SessionChange::Resumed))
    };
    Ok(LiveChange {
        id: get(row, "id")?,
        project_id: get(row, "project_id")?,
        session_id: get(row, "session_id")?,
        what,
    })
}
