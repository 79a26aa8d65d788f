//! What is asked of owners, as conditions on memories and as terms of the full-text index.

use afterword_domain::filter::{NameMatch, OwnerMatch};
use afterword_domain::owner::{Owner, OwnerKind};
use rusqlite::{Connection, params};

use super::super::connect::Sql;
use super::super::values::optional;

/// Owners that are asked for, by the numbers of their names; a memory matches one of the ways.
#[derive(Debug)]
pub(in super::super) struct Ways(Vec<[Asked; 4]>);

/// What is asked of one name.
#[derive(Debug)]
enum Asked {
    Nothing,
    Present,
    OneOf(Vec<i64>),
}

/// The order in which indexes serve best: a run has few memories, an agent may have all of them.
const NARROWEST: [OwnerKind; 4] =
    [OwnerKind::Run, OwnerKind::User, OwnerKind::App, OwnerKind::Agent];

impl Ways {
    /// Looks names up; ways that ask for names of which there is none are left out.
    pub(in super::super) fn of(db: &Connection, owners: &[OwnerMatch]) -> Sql<Self> {
        let mut ways = Vec::new();
        for owner in owners {
            ways.extend(way(db, owner)?);
        }
        Ok(Self(ways))
    }

    /// Whether no memory can match.
    pub(in super::super) fn is_impossible(&self) -> bool {
        self.0.is_empty()
    }

    /// The condition on a row of `memories m`; numbers alone stand in it, no name.
    pub(in super::super) fn condition(&self) -> String {
        if self.0.is_empty() {
            return "FALSE".to_owned();
        }
        let ways: Vec<String> = self.0.iter().map(on_memories).collect();
        format!("({})", ways.join(" OR "))
    }

    /// The same as a query of the full-text index, by `mark`ed terms of its scope.
    pub(in super::super) fn terms(&self, mark: char) -> String {
        let ways = self.0.iter().filter_map(|way| {
            let kinds = way.iter().zip(OwnerKind::ALL).filter_map(|(asked, kind)| match asked {
                Asked::Nothing => None,
                Asked::Present => Some(format!("\"{mark}{}\"", kind.word())),
                Asked::OneOf(ids) => {
                    let ids: Vec<String> =
                        ids.iter().map(|id| format!("\"{mark}o{id}\"")).collect();
                    Some(format!("({})", ids.join(" OR ")))
                }
            });
            let kinds: Vec<String> = kinds.collect();
            (!kinds.is_empty()).then(|| format!("({})", kinds.join(" AND ")))
        });
        let ways: Vec<String> = ways.collect();
        format!("({})", ways.join(" OR "))
    }
}

fn way(db: &Connection, owner: &OwnerMatch) -> Sql<Option<[Asked; 4]>> {
    let mut way = [const { Asked::Nothing }; 4];
    for (asked, kind) in way.iter_mut().zip(OwnerKind::ALL) {
        *asked = match owner.of(kind) {
            NameMatch::Anything => Asked::Nothing,
            NameMatch::Present => Asked::Present,
            NameMatch::OneOf(names) => {
                let mut ids = Vec::new();
                for name in names {
                    ids.extend(number(db, kind, name)?);
                }
                if ids.is_empty() {
                    return Ok(None);
                }
                Asked::OneOf(ids)
            }
        };
    }
    Ok(Some(way))
}

fn on_memories(way: &[Asked; 4]) -> String {
    let place = |kind: OwnerKind| OwnerKind::ALL.iter().position(|other| *other == kind);
    let asked = NARROWEST.into_iter().filter_map(|kind| Some((kind, way.get(place(kind)?)?)));
    let mut conditions: Vec<String> = Vec::new();
    for (kind, asked) in asked {
        // Only the narrowest of them is looked up in an index: a plus keeps others from it.
        let column = if conditions.is_empty() {
            format!("m.{}", kind.field())
        } else {
            format!("+m.{}", kind.field())
        };
        match asked {
            Asked::Nothing => {}
            Asked::Present => conditions.push(format!("{column} <> ''")),
            // A single name leaves the rows in the order of its index.
            Asked::OneOf(ids) => conditions.push(match &ids[..] {
                [id] => format!("{column} = (SELECT name FROM owners WHERE id = {id})"),
                ids => {
                    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
                    let ids = ids.join(", ");
                    format!("{column} IN (SELECT name FROM owners WHERE id IN ({ids}))")
                }
            }),
        }
    }
    if conditions.is_empty() {
        conditions.push("TRUE".to_owned());
    }
    format!("({})", conditions.join(" AND "))
}

fn number(db: &Connection, kind: OwnerKind, name: &str) -> Sql<Option<i64>> {
    let mut one = db.prepare_cached("SELECT id FROM owners WHERE kind = ?1 AND name = ?2")?;
    optional(one.query_row(params![kind.word(), name], |row| row.get(0)))
}

/// Notes the names of an owner that are new.
pub(in super::super) fn note(db: &Connection, owner: &Owner) -> Sql<()> {
    for (kind, name) in owner.names() {
        db.prepare_cached("INSERT OR IGNORE INTO owners (kind, name) VALUES (?1, ?2)")?
            .execute(params![kind.word(), name])?;
    }
    Ok(())
}

/// The terms of a memory's owner in the scope of the index, each after a blank: the number of each
/// name, and its kind. Needs the tables `owners o` and `memories m`, and the mark as `?1`.
pub(in super::super) const SCOPE_TERMS: &str =
    "coalesce((SELECT group_concat(' ' || ?1 || 'o' || o.id || ' ' || ?1 || o.kind, '')
      FROM owners o WHERE o.kind = 'user' AND o.name = m.user_id
          OR o.kind = 'agent' AND o.name = m.agent_id
          OR o.kind = 'app' AND o.name = m.app_id OR o.kind = 'run' AND o.name = m.run_id), '')";
