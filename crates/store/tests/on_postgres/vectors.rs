use std::collections::HashSet;

use afterword_domain::Kind;
use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_store::contract::{ImportRow, NearQuery, RowVectors, SpaceId};
use uuid::Uuid;

use super::{connect, database, store};
use crate::build::{Any, doc, stored_project, t};

const DIMENSION: usize = 24;

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        #[expect(clippy::cast_precision_loss, reason = "a number between -1 and 1")]
        let number = (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0;
        number
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSION).map(|_| self.next()).collect()
    }
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    let step = 1.0 / 32_767.0_f32;
    let steps = numbers.iter().map(|n| {
        #[expect(clippy::cast_possible_truncation, reason = "between -32,767 and 32,767")]
        let step = (n * 32_767.0) as i16;
        step
    });
    step.to_le_bytes().into_iter().chain(steps.flat_map(i16::to_le_bytes)).collect()
}

/// Rows of a project, each with one vector; their vectors by key.
async fn fill(
    store: &Any,
    project_id: i64,
    space: SpaceId,
    chance: &mut Chance,
    n: usize,
) -> Vec<(i64, Vec<f32>)> {
    let rows = (0..n).map(|at| ImportRow {
        owner: Owner::default(),
        row: PortableRow {
            uid: Some(Uuid::new_v4()),
            kind: Some(Kind::Observation),
            text: format!("{project_id} {at}"),
            created_at: Some(t(i64::try_from(at).unwrap())),
            ..PortableRow::default()
        },
        project_id,
        text_key: String::new(),
        index: doc("word"),
    });
    store.import_rows(rows.collect(), t(1_000_000)).await.unwrap();
    let mut kept = Vec::new();
    loop {
        let waiting = store.rows_without_vectors(space, 2_000).await.unwrap();
        if waiting.is_empty() {
            return kept;
        }
        let mut saved = Vec::new();
        for row in waiting {
            let vector = chance.vector();
            let vectors = vec![bytes(&vector)];
            saved.push(RowVectors { key: row.key, version: row.version, vectors });
            kept.push((row.key, vector));
        }
        store.save_vectors(space, saved).await.unwrap();
    }
}

fn query(space: SpaceId, vector: &[f32], limit: usize) -> NearQuery {
    NearQuery {
        space,
        vector: bytes(vector),
        scope: Scope::All,
        kind: None,
        owners: None,
        since: None,
        until: None,
        limit,
    }
}

fn exact(rows: &[(i64, Vec<f32>)], vector: &[f32], limit: usize) -> HashSet<i64> {
    let distance =
        |other: &[f32]| other.iter().zip(vector).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
    let mut all: Vec<_> = rows.iter().map(|(key, row)| (distance(row), *key)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().take(limit).map(|(_, key)| key).collect()
}

/// The share of the exactly nearest rows that are found.
async fn recall(store: &Any, rows: &[(i64, Vec<f32>)], asked: impl Fn(&[f32]) -> NearQuery) -> f64 {
    let mut chance = Chance(77);
    let (mut found, mut all) = (0, 0);
    for _ in 0..20 {
        let vector = chance.vector();
        let query = asked(&vector);
        let best = exact(rows, &vector, query.limit);
        let near = store.nearest(query).await.unwrap().unwrap();
        found += near.iter().filter(|near| best.contains(&near.key)).count();
        all += best.len();
    }
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = found as f64 / all as f64;
    share
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_nearest_are_found_with_and_without_the_index() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let one = store(&pool, 1);
    assert!(one.finds_nearest());
    let space = one.open_space("m", DIMENSION).await.unwrap();
    let mut chance = Chance(5);
    let (p, q) = (stored_project(&one, "p").await, stored_project(&one, "q").await);
    let of_q = fill(&one, q.id, space, &mut chance, 300).await;
    let small = recall(&one, &of_q, |vector| query(space, vector, 10)).await;
    assert!(small > 0.999, "few rows are compared one by one: {small}");
    let mut all = fill(&one, p.id, space, &mut chance, 10_500).await;
    all.extend(of_q.clone());
    super::run(&database, "ANALYZE");
    let large = recall(&one, &all, |vector| query(space, vector, 10)).await;
    assert!(large >= 0.99, "{large}");
    let narrow =
        |vector: &[f32]| NearQuery { scope: Scope::Project(q.id), ..query(space, vector, 10) };
    let narrow = recall(&one, &of_q, narrow).await;
    assert!(narrow > 0.999, "a small project in a large space: {narrow}");
    let used = "SELECT idx_scan > 0 FROM pg_stat_user_indexes
                WHERE schemaname = 'afterword' AND indexrelname = 'embeddings_near_1'";
    drop((one, pool));
    let used = || super::run(&database, used) == "t";
    afterword_testkit::eventually(
        "the index to be used",
        std::time::Duration::from_secs(20),
        || used().then_some(()),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filters_and_spaces_hold_for_what_is_near() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let (one, other) = (store(&pool, 1), store(&pool, 2));
    let space = one.open_space("m", DIMENSION).await.unwrap();
    let mut chance = Chance(9);
    let p = stored_project(&one, "p").await;
    let rows = fill(&one, p.id, space, &mut chance, 50).await;
    let (key, vector) = &rows[7];
    let near = one.nearest(query(space, vector, 3)).await.unwrap().unwrap();
    assert_eq!((near.len(), near[0].key, near[0].part), (3, *key, 0));
    assert_eq!(near[0].vector, bytes(vector));
    let since = NearQuery { since: Some(t(48)), ..query(space, vector, 9) };
    assert_eq!(one.nearest(since).await.unwrap().unwrap().len(), 2);
    let until = NearQuery { until: Some(t(2)), ..query(space, vector, 9) };
    assert_eq!(one.nearest(until).await.unwrap().unwrap().len(), 2);
    let kind = NearQuery { kind: Some(Kind::Memory), ..query(space, vector, 9) };
    assert_eq!(one.nearest(kind).await.unwrap(), Some(vec![]));
    assert_eq!(other.nearest(query(space, vector, 9)).await.unwrap(), Some(vec![]));
    let second = one.open_space("n", DIMENSION).await.unwrap();
    assert_eq!(one.nearest(query(second, vector, 9)).await.unwrap(), Some(vec![]));
    let unknown = NearQuery { vector: vec![1, 2, 3], ..query(space, vector, 9) };
    assert_eq!(one.nearest(unknown).await.unwrap(), Some(vec![]), "no vector of this space");
    assert_eq!(one.nearest(query(SpaceId(99), vector, 9)).await.unwrap(), Some(vec![]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_was_left_half_made_is_made_again() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let one = store(&pool, 1);
    let space = one.open_space("m", DIMENSION).await.unwrap();
    let index = format!("afterword.embeddings_near_{}", space.0);
    super::run(
        &database,
        &format!("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{index}'::regclass"),
    );
    assert_eq!(one.open_space("m", DIMENSION).await.unwrap(), space);
    let valid = format!("SELECT indisvalid FROM pg_index WHERE indexrelid = '{index}'::regclass");
    assert_eq!(super::run(&database, &valid), "t");
}
