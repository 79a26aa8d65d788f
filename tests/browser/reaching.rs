//! For everybody: under axe, and by keys alone.

use serde_json::{Value, json};

use super::Stage;

#[test]
fn no_page_shuts_anybody_out() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("access.mjs");
    assert!(saw["scans"].as_i64() >= Some(6 * 16), "{}", saw["scans"]);
    let found: Vec<&str> =
        saw["found"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

#[test]
fn everything_is_done_by_keys_alone() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("keyboard.mjs");
    assert_eq!((&saw["skip"], &saw["content"]), (&json!("Skip to content"), &json!("Feed")));
    assert!(saw["steps"].as_i64().is_some_and(|steps| steps <= 9), "{}", saw["steps"]);
    assert_eq!(saw["first"], saw["id"], "one row of the list is reached by Tab: the first");
    assert_ne!(saw["second"], saw["first"]);
    assert_eq!(saw["back"], saw["first"]);
    assert!(saw["opened"].as_str().unwrap().contains(saw["id"].as_str().unwrap()), "{saw}");
    assert_eq!(saw["inside"], true, "a dialog takes the focus");
    assert!(saw["closed"].as_i64().is_some(), "the row's buttons are reached by Tab");
    assert_eq!(saw["returned"], saw["id"], "closing goes back to the row");
    assert!(saw["said"].as_str().unwrap().contains("will be forgotten"), "{}", saw["said"]);
    assert_eq!(saw["went_to"], saw["second"], "the focus goes to the row that took its place");
    assert_eq!(saw["went_from_panel"], saw["second"]);
    assert_eq!(saw["restored"], true);
    assert_eq!(saw["chosen"], "2 chosen");
    assert_eq!(saw["cleared"], true);
    assert!(saw["keys"].as_str().unwrap().contains("Forget the row"), "{saw}");
    let titles = ["Feed", "Search", "Timeline", "Next session", "Health", "Spend", "Settings"];
    assert_eq!(saw["titles"], json!(titles));
    assert_eq!((&saw["typed"], &saw["title"]), (&json!("jkexm#1"), &json!("Search")));
    assert_eq!(saw["off"], "Settings");
}
