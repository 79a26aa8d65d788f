//! Changing what is remembered, and taking it back.

use serde_json::{Value, json};

use super::Stage;

#[test]
fn rows_are_edited_merged_and_forgotten_and_taken_back() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("change.mjs");
    let text = |row: &str| saw[row]["text"].as_str().unwrap().to_owned();
    assert!(text("edited").ends_with("and never at night"), "{saw}");
    assert!(saw["past"].as_str().unwrap().contains("Tuesdays and Thursdays"), "{}", saw["past"]);
    assert!(text("undone").contains("never on Fridays"), "{}", saw["undone"]);
    assert!(!saw["why"].as_str().unwrap().is_empty(), "an empty text is refused");
    assert_eq!(saw["judged"]["type"], "decision");
    assert_eq!(saw["judged"]["source"], "person", "nothing else writes over it");
    assert_eq!(saw["judged"]["facts"], json!(["One fact", "Another fact"]));
    let offered = saw["offered"].as_str().unwrap();
    assert!(offered.contains("never on Fridays") && offered.contains("on Thursdays"), "{offered}");
    assert_eq!(saw["merged"]["text"], offered);
    assert_eq!(saw["merged"]["files"], json!(["deploy.sh"]), "the files of both");
    assert_eq!(saw["gone"], Value::Null);
    assert_eq!(saw["sent_before_undo"], 0, "nothing is sent while it can be taken back");
    assert_ne!(saw["still"], Value::Null);
    assert_eq!(saw["forgotten"], Value::Null);
    let seen = saw["seen"].as_array().unwrap();
    assert!(seen.contains(&saw["kept"]) && !seen.contains(&saw["spare"]), "{saw}");
    assert_eq!(saw["told"]["project"], "field-notes");
}
