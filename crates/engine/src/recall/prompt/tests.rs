use afterword_domain::text::utf16_len;
use afterword_store::contract::RowBody;

use super::*;
use crate::recall::context::UNRESOLVED;
use crate::recall::given::told_by;
use crate::recall::rank::Parts;
use crate::recall::row_text::RowText;
use crate::recall::testing::{memory, observation, row, summary};

fn found(body: RowBody, score: f64) -> Ranked {
    let row = row(body);
    Ranked { text: RowText::of(&row.body), row, score, matched: 3, parts: Parts::default() }
}

fn ids(rows: &[Ranked]) -> Vec<String> {
    rows.iter().map(|found| found.row.id.to_string()).collect()
}

#[test]
fn only_rows_that_answer_and_are_new_to_the_session_are_given() {
    let mut own = observation(1, "own", 0);
    own.session_id = Some(7);
    let mut sub = observation(2, "of a sub-agent", 0);
    sub.subagent = Some("a1".into());
    let mut chance = found(RowBody::Memory(memory(6, "by chance", 0)), 0.9);
    chance.matched = 1;
    let rows = vec![
        found(RowBody::Observation(own), 0.9),
        found(RowBody::Observation(sub), 0.9),
        found(RowBody::Memory(memory(3, "given", 0)), 0.8),
        found(RowBody::Memory(memory(4, "an answer", 0)), 0.7),
        found(RowBody::Memory(memory(5, "An  answer", 0)), 0.6),
        chance,
        found(RowBody::Memory(memory(8, "weak", 0)), 0.49),
    ];
    let given = ["m3".parse().unwrap()];
    assert_eq!(ids(&answers(rows, Some(7), &given)), ["m4"]);
}

#[test]
fn a_summary_is_given_only_where_nothing_it_sums_up_answers() {
    let of_turn = |id, number, score| {
        let mut row = observation(id, &format!("observation {id}"), 0);
        row.prompt_number = number;
        found(RowBody::Observation(row), score)
    };
    let mut turn = summary(20, 1, 0);
    turn.prompt_number = 1;
    turn.content.completed = "of the first turn".into();
    let mut session = summary(21, 1, 0);
    session.content.completed = "of the session".into();
    let mut other = summary(22, 9, 0);
    other.content.completed = "of another session".into();
    let rows = vec![
        found(RowBody::Summary(session), 0.95),
        found(RowBody::Summary(turn), 0.9),
        of_turn(1, 1, 0.8),
        of_turn(2, 1, 0.8),
        of_turn(3, 2, 0.7),
        found(RowBody::Summary(other), 0.6),
    ];
    assert_eq!(ids(&answers(rows, Some(7), &[])), ["o1", "o2", "o3", "s22"]);
}

#[test]
fn the_decision_of_a_turn_is_given_and_not_only_what_it_left_failing() {
    let of_turn = |id, kind: &str, title: &str, score| {
        let mut row = observation(id, title, 0);
        row.content.r#type = kind.into();
        if title.starts_with("Last seen failing") {
            row.content.concepts = vec![UNRESOLVED.into()];
        }
        found(RowBody::Observation(row), score)
    };
    let mut turn = summary(20, 1, 0);
    turn.prompt_number = 1;
    turn.content.request = "Raise the limit".into();
    let mut elsewhere = of_turn(9, "change", "Edit queue.rs: park jobs", 0.88);
    elsewhere.row.session_id = Some(2);
    let rows = vec![
        found(RowBody::Summary(turn), 0.95),
        of_turn(2, "discovery", "Last seen failing: `cargo test retry_queue`", 0.9),
        elsewhere,
        of_turn(3, "decision", "decided to raise the limit to 7", 0.85),
        of_turn(4, "decision", "Decided  to raise the limit to 7", 0.8),
    ];
    let rows = answers(rows, None, &[]);
    assert_eq!(ids(&rows), ["o3", "o9", "o2"]);
    assert!(block(&rows, &Told::default()).text.contains("decided to raise the limit to 7\n"));
}

#[test]
fn g7_a_row_that_a_newer_one_took_the_place_of_is_not_given() {
    let rows = vec![
        found(RowBody::Memory(memory(1, "We use pnpm", 0)), 0.9),
        found(RowBody::Memory(memory(2, "We use yarn now", 4)), 0.8),
    ];
    assert_eq!(ids(&answers(rows, None, &[])), ["m2"]);
}

#[test]
fn rows_without_a_session_are_given_to_callers_without_one() {
    let rows = vec![found(RowBody::Memory(memory(4, "an answer", 0)), 0.7)];
    assert_eq!(ids(&answers(rows, None, &[])), ["m4"]);
}

#[test]
fn j1_at_most_three_rows_within_the_budget() {
    let text = |id: i64| format!("{id} {}", "<&🦀".repeat(5_000));
    let rows: Vec<Ranked> =
        (1..=5).map(|id| found(RowBody::Memory(memory(id, &text(id), 0)), 0.9)).collect();
    let given = block(&rows, &Told::default());
    assert!(utf16_len(&given.text) <= BUDGET);
    assert_eq!((given.shown.len(), given.left_out), (3, 2));
    assert!(given.text.starts_with("<afterword-context project=\"shop\">"));
    assert!(given.text.ends_with("</afterword-context>"));
    assert_eq!(block(&[], &Told::default()), ContextBlock::default());
}

#[test]
fn what_a_given_summary_said_is_not_repeated_through_another_row() {
    let failing = "Last seen failing: `cargo test retry_queue`: “left: 5, right: 7”";
    let mut open = observation(2, failing, 0);
    open.content.concepts = vec![UNRESOLVED.into()];
    let mut decision = observation(3, "The limit is raised to 7 tries.", 0);
    decision.content.narrative = "Five tries parked jobs that a restart would have saved.".into();
    let rows = [RowBody::Observation(open), RowBody::Observation(decision)];
    let rows = rows.map(|body| found(body, 0.9));
    let mut session = summary(1, 1, 0);
    session.content.learned = "The limit is raised to 7 tries.".into();
    session.content.next_steps = format!("- {failing}");
    let given = block(&rows, &told_by(&[row(RowBody::Summary(session))]));
    assert_eq!(given.shown, ["o3".parse().unwrap()]);
    assert_eq!(given.left_out, 0);
    assert!(!given.text.contains("Last seen failing"), "{}", given.text);
    assert!(given.text.contains(": Five tries parked jobs"), "{}", given.text);
    assert_eq!(block(&rows, &Told::default()).shown.len(), 2);
}

#[test]
fn the_question_of_an_earlier_session_answers_none() {
    let mut asked = summary(7, 3, 0);
    asked.content.request = "Which database did we pick, postgres or mysql?".into();
    asked.content.notes =
        "Unfinished, without an answer yet: Which database did we pick, postgres or mysql?".into();
    let mut next = asked.clone();
    (next.id, next.session_id) = (8, Some(4));
    next.content.notes = String::new();
    next.content.next_steps = asked.content.request.clone();
    let mut chinese = summary(9, 5, 0);
    chinese.content.request = "缓存用什么？".into();
    chinese.content.notes = "- 未完成，尚无回答：缓存用什么？".into();
    let mut answered = asked.clone();
    (answered.id, answered.session_id) = (10, Some(6));
    answered.content.notes = "Waiting for the person's answer: is pgvector needed?".into();
    let rows = [asked, next, chinese, answered].map(|row| found(RowBody::Summary(row), 0.9));
    assert_eq!(ids(&answers(rows.into(), Some(1), &[])), ["s10"]);
}

#[test]
fn a_summary_tells_its_outcome() {
    let mut row = summary(3, 1, 0);
    row.content.request = "Why does the queue stall".into();
    row.content.investigated = "Looked around".into();
    row.content.learned = "Leases are lost".into();
    let text = block(&[found(RowBody::Summary(row), 0.8)], &Told::default()).text;
    assert!(text.contains("Why does the queue stall. Learned: Leases are lost\n"), "{text}");
}

#[test]
fn prompts_that_say_little_have_no_terms() {
    assert!(content_terms("").is_empty());
    assert_eq!(content_terms("queue").len(), 1);
    assert!(content_terms("retry queue restart jobs").len() >= LEAST_TERMS);
}

#[test]
fn prompts_about_nothing_in_particular_tell_nothing() {
    for prompt in [
        "run the tests again and tell me the result",
        "please add a test for the new function",
        "帮我看看这个测试问题",
    ] {
        assert!(telling_terms(prompt) < LEAST_TELLING, "{prompt}: {:?}", content_terms(prompt));
    }
    for prompt in [
        "simplify the ModelSessionID tests",
        "why does the queue lose its lease",
        "登录接口超时的原因",
    ] {
        assert!(telling_terms(prompt) >= LEAST_TELLING, "{prompt}");
    }
}

#[test]
fn prompts_of_programs_are_passed_over() {
    for prompt in ["/compact now please", "<task-notification>x", "{\"a\": 1}", "!ls -l"] {
        assert!(is_machine_made(prompt), "{prompt}");
    }
    for prompt in ["/home/me/a.rs fails to build", "Fix #12", "/ is full", ""] {
        assert!(!is_machine_made(prompt), "{prompt}");
    }
}

#[test]
fn words_of_any_work_do_not_tell_what_a_prompt_is_about() {
    let terms = content_terms("write a test for the lease of the retry queue");
    let telling: Vec<&str> = (0..terms.len())
        .filter(|place| telling_places(&terms) & (1 << place) != 0)
        .map(|place| terms[place].as_str())
        .collect();
    assert_eq!(telling, ["leas", "retri", "queue"]);
}
