//! Ranking in bounded time, as `docs/design/search-index.md` tells; what differs from SQLite is in
//! `docs/design/postgres.md`.

use std::collections::{HashMap, HashSet};

use afterword_domain::PublicId;

use super::filters::{
    Filters, Holds, MOST_COUNTED, Weighed, count_matches, holding_any, narrow_scope,
    newest_holding, rows_made_in, weighed,
};
use super::terms::{self, FrequentTerms, Term};
use super::{encode, hit, sizes};
use crate::contract::{Hit, IndexDoc, KeywordAnswer, KeywordQuery};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::get;
use crate::rules::ranking::bm25::{SCOPE_TOKENS, as_f64, mean_length, norm, part};

/// Rows that stand in when only common terms are left to go by.
const STAND_INS: usize = 200;

/// Rows, best first, in which the terms that drove nothing are weighed.
const WEIGHED: usize = 200;

/// A row of the index and its score so far.
struct Ranked {
    row: Weighed,
    /// The larger the better.
    score: f64,
}

/// What a score depends on besides the row.
#[derive(Clone, Copy)]
struct Sizes {
    rows: f64,
    mean_length: f64,
}

/// Answers a keyword query.
pub(super) async fn keyword(
    tx: &Tx,
    common: &FrequentTerms,
    query: &KeywordQuery,
) -> Sql<KeywordAnswer> {
    let (indexed_rows, tokens) = sizes(tx).await?;
    let rows = as_f64(indexed_rows).max(1.0);
    let sizes = Sizes { rows, mean_length: mean_length(as_f64(tokens), rows) };
    let filters = Filters::of(query);
    let surveyed = terms::survey(tx, common, &query.terms, rows).await?;
    let mut answer = KeywordAnswer {
        rows_with_term: terms::rows_with(tx.tenant(), &query.terms, &surveyed),
        indexed_rows: u64::try_from(indexed_rows).unwrap_or(0),
        ..KeywordAnswer::default()
    };
    if filters.is_impossible() {
        return Ok(answer);
    }
    let (mut found, total) = rank(tx, query, &filters, surveyed, sizes).await?;
    answer.total = total.min(MOST_COUNTED);
    let known: HashMap<i64, f64> = if query.periods.is_empty() && query.rows.is_empty() {
        HashMap::new()
    } else {
        found.iter().map(|ranked| (ranked.row.key, ranked.score)).collect()
    };
    keep_best(&mut found, query.limit);
    let mut best: Vec<(i64, f64)> = found.iter().map(|r| (r.row.key, r.score)).collect();
    let mut there: HashSet<i64> = best.iter().map(|(key, _)| *key).collect();
    let mut new = rows_of_periods(tx, query, &filters, &mut there).await?;
    new.extend(named_rows(tx, query, &filters, &mut there).await?);
    let unknown = new.iter().filter(|row| !known.contains_key(row)).count();
    answer.total = (answer.total + unknown).min(MOST_COUNTED);
    best.extend(new.into_iter().map(|key| (key, known.get(&key).copied().unwrap_or(0.0))));
    (answer.hits, answer.docs) = hydrate(tx, &best).await?.into_iter().unzip();
    Ok(answer)
}

/// Rows with their scores, and how many match.
async fn rank(
    tx: &Tx,
    query: &KeywordQuery,
    filters: &Filters,
    surveyed: Vec<Term>,
    sizes: Sizes,
) -> Sql<(Vec<Ranked>, usize)> {
    let (drivers, others) = terms::split(surveyed);
    if others.is_empty() {
        let found = driven_rows(tx, filters, &drivers, sizes).await?;
        let total = found.len();
        return Ok((found, total));
    }
    if let Some(rows) = narrow_scope(tx, filters).await? {
        let every: Vec<Term> = drivers.into_iter().chain(others).collect();
        let mut found = unscored(rows);
        weigh(&every, &mut found, sizes);
        found.retain(|ranked| ranked.score > 0.0);
        let total = found.len();
        return Ok((found, total));
    }
    let mut found = driven_rows(tx, filters, &drivers, sizes).await?;
    let driven = found.len();
    if driven < query.limit.min(STAND_INS) {
        add_stand_ins(tx, filters, &others, sizes.rows, &mut found).await?;
    }
    keep_best(&mut found, query.limit.max(WEIGHED));
    weigh(&others, &mut found, sizes);
    let every: Vec<Term> = drivers.into_iter().chain(others).collect();
    let total = count_matches(tx, filters, &every, sizes.rows).await?.max(driven);
    Ok((found, total))
}

/// What was made in the periods of the query and is not there yet.
async fn rows_of_periods(
    tx: &Tx,
    query: &KeywordQuery,
    filters: &Filters,
    there: &mut HashSet<i64>,
) -> Sql<Vec<i64>> {
    let mut new = Vec::new();
    for period in &query.periods {
        let room = query.limit.saturating_sub(new.len());
        let made = rows_made_in(tx, filters, *period, room).await?;
        new.extend(made.into_iter().filter(|row| there.insert(*row)));
    }
    Ok(new)
}

/// The rows that the query names, that pass its filters, and are not there yet.
async fn named_rows(
    tx: &Tx,
    query: &KeywordQuery,
    filters: &Filters,
    there: &mut HashSet<i64>,
) -> Sql<Vec<i64>> {
    if query.rows.is_empty() {
        return Ok(Vec::new());
    }
    let (kinds, numbers): (Vec<&str>, Vec<i64>) =
        query.rows.iter().map(|id| (id.kind.word(), id.number)).unzip();
    let sql = format!(
        "SELECT r.id FROM unnest($6::text[], $7::bigint[]) WITH ORDINALITY AS k (kind, number, n)
         JOIN search_rows r ON r.kind = k.kind AND r.row_id = k.number AND {} ORDER BY k.n",
        filters.conditions("r", 2)
    );
    let rows = tx.rows(&sql, &filters.with(&[&kinds, &numbers])).await?;
    let mut new = rows.iter().map(|row| get(row, "id")).collect::<Sql<Vec<i64>>>()?;
    new.retain(|row| there.insert(*row));
    Ok(new)
}

fn unscored(rows: Vec<Weighed>) -> Vec<Ranked> {
    rows.into_iter().map(|row| Ranked { row, score: 0.0 }).collect()
}

/// Keeps the best, best first; of equal ones the newest.
fn keep_best(found: &mut Vec<Ranked>, most: usize) {
    let order = |a: &Ranked, b: &Ranked| {
        b.score.total_cmp(&a.score).then_with(|| b.row.key.cmp(&a.row.key))
    };
    if found.len() > most {
        if most > 0 {
            found.select_nth_unstable_by(most - 1, order);
        }
        found.truncate(most);
    }
    found.sort_unstable_by(order);
}

/// Every row within the filters that holds a driving term, with its BM25 score.
async fn driven_rows(
    tx: &Tx,
    filters: &Filters,
    drivers: &[Term],
    sizes: Sizes,
) -> Sql<Vec<Ranked>> {
    if drivers.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = unscored(holding_any(tx, filters, drivers).await?);
    weigh(drivers, &mut found, sizes);
    Ok(found)
}

/// Adds to each row's score what these terms say of it.
fn weigh(terms: &[Term], found: &mut [Ranked], sizes: Sizes) {
    let weights: Vec<(i64, f64)> =
        terms.iter().map(|term| (term.number, term.idf(sizes.rows))).collect();
    for Ranked { row, score } in found {
        let length = i64::from(row.length) + SCOPE_TOKENS;
        let norm = norm(as_f64(length), sizes.mean_length);
        for (term, idf) in &weights {
            let frequency = encode::frequency(&row.terms, &row.weights, *term);
            *score += part(*idf, frequency, norm);
        }
    }
}

/// Adds the newest rows that hold all of the terms, and then any of them.
async fn add_stand_ins(
    tx: &Tx,
    filters: &Filters,
    terms: &[Term],
    all_rows: f64,
    found: &mut Vec<Ranked>,
) -> Sql<()> {
    let mut known: HashSet<i64> = found.iter().map(|ranked| ranked.row.key).collect();
    let ways: &[Holds] = if terms.len() > 1 { &[Holds::All, Holds::Any] } else { &[Holds::All] };
    let mut new = Vec::new();
    for way in ways {
        if known.len() >= STAND_INS {
            break;
        }
        for row in newest_holding(tx, filters, (terms, *way), all_rows, STAND_INS).await? {
            if known.len() < STAND_INS && known.insert(row) {
                new.push(row);
            }
        }
    }
    found.extend(unscored(weighed(tx, &new).await?));
    Ok(())
}

/// The rows within the query's filters that hold a token, those that were indexed last.
pub(super) async fn last_with(
    tx: &Tx,
    common: &FrequentTerms,
    query: &KeywordQuery,
    token: &str,
) -> Sql<Vec<Hit>> {
    let (indexed_rows, _) = sizes(tx).await?;
    let texts = [token.to_owned()];
    let all_rows = as_f64(indexed_rows).max(1.0);
    let terms = terms::survey(tx, common, &texts, all_rows).await?;
    let filters = Filters::of(query);
    if terms.iter().all(|term| term.counted == 0) {
        return Ok(Vec::new());
    }
    let rows = newest_holding(tx, &filters, (&terms, Holds::All), all_rows, query.limit).await?;
    let found: Vec<(i64, f64)> = rows.into_iter().map(|key| (key, 0.0)).collect();
    Ok(hydrate(tx, &found).await?.into_iter().map(|(hit, _)| hit).collect())
}

/// Whole hits in the order of their keys; what is not there any more is left out.
async fn hydrate(tx: &Tx, found: &[(i64, f64)]) -> Sql<Vec<(Hit, IndexDoc)>> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let (keys, scores): (Vec<i64>, Vec<f64>) = found.iter().copied().unzip();
    let sql =
        "SELECT r.kind, r.row_id, r.session_id, r.created_at, k.score, t.title, t.text, t.files
               FROM unnest($2::bigint[], $3::double precision[]) WITH ORDINALITY
                   AS k (id, score, n)
               JOIN search_rows r ON r.tenant = $1 AND r.id = k.id
               JOIN search_tokens t ON t.tenant = $1 AND t.id = k.id ORDER BY k.n";
    let rows = tx.rows(sql, &[&keys, &scores]).await?;
    let whole = rows.iter().map(|row| {
        let doc = IndexDoc {
            title: get(row, "title")?,
            text: get(row, "text")?,
            files: get(row, "files")?,
        };
        Ok((hit(row, get(row, "score")?)?, doc))
    });
    whole.collect()
}

/// Rows of projects and kinds whose tokens are among these, by the hash of the tokens.
pub(in crate::postgres) async fn same_docs(
    tx: &Tx,
    hashes: &[i64],
) -> Sql<Vec<(i64, i64, PublicId)>> {
    let sql = "SELECT doc_hash, project_id, kind, row_id FROM search_rows
               WHERE tenant = $1 AND doc_hash = ANY ($2)";
    let rows = tx.rows(sql, &[&hashes]).await?;
    let found = rows.iter().map(|row| {
        let id = PublicId::new(super::kind_of(row, "kind")?, get(row, "row_id")?);
        Ok((get(row, "doc_hash")?, get(row, "project_id")?, id))
    });
    found.collect()
}
