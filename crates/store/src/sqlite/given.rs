//! What sessions were given: rows, and the files that they were told of.

use afterword_domain::PublicId;
use rusqlite::{Connection, params};

use super::connect::Sql;
use super::values::kind;
use crate::contract::SessionName;
use crate::rules::MOST_GIVEN;

/// What stands in the place of a kind where a file is noted.
const FILE: &str = "file";

pub(super) fn rows(db: &Connection, session: &SessionName) -> Sql<Vec<PublicId>> {
    let mut list = db.prepare_cached(
        "SELECT kind, row_id FROM session_given
         WHERE agent = ?1 AND agent_session_id = ?2 AND kind <> ?3 ORDER BY id",
    )?;
    let rows = list.query_map(params![session.agent, session.agent_session_id, FILE], |row| {
        Ok(PublicId::new(kind(row, "kind")?, row.get("row_id")?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn note(
    db: &Connection,
    session: &SessionName,
    rows: &[PublicId],
    whole_block: bool,
) -> Sql<()> {
    if whole_block {
        let name = params![session.agent, session.agent_session_id];
        db.prepare_cached("DELETE FROM session_given WHERE agent = ?1 AND agent_session_id = ?2")?
            .execute(name)?;
        db.prepare_cached(
            "UPDATE sdk_sessions SET compacted = 0 WHERE agent = ?1 AND agent_session_id = ?2",
        )?
        .execute(name)?;
    }
    for row in rows {
        add(db, session, row.kind.word(), row.number)?;
    }
    forget_oldest(db)
}

pub(super) fn has_file(db: &Connection, session: &SessionName, file: i64) -> Sql<bool> {
    let mut one = db.prepare_cached(
        "SELECT 1 FROM session_given
         WHERE agent = ?1 AND agent_session_id = ?2 AND kind = ?3 AND row_id = ?4",
    )?;
    Ok(one.exists(params![session.agent, session.agent_session_id, FILE, file])?)
}

pub(super) fn note_file(
    db: &Connection,
    session: &SessionName,
    file: i64,
    rows: &[PublicId],
) -> Sql<bool> {
    if !add(db, session, FILE, file)? {
        return Ok(false);
    }
    note(db, session, rows, false)?;
    Ok(true)
}

fn add(db: &Connection, session: &SessionName, kind: &str, number: i64) -> Sql<bool> {
    let added = db
        .prepare_cached(
            "INSERT OR IGNORE INTO session_given (agent, agent_session_id, kind, row_id)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![session.agent, session.agent_session_id, kind, number])?;
    Ok(added > 0)
}

fn forget_oldest(db: &Connection) -> Sql<()> {
    db.prepare_cached(
        "DELETE FROM session_given WHERE id <= (SELECT max(id) FROM session_given) - ?1",
    )?
    .execute([MOST_GIVEN])?;
    Ok(())
}
