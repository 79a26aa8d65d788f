//! Recall against a real store, through the engine.

use std::sync::Arc;

use afterword_domain::memory::Origin;
use afterword_domain::project::ProjectRef;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::{Kind, Time};
use afterword_engine::{Engine, Retention, Settings};
use afterword_store::sqlite::SqliteStore;

const NOW: Time = Time::from_millis(1_796_000_000_000);

struct House {
    engine: Arc<Engine>,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("a.db")).unwrap());
        let settings = Settings {
            skip_tools: std::collections::HashSet::new(),
            session_context: true,
            prompt_recall: true,
            file_recall: true,
            retention: Retention::default(),
        };
        let engine = Engine::new(store, Arc::new(FixedClock(NOW)), settings);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { engine, runtime, _folder: folder }
    }

    fn remember(&self, project: &str, text: &str) -> String {
        let request = RememberRequest {
            text: text.into(),
            project: ProjectRef::named(project),
            ..RememberRequest::default()
        };
        let memory = self.runtime.block_on(self.engine.remember(request, Origin::Told)).unwrap();
        format!("m{}", memory.id)
    }

    fn ask(&self, request: &SearchRequest) -> Vec<(String, f64)> {
        let answer = self.runtime.block_on(self.engine.search(request)).unwrap();
        answer.results.iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
    }

    fn search(&self, query: &str) -> Vec<(String, f64)> {
        self.ask(&SearchRequest { query: query.into(), ..SearchRequest::default() })
    }
}

#[test]
fn questions_are_answered_and_foreign_ones_stay_low() {
    let house = House::new();
    let cache = house.remember("shop", "The product cache is invalidated by the price importer");
    house.remember("shop", "Invoices are numbered per year and country");
    let found = house.search("what invalidates the product cache");
    assert_eq!(found[0].0, cache);
    assert!(found[0].1 >= 0.5, "{found:?}");
    for foreign in
        ["bake sourdough bread at home", "football results of saturday", "今天天气怎么样"]
    {
        let found = house.search(foreign);
        assert!(found.iter().all(|(_, score)| *score < 0.5), "{foreign}: {found:?}");
    }
}

#[test]
fn k1_k2_short_and_mixed_chinese_is_found() {
    let house = House::new();
    let table = house.remember("shop", "订单表的数据库索引缺少租户字段");
    let redis = house.remember("shop", "用Redis缓存商品价格，过期时间十分钟");
    for (query, wanted) in [
        ("索引", &table),
        ("表", &table),
        ("数据库索引", &table),
        ("redis缓存", &redis),
        ("缓存价格", &redis),
    ] {
        let found = house.search(query);
        assert_eq!(found.first().map(|f| &f.0), Some(wanted), "{query}: {found:?}");
    }
}

#[test]
fn filters_come_before_the_limit_and_an_unknown_project_is_empty() {
    let house = House::new();
    for n in 0..30 {
        house.remember("loud", &format!("deploy note number {n} about the deploy"));
    }
    let quiet = house.remember("quiet", "deploy by hand");
    let ask = |project: Option<&str>, kind: Option<Kind>, since: Option<Time>| {
        house.ask(&SearchRequest {
            query: "deploy".into(),
            project: project.map(ProjectRef::named),
            kind,
            since,
            limit: Some(5),
            ..SearchRequest::default()
        })
    };
    assert_eq!(ask(Some("quiet"), None, None).len(), 1);
    assert_eq!(ask(Some("quiet"), None, None)[0].0, quiet);
    assert!(ask(Some("nowhere"), None, None).is_empty());
    assert!(ask(None, Some(Kind::Prompt), None).is_empty());
    assert_eq!(ask(None, None, Some(NOW)).len(), 5, "bounds are inclusive");
    assert!(ask(None, None, Some(NOW.plus_millis(1))).is_empty());
}

#[test]
fn k3_ten_thousand_bytes_of_anything_are_a_query() {
    let house = House::new();
    let ticket = house.remember("shop", "bd-42 is the ticket of the auto-memory feature");
    assert_eq!(house.search("bd-42")[0].0, ticket);
    for query in
        ["\0", "\"", "((((", "AND OR NOT", "a\u{301}", &"x".repeat(100_000), &"词".repeat(9_000)]
    {
        drop(house.search(query));
    }
    assert_eq!(house.search("   ").len(), 1, "nothing lists the newest");
}

#[test]
fn what_is_said_twice_is_found_once() {
    let house = House::new();
    let first = house.remember("shop", "Backups run at night");
    assert_eq!(house.remember("shop", "  backups run   at night"), first);
    assert_eq!(house.search("backups night").len(), 1);
}
