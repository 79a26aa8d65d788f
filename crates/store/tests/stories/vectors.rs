use afterword_domain::Kind;
use afterword_domain::PublicId;
use afterword_domain::scope::Scope;
use afterword_store::contract::{RowVectors, SpaceId, VectorCounts, WaitingRow};

use super::build::{Any, claimed_turn, finding, outcome, remember, stored_project, t};

async fn waiting(store: &Any, space: SpaceId) -> Vec<WaitingRow> {
    store.rows_without_vectors(space, 99).await.unwrap()
}

fn vectors(row: &WaitingRow, numbers: &[u8]) -> RowVectors {
    let vectors = numbers.iter().map(|n| vec![*n; 4]).collect();
    RowVectors { key: row.key, version: row.version, vectors }
}

fn ids(rows: &[WaitingRow]) -> Vec<String> {
    rows.iter().map(|row| row.row.id.to_string()).collect()
}

/// Three memories, the second made last.
async fn three(store: &Any) -> i64 {
    let project = stored_project(store, "p").await;
    for (n, text) in [(1, "one"), (9, "two"), (5, "three")] {
        remember(store, project.id, text, n).await;
    }
    project.id
}

async fn counts(store: &Any) -> VectorCounts {
    store.vector_counts().await.unwrap().unwrap()
}

pub(crate) async fn rows_wait_newest_first_until_they_are_embedded(store: Any) {
    three(&store).await;
    assert_eq!(store.vector_counts().await.unwrap(), None);
    let space = store.open_space("m", 4).await.unwrap();
    assert_eq!(store.open_space("m", 4).await.unwrap(), space);
    let rows = waiting(&store, space).await;
    assert_eq!(ids(&rows), ["m2", "m3", "m1"]);
    assert_eq!(store.rows_without_vectors(space, 2).await.unwrap(), rows[..2]);
    let both = vec![vectors(&rows[0], &[1, 2]), vectors(&rows[2], &[])];
    assert_eq!(store.save_vectors(space, both).await.unwrap(), 2);
    assert_eq!(ids(&waiting(&store, space).await), ["m3"], "no vector is embedded too");
    let expected = VectorCounts { space: "m".to_owned(), dimension: 4, embedded: 2, waiting: 1 };
    assert_eq!(counts(&store).await, expected);
    assert_eq!(store.check().await.unwrap(), [""; 0], "counters are those of the rows");
    let (job, last) = claimed_turn(&store, "s").await;
    store.save_turn(outcome(&job, last, vec![finding("a", "alpha", &[])])).await.unwrap();
    let mut all = ids(&waiting(&store, space).await);
    all.sort();
    assert_eq!(all, ["m3", "o1", "p1"], "rows of every kind");
}

pub(crate) async fn vectors_are_read_by_page_and_part(store: Any) {
    let project_id = three(&store).await;
    let space = store.open_space("m", 4).await.unwrap();
    let rows = waiting(&store, space).await;
    let all = vec![vectors(&rows[0], &[1, 2]), vectors(&rows[1], &[3]), vectors(&rows[2], &[4])];
    store.save_vectors(space, all).await.unwrap();
    let first = store.vectors(space, 0, 2).await.unwrap();
    let second = store.vectors(space, first[1].key, 2).await.unwrap();
    let read: Vec<_> = first.iter().chain(&second).map(|row| row.id.to_string()).collect();
    assert_eq!(read, ["m1", "m2", "m3"]);
    assert_eq!(first[1].vectors, [(0, vec![1; 4]), (1, vec![2; 4])]);
    assert_eq!((first[1].project_id, first[1].created_at), (project_id, t(9)));
    assert!(store.vectors(space, second[0].key, 2).await.unwrap().is_empty());
    let parts = [(rows[0].key, 1), (rows[0].key, 2), (rows[2].key, 0), (99, 0)];
    let found = store.vectors_of(space, &parts).await.unwrap();
    assert_eq!(found, [Some(vec![2; 4]), None, Some(vec![4; 4]), None]);
    // Saved again, a row has the new ones only.
    store.save_vectors(space, vec![vectors(&rows[0], &[7])]).await.unwrap();
    assert_eq!(store.vectors(space, 0, 9).await.unwrap()[1].vectors, [(0, vec![7; 4])]);
    assert_eq!(counts(&store).await.embedded, 3);
}

pub(crate) async fn a_row_that_changed_or_went_gets_no_stale_vectors(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let both = vec![finding("a", "alpha", &[]), finding("b", "beta", &[])];
    store.save_turn(outcome(&job, last, both)).await.unwrap();
    let space = store.open_space("m", 4).await.unwrap();
    let read = waiting(&store, space).await;
    let o = |number| PublicId::new(Kind::Observation, number);
    let of = |id| read.iter().find(|row| row.row.id == id).unwrap();
    // Both are embedded; then one says something else and the other goes.
    let all: Vec<_> = read.iter().map(|row| vectors(row, &[1])).collect();
    assert_eq!(store.save_vectors(space, all.clone()).await.unwrap(), 3);
    let changed = vec![finding("a", "alpha is gamma", &[])];
    store.save_turn(outcome(&job, last, changed.clone())).await.unwrap();
    let left = store.vectors(space, 0, 9).await.unwrap();
    assert_eq!(left.iter().map(|row| row.id.kind).collect::<Vec<_>>(), [Kind::Prompt]);
    assert_eq!(ids(&waiting(&store, space).await), ["o1"]);
    assert_eq!((counts(&store).await.embedded, counts(&store).await.waiting), (1, 1));
    // Vectors that were made of the old text come too late.
    let late = vec![vectors(of(o(1)), &[1]), vectors(of(o(2)), &[1])];
    assert_eq!(store.save_vectors(space, late).await.unwrap(), 0);
    assert_eq!(store.vectors(space, 0, 9).await.unwrap(), left);
    // The same text again keeps its vectors.
    let now = waiting(&store, space).await;
    store.save_vectors(space, vec![vectors(&now[0], &[5])]).await.unwrap();
    store.save_turn(outcome(&job, last, changed)).await.unwrap();
    assert!(waiting(&store, space).await.is_empty());
    store.forget(Scope::All, &[o(1)], t(0)).await.unwrap();
    assert_eq!(store.vectors(space, 0, 9).await.unwrap(), left);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

pub(crate) async fn a_row_goes_by_what_stands_before_it(store: Any) {
    let (job, last) = claimed_turn(&store, "s").await;
    let said = |first: &str| [first, "beta", "gamma"].map(|text| finding(text, text, &[])).to_vec();
    store.save_turn(outcome(&job, last, said("alpha"))).await.unwrap();
    let space = store.open_space("m", 4).await.unwrap();
    let read = waiting(&store, space).await;
    let o = |number| PublicId::new(Kind::Observation, number);
    let before = |number| {
        let row = read.iter().find(|row| row.row.id == o(number)).unwrap();
        row.before.as_ref().map(|row| row.id)
    };
    assert_eq!([before(1), before(2), before(3)], [None, Some(o(1)), Some(o(2))]);
    let all: Vec<_> = read.iter().map(|row| vectors(row, &[1])).collect();
    store.save_vectors(space, all.clone()).await.unwrap();
    assert!(waiting(&store, space).await.is_empty());
    let seq = store.vector_changes(space, 0).await.unwrap().seq;
    // What was forgotten is in no vector of what stands behind it.
    store.forget(Scope::All, &[o(2)], t(0)).await.unwrap();
    assert_eq!(ids(&waiting(&store, space).await), ["o3"]);
    let gone = store.vector_changes(space, seq).await.unwrap().gone;
    assert_eq!(gone.len(), 2, "the row itself and the one behind it");
    assert_eq!(store.save_vectors(space, all).await.unwrap(), 2, "the prompt and the first");
    let now = waiting(&store, space).await;
    assert_eq!((ids(&now), now[0].before.clone()), (vec!["o3".to_owned()], None));
    assert_eq!(store.save_vectors(space, vec![vectors(&now[0], &[2])]).await.unwrap(), 1);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

pub(crate) async fn changes_are_told_once_and_in_order(store: Any) {
    three(&store).await;
    let space = store.open_space("m", 4).await.unwrap();
    let begin = store.vector_changes(space, 0).await.unwrap();
    assert!(begin.rows.is_empty() && begin.gone.is_empty() && !begin.lost);
    let rows = waiting(&store, space).await;
    let all = rows.iter().map(|row| vectors(row, &[1])).collect();
    store.save_vectors(space, all).await.unwrap();
    let came = store.vector_changes(space, begin.seq).await.unwrap();
    assert_eq!(came.rows, store.vectors(space, 0, 9).await.unwrap());
    assert!(came.seq > begin.seq && came.gone.is_empty());
    let still = store.vector_changes(space, came.seq).await.unwrap();
    assert_eq!((still.seq, still.rows.len(), still.gone.len()), (came.seq, 0, 0));
    store.forget(Scope::All, &[rows[0].row.id], t(0)).await.unwrap();
    let went = store.vector_changes(space, came.seq).await.unwrap();
    assert_eq!((went.rows.len(), went.gone), (0, vec![rows[0].key]));
    // As they are now, not as they were then.
    let all = store.vector_changes(space, begin.seq).await.unwrap();
    assert_eq!((all.rows.len(), all.gone), (2, vec![rows[0].key]));
    assert!(store.vector_changes(space, went.seq + 1).await.unwrap().lost, "of another database");
}

pub(crate) async fn spaces_are_never_mixed_and_the_old_one_goes(store: Any) {
    three(&store).await;
    let old = store.open_space("old", 4).await.unwrap();
    let rows = waiting(&store, old).await;
    store.save_vectors(old, rows.iter().map(|row| vectors(row, &[1])).collect()).await.unwrap();
    let new = store.open_space("new", 2).await.unwrap();
    assert_eq!((counts(&store).await.embedded, counts(&store).await.waiting), (0, 3));
    assert_eq!(waiting(&store, new).await, rows);
    let p = stored_project(&store, "p").await;
    remember(&store, p.id, "four", 0).await;
    assert_eq!(ids(&waiting(&store, new).await), ["m4", "m2", "m3", "m1"], "bare ones first");
    store.save_vectors(new, vec![vectors(&rows[1], &[2])]).await.unwrap();
    assert_eq!(store.vectors(new, 0, 9).await.unwrap().len(), 1);
    assert_eq!(store.vectors(old, 0, 9).await.unwrap().len(), 3, "until the new one is whole");
    let rest = waiting(&store, new).await;
    store.save_vectors(new, rest.iter().map(|row| vectors(row, &[2])).collect()).await.unwrap();
    let mut from = 0;
    let mut steps = 0;
    while let Some(next) = store.drop_other_spaces(new, from).await.unwrap() {
        from = next;
        steps += 1;
    }
    assert_eq!(steps, 1);
    assert!(store.vectors(old, 0, 9).await.unwrap().is_empty());
    assert_eq!(store.vectors(new, 0, 9).await.unwrap().len(), 4);
    assert!(waiting(&store, new).await.is_empty());
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}

pub(crate) async fn a_dimension_is_part_of_a_space(store: Any) {
    three(&store).await;
    let small = store.open_space("m", 4).await.unwrap();
    let rows = waiting(&store, small).await;
    store.save_vectors(small, rows.iter().map(|row| vectors(row, &[1])).collect()).await.unwrap();
    let large = store.open_space("m", 8).await.unwrap();
    assert_ne!(small, large);
    assert_eq!(waiting(&store, large).await.len(), 3);
    assert_eq!(counts(&store).await.dimension, 8);
}
