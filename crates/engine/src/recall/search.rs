//! Answering a question with rows.

use std::collections::HashMap;

use afterword_domain::filter::OwnerMatch;
use afterword_domain::memory::Memory;
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::scope::Scope;
use afterword_domain::wire::search::{SearchAnswer, SearchRequest, SearchResult, Why};
use afterword_domain::{Kind, PublicId, Time};
use afterword_store::contract::{Hit, IndexDoc, KeywordQuery, Row, RowBody};
use afterword_store::{Result, Store};

use super::file::FileName;
use super::narrow;
use super::newest::newest_wins;
use super::rank::weights::LEAST_MEANT;
use super::rank::{Dates, Meaning, Parts, Question, Ranked, drop_repeats};
use super::row_text::RowText;
use crate::analyze;
use crate::embed::Near;

/// Results when the request names no limit.
pub const DEFAULT_LIMIT: usize = 20;

/// Most results of one answer.
pub const MAX_LIMIT: usize = 200;

/// Rows near by meaning that a search can use: those that are ranked, and some to compare with.
pub const NEAREST: usize = 200;

/// Bytes of a question that are embedded.
///
/// What people ask stands at the beginning of a long prompt; the whole of it found no more and took
/// five times as long.
pub const MEANT_BYTES: usize = 400;

/// Fewest candidates that are ranked, so that a small limit does not change the order.
const LEAST_CANDIDATES: usize = 150;

/// Candidates for each result.
const CANDIDATES_PER_RESULT: usize = 5;

/// Counting stops here, as in the store.
const MAX_TOTAL: usize = 2_000;

/// Answers a search; any string is a valid query.
///
/// Results come best first, newest first among equals; rows that say the same come once. A blank
/// query or `*` lists the newest rows, whose scores are 0; with a file, the newest that concern it. A
/// query of nothing but public ids gives
/// those rows first, with score 1. An unknown project gives an empty answer.
///
/// `near` are the rows of the request's scope that are nearest to the query by meaning, nearest first, each
/// once, with the cosine of its best part; none where nothing is embedded.
pub async fn search(
    store: &dyn Store,
    request: &SearchRequest,
    near: Option<&[Near<PublicId>]>,
) -> Result<SearchAnswer> {
    search_by(store, request, near.unwrap_or_default(), true).await
}

/// The memories of a scope and of owners that are nearest to a text by words and meaning, best first.
/// Unlike the answer of a search these are all of them, also those that say the same or hold no
/// longer.
pub(crate) async fn memories_like(
    store: &dyn Store,
    scope: Scope,
    owners: Option<Vec<OwnerMatch>>,
    text: &str,
    near: &[Near<PublicId>],
) -> Result<Vec<Memory>> {
    let filter = Filter { scope, kind: Some(Kind::Memory), owners, ..Filter::default() };
    let terms = analyze::query_terms(text);
    let (found, _) = keyword_and_near(store, &filter, terms, near, MAX_LIMIT).await?;
    let memories = found.into_iter().filter_map(|ranked| match ranked.row.body {
        RowBody::Memory(memory) => Some(memory),
        _ => None,
    });
    Ok(memories.collect())
}

/// Whether a text names a day, a month or a year.
pub(crate) fn names_a_date(text: &str) -> bool {
    Dates::named_in(text)
}

/// The same by meaning alone, for measuring.
pub(crate) async fn by_meaning(
    store: &dyn Store,
    request: &SearchRequest,
    near: &[Near<PublicId>],
) -> Result<SearchAnswer> {
    search_by(store, request, near, false).await
}

async fn search_by(
    store: &dyn Store,
    request: &SearchRequest,
    near: &[Near<PublicId>],
    words: bool,
) -> Result<SearchAnswer> {
    let Some((project, mut scope)) = scope_of(store, request.project.as_ref()).await? else {
        return Ok(SearchAnswer::default());
    };
    let file = narrow::file_asked(store, request, project.as_ref(), &mut scope).await?;
    // What is no file concerns no row.
    if request.file.is_some() && file.is_none() {
        return Ok(SearchAnswer::default());
    }
    let filter = Filter {
        scope,
        kind: request.kind,
        since: request.since,
        until: request.until,
        ..Filter::default()
    };
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let narrowed = file.is_some() || request.agent.is_some();
    let candidates =
        if narrowed { MAX_TOTAL } else { (limit * CANDIDATES_PER_RESULT).max(LEAST_CANDIDATES) };
    let query = request.query.trim();
    let blank = query.chars().all(|c| c == '*' || c.is_whitespace());
    let mut terms = Vec::new();
    let (mut ranked, mut total) = if let (true, Some(file)) = (blank, &file) {
        newest_with_file(store, &filter, file, candidates).await?
    } else if blank {
        newest(store, &filter, candidates).await?
    } else {
        let named = rows_named(store, &filter, query).await?;
        let asked = if words {
            let dates = dates_of(store, &filter, query).await?;
            Asked { terms: analyze::query_terms(query), dates, near }
        } else {
            Asked { terms: Vec::new(), dates: Dates::default(), near }
        };
        terms.clone_from(&asked.terms);
        let (found, total) = found_by(store, &filter, asked, candidates).await?;
        with_named(named, found, total)
    };
    if narrowed {
        narrow::narrow(store, request, file.as_ref(), &mut ranked).await?;
        total = ranked.len();
    }
    let repeats = drop_repeats(&mut ranked);
    newest_wins(&mut ranked);
    ranked.truncate(limit);
    let total = total.saturating_sub(repeats).max(ranked.len());
    let why = |ranked: &Ranked| request.explain.then(|| ranked.parts.why(ranked.score, &terms));
    let results = ranked.into_iter().map(|ranked| (why(&ranked), ranked));
    let results = results.map(|(why, ranked)| result(ranked, why)).collect();
    let mut answer = SearchAnswer { results, total, hint: None };
    if answer.results.is_empty() {
        answer.hint = narrow::unknown_agent(store, request).await?;
    }
    Ok(answer)
}

/// Which rows may answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) scope: Scope,
    pub(super) kind: Option<Kind>,
    pub(super) since: Option<Time>,
    pub(super) until: Option<Time>,
    /// Memories of these owners; rows of everybody where none are named.
    pub(super) owners: Option<Vec<OwnerMatch>>,
    /// Rows that are looked at besides.
    pub(super) also: Vec<PublicId>,
}

impl Filter {
    fn admits(&self, row: &Row) -> bool {
        self.kind.is_none_or(|kind| row.id.kind == kind)
            && self.since.is_none_or(|since| row.created_at >= since)
            && self.until.is_none_or(|until| row.created_at < until)
    }
}

/// The ranked rows that hold any of the terms, at most `limit`, and how many there are in all.
pub(super) async fn keyword(
    store: &dyn Store,
    filter: &Filter,
    terms: Vec<String>,
    limit: usize,
) -> Result<(Vec<Ranked>, usize)> {
    keyword_and_near(store, filter, terms, &[], limit).await
}

/// As [`keyword`], with the rows that are near by meaning.
pub(super) async fn keyword_and_near(
    store: &dyn Store,
    filter: &Filter,
    terms: Vec<String>,
    near: &[Near<PublicId>],
    limit: usize,
) -> Result<(Vec<Ranked>, usize)> {
    let asked = Asked { terms, dates: Dates::default(), near };
    found_by(store, filter, asked, limit).await
}

/// As [`keyword_and_near`], by whatever a question asks: its words, its dates and its meaning.
pub(super) async fn about(
    store: &dyn Store,
    filter: &Filter,
    question: &str,
    near: &[Near<PublicId>],
    limit: usize,
) -> Result<(Vec<Ranked>, Vec<String>)> {
    let terms = analyze::query_terms(question);
    let dates = dates_of(store, filter, question).await?;
    let asked = Asked { terms: terms.clone(), dates, near };
    let (ranked, _) = found_by(store, filter, asked, limit).await?;
    Ok((ranked, terms))
}

/// What is looked for.
struct Asked<'a> {
    terms: Vec<String>,
    dates: Dates,
    near: &'a [Near<PublicId>],
}

/// The rows that hold a term, that are of certain dates, and that are near by meaning.
async fn found_by(
    store: &dyn Store,
    filter: &Filter,
    asked: Asked<'_>,
    limit: usize,
) -> Result<(Vec<Ranked>, usize)> {
    let Asked { terms, dates, near } = asked;
    if terms.is_empty() && near.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let near_rows = near.iter().take(limit).map(|near| near.key);
    let query = KeywordQuery {
        terms: terms.clone(),
        scope: filter.scope.clone(),
        kind: filter.kind,
        owners: filter.owners.clone(),
        since: filter.since,
        until: filter.until,
        periods: dates.periods(),
        rows: near_rows.chain(filter.also.iter().copied()).collect(),
        limit,
    };
    let answer = store.keyword(query).await?;
    let docs = answer.hits.iter().map(|hit| hit.id).zip(answer.docs);
    let mut docs: HashMap<PublicId, IndexDoc> = docs.collect();
    let mut rows = hydrate(store, filter, &answer.hits).await?;
    rows.retain(|row| filter.admits(row));
    let rows = rows.into_iter().map(|row| {
        let doc = docs.remove(&row.id).unwrap_or_default();
        (row, doc)
    });
    let question = Question::new(terms, &answer.rows_with_term, answer.indexed_rows).about(dates);
    let mut ranked = question.rank(rows.collect(), &Meaning::new(near, answer.indexed_rows));
    let found = ranked.len();
    // Something is always nearest: what neither holds a word nor means anything like it is no answer.
    ranked.retain(|row| row.matched > 0 || row.score >= LEAST_MEANT);
    let total = answer.total.saturating_sub(found - ranked.len());
    Ok((ranked, total))
}

/// The rows of hits in the order of the hits. Rows that went meanwhile are left out.
async fn hydrate(store: &dyn Store, filter: &Filter, hits: &[Hit]) -> Result<Vec<Row>> {
    let ids: Vec<PublicId> = hits.iter().map(|hit| hit.id).collect();
    let rows = store.rows(filter.scope.clone(), &ids).await?;
    let mut by_id: HashMap<PublicId, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    Ok(hits.iter().filter_map(|hit| by_id.remove(&hit.id)).collect())
}

/// The dates that a question names; a date without a year is one near the newest row.
async fn dates_of(store: &dyn Store, filter: &Filter, query: &str) -> Result<Dates> {
    if !Dates::named_in(query) {
        return Ok(Dates::default());
    }
    let newest = newest_hits(store, filter, 1).await?;
    Ok(newest.first().map_or_else(Dates::default, |hit| Dates::of(query, hit.created_at)))
}

/// Where a request looks, and the project it is about; none for a project that is not known.
async fn scope_of(
    store: &dyn Store,
    project: Option<&ProjectRef>,
) -> Result<Option<(Option<Project>, Scope)>> {
    let Some(project) = project else { return Ok(Some((None, Scope::All))) };
    let found = store.find_project(project).await?;
    Ok(found.map(|project| {
        let scope = Scope::Project(project.id);
        (Some(project), scope)
    }))
}

async fn newest_hits(store: &dyn Store, filter: &Filter, limit: usize) -> Result<Vec<Hit>> {
    store.newest(filter.scope.clone(), filter.kind, filter.since, filter.until, limit).await
}

async fn newest(store: &dyn Store, filter: &Filter, limit: usize) -> Result<(Vec<Ranked>, usize)> {
    // With a date only the list itself can say how many rows there are.
    let dated = filter.since.is_some() || filter.until.is_some();
    let wanted = if dated { MAX_TOTAL } else { limit };
    let mut hits = newest_hits(store, filter, wanted).await?;
    let total = if dated { hits.len() } else { count(store, filter).await? };
    hits.truncate(limit);
    let rows = hydrate(store, filter, &hits).await?;
    Ok((rows.into_iter().map(|row| listed(row, 0.0)).collect(), total))
}

/// The newest rows that hold a file's name; whether they concern that file is for `narrow`.
async fn newest_with_file(
    store: &dyn Store,
    filter: &Filter,
    file: &FileName,
    limit: usize,
) -> Result<(Vec<Ranked>, usize)> {
    let hits = store.last_with_token(filter.scope.clone(), file.token(), limit).await?;
    let mut rows = hydrate(store, filter, &hits).await?;
    rows.retain(|row| filter.admits(row));
    rows.sort_by_key(|row| std::cmp::Reverse((row.created_at, row.id)));
    let total = rows.len();
    Ok((rows.into_iter().map(|row| listed(row, 0.0)).collect(), total))
}

async fn count(store: &dyn Store, filter: &Filter) -> Result<usize> {
    let counts = store.count_rows(filter.scope.clone()).await?;
    let counts =
        counts.into_iter().filter(|(kind, _)| filter.kind.is_none_or(|only| only == *kind));
    let total: u64 = counts.map(|(_, rows)| rows).sum();
    Ok(usize::try_from(total).unwrap_or(usize::MAX).min(MAX_TOTAL))
}

/// The rows that a query of nothing but public ids names.
async fn rows_named(store: &dyn Store, filter: &Filter, query: &str) -> Result<Vec<Row>> {
    let ids: Result<Vec<PublicId>, _> = query.split_whitespace().map(str::parse).collect();
    let Ok(mut ids) = ids else { return Ok(Vec::new()) };
    ids.truncate(MAX_LIMIT);
    let mut rows = store.rows(filter.scope.clone(), &ids).await?;
    rows.retain(|row| filter.admits(row));
    Ok(rows)
}

/// Named rows first; what was also found by words does not come again.
fn with_named(named: Vec<Row>, found: Vec<Ranked>, total: usize) -> (Vec<Ranked>, usize) {
    let mut all: Vec<Ranked> = Vec::with_capacity(named.len() + found.len());
    for row in named {
        if !all.iter().any(|kept| kept.row.id == row.id) {
            all.push(listed(row, 1.0));
        }
    }
    let named = all.len();
    let (again, new): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|ranked| all.iter().any(|kept| kept.row.id == ranked.row.id));
    all.extend(new);
    (all, total + named - again.len())
}

fn listed(row: Row, score: f64) -> Ranked {
    Ranked { text: RowText::of(&row.body), row, score, matched: 0, parts: Parts::default() }
}

fn result(ranked: Ranked, why: Option<Why>) -> SearchResult {
    let Ranked { row, text, score, .. } = ranked;
    SearchResult {
        id: row.id,
        uid: row.uid,
        kind: row.id.kind,
        title: text.title,
        text: text.text,
        score,
        project: row.project,
        session: row.session,
        created_at: row.created_at,
        files: text.files,
        highlight: None,
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::testing::{memory, row};

    #[test]
    fn k10_named_rows_come_first_and_once() {
        let named: Vec<Row> =
            [1, 2, 1].map(|id| row(RowBody::Memory(memory(id, "text", 0)))).into();
        let found = vec![listed(named[1].clone(), 0.4), {
            listed(row(RowBody::Memory(memory(9, "m1 and m2", 0))), 0.3)
        }];
        let (all, total) = with_named(named, found, 2);
        let ids: Vec<String> = all.iter().map(|ranked| ranked.row.id.to_string()).collect();
        assert_eq!(ids, ["m1", "m2", "m9"]);
        assert_eq!(total, 3);
    }

    #[test]
    fn k5_filters_hold_for_named_rows_too() {
        let filter = Filter { kind: Some(Kind::Observation), ..Filter::default() };
        assert!(!filter.admits(&row(RowBody::Memory(memory(1, "text", 0)))));
        let filter = Filter { since: Some(crate::recall::testing::day(1)), ..Filter::default() };
        assert!(!filter.admits(&row(RowBody::Memory(memory(1, "text", 0)))));
        assert!(filter.admits(&row(RowBody::Memory(memory(1, "text", 1)))));
    }
}
