use std::path::{Path, PathBuf};

use serde_json::json;

use super::block::{block, chosen, joined};
use super::digest::{Part, digest};
use super::outbox::{self, Kind, Waiting};
use super::sent::Sent;
use crate::client::remote::Found;
use crate::config::Home;
use afterword_domain::Time;
use afterword_domain::text::utf16_len;
use afterword_domain::wire::context::BLOCK_BUDGET;
use proptest::prelude::*;

/// The agent's log, one line for each of these.
fn log(lines: &[serde_json::Value]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    std::fs::write(file.path(), text.join("\n")).unwrap();
    file
}

fn user(text: &str) -> serde_json::Value {
    json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": text}})
}

fn model(id: &str, text: &str) -> serde_json::Value {
    let content =
        json!([{"type": "thinking", "thinking": "x".repeat(500)}, {"type": "text", "text": text}]);
    json!({"type": "assistant", "sessionId": "s", "message": {"id": id, "content": content}})
}

/// A message of so many characters that begins with a word.
fn long(word: &str, length: usize) -> String {
    let mut text = format!("{word} ");
    text.push_str(&"说".repeat(length - text.chars().count()));
    text
}

fn whole(lines: &[serde_json::Value]) -> Option<String> {
    digest(log(lines).path(), "s", Part::Session, None)
}

#[test]
fn the_five_longest_messages_in_their_order() {
    let lengths = [120, 99, 300, 100, 150, 400, 110, 101];
    let lines: Vec<_> = lengths
        .iter()
        .enumerate()
        .map(|(n, length)| model(&format!("m{n}"), &long(&format!("n{n}"), *length)))
        .collect();
    let lines: Vec<_> = std::iter::once(user("go")).chain(lines).collect();
    let text = whole(&lines).unwrap();
    let order: Vec<&str> = text.split("\n\n").map(|part| part.split(' ').nth(1).unwrap()).collect();
    assert_eq!(order, ["n0", "n2", "n4", "n5", "n6"]);
    assert_eq!(text.matches("Assistant: ").count(), 5);
}

#[test]
fn messages_of_less_than_a_hundred_characters_say_nothing() {
    assert_eq!(whole(&[user(&long("a", 99)), model("m", &long("b", 99))]), None);
    assert_eq!(whole(&[user(&long("a", 100))]).unwrap(), format!("User: {}", long("a", 100)));
    assert_eq!(whole(&[]), None);
    assert_eq!(digest(Path::new("/nowhere"), "s", Part::Session, Some(&long("a", 300))), None);
}

#[test]
fn six_thousand_characters_are_shared_and_short_messages_stay_whole() {
    let lines = [
        user(&long("short", 200)),
        model("1", &long("one", 9_000)),
        model("2", &long("two", 9_000)),
    ];
    let text = whole(&lines).unwrap();
    assert!((5_900..=6_000).contains(&text.chars().count()), "{}", text.chars().count());
    let parts: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(parts[0], format!("User: {}", long("short", 200)));
    let [one, two] = [parts[1], parts[2]].map(|part| part.chars().count());
    assert!(one.abs_diff(two) <= 1 && parts[1].ends_with('…'), "{one} {two}");
}

#[test]
fn what_nobody_said_is_left_out() {
    let tool = json!([{"type": "tool_result", "content": long("tool", 500)}]);
    let mut side = model("x", &long("side", 500));
    side["isSidechain"] = true.into();
    let mut meta = user(&long("meta", 500));
    meta["isMeta"] = true.into();
    let mut foreign = user(&long("foreign", 500));
    foreign["sessionId"] = "other".into();
    let mut error = model("y", &long("error", 500));
    error["message"]["model"] = "<synthetic>".into();
    let lines = [
        user("go"),
        json!({"type": "user", "sessionId": "s", "message": {"content": tool}}),
        side,
        meta,
        foreign,
        error,
        json!({"type": "summary", "summary": long("summary", 500)}),
        json!("no object"),
        // Two blocks of one message.
        model("m", &long("first", 80)),
        model("m", &long("second", 80)),
    ];
    let text = whole(&lines).unwrap();
    assert_eq!(text, format!("Assistant: {}\n{}", long("first", 80), long("second", 80)));
}

#[test]
fn of_a_private_turn_nothing_is_taken_and_the_next_one_counts_again() {
    let lines = [
        user("<private>about the merger</private>"),
        model("1", &long("merger", 300)),
        user("something else"),
        model("2", &long("open", 300)),
        user("<private>again</private>"),
        model("3", &long("merger", 300)),
    ];
    let told = digest(log(&lines).path(), "s", Part::Session, Some(&long("merger", 400))).unwrap();
    assert!(told.contains("open") && !told.contains("merger"), "{told}");
    // A log that shows no prompt does not say whether the turn is private.
    let unknown = [model("1", &long("unknown", 300))];
    let told = digest(log(&unknown).path(), "s", Part::Session, Some(&long("last", 300))).unwrap();
    assert!(!told.contains("last"), "{told}");
}

#[test]
fn of_a_log_beyond_the_window_the_first_turn_may_be_private() {
    let filler = model("0", &long("cut", 5 << 20));
    let lines = [
        user("<private>x</private>"),
        filler,
        model("1", &long("unknown", 300)),
        user("go"),
        model("2", &long("known", 300)),
    ];
    let told = whole(&lines).unwrap();
    assert!(told.contains("known") && !told.contains("unknown"), "{told}");
}

#[test]
fn a_snapshot_holds_what_came_since_the_last_compaction() {
    let mut summary = user(&long("summary", 500));
    summary["isCompactSummary"] = true.into();
    let lines = [user(&long("before", 200)), summary, user(&long("after", 200))];
    let file = log(&lines);
    let snapshot = digest(file.path(), "s", Part::SinceCompaction, None).unwrap();
    assert_eq!(snapshot, format!("User: {}", long("after", 200)));
    let session = digest(file.path(), "s", Part::Session, None).unwrap();
    assert!(session.contains("before") && !session.contains("summary"), "{session}");
}

#[test]
fn the_last_message_counts_where_the_log_lags_behind() {
    let last = long("last", 200);
    let lines = [user("go"), model("1", &long("first", 200))];
    let told = digest(log(&lines).path(), "s", Part::Session, Some(&last)).unwrap();
    assert_eq!(told.matches("last").count(), 1);
    let lines = [user("go"), model("1", &last)];
    let told = digest(log(&lines).path(), "s", Part::Session, Some(&last)).unwrap();
    assert_eq!(told, format!("Assistant: {last}"), "it is not said twice");
}

fn found(id: &str, text: &str, score: Option<f64>) -> Found {
    let metadata = serde_json::Value::Null;
    Found { id: id.into(), text: text.into(), score, created_at: String::new(), metadata }
}

proptest! {
    #[test]
    fn a_block_is_bounded_wrapped_once_and_the_same_in_any_order(
        texts in proptest::collection::vec(("[a-d]", "\\PC{0,900}|[<&＜`\\n]{0,40}", proptest::option::of(0.0..1.0_f64)), 0..40),
        seed in 0_usize..40,
    ) {
        let mut memories: Vec<Found> = texts
            .iter()
            .enumerate()
            .map(|(n, (id, text, score))| found(&format!("{id}{n}"), text, *score))
            .collect();
        let show = |memories: Vec<Found>| block("p\"<", &chosen(memories, "p\"<", 0.5, 20));
        let first = show(memories.clone());
        if !memories.is_empty() {
            let turn = seed % memories.len();
            memories.rotate_left(turn);
        }
        prop_assert_eq!(&show(memories), &first);
        prop_assert!(utf16_len(&first) <= BLOCK_BUDGET);
        prop_assert!(first.is_empty() || first.matches('<').count() == 2, "{}", first);
    }
}

#[test]
fn the_better_of_two_scores_counts_and_ties_are_told_apart() {
    let memories = vec![
        found("b", "b", Some(0.6)),
        found("a", "a", Some(0.6)),
        found("c", "low", Some(0.4)),
        found("c", "high", Some(0.8)),
    ];
    let texts: Vec<String> =
        chosen(memories, "p", 0.5, 20).into_iter().map(|memory| memory.text).collect();
    assert_eq!(texts, ["high", "a", "b"]);
}

#[test]
fn two_memories_share_one_block() {
    let memories = [found("a", "far", Some(0.9))];
    let local = "<afterword-context project=\"p\">\nnear\n</afterword-context>".to_owned();
    assert_eq!(
        joined(local.clone(), "p", &memories),
        "<afterword-context project=\"p\">\nnear\n\n## From the memory service\n1. far\n</afterword-context>"
    );
    assert_eq!(joined(local.clone(), "p", &[]), local);
    assert_eq!(joined(String::new(), "p", &[]), "");
    let full = format!("{}</afterword-context>", "x".repeat(BLOCK_BUDGET - 30));
    assert_eq!(joined(full.clone(), "p", &memories), full, "there is no room");
}

fn waiting(text: &str) -> Waiting {
    Waiting {
        url: "http://h".into(),
        user_id: "u".into(),
        agent: "claude-code".into(),
        session_id: "s".into(),
        project: "p".into(),
        folder: PathBuf::from("/p"),
        kind: Kind::SessionSummary,
        text: text.into(),
    }
}

#[test]
fn what_waits_is_there_until_it_is_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("new"));
    for (ms, text) in [(70_000, "late"), (5, "early")] {
        outbox::write(&home, &waiting(text), Time::from_millis(ms)).unwrap();
    }
    std::fs::write(home.remote_spool().join("1-x.memory.json"), "{torn").unwrap();
    let mut entries = outbox::list(&home);
    let texts: Vec<&str> = entries.iter().map(|entry| entry.waiting.text.as_str()).collect();
    assert_eq!(texts, ["early", "late"]);
    assert_eq!(outbox::count_parked(&home), 1, "what is torn is set aside");
    entries[0].mark_tried().unwrap();
    entries[0].mark_tried().unwrap();
    let again = outbox::list(&home);
    assert_eq!(again.iter().map(|entry| entry.tried).collect::<Vec<_>>(), [true, false]);
    for entry in again {
        entry.remove().unwrap();
    }
    assert_eq!(outbox::count(&home), 0);
}

#[test]
fn keys_tell_texts_sessions_and_services_apart() {
    let one = waiting("a");
    assert_eq!(one.key(), waiting("a").key());
    let others = [
        waiting("b"),
        Waiting { session_id: "t".into(), ..one.clone() },
        Waiting { url: "http://i".into(), ..one.clone() },
        Waiting { kind: Kind::CompactSummary, ..one.clone() },
        Waiting { user_id: String::new(), agent: "uclaude-code".into(), ..one.clone() },
    ];
    for other in others {
        assert_ne!(one.key(), other.key(), "{other:?}");
    }
}

#[test]
fn tries_are_spread_out_and_a_good_one_ends_that() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().to_owned());
    std::fs::create_dir_all(home.remote_spool()).unwrap();
    let pauses: Vec<i64> = (0..9)
        .map(|_| {
            outbox::failed(&home, "why", Time::from_millis(1_000));
            outbox::brake(&home).due_ms - 1_000
        })
        .collect();
    assert_eq!(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    outbox::succeeded(&home);
    assert_eq!(outbox::brake(&home), outbox::Brake::default());
}

#[test]
fn what_was_sent_is_known_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().to_owned());
    let text = waiting("a");
    let mut sent = Sent::of(&home, &text);
    assert!(!sent.has(&text));
    for n in 0..30 {
        sent.add_snapshot(n.to_string());
    }
    assert_eq!((sent.snapshots.len(), sent.snapshots[0].as_str()), (20, "10"));
    sent.key = text.key();
    sent.save(&home, &text).unwrap();
    assert!(Sent::of(&home, &text).has(&text) && !Sent::of(&home, &text).has(&waiting("b")));
    std::fs::write(
        folder.path().join(format!("spool/remote/sent/{}.json", text.session_key())),
        "{",
    )
    .unwrap();
    assert_eq!(Sent::of(&home, &text), Sent::default());
}
