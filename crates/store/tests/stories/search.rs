use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, Time};
use afterword_store::contract::{ImportRow, IndexDoc, KeywordAnswer, KeywordQuery, Period};
use uuid::Uuid;

use super::build::{Any, claimed_turn, doc, finding, outcome, remember, stored_project, t};

fn query(terms: &[&str]) -> KeywordQuery {
    KeywordQuery {
        terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        limit: 20,
        ..KeywordQuery::default()
    }
}

async fn ask(store: &Any, terms: &[&str]) -> KeywordAnswer {
    store.keyword(query(terms)).await.unwrap()
}

/// Observations with these index entries, made one second after the other.
async fn fill(store: &Any, project_id: i64, docs: Vec<IndexDoc>) {
    let rows = docs.into_iter().enumerate().map(|(n, index)| ImportRow {
        owner: Owner::default(),
        row: PortableRow {
            uid: Some(Uuid::new_v4()),
            kind: Some(Kind::Observation),
            text: format!("{} {}", index.title, index.text),
            created_at: Some(t(i64::try_from(n).unwrap() * 1000)),
            ..PortableRow::default()
        },
        project_id,
        text_key: format!("{n}"),
        index,
    });
    store.import_rows(rows.collect(), t(1_000_000_000)).await.unwrap();
}

fn numbers(answer: &KeywordAnswer) -> Vec<i64> {
    answer.hits.iter().map(|hit| hit.id.number).collect()
}

pub(crate) async fn titles_weigh_more_than_text(store: Any) {
    let p = stored_project(&store, "p").await;
    let docs = |title: &str, text: &str, files: &str| IndexDoc {
        title: title.to_owned(),
        text: text.to_owned(),
        files: files.to_owned(),
    };
    let mut all = vec![
        docs("pad", "queue pad", "pad"),
        docs("queue", "pad pad", "pad"),
        docs("pad", "pad pad", "queue"),
    ];
    all.extend((0..20).map(|n| docs("other", &format!("words {n}"), "none")));
    fill(&store, p.id, all).await;
    let answer = ask(&store, &["queue", "absent"]).await;
    assert_eq!(numbers(&answer), [2, 3, 1]);
    assert!(answer.hits[0].score > answer.hits[1].score && answer.hits[2].score > 0.0);
    assert_eq!((answer.total, answer.indexed_rows), (3, 23));
    assert_eq!(answer.rows_with_term, [3, 0]);
    assert_eq!(answer.hits[0].created_at, t(1000));
}

pub(crate) async fn k3_no_term_is_syntax(store: Any) {
    let p = stored_project(&store, "p").await;
    let odd = [
        "bd-42",
        "auto-memory",
        "title:x",
        "C:\\x",
        "-x",
        "don't",
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        "a\"b",
        "\"",
        "*",
        "^",
        "NEAR(a",
        "retry_queue",
        "src/a.rs",
        "{title}",
        "+",
        "a*",
        "é",
        "🦀",
    ];
    for (n, term) in odd.iter().enumerate() {
        remember(&store, p.id, term, i64::try_from(n).unwrap()).await;
    }
    for (n, term) in odd.iter().enumerate() {
        let found = numbers(&ask(&store, &[term]).await);
        assert_eq!(found, [i64::try_from(n).unwrap() + 1], "{term}");
    }
    for junk in ["", " ", "a b", "\0", "\n\t", "\u{7f}", "\u{3000}", "\u{feff}", "x\0y"] {
        store.keyword(query(&[junk, "bd-42"])).await.unwrap();
    }
    let mut seed = 7_u32;
    for _ in 0..200 {
        let term: String = (0..6)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from_u32(seed >> 8 & 0xffff).unwrap_or('"')
            })
            .collect();
        store.keyword(query(&[&term])).await.unwrap();
    }
    let many: Vec<String> = (0..5000).map(|n| format!("t{n}")).collect();
    let many = KeywordQuery { terms: many, ..query(&[]) };
    assert_eq!(store.keyword(many).await.unwrap().total, 0);
    let none = ask(&store, &[]).await;
    assert!(none.hits.is_empty() && none.rows_with_term.is_empty());
}

pub(crate) async fn k5_filters_come_before_the_limit(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    fill(&store, p.id, vec![doc("queue queue"); 30]).await;
    fill(&store, q.id, vec![doc("queue and a lot of other words to rank lower"); 2]).await;
    remember(&store, p.id, "queue far below the others because of its many many words", 0).await;
    let in_q = KeywordQuery { scope: Scope::Project(q.id), limit: 5, ..query(&["queue"]) };
    let answer = store.keyword(in_q).await.unwrap();
    assert_eq!((numbers(&answer), answer.total), (vec![32, 31], 2));
    let kind = KeywordQuery { kind: Some(Kind::Memory), limit: 1, ..query(&["queue"]) };
    let answer = store.keyword(kind).await.unwrap();
    assert_eq!((answer.hits[0].id.to_string().as_str(), answer.total), ("m1", 1));
    let since = KeywordQuery { since: Some(t(28_000)), limit: 50, ..query(&["queue"]) };
    let answer = store.keyword(since).await.unwrap();
    assert_eq!((numbers(&answer), answer.total), (vec![30, 29], 2), "the bound is inclusive");
    let all = KeywordQuery { limit: 0, ..query(&["queue"]) };
    let answer = store.keyword(all).await.unwrap();
    assert_eq!((answer.hits.len(), answer.total), (0, 33));
}

pub(crate) async fn scope_words_are_no_terms(store: Any) {
    let p = stored_project(&store, "p").await;
    remember(&store, p.id, "nothing of the kind", 0).await;
    for term in ["memory", "observation", &format!("p{}", p.id), &p.id.to_string()] {
        assert_eq!(ask(&store, &[term]).await.total, 0, "{term}");
    }
}

pub(crate) async fn totals_and_frequencies_are_exact_in_small_stores(store: Any) {
    let p = stored_project(&store, "p").await;
    let docs = (0..300).map(|n| doc(if n % 3 == 0 { "fizz all" } else { "all" })).collect();
    fill(&store, p.id, docs).await;
    let answer = ask(&store, &["fizz", "all", "fizz"]).await;
    assert_eq!(answer.rows_with_term, [100, 300, 100]);
    assert_eq!((answer.total, answer.indexed_rows, answer.hits.len()), (300, 300, 20));
    let repeated = ask(&store, &["fizz", "fizz"]).await;
    let once = ask(&store, &["fizz"]).await;
    assert_eq!(repeated.hits, once.hits, "each term counts once");
}

/// More rows hold the words than any bound on common terms: they still find what they should.
pub(crate) async fn common_terms_still_find(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    for _ in 0..3 {
        fill(&store, p.id, vec![doc("common words everywhere"); 2000]).await;
    }
    fill(&store, q.id, vec![doc("common needle"), doc("common twice common"), doc("rest")]).await;
    fill(&store, p.id, vec![doc("the common one"), doc("everywhere alone")]).await;

    let both = ask(&store, &["common", "needle"]).await;
    assert_eq!(both.hits[0].id.number, 6001, "the rarer word decides");
    assert!(both.total >= 2_000);
    let all = ask(&store, &["common", "everywhere"]).await;
    assert_eq!(all.hits.len(), 20);
    assert!(numbers(&all).iter().all(|n| *n <= 6000), "rows with both words come first");
    assert!(all.total >= 2_000);
    let narrow = KeywordQuery { scope: Scope::Project(q.id), ..query(&["common", "words"]) };
    let narrow = store.keyword(narrow).await.unwrap();
    assert_eq!(narrow.total, 2, "a small project inside a large store");
    let mut found = numbers(&narrow);
    found.sort_unstable();
    assert_eq!(found, [6001, 6002]);
    let wide = KeywordQuery { scope: Scope::Project(p.id), ..query(&["common", "everywhere"]) };
    let wide = store.keyword(wide).await.unwrap();
    assert_eq!((wide.total, wide.hits.len()), (2_000, 20));
    assert!(numbers(&wide).iter().all(|n| *n <= 6000));
    let few = KeywordQuery { scope: Scope::Project(p.id), ..query(&["common", "alone"]) };
    assert_eq!(numbers(&store.keyword(few).await.unwrap())[0], 6005, "then the newest common ones");
    let kind = KeywordQuery { kind: Some(Kind::Memory), ..query(&["common"]) };
    assert_eq!(store.keyword(kind).await.unwrap().total, 0);
    let since = KeywordQuery { since: Some(t(1_999_000)), limit: 99, ..query(&["common"]) };
    assert_eq!(store.keyword(since).await.unwrap().total, 3);
}

pub(crate) async fn the_newest_fit_the_filters(store: Any) {
    let p = stored_project(&store, "p").await;
    fill(&store, p.id, vec![doc("x"); 5]).await;
    remember(&store, p.id, "a memory", 2500).await;
    let ids = |hits: Vec<afterword_store::contract::Hit>| {
        hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>()
    };
    let all = store.newest(Scope::All, None, None, None, 3).await.unwrap();
    assert!(all.iter().all(|hit| hit.score == 0.0));
    assert_eq!(ids(all), ["o5", "o4", "m1"]);
    let memories =
        store.newest(Scope::Project(p.id), Some(Kind::Memory), None, None, 3).await.unwrap();
    assert_eq!(ids(memories), ["m1"]);
    let since = store.newest(Scope::Project(p.id), None, Some(t(3000)), None, 9).await.unwrap();
    assert_eq!(ids(since), ["o5", "o4"]);
    let kind =
        store.newest(Scope::All, Some(Kind::Observation), Some(t(4000)), None, 9).await.unwrap();
    assert_eq!(ids(kind), ["o5"]);
    let future = Time::from_millis(i64::MAX);
    assert!(store.newest(Scope::All, None, Some(future), None, 9).await.unwrap().is_empty());
}

pub(crate) async fn a_day_ends_where_the_next_begins(store: Any) {
    let p = stored_project(&store, "p").await;
    // 300 rows can be read one by one, more cannot.
    for rows in [40, 400] {
        fill(&store, p.id, (0..rows).map(|_| doc("needle hay")).collect()).await;
        let asked = KeywordQuery {
            scope: Scope::Project(p.id),
            since: Some(t(10_000)),
            until: Some(t(14_000)),
            ..query(&["needle"])
        };
        let found = store.keyword(asked.clone()).await.unwrap();
        let times: Vec<i64> = found.hits.iter().map(|hit| hit.created_at.millis()).collect();
        assert!(!times.is_empty() && found.total == times.len(), "{times:?}");
        assert!(times.iter().all(|at| (t(10_000).millis()..t(14_000).millis()).contains(at)));
        let periods = vec![Period { from: t(0), to: t(90_000) }];
        let bounded = KeywordQuery { periods, terms: Vec::new(), ..asked };
        let found = store.keyword(bounded).await.unwrap().hits.len();
        assert_eq!(found, times.len(), "a period goes no further than the filters");
        let newest = store.newest(Scope::All, None, None, Some(t(2_000)), 99).await.unwrap();
        assert!(!newest.is_empty() && newest.iter().all(|hit| hit.created_at < t(2_000)));
    }
}

pub(crate) async fn the_last_rows_with_a_token_are_found(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    fill(&store, p.id, (0..30).map(|n| doc(if n % 10 == 5 { "a.rs" } else { "b.rs" })).collect())
        .await;
    fill(&store, q.id, vec![doc("a.rs"); 3]).await;
    let found = |token: &'static str, limit| {
        let store = &store;
        async move {
            let hits = store.last_with_token(Scope::Project(p.id), token, limit).await.unwrap();
            let mut numbers: Vec<i64> = hits.iter().map(|hit| hit.id.number).collect();
            numbers.sort_unstable();
            numbers
        }
    };
    assert_eq!(found("a.rs", 9).await, [6, 16, 26]);
    assert_eq!(found("a.rs", 2).await, [16, 26]);
    assert_eq!(found("c.rs", 9).await, [0; 0]);
    assert_eq!(found("\" OR a.rs", 9).await, [0; 0], "k3: a token is no syntax");
}

pub(crate) async fn rows_of_a_period_are_found_without_a_term(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    let docs = (0..30).map(|n| doc(if n % 10 == 5 { "needle" } else { "hay" })).collect();
    fill(&store, p.id, docs).await;
    fill(&store, q.id, vec![doc("hay"); 30]).await;
    let period = |from: i64, to: i64| Period { from: t(from * 1000), to: t(to * 1000) };
    let asked = KeywordQuery {
        scope: Scope::Project(p.id),
        periods: vec![period(4, 7), period(6, 8)],
        ..query(&["needle"])
    };
    let answer = store.keyword(asked.clone()).await.unwrap();
    // Rows count from 1 and were made a second after each other from 0 on.
    assert_eq!(numbers(&answer), [26, 16, 6, 7, 5, 8]);
    assert_eq!((answer.total, answer.docs.len()), (6, 6));
    assert!(answer.hits[..3].iter().all(|hit| hit.score > 0.0));
    assert!(answer.hits[3..].iter().all(|hit| hit.score == 0.0));
    let bounded = KeywordQuery { limit: 1, ..asked.clone() };
    assert_eq!(numbers(&store.keyword(bounded).await.unwrap()), [26, 7]);
    let known = KeywordQuery { limit: 2, periods: vec![period(5, 6)], ..asked.clone() };
    let known = store.keyword(known).await.unwrap();
    assert_eq!((numbers(&known), known.total), (vec![26, 16, 6], 3));
    assert!(known.hits[2].score > 0.0, "its score is known though the limit left it out");
    let since = KeywordQuery { since: Some(t(7000)), ..asked.clone() };
    assert_eq!(numbers(&store.keyword(since).await.unwrap()), [26, 16, 8]);
    let kind = KeywordQuery { kind: Some(Kind::Memory), ..asked };
    assert_eq!(store.keyword(kind).await.unwrap().total, 0);
}

pub(crate) async fn named_rows_are_found_without_a_term(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    let docs = (0..6).map(|n| doc(if n == 2 { "needle" } else { "hay" })).collect();
    fill(&store, p.id, docs).await;
    fill(&store, q.id, vec![doc("hay"); 2]).await;
    let named = |ids: &[&str]| ids.iter().map(|id| id.parse().unwrap()).collect();
    let asked = KeywordQuery {
        scope: Scope::Project(p.id),
        rows: named(&["o5", "o3", "o1", "o7", "o99", "m1", "o5"]),
        ..query(&["needle"])
    };
    let answer = store.keyword(asked.clone()).await.unwrap();
    assert_eq!((numbers(&answer), answer.total), (vec![3, 5, 1], 3));
    assert_eq!(answer.docs[1].text, "hay");
    let no_term = KeywordQuery { terms: Vec::new(), ..asked.clone() };
    assert_eq!(numbers(&store.keyword(no_term).await.unwrap()), [5, 3, 1]);
    let since = KeywordQuery { since: Some(t(3_000)), ..asked.clone() };
    assert_eq!(numbers(&store.keyword(since).await.unwrap()), [5]);
    let kind = KeywordQuery { kind: Some(Kind::Memory), ..asked };
    assert_eq!(store.keyword(kind).await.unwrap().total, 0);
}

/// The weight of a word in a large store must not stop growing with the bound on counting.
pub(crate) async fn k9_common_terms_are_estimated(store: Any) {
    let p = stored_project(&store, "p").await;
    for _ in 0..3 {
        let docs = (0..2000).map(|n| doc(if n % 2 == 0 { "even all" } else { "all" })).collect();
        fill(&store, p.id, docs).await;
    }
    let rows = ask(&store, &["all", "even", "none"]).await.rows_with_term;
    assert!((5_500..=6_500).contains(&rows[0]), "{rows:?}");
    assert!((2_700..=3_300).contains(&rows[1]), "{rows:?}");
    assert_eq!(rows[2], 0);
}

pub(crate) async fn an_update_replaces_the_old_words(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    store.save_turn(outcome(&job, last, vec![finding("a", "before", &[])])).await.unwrap();
    store.save_turn(outcome(&job, last, vec![finding("a", "after", &[])])).await.unwrap();
    assert_eq!(ask(&store, &["before"]).await.total, 0);
    assert_eq!(ask(&store, &["after"]).await.total, 1);
    assert_eq!(store.indexed_rows().await.unwrap(), 2);
}

pub(crate) async fn k2_cjk_terms_find_themselves(store: Any) {
    let p = stored_project(&store, "p").await;
    remember(&store, p.id, "重试 试队 队列", 0).await;
    remember(&store, p.id, "队伍", 1).await;
    assert_eq!(numbers(&ask(&store, &["队列"]).await), [1]);
    assert_eq!(numbers(&ask(&store, &["重试", "队伍"]).await).len(), 2);
    assert_eq!(ask(&store, &["队"]).await.total, 0, "tokens are not cut again");
}
