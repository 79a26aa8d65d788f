//! How common words are.

use afterword_domain::Kind;
use afterword_domain::owner::Owner;
use afterword_domain::wire::portable::PortableRow;
use afterword_store::contract::{ImportRow, KeywordQuery};
use uuid::Uuid;

use super::{connect, database, store};
use crate::build::{Any, doc, stored_project, t};

/// Rows of a project, one for each text.
async fn fill(store: &Any, project_id: i64, texts: impl Iterator<Item = &'static str>) {
    let rows = texts.zip(0..).map(|(text, at)| ImportRow {
        row: PortableRow {
            uid: Some(Uuid::new_v4()),
            kind: Some(Kind::Observation),
            text: text.to_owned(),
            created_at: Some(t(at)),
            ..PortableRow::default()
        },
        project_id,
        text_key: String::new(),
        owner: Owner::default(),
        index: doc(text),
    });
    store.import_rows(rows.collect(), t(1_000_000)).await.unwrap();
}

async fn rows_with(store: &Any, terms: &[&str]) -> Vec<u64> {
    let terms = terms.iter().map(|term| (*term).to_owned()).collect();
    let query = KeywordQuery { terms, limit: 5, ..KeywordQuery::default() };
    store.keyword(query).await.unwrap().rows_with_term
}

/// A word of the newest rows alone, and one of the oldest: whichever way the planner walks, a sample
/// that begins at one end tells nothing of the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_common_word_is_counted_and_not_reckoned_from_a_sample() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let (one, other) = (store(&pool, 1), store(&pool, 2));
    let p = stored_project(&one, "p").await;
    fill(&one, p.id, (0..6_000).map(|n| if n < 2_500 { "old all" } else { "new all" })).await;
    let q = stored_project(&other, "q").await;
    fill(&other, q.id, (0..1_500).map(|_| "new all")).await;
    super::run(&database, "ANALYZE");
    assert_eq!(rows_with(&one, &["old", "new", "all", "none"]).await, [2_500, 3_500, 6_000, 0]);
    assert_eq!(
        rows_with(&other, &["old", "new"]).await,
        [0, 1_500],
        "another tenant's are its own"
    );
    // Grown by less than a fifth, it is taken to have grown alike; by more, it is counted anew.
    fill(&one, p.id, (0..600).map(|_| "old")).await;
    assert_eq!(rows_with(&one, &["new"]).await, [3_850]);
    fill(&one, p.id, (0..1_000).map(|_| "old")).await;
    assert_eq!(rows_with(&one, &["new", "old"]).await, [3_500, 4_100]);
}
