use std::io::Write;

use super::*;

const WANTED: Wanted<'static> = Wanted { session: "s", turn: Some("t2"), sidechain: false };

fn user(turn: &str, text: &str) -> String {
    format!(
        r#"{{"type":"user","promptId":"{turn}","sessionId":"s","message":{{"content":"{text}"}}}}"#
    )
}

fn said(id: &str, block: &str) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","message":{{"id":"{id}","content":[{block}]}}}}"#
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn now(lines: &[String], wanted: Wanted<'_>) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines.join("\n").as_bytes()).unwrap();
    final_answer(file.path(), wanted, Instant::now())
}

fn turn_one() -> Vec<String> {
    vec![user("t1", "first"), said("m1", &text("old answer"))]
}

#[test]
fn the_last_message_of_the_turn_is_found_with_all_its_blocks() {
    let mut lines = turn_one();
    lines.extend([
        user("t2", "second"),
        said("m2", &text("I will look.")),
        said("m2", r#"{"type":"tool_use","id":"x"}"#),
        user("t2", "tool result"),
        said("m3", r#"{"type":"thinking","thinking":"hm"}"#),
        said("m3", &text("one")),
        said("m3", &text("two")),
        r#"{"type":"attachment","attachment":{"content":["injected"]}}"#.to_owned(),
        r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback"}}"#.to_owned(),
        r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"sub"}]}}"#.to_owned(),
        r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#.to_owned(),
        "\u{1}not json".to_owned(),
        r#"{"type":"assistant","message":{"content":[{"type":"text","te"#.to_owned(),
    ]);
    assert_eq!(now(&lines, WANTED).as_deref(), Some("one\ntwo"));
}

#[test]
fn l3_an_older_turns_answer_is_never_taken() {
    let mut lines = turn_one();
    assert_eq!(now(&lines, WANTED), None, "the log lags a whole turn behind");
    lines.push(user("t2", "second"));
    assert_eq!(now(&lines, WANTED), None, "no answer yet");
    lines.push(said("m2", &text("I will look.")));
    lines.push(said("m2", r#"{"type":"tool_use","id":"x"}"#));
    assert_eq!(now(&lines, WANTED), None, "a call of a tool is no end");
    let old = Wanted { turn: None, ..WANTED };
    assert_eq!(now(&turn_one(), old).as_deref(), Some("old answer"), "no turn is named");
}

#[test]
fn l3_an_answer_that_comes_late_is_waited_for() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_owned();
    let mut lines = turn_one();
    lines.extend([user("t2", "second"), String::new()]);
    std::fs::write(&path, lines.join("\n")).unwrap();
    let wait = std::thread::spawn({
        let path = path.clone();
        move || final_answer(&path, WANTED, Instant::now() + Duration::from_mins(1))
    });
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(said("m2", &text("late")).as_bytes()).unwrap();
    assert_eq!(wait.join().unwrap().as_deref(), Some("late"));
}

#[test]
fn l4_a_log_that_is_missing_or_of_another_session_is_no_log() {
    let far = Instant::now() + Duration::from_hours(1);
    assert_eq!(final_answer(Path::new("/nowhere/x.jsonl"), WANTED, far), None);
    assert_eq!(final_answer(Path::new("/"), WANTED, far), None);
    let lines = [user("t2", "x"), said("m", &text("y"))];
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines.join("\n")).unwrap();
    assert_eq!(final_answer(file.path(), Wanted { session: "other", ..WANTED }, far), None);
}

#[test]
fn l1_l2_only_the_end_of_a_large_file_is_read() {
    let mut lines = turn_one();
    lines.push(format!(r#"{{"type":"user","message":{{"content":"{}"}}}}"#, "x".repeat(30 << 20)));
    lines.extend([user("t2", "second"), said("m2", &text("new"))]);
    lines.push(format!(r#"{{"type":"api-request-blob","blob":"{}"}}"#, "y".repeat(200 * 1024)));
    assert_eq!(now(&lines, WANTED).as_deref(), Some("new"));
    lines.push(format!(r#"{{"type":"api-request-blob","blob":"{}"}}"#, "y".repeat(2 << 20)));
    assert_eq!(now(&lines, WANTED), None);
}

#[test]
fn a_subagents_own_log_is_all_sidechain() {
    let line = |kind: &str| {
        format!(
            r#"{{"type":"{kind}","isSidechain":true,"sessionId":"s","message":{{"content":[{}]}}}}"#,
            text("found it")
        )
    };
    let lines = [line("user"), line("assistant")];
    let wanted = Wanted { turn: None, sidechain: true, ..WANTED };
    assert_eq!(now(&lines, wanted).as_deref(), Some("found it"));
    assert_eq!(now(&lines, Wanted { sidechain: false, ..wanted }), None);
}
