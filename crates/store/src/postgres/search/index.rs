//! Keeping the index in step with the rows.

use std::collections::HashMap;

use afterword_domain::{Kind, PublicId, Time};

use super::encode::Terms;
use crate::contract::{IndexDoc, RowChange};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::log::Change;
use crate::postgres::values::{Text, get, kind as kind_of, time};
use crate::rules::entry::{Entry, length};
use crate::rules::hash::doc_hash;

/// The counter of the rows of a kind.
fn rows_counter(kind: &str) -> String {
    format!("rows.{kind}")
}

/// The counter of the rows that are embedded for a space.
pub(in crate::postgres) fn embedded_counter(space: i64) -> String {
    format!("embedded.{space}")
}

/// Puts a row into the index, or brings its entry up to date; an entry that is right stays.
pub(in crate::postgres) async fn put(tx: &Tx, entry: &Entry, doc: &IndexDoc) -> Sql<()> {
    put_all(tx, &[(*entry, doc)]).await
}

/// As [`put`], for several rows, each once.
pub(in crate::postgres) async fn put_all(tx: &Tx, docs: &[(Entry, &IndexDoc)]) -> Sql<()> {
    if docs.is_empty() {
        return Ok(());
    }
    let known = known(tx, docs).await?;
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for (entry, doc) in docs {
        match known.get(&entry.id) {
            None => new.push((*entry, *doc)),
            Some(known) => changed.push((*known, *entry, *doc)),
        }
    }
    add_all(tx, &new).await?;
    for (known, entry, doc) in changed {
        update(tx, known, &entry, doc).await?;
    }
    Ok(())
}

/// An entry that is in the index.
#[derive(Clone, Copy, Debug)]
struct Known {
    key: i64,
    doc_hash: i64,
    created_at: Time,
    tokens: i64,
    embedded: i64,
}

async fn known(tx: &Tx, docs: &[(Entry, &IndexDoc)]) -> Sql<HashMap<PublicId, Known>> {
    let (kinds, numbers): (Vec<&str>, Vec<i64>) =
        docs.iter().map(|(entry, _)| (entry.id.kind.word(), entry.id.number)).unzip();
    let sql = "SELECT r.id, r.kind, r.row_id, r.doc_hash, r.created_at, r.tokens, r.embedded
               FROM unnest($2::text[], $3::bigint[]) AS k (kind, number)
               JOIN search_rows r ON r.tenant = $1 AND r.kind = k.kind AND r.row_id = k.number";
    let rows = tx.rows(sql, &[&kinds, &numbers]).await?;
    let known = rows.iter().map(|row| {
        let id = PublicId::new(kind_of(row, "kind")?, get(row, "row_id")?);
        let known = Known {
            key: get(row, "id")?,
            doc_hash: get(row, "doc_hash")?,
            created_at: time(row, "created_at")?,
            tokens: get(row, "tokens")?,
            embedded: get(row, "embedded")?,
        };
        Ok((id, known))
    });
    known.collect()
}

/// What stands in columns, row by row.
#[derive(Default)]
struct Columns<'a> {
    kinds: Vec<&'static str>,
    numbers: Vec<i64>,
    projects: Vec<i64>,
    sessions: Vec<Option<i64>>,
    times: Vec<i64>,
    subagents: Vec<bool>,
    tokens: Vec<i64>,
    hashes: Vec<i64>,
    titles: Vec<Text<'a>>,
    texts: Vec<Text<'a>>,
    files: Vec<Text<'a>>,
    /// Terms of all rows, one after the other, and where those of each row begin and end.
    terms: Vec<i64>,
    firsts: Vec<i32>,
    lasts: Vec<i32>,
    weights: Vec<Vec<u8>>,
}

impl<'a> Columns<'a> {
    fn push(&mut self, tenant: i64, entry: &Entry, doc: &'a IndexDoc) {
        self.kinds.push(entry.id.kind.word());
        self.numbers.push(entry.id.number);
        self.projects.push(entry.project_id);
        self.sessions.push(entry.session_id);
        self.times.push(entry.created_at.millis());
        self.subagents.push(entry.subagent);
        self.tokens.push(length(doc));
        self.hashes.push(doc_hash(doc));
        self.titles.push(Text(&doc.title));
        self.texts.push(Text(&doc.text));
        self.files.push(Text(&doc.files));
        let Terms { terms, weights } = Terms::of(tenant, doc);
        let so_far = |terms: &Vec<i64>| i32::try_from(terms.len()).unwrap_or(i32::MAX);
        self.firsts.push(so_far(&self.terms) + 1);
        self.terms.extend(terms);
        self.lasts.push(so_far(&self.terms));
        self.weights.push(weights);
    }
}

/// Puts rows into the index that are not in it.
pub(in crate::postgres) async fn add_all(tx: &Tx, docs: &[(Entry, &IndexDoc)]) -> Sql<()> {
    if docs.is_empty() {
        return Ok(());
    }
    let mut c = Columns::default();
    for (entry, doc) in docs {
        c.push(tx.tenant(), entry, doc);
    }
    for ((entry, _), tokens) in docs.iter().zip(&c.tokens) {
        tx.count(rows_counter(entry.id.kind.word()), 1);
        tx.count("tokens", *tokens);
        tell(tx, entry, RowChange::New);
    }
    tx.run(
        "WITH new AS MATERIALIZED (
             SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
                 $6::bigint[], $7::boolean[], $8::bigint[], $9::bigint[], $10::text[], $11::text[],
                 $12::text[], $13::integer[], $14::integer[], $15::bytea[]) WITH ORDINALITY
             AS new (kind, number, project_id, session_id, created_at, subagent, tokens, doc_hash,
                 title, text, files, first, last, weights, n)),
         rows AS (
             INSERT INTO search_rows (tenant, kind, row_id, project_id, session_id, created_at,
                 subagent, tokens, doc_hash)
             SELECT $1, kind, number, project_id, session_id, created_at, subagent, tokens, doc_hash
             FROM new ORDER BY n RETURNING id, kind, row_id),
         tokens AS (
             INSERT INTO search_tokens (tenant, id, title, text, files)
             SELECT $1, rows.id, new.title, new.text, new.files
             FROM new JOIN rows ON rows.kind = new.kind AND rows.row_id = new.number
             ORDER BY rows.id)
         INSERT INTO search_index (tenant, id, project_id, kind, created_at, length, terms, weights)
         SELECT $1, rows.id, new.project_id, new.kind, new.created_at, new.tokens,
             ($16::bigint[])[new.first:new.last], new.weights
         FROM new JOIN rows ON rows.kind = new.kind AND rows.row_id = new.number ORDER BY rows.id",
        &[
            &c.kinds,
            &c.numbers,
            &c.projects,
            &c.sessions,
            &c.times,
            &c.subagents,
            &c.tokens,
            &c.hashes,
            &c.titles,
            &c.texts,
            &c.files,
            &c.firsts,
            &c.lasts,
            &c.weights,
            &c.terms,
        ],
    )
    .await?;
    Ok(())
}

async fn update(tx: &Tx, known: Known, entry: &Entry, doc: &IndexDoc) -> Sql<()> {
    let (hash, tokens) = (doc_hash(doc), length(doc));
    let (same_doc, same_time) = (known.doc_hash == hash, known.created_at == entry.created_at);
    if same_doc && same_time {
        return Ok(());
    }
    tx.count("tokens", tokens - known.tokens);
    tell(tx, entry, RowChange::Changed);
    if known.embedded != 0 {
        tx.vectors_changed(known.key);
    }
    let embedded = if same_doc { known.embedded } else { 0 };
    tx.run(
        "UPDATE search_rows SET created_at = $3, tokens = $4, doc_hash = $5, embedded = $6
         WHERE tenant = $1 AND id = $2",
        &[&known.key, &entry.created_at.millis(), &tokens, &hash, &embedded],
    )
    .await?;
    if same_doc {
        let sql = "UPDATE search_index SET created_at = $3 WHERE tenant = $1 AND id = $2";
        tx.run(sql, &[&known.key, &entry.created_at.millis()]).await?;
        return Ok(());
    }
    if known.embedded != 0 {
        tx.count(embedded_counter(known.embedded), -1);
        let sql = "DELETE FROM embeddings WHERE tenant = $1 AND row_id = $2";
        tx.run(sql, &[&known.key]).await?;
    }
    if let Some(session_id) = entry.session_id {
        unembed_behind(tx, entry.id.kind, &[entry.id.number], &[session_id]).await?;
    }
    let Terms { terms, weights } = Terms::of(tx.tenant(), doc);
    tx.run(
        "WITH tokens AS (
             UPDATE search_tokens SET title = $7, text = $8, files = $9
             WHERE tenant = $1 AND id = $2)
         UPDATE search_index SET created_at = $3, length = $4::bigint, terms = $5, weights = $6
         WHERE tenant = $1 AND id = $2",
        &[
            &known.key,
            &entry.created_at.millis(),
            &tokens,
            &terms,
            &weights,
            &Text(&doc.title),
            &Text(&doc.text),
            &Text(&doc.files),
        ],
    )
    .await?;
    Ok(())
}

/// Takes rows out of the index, with their vectors, and says what became of them.
pub(in crate::postgres) async fn remove(
    tx: &Tx,
    kind: Kind,
    numbers: &[i64],
    change: RowChange,
) -> Sql<()> {
    let sql = "WITH gone AS (
                   DELETE FROM search_rows WHERE tenant = $1 AND kind = $2 AND row_id = ANY ($3)
                   RETURNING id, row_id, project_id, session_id, tokens, embedded),
               index AS (
                   DELETE FROM search_index i USING gone WHERE i.tenant = $1 AND i.id = gone.id)
               SELECT * FROM gone ORDER BY row_id";
    let (mut before, mut sessions) = (Vec::new(), Vec::new());
    for row in tx.rows(sql, &[&kind.word(), &numbers]).await? {
        tx.count(rows_counter(kind.word()), -1);
        tx.count("tokens", -get::<i64>(&row, "tokens")?);
        let embedded: i64 = get(&row, "embedded")?;
        if embedded != 0 {
            tx.count(embedded_counter(embedded), -1);
            tx.vectors_changed(get(&row, "id")?);
        }
        let number = get(&row, "row_id")?;
        let session_id: Option<i64> = get(&row, "session_id")?;
        if let Some(session_id) = session_id {
            before.push(number);
            sessions.push(session_id);
        }
        let id = PublicId::new(kind, number);
        tx.tell(Change::of_row(id, get(&row, "project_id")?, session_id, change));
    }
    unembed_behind(tx, kind, &before, &sessions).await
}

/// The vectors of a row hold a part of what stands before it in its session: the row of the same
/// kind with the number before. When that one goes or changes, they go too, and the row waits for
/// new ones.
async fn unembed_behind(tx: &Tx, kind: Kind, numbers: &[i64], sessions: &[i64]) -> Sql<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let sql = "WITH behind AS MATERIALIZED (
                   SELECT r.id, r.embedded FROM search_rows r
                   JOIN unnest($3::bigint[], $4::bigint[]) AS b (number, session_id)
                       ON r.row_id = b.number + 1 AND r.session_id = b.session_id
                   WHERE r.tenant = $1 AND r.kind = $2 AND r.embedded <> 0
                   ORDER BY r.id FOR NO KEY UPDATE OF r),
               gone AS (
                   DELETE FROM embeddings e USING behind
                   WHERE e.tenant = $1 AND e.row_id = behind.id),
               waits AS (
                   UPDATE search_rows r SET embedded = 0 FROM behind
                   WHERE r.tenant = $1 AND r.id = behind.id)
               SELECT id, embedded FROM behind";
    for row in tx.rows(sql, &[&kind.word(), &numbers, &sessions]).await? {
        tx.count(embedded_counter(get(&row, "embedded")?), -1);
        tx.vectors_changed(get(&row, "id")?);
    }
    Ok(())
}

/// Adds tokens of files to a row's entry.
pub(in crate::postgres) async fn add_files(tx: &Tx, entry: &Entry, tokens: &str) -> Sql<()> {
    let sql = "SELECT t.title, t.text, t.files
               FROM search_rows r JOIN search_tokens t ON t.tenant = $1 AND t.id = r.id
               WHERE r.tenant = $1 AND r.kind = $2 AND r.row_id = $3";
    let found = tx.first(sql, &[&entry.id.kind.word(), &entry.id.number]).await?;
    let Some(row) = found else { return Ok(()) };
    let known: &str = get(&row, "files")?;
    let gap = if known.is_empty() { "" } else { " " };
    let files = format!("{known}{gap}{tokens}");
    put(tx, entry, &IndexDoc { title: get(&row, "title")?, text: get(&row, "text")?, files }).await
}

/// Puts an entry's numbers back that were lost, by its key.
pub(in crate::postgres) async fn put_back(
    tx: &Tx,
    key: i64,
    entry: &Entry,
    doc: &IndexDoc,
) -> Sql<()> {
    let Terms { terms, weights } = Terms::of(tx.tenant(), doc);
    tx.run(
        "INSERT INTO search_index (tenant, id, project_id, kind, created_at, length, terms, weights)
         VALUES ($1, $2, $3, $4, $5, $6::bigint, $7, $8)",
        &[
            &key,
            &entry.project_id,
            &entry.id.kind.word(),
            &entry.created_at.millis(),
            &length(doc),
            &terms,
            &weights,
        ],
    )
    .await?;
    Ok(())
}

fn tell(tx: &Tx, entry: &Entry, change: RowChange) {
    tx.tell(Change::of_row(entry.id, entry.project_id, entry.session_id, change));
}
