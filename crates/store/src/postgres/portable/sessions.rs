//! The sessions that imported rows name.

use std::collections::{BTreeMap, HashMap, HashSet};

use afterword_domain::Time;

use super::incoming::Incoming;
use crate::contract::{ImportRow, SessionChange};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::events::make_session;
use crate::postgres::log::Change;
use crate::postgres::values::{Text, get, short};
use crate::rules::transfer::import::UNKNOWN_AGENT;

/// What is known of the sessions of an import, and what is to be written of them at its end.
pub(super) struct Sessions {
    known: HashMap<(String, String), i64>,
    touched: BTreeMap<i64, (Time, Time)>,
    prompts: HashMap<i64, Prompts>,
}

/// The prompts of a session.
struct Prompts {
    taken: HashSet<i64>,
    counter: i64,
    /// What lists are to show; none where that stays as it is.
    first: Option<String>,
    has_first: bool,
}

fn agent_of(row: &ImportRow) -> String {
    row.row.agent.as_deref().unwrap_or(UNKNOWN_AGENT).replace('\0', "")
}

/// The name of the session for kinds that cannot be without one.
fn own_name(row: &ImportRow) -> String {
    format!("import-{}", row.project_id)
}

impl Sessions {
    /// Looks up the sessions that rows may belong to; nobody else changes them until the end.
    pub(super) async fn of<'a>(tx: &Tx, rows: impl Iterator<Item = &'a ImportRow>) -> Sql<Self> {
        let names = rows.map(|row| {
            let named = row.row.session.as_deref().filter(|name| !name.is_empty());
            (agent_of(row), named.map_or_else(|| own_name(row), short))
        });
        let (agents, shorts): (Vec<String>, Vec<String>) = names.unzip();
        let sql = "SELECT s.agent, s.short, s.id FROM sdk_sessions s WHERE s.tenant = $1
                   AND (s.agent, s.short) IN (SELECT * FROM unnest($2::text[], $3::text[]))
                   ORDER BY s.id FOR NO KEY UPDATE OF s";
        let found = tx.rows(sql, &[&agents, &shorts]).await?;
        let known = found
            .iter()
            .map(|row| Ok(((get(row, "agent")?, get(row, "short")?), get(row, "id")?)))
            .collect::<Sql<_>>()?;
        Ok(Self { known, touched: BTreeMap::new(), prompts: HashMap::new() })
    }

    /// The session a row names, made when it is missing; none when it names none.
    pub(super) async fn of_row(&mut self, tx: &Tx, row: &Incoming<'_>) -> Sql<Option<i64>> {
        match row.new.row.session.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => self.named(tx, row, name).await.map(Some),
            None => Ok(None),
        }
    }

    /// For kinds that cannot be without a session: that of the project's imports.
    pub(super) async fn of_row_or_own(&mut self, tx: &Tx, row: &Incoming<'_>) -> Sql<i64> {
        match self.of_row(tx, row).await? {
            Some(id) => Ok(id),
            None => self.named(tx, row, &own_name(row.new)).await,
        }
    }

    async fn named(&mut self, tx: &Tx, row: &Incoming<'_>, name: &str) -> Sql<i64> {
        let (agent, at) = (agent_of(row.new), row.created_at);
        let place = (agent.clone(), short(name));
        if let Some(id) = self.known.get(&place) {
            let times = self.touched.entry(*id).or_insert((at, at));
            *times = (times.0.min(at), times.1.max(at));
            return Ok(*id);
        }
        let id = make_session(tx, &agent, name, row.new.project_id, at).await?;
        let sql = "UPDATE sdk_sessions SET status = 'completed', completed_at = $3,
                   end_reason = 'import' WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&id, &at.millis()]).await?;
        tx.tell(Change::of_session(id, row.new.project_id, SessionChange::Completed));
        self.known.insert(place, id);
        Ok(id)
    }

    /// The number of a new prompt: the one that is wanted when it is free, else the next one.
    pub(super) async fn prompt_number(
        &mut self,
        tx: &Tx,
        session_id: i64,
        wanted: Option<i64>,
        first: String,
    ) -> Sql<i64> {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.prompts.entry(session_id) {
            entry.insert(Prompts::of(tx, session_id).await?);
        }
        let prompts = self.prompts.get_mut(&session_id).expect("it was put there");
        let number = match wanted {
            Some(number) if !prompts.taken.contains(&number) => number,
            _ => prompts.counter + 1,
        };
        prompts.taken.insert(number);
        prompts.counter = prompts.counter.max(number);
        if !prompts.has_first || number == 1 {
            (prompts.first, prompts.has_first) = (Some(first), true);
        }
        Ok(number)
    }

    /// Writes what became of the sessions.
    pub(super) async fn write(self, tx: &Tx) -> Sql<()> {
        let ids: Vec<i64> = self.touched.keys().copied().collect();
        let (firsts, lasts): (Vec<i64>, Vec<i64>) =
            self.touched.values().map(|(first, last)| (first.millis(), last.millis())).unzip();
        if !ids.is_empty() {
            tx.run(
                "UPDATE sdk_sessions s SET started_at = least(started_at, new.first),
                     last_event_at = greatest(last_event_at, new.last),
                     completed_at = CASE WHEN end_reason = 'import'
                         THEN greatest(completed_at, new.last) ELSE completed_at END
                 FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS new (id, first, last)
                 WHERE s.tenant = $1 AND s.id = new.id",
                &[&ids, &firsts, &lasts],
            )
            .await?;
        }
        for (id, prompts) in self.prompts {
            let sql = "UPDATE sdk_sessions SET prompt_counter = greatest(prompt_counter, $3),
                       first_prompt = coalesce($4, first_prompt) WHERE tenant = $1 AND id = $2";
            tx.run(sql, &[&id, &prompts.counter, &prompts.first.as_deref().map(Text)]).await?;
        }
        Ok(())
    }
}

impl Prompts {
    async fn of(tx: &Tx, session_id: i64) -> Sql<Self> {
        let sql = "SELECT s.prompt_counter, s.first_prompt IS NOT NULL AS has_first,
                       coalesce((SELECT array_agg(p.number) FROM user_prompts p
                           WHERE p.tenant = $1 AND p.session_id = s.id), '{}') AS taken
                   FROM sdk_sessions s WHERE s.tenant = $1 AND s.id = $2";
        let row = tx.one(sql, &[&session_id]).await?;
        let taken: Vec<i64> = get(&row, "taken")?;
        Ok(Self {
            taken: taken.into_iter().collect(),
            counter: get(&row, "prompt_counter")?,
            first: None,
            has_first: get(&row, "has_first")?,
        })
    }
}
