//! Coming in, following what happens, searching.

use serde_json::json;

use super::{Stage, texts};

#[test]
fn a_first_visit_comes_in_by_the_link_once_and_asks_nobody_else() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("visit.mjs");
    assert!(saw["gate"].as_str().unwrap().contains("afterword open"), "{saw}");
    let statuses: Vec<_> = saw["heads"].as_array().unwrap().iter().collect();
    let page = statuses.last().unwrap();
    assert_eq!((&page["status"], &page["path"]), (&json!(200), &json!("/")));
    let policy = page["headers"]["content-security-policy"].as_str().unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let cookies = saw["cookies"].as_array().unwrap();
    assert_eq!(cookies.len(), 1, "{saw}");
    assert_eq!(cookies[0]["name"], format!("afterword_{}", stage.port));
    assert_eq!(cookies[0]["httpOnly"], true);
    assert_eq!(cookies[0]["sameSite"], "Strict");
    assert_eq!(cookies[0]["days"], 30);
    assert_eq!(saw["script"], "", "no script sees the cookie");
    assert_eq!(saw["inline"], json!({ "scripts": 0, "styles": 0, "blocked": true }));
    assert_eq!(saw["address"], "/", "the link is gone from the address");
    assert_eq!(texts(&saw["seen"], "title"), ["The first thing that is remembered"]);
    assert!(saw["used"].as_str().unwrap().contains("used already"), "{saw}");
    assert_eq!(saw["second_cookies"], 0);
    assert_eq!(saw["went_on"], 1, "a page that waits goes on by itself");
}

#[test]
fn what_happens_comes_to_an_open_page() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("live.mjs");
    assert!(saw["empty"].as_str().unwrap().contains("Nothing is remembered yet"), "{saw}");
    for kind in ["Prompt", "Summary"] {
        assert!(saw["kinds"].as_array().unwrap().contains(&json!(kind)), "{}", saw["kinds"]);
    }
    assert!(saw["kinds"].as_array().unwrap().len() > 2, "observations too: {}", saw["kinds"]);
    assert_eq!(saw["projects"], json!(["All projects", "shop"]));
    assert!(saw["active"].as_str().unwrap().contains("Active"), "{saw}");
    assert!(!saw["ended"].as_str().unwrap().contains("Active"), "{saw}");
    assert_eq!(saw["after"].as_i64().unwrap(), saw["before"].as_i64().unwrap() + 1);
    assert_eq!(saw["stood"], saw["stands"], "what is read is not moved");
    assert_eq!(saw["told"], "1 new");
    assert_eq!(saw["reloaded"], false);
}

#[test]
fn search_follows_what_is_typed_in_both_languages() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("search.mjs");
    assert_eq!(saw["focused"], "search");
    assert!(saw["before"].as_i64() > Some(0), "the newest rows stand there before");
    let found = |name: &str| saw[name].as_array().unwrap_or_else(|| panic!("{name}: {saw}"));
    let marks = |name: &str| -> Vec<String> {
        let lists = found(name).iter().flat_map(|row| row["marks"].as_array().unwrap());
        lists.map(|mark| mark.as_str().unwrap().to_lowercase()).collect()
    };
    assert!(!found("cents").is_empty() && marks("cents").iter().any(|m| m.contains("cent")));
    assert!(saw["letters"].as_i64() >= Some(1), "it is asked while one types");
    assert!(saw["count"].as_str().unwrap().ends_with("found"), "{}", saw["count"]);
    assert!(found("files")[0]["title"].as_str().is_some(), "{saw}");
    assert!(marks("han").iter().any(|mark| mark.contains("金额")), "{:?}", marks("han"));
    assert_eq!(found("nothing").len(), 0);
    assert!(saw["none"].as_str().unwrap().contains("Nothing found"), "{saw}");
    assert!(found("kind").iter().all(|row| row["id"].as_str().unwrap().starts_with('o')));
    assert!(found("kind").len() < found("cents").len(), "{saw}");
    assert!(!found("file").is_empty() && found("file").len() < found("kind").len(), "{saw}");
    let hash = saw["hash"].as_str().unwrap();
    for part in ["q=cents", "kind=observation", "file=invoice.html"] {
        assert!(hash.contains(part), "{hash}");
    }
    assert_eq!(saw["reloaded"], saw["file"], "an address brings the same again");
    assert_eq!(saw["kept"], "cents");
    assert_eq!(saw["cleared"], saw["cents"]);
    assert_eq!(found("future").len(), 0);
    assert_eq!(saw["lang"], json!(["zh-CN", "搜索"]));
    assert!(marks("chinese").iter().any(|mark| mark.contains("发票")), "{:?}", marks("chinese"));
}
