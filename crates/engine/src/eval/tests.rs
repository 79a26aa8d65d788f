use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::metrics::Tally;
use super::*;
use crate::embed::Embedder;

const QUERIES: &str = r#"
{"id":"q1","group":"g","text":"which","gold":["d1"],"level":"doc","type":"plain","extra":1}
{"id":"q2","group":"g","text":"which","gold":["s1"],"level":"session","type":"plain"}
{"id":"q3","group":"h","text":"which","gold":["d1"],"level":"doc","type":"odd"}
"#;

fn folder(docs: &str, queries: &str, split: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("docs.jsonl", docs), ("queries.jsonl", queries), ("split.json", split)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn refused(folder: &Path) -> String {
    let dataset = match Dataset::open(folder) {
        Err(error) => return error.to_string(),
        Ok(dataset) => dataset,
    };
    dataset.docs().unwrap().find_map(Result::err).expect("something is wrong").to_string()
}

#[test]
fn recall_is_the_share_of_the_gold_that_was_found() {
    let mut tally = Tally::default();
    let gold = ["a", "b", "c", "d"].map(str::to_owned);
    tally.add(&["a", "x", "b"], &gold);
    let scores = tally.scores();
    assert_eq!((scores.recall_1, scores.recall_5, scores.recall_20), (0.25, 0.5, 0.5));
    assert_eq!((scores.hit_5, scores.mrr, scores.queries), (1.0, 1.0, 1));
    // 1 + 1/log2(4) of 1 + 1/log2(3) + 1/log2(4) + 1/log2(5).
    assert!((scores.ndcg_10 - 0.5856).abs() < 1e-9, "{}", scores.ndcg_10);
}

#[test]
fn places_beyond_a_depth_do_not_count() {
    let mut tally = Tally::default();
    let found: Vec<String> = (0..30).map(|n| n.to_string()).collect();
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    tally.add(&found, &["5".to_owned()]);
    tally.add(&found, &["11".to_owned()]);
    tally.add(&found, &["25".to_owned()]);
    tally.add(&found, &["none".to_owned()]);
    let scores = tally.scores();
    assert_eq!((scores.recall_5, scores.recall_10, scores.recall_20), (0.0, 0.25, 0.5));
    assert!(scores.hit_5.abs() < f64::EPSILON);
    let mrr = (1.0 / 6.0 + 1.0 / 12.0 + 1.0 / 26.0) / 4.0;
    assert!((scores.mrr - mrr).abs() < 1e-4, "{}", scores.mrr);
    assert!(scores.ndcg_10 > 0.0 && scores.ndcg_10 < 0.25);
}

#[test]
fn no_questions_score_nothing() {
    assert_eq!(Tally::default().scores(), Scores::default());
}

#[test]
fn a_split_is_of_groups_or_of_queries() {
    let split = r#"{"dev":["g"],"test":["h"],"query_split":{"q2":"test"},"note":"x"}"#;
    let folder = folder("", QUERIES, split);
    let dataset = Dataset::open(folder.path()).unwrap();
    let ids = |split| -> Vec<&str> {
        dataset.queries(split).unwrap().iter().map(|query| query.id.as_str()).collect()
    };
    assert_eq!(ids(Split::Dev), ["q1"]);
    assert_eq!(ids(Split::Test), ["q2", "q3"]);
    assert_eq!(ids(Split::All).len(), 3);
}

#[test]
fn docs_are_read_with_times_of_every_kind() {
    let docs = concat!(
        r#"{"id":"d1","group":"g","session":null,"time":null,"speaker":null,"text":"one"}"#,
        "\n\n",
        r#"{"id":"d2","group":"g","session":"s","time":"2025-02-01T02:00:00","text":"two"}"#,
        "\n",
        r#"{"id":"d3","group":"g","session":"s","time":"2025-02-01T03:00:00+01:00","text":"3"}"#,
    );
    let folder = folder(docs, QUERIES, r#"{"dev":["g","h"]}"#);
    let dataset = Dataset::open(folder.path()).unwrap();
    let docs: Vec<Doc> = dataset.docs().unwrap().map(Result::unwrap).collect();
    assert_eq!(docs[0].time, None);
    assert_eq!(docs[1].time, docs[2].time);
    assert_eq!(docs[1].time.unwrap().rfc3339(), "2025-02-01T02:00:00Z");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let good = r#"{"dev":["g","h"]}"#;
    let missing = tempfile::tempdir().unwrap();
    assert!(refused(missing.path()).contains("split.json"));
    assert!(refused(folder("", QUERIES, "[").path()).contains("split.json: "));
    let unsplit = folder("", QUERIES, r#"{"dev":["g"]}"#);
    assert!(refused(unsplit.path()).ends_with("queries.jsonl:4 split.json says nothing of q3"));
    let half = folder("", "{\"id\":\"q1\",", good);
    assert!(refused(half.path()).contains("queries.jsonl:1 cannot be used: EOF"));
    let level = QUERIES.replace("session", "chapter");
    assert!(refused(folder("", &level, good).path()).contains("queries.jsonl:3 cannot be used"));
    let no_gold = QUERIES.replace("[\"s1\"]", "[]");
    assert!(refused(folder("", &no_gold, good).path()).contains("the query q2 has no gold"));
    let no_text = folder("\n{\"id\":\"d\",\"group\":\"g\",\"text\":\" \"}\n", QUERIES, good);
    assert!(refused(no_text.path()).ends_with("docs.jsonl:2 the doc d has no text"));
    let no_time = folder(r#"{"id":"d","group":"g","time":"soon","text":"x"}"#, QUERIES, good);
    assert!(refused(no_time.path()).contains("docs.jsonl:1 cannot be used: 'soon' is no date"));
}

#[test]
fn a_bad_line_ends_the_docs() {
    let folder = folder("{}\n{}\n", QUERIES, r#"{"dev":["g","h"]}"#);
    let dataset = Dataset::open(folder.path()).unwrap();
    assert_eq!(dataset.docs().unwrap().count(), 1);
}

#[test]
fn a_split_without_questions_is_refused() {
    let folder = folder("", QUERIES, r#"{"dev":["g","h"]}"#);
    let error = Dataset::open(folder.path()).unwrap().queries(Split::Test).unwrap_err();
    assert!(error.to_string().ends_with("has no questions of the split 'test'"), "{error}");
}

/// Says how long a text is, and counts what it was asked.
#[derive(Debug, Default)]
struct Lengths(AtomicUsize);

#[async_trait::async_trait]
impl Embedder for Lengths {
    fn id(&self) -> &'static str {
        "lengths"
    }

    fn dimension(&self) -> usize {
        2
    }

    fn middle(&self) -> &[f32] {
        &[0.0, 0.0]
    }

    async fn passages(&self, texts: &[&str]) -> crate::embed::Result<Vec<Vec<f32>>> {
        self.0.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts
            .iter()
            .map(|text| vec![f32::from(u8::try_from(text.len()).unwrap()), 1.0])
            .collect())
    }

    async fn query(&self, text: &str) -> crate::embed::Result<Vec<f32>> {
        Ok(self.passages(&[text]).await?.remove(0))
    }
}

#[tokio::test]
async fn vectors_are_kept_between_runs_and_half_a_record_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let inner = Arc::new(Lengths::default());
    let open =
        || KeptEmbedder::open(Arc::clone(&inner) as Arc<dyn Embedder>, folder.path()).unwrap();
    let texts = ["three", "a", "three"];
    let expected = vec![vec![5.0, 1.0], vec![1.0, 1.0], vec![5.0, 1.0]];
    assert_eq!(open().passages(&texts).await.unwrap(), expected);
    assert_eq!(inner.0.load(Ordering::Relaxed), 2, "the same text is embedded once");
    let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    let whole = bytes.len();
    bytes.extend([7; 9]);
    fs::write(&file, bytes).unwrap();
    let again = open();
    assert_eq!(fs::metadata(&file).unwrap().len(), whole as u64);
    assert_eq!(again.passages(&texts).await.unwrap(), expected);
    assert_eq!(inner.0.load(Ordering::Relaxed), 2, "nothing was embedded again");
    again.query("three").await.unwrap();
    assert_eq!(inner.0.load(Ordering::Relaxed), 3, "a query is");
}
