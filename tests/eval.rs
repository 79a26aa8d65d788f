//! Measuring recall, on a dataset made here and on the evaluation sets where they are.

use std::fs;
use std::path::{Path, PathBuf};

use afterword_testkit::{Sandbox, in_ci};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

const DOCS: &str = r#"
{"id":"a/1","group":"a","session":"s1","time":"2026-03-02T10:00:00Z","speaker":null,"text":"The retry queue loses its leases when the process restarts."}
{"id":"a/2","group":"a","session":"s1","time":"2026-03-02T10:01:00Z","speaker":null,"text":"We moved the invoice export to a nightly job."}
{"id":"a/3","group":"a","session":"s2","time":"2026-04-07T09:00:00Z","speaker":null,"text":"数据库迁移必须先在预发环境验证。"}
{"id":"b/1","group":"b","session":"s1","time":null,"speaker":null,"text":"The retry queue of the other product never restarts."}
"#;

const QUERIES: &str = r#"
{"id":"q1","group":"a","text":"what happens to the retry queue on a restart?","gold":["a/1"],"level":"doc","type":"plain"}
{"id":"q2","group":"a","text":"迁移怎么验证","gold":["s2"],"level":"session","type":"chinese"}
{"id":"q3","group":"b","text":"retry queue","gold":["b/1"],"level":"doc","type":"plain"}
{"id":"q4","group":"b","text":"invoice export","gold":["b/9"],"level":"doc","type":"plain"}
"#;

fn dataset(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.root().join("tiny");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("docs.jsonl"), DOCS).unwrap();
    fs::write(folder.join("queries.jsonl"), QUERIES).unwrap();
    let split = r#"{"dev":["a"],"test":["b"],"query_split":{}}"#;
    fs::write(folder.join("split.json"), split).unwrap();
    folder
}

fn keyword(sandbox: &Sandbox, folder: &Path, split: &[&str]) -> Value {
    let folder = folder.to_str().unwrap();
    let output = sandbox.afterword(&[&["eval", folder, "--json"], split].concat()).success();
    let report: Value = output.json();
    assert_eq!(report["split"], *split.last().unwrap_or(&"all"));
    report["modes"]["keyword"].clone()
}

#[test]
fn each_question_is_asked_inside_its_group() {
    let sandbox = Sandbox::new(BIN);
    let folder = dataset(&sandbox);
    let dev = keyword(&sandbox, &folder, &["--split", "dev"]);
    for name in ["recall@1", "recall@5", "recall@10", "recall@20", "hit@5", "mrr", "ndcg@10"] {
        assert_eq!(dev[name], 1.0, "{name}: {dev}");
        assert_eq!(dev["by_type"]["chinese"][name], 1.0, "{name}: {dev}");
    }
    assert!(dev["latency_ms"]["p50"].as_f64() <= dev["latency_ms"]["p95"].as_f64());
    let test = keyword(&sandbox, &folder, &["--split", "test"]);
    assert_eq!(test["recall@1"], 0.5, "what only another group holds is not found: {test}");
    assert_eq!((&test["mrr"], &test["queries"]), (&0.5.into(), &2.into()));
    assert_eq!(keyword(&sandbox, &folder, &[])["queries"], 4);
}

#[test]
fn measuring_needs_no_daemon_and_leaves_nothing() {
    let sandbox = Sandbox::new(BIN);
    let folder = dataset(&sandbox);
    let before: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    let output = sandbox.afterword(&["eval", folder.to_str().unwrap()]).success();
    assert!(output.stdout.contains("tiny · all · keyword: 4 questions"), "{}", output.stdout);
    assert!(output.stderr.contains("only keyword search was measured"), "{}", output.stderr);
    assert!(!sandbox.data().exists(), "the data folder was not asked for");
    let after: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(before, after);
}

#[test]
fn prompts_are_measured_on_request() {
    let sandbox = Sandbox::new(BIN);
    let folder = dataset(&sandbox);
    let folder = folder.to_str().unwrap();
    let args = ["eval", folder, "--json", "--prompt-recall", "--off-topic", folder];
    let report: Value = sandbox.afterword(&args).success().json();
    let prompts = &report["prompts"]["keyword"];
    assert_eq!(prompts["on_topic"]["prompts"], 4, "{prompts}");
    assert!(prompts["on_topic"]["right"].as_f64() > Some(0.0), "{prompts}");
    assert_eq!(prompts["off_topic"]["tiny"]["prompts"], 4);
    assert_eq!(prompts["off_topic"]["other-group"]["prompts"], 4);
    assert_eq!(prompts["off_topic"]["everyday"]["spoke"], 0.0, "{prompts}");
    let plain: Value = sandbox.afterword(&["eval", folder, "--json"]).success().json();
    assert!(plain.get("prompts").is_none(), "{plain}");
}

#[test]
fn what_is_wrong_with_a_dataset_is_said() {
    let sandbox = Sandbox::new(BIN);
    let folder = dataset(&sandbox);
    let path = folder.to_str().unwrap();
    for (args, says) in [
        (vec!["eval", "nowhere"], "cannot read nowhere/split.json"),
        (vec!["eval", path, "--split", "train"], "'train'"),
        (vec!["eval", path, "--backend", "paper"], "'paper'"),
    ] {
        let output = sandbox.afterword(&args);
        assert_eq!(output.code, Some(2), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(says), "{args:?}: {}", output.stderr);
    }
    fs::write(folder.join("docs.jsonl"), "{\"id\":\"a/1\"}\n").unwrap();
    let output = sandbox.afterword(&["eval", path]);
    assert_eq!(output.code, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains("docs.jsonl:1 cannot be used: missing field"), "{output:?}");
}

/// The best plain keyword search of each set's README, on its `dev` split: recall at 1, 5, 10 and
/// 20, hit at 5, mean reciprocal rank and gain.
const BASELINES: [(&str, [f64; 7]); 3] = [
    ("locomo", [0.359, 0.548, 0.645, 0.717, 0.601, 0.490, 0.507]),
    ("coding-sessions", [0.154, 0.323, 0.380, 0.534, 0.500, 0.349, 0.292]),
    ("zh-team", [0.483, 0.628, 0.711, 0.711, 0.700, 0.625, 0.619]),
];

/// The sets stay outside of the repository, in a folder beside it.
fn sets() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let folder = beside.join("shared").join("data").join("eval");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(!in_ci(), "{} is missing", folder.display());
    None
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that does not run says so")]
fn k1_keyword_search_is_never_below_a_plain_one() {
    let Some(sets) = sets() else {
        eprintln!("notice: no evaluation sets beside the repository; recall not measured");
        return;
    };
    let sandbox = Sandbox::new(BIN);
    for (name, floors) in BASELINES {
        let found = keyword(&sandbox, &sets.join(name), &["--split", "dev"]);
        let names = ["recall@1", "recall@5", "recall@10", "recall@20", "hit@5", "mrr", "ndcg@10"];
        for (metric, floor) in names.into_iter().zip(floors) {
            // The README has three decimals.
            let value = found[metric].as_f64().unwrap();
            assert!(value > floor - 0.0005, "{name} {metric}: {value} < {floor}");
        }
    }
}
