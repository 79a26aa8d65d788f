//! What the schema must look like, told by the steps themselves, and putting back what is missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rusqlite::{Connection, TransactionBehavior};

use super::super::errors::Sql;
use super::migrate::{MIGRATIONS, apply};
use crate::{Error, Result};

/// Columns of a table by name, with what adding one takes.
type Columns = BTreeMap<String, String>;

/// The schema as the steps make it: tables with their columns, and every other object by its SQL.
struct Shape {
    tables: BTreeMap<String, Columns>,
    objects: BTreeMap<String, String>,
}

impl Shape {
    fn expected() -> Sql<Self> {
        let mut memory = Connection::open_in_memory()?;
        apply(&mut memory, MIGRATIONS)?;
        Self::of(&memory)
    }

    fn of(db: &Connection) -> Sql<Self> {
        let mut shape = Self { tables: BTreeMap::new(), objects: BTreeMap::new() };
        let mut list = db.prepare(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'search\\_index\\_%' ESCAPE '\\'
             ORDER BY rowid",
        )?;
        let rows = list.query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        for row in rows {
            let (kind, name, sql) = row?;
            if kind == "table" && !sql.starts_with("CREATE VIRTUAL") {
                shape.tables.insert(name.clone(), columns(db, &name)?);
            }
            shape.objects.insert(name, sql);
        }
        Ok(shape)
    }
}

fn columns(db: &Connection, table: &str) -> Sql<Columns> {
    let mut list =
        db.prepare("SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1)")?;
    let rows = list.query_map([table], |row| {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let (required, default): (bool, Option<String>) = (row.get(2)?, row.get(3)?);
        let mut definition = format!("\"{name}\" {kind}");
        if required {
            definition.push_str(" NOT NULL");
        }
        if let Some(default) = default {
            write!(definition, " DEFAULT {default}").expect("writing to a string");
        }
        Ok((name, definition))
    })?;
    Ok(rows.collect::<std::result::Result<_, _>>()?)
}

/// What the schema lacks, as sentences; empty when all is there.
pub(crate) fn differences(db: &Connection) -> Sql<Vec<String>> {
    let (expected, found) = (Shape::expected()?, Shape::of(db)?);
    let mut problems = Vec::new();
    for (table, columns) in &expected.tables {
        let Some(present) = found.tables.get(table) else {
            problems.push(format!("the table {table} is missing"));
            continue;
        };
        let missing = columns.keys().filter(|name| !present.contains_key(*name));
        problems.extend(missing.map(|name| format!("the table {table} lacks the column {name}")));
    }
    for name in expected.objects.keys() {
        if !expected.tables.contains_key(name) && !found.objects.contains_key(name) {
            problems.push(format!("{name} is missing"));
        }
    }
    Ok(problems)
}

/// Puts missing columns, tables, indexes and triggers back; what was in them is lost, what is
/// there stays. Returns what was wrong.
pub(in super::super) fn repair(db: &mut Connection) -> Result<Vec<String>> {
    let problems = differences(db).map_err(Error::from)?;
    if !problems.is_empty() {
        put_back(db).map_err(Error::from)?;
    }
    Ok(problems)
}

fn put_back(db: &mut Connection) -> Sql<()> {
    let expected = Shape::expected()?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = Shape::of(&tx)?;
    for (table, columns) in &expected.tables {
        match found.tables.get(table) {
            None => tx.execute_batch(&expected.objects[table])?,
            Some(present) => {
                for (name, definition) in columns {
                    if !present.contains_key(name) {
                        let sql = format!("ALTER TABLE \"{table}\" ADD COLUMN {definition}");
                        tx.execute_batch(&sql)?;
                    }
                }
            }
        }
    }
    let lost = expected.objects.iter().filter(|(name, _)| {
        !expected.tables.contains_key(*name) && !found.objects.contains_key(*name)
    });
    for (_, sql) in lost {
        tx.execute_batch(sql)?;
    }
    tx.commit()?;
    Ok(())
}
