//! Hostile texts, a daemon that goes away, very many rows.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Stage;

#[test]
fn whatever_is_stored_is_shown_as_text_and_nothing_runs() {
    let Some(stage) = Stage::new() else { return };
    // Half a pair of surrogates, which no JSON library writes but agents do.
    let prompt = br#"{"hook_event_name":"UserPromptSubmit","session_id":"half","prompt":"half \ud83d a pair, \udca9 the other","cwd":"."}"#;
    let hook = ["hook", "claude-code", "user-prompt-submit"];
    stage.sandbox.afterword_with(&hook, prompt).success();
    let saw = stage.play("hostile.mjs");
    assert_eq!(saw["dialogs"], json!([]));
    let shown = saw["shown"].as_object().unwrap();
    assert_eq!(shown.len(), saw["texts"].as_array().unwrap().len());
    for (at, one) in shown {
        assert_eq!(one["panel"], one["wanted"], "{at}");
        assert_eq!(one["edit"], one["wanted"], "{at}: nothing is lost by editing");
    }
    for (at, text) in saw["texts"].as_array().unwrap().iter().enumerate().take(8) {
        assert_eq!(shown[&at.to_string()]["panel"], *text, "kept as it was said");
    }
    assert!(saw["tail"].as_str().unwrap().ends_with("the end"), "{}", saw["tail"]);
    assert_eq!(saw["wide"], 0, "a long line does not widen the page");
    let repaired = saw["repaired"].as_str().unwrap();
    assert!(repaired.contains("half") && repaired.contains('\u{fffd}'), "{repaired}");
    assert_eq!(saw["typed"], "typed \u{fffd} half");
    let titles = saw["titles"].as_array().unwrap();
    assert!(titles.iter().any(|title| title.as_str().unwrap().starts_with("<script>")));
    for (page, look) in saw["pages"].as_object().unwrap() {
        assert_eq!(*look, json!({ "ran": null, "foreign": 0, "wide": 0 }), "{page}");
    }
}

#[test]
fn a_daemon_that_goes_away_is_waited_for_and_pages_agree() {
    let Some(stage) = Stage::new() else { return };
    let before = stage.sandbox.endpoint().unwrap().pid;
    let saw = stage.play("away.mjs");
    for told in ["told", "by_address"] {
        assert!(saw[told].as_str().unwrap().contains("It was forgotten"), "{saw}");
    }
    assert_eq!(saw["killed"], true);
    assert!(saw["notice"].as_str().unwrap().contains("does not answer"), "{saw}");
    let has = |list: &str, id: &str| saw[list].as_array().unwrap().contains(&saw[id]);
    assert!(has("shown", "stays") && has("shown", "failing"), "what is known stays: {saw}");
    assert!(saw["why"].as_str().unwrap().contains("the daemon does not answer"), "{saw}");
    assert!(saw["unread"].as_str().unwrap().contains("could not be read"), "{saw}");
    assert_ne!(saw["pid"], before);
    assert!(has("again", "stays") && has("again", "failing"), "{saw}");
    assert_eq!(saw["gone"], true);
    assert_eq!(saw["reloaded"], false, "the page recovers without being loaded again");
}

#[test]
#[cfg(unix)]
fn a_daemon_that_freezes_is_not_waited_for_without_end() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("frozen.mjs");
    let has = |list: &str, id: &str| saw[list].as_array().unwrap().contains(&saw[id]);
    assert!(has("shown", "id") && has("shown", "stays"), "what could not go is back: {saw}");
    assert!(has("there", "stays"), "{saw}");
}

#[test]
fn many_pages_of_one_browser_are_all_answered() {
    let Some(stage) = Stage::new() else { return };
    let saw = stage.play("tabs.mjs");
    let streams = |states: &str| {
        let states = saw[states].as_array().unwrap();
        states.iter().filter(|state| **state != "resting").count()
    };
    // The browser has six connections for one host.
    for states in ["standing", "after"] {
        assert!((1..=5).contains(&streams(states)), "{saw}");
    }
    assert_eq!((&saw["without"], &saw["seen_behind"]), (&json!(0), &json!(0)), "they rest");
}

/// Remembers rows that were made one after the other over some weeks.
fn import(stage: &Stage, rows: std::ops::Range<usize>) {
    let mut lines = String::new();
    let count = rows.len();
    for n in rows {
        let (day, hour) = (1 + n / 400, (n / 20) % 20);
        let at = format!("2026-11-{day:02}T{hour:02}:{:02}:{:02}Z", n % 20, n / 1000);
        let row = json!({ "text": format!("Row {n} of very many"), "title": format!("Row {n}"),
                          "created_at": at, "project": "shop" });
        writeln!(lines, "{row}").unwrap();
    }
    let file = stage.sandbox.write("rows.jsonl", &lines);
    let report = stage.sandbox.afterword(&["import", "file", file.to_str().unwrap(), "--json"]);
    assert_eq!(report.success().json()["stored"], count);
}

/// Elements that a screen of rows may have, and some that stand ready above and below it.
const ELEMENTS: i64 = 1_200;

#[test]
#[expect(clippy::print_stderr, reason = "the figures are shown with --nocapture")]
fn ten_thousand_rows_stand_in_a_page_of_a_few() {
    let Some(stage) = Stage::new() else { return };
    import(&stage, 0..200);
    let few = stage.play_with("many.mjs", json!({ "visits_only": true }));
    import(&stage, 200..10_000);
    let saw = stage.play("many.mjs");
    // The least of several: what else the machine does only adds to it.
    let least = |saw: &Value, what: &str| {
        let visits = saw["visits"].as_array().unwrap().iter();
        visits.map(|visit| visit[what].as_f64().unwrap()).fold(f64::INFINITY, f64::min)
    };
    for what in ["paint", "drawn"] {
        let (few, many) = (least(&few, what), least(&saw, what));
        eprintln!("{what}: {few:.0} ms with 200 rows, {many:.0} ms with 10,000");
        // A hundred rows are read and some thirty drawn, however many there are.
        assert!(many <= few * 2.0, "{what}: {many:.0} ms against {few:.0} ms");
    }
    eprintln!("scrolling through: {}", saw["scrolled"]);
    assert!(saw["named"].as_str().unwrap().contains("10,000"), "{}", saw["named"]);
    for count in [&saw["before"], &saw["after"], &saw["scrolled"]["most"]] {
        assert!(count.as_i64().unwrap() <= ELEMENTS, "{count} elements: {saw}");
    }
    assert_eq!(saw["stands"], saw["stood"], "a restart moves nobody who reads in the middle");
    assert_eq!((&saw["last"], &saw["above"]), (&json!("Row 0"), &json!("Row 1")), "{saw}");
}
