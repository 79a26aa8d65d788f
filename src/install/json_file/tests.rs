use proptest::prelude::*;

use super::sample::{hands, objects, values};
use super::{Document, Json, Node, edit};

fn root_of(doc: &Document) -> &Node {
    doc.root().unwrap()
}

fn appended(source: &str, name: &str, value: &Json) -> String {
    let doc = Document::parse(source).unwrap();
    edit::append(&doc, root_of(&doc), Some(name), value).unwrap().to_source()
}

fn removed(source: &str, name: &str) -> String {
    let doc = Document::parse(source).unwrap();
    let at = root_of(&doc).properties().unwrap().iter().position(|p| p.name == name).unwrap();
    edit::remove(&doc, root_of(&doc), at).unwrap().to_source()
}

fn pair() -> Json {
    Json::Object(vec![
        ("a".to_owned(), Json::Array(vec![Json::Number(1), Json::Text("x\"y".to_owned())])),
        ("b".to_owned(), Json::Object(Vec::new())),
    ])
}

#[test]
fn a_member_takes_the_hand_of_the_file() {
    for (before, after) in [
        (
            "{\n\t\"m\": 1\n}\n",
            "{\n\t\"m\": 1,\n\t\"n\": {\n\t\t\"a\": [\n\t\t\t1,\n\t\t\t\"x\\\"y\"\n\t\t],\n\t\t\"b\": {}\n\t}\n}\n",
        ),
        ("{\"m\":1}", "{\"m\":1,\"n\":{\"a\":[1,\"x\\\"y\"],\"b\":{}}}"),
        ("{ \"m\": 1 }", "{ \"m\": 1, \"n\": {\"a\": [1, \"x\\\"y\"], \"b\": {}} }"),
        (
            "{}",
            "{\n  \"n\": {\n    \"a\": [\n      1,\n      \"x\\\"y\"\n    ],\n    \"b\": {}\n  }\n}",
        ),
    ] {
        assert_eq!(appended(before, "n", &pair()), after);
        assert_eq!(removed(after, "n"), before);
    }
}

#[test]
fn m5_comments_stay_where_they_are() {
    for (before, after) in [
        ("{\n  \"m\": 1 // one\n}", "{\n  \"m\": 1, // one\n  \"n\": 2\n}"),
        ("{\n  \"m\": 1, // one\n}", "{\n  \"m\": 1, // one\n  \"n\": 2,\n}"),
        ("{\n  \"m\": 1\n  // \"x\": 2\n}", "{\n  \"m\": 1,\n  \"n\": 2\n  // \"x\": 2\n}"),
        ("{\n  // nothing yet\n}", "{\n  // nothing yet\n  \"n\": 2\n}"),
        ("{ // a\r\n  \"m\": 1 }", "{ // a\r\n  \"m\": 1,\r\n  \"n\": 2 }"),
    ] {
        assert_eq!(appended(before, "n", &Json::Number(2)), after);
        assert_eq!(removed(after, "n"), before);
    }
}

#[test]
fn a_line_comment_never_swallows_what_follows_a_cut() {
    assert_eq!(removed("{ // a\n  \"n\": 2 }", "n"), "{ // a\n }");
    assert_eq!(
        removed("{ \"m\": 1, // a\n  \"n\": 2, \"o\": 3 }", "n"),
        "{ \"m\": 1, // a\n \"o\": 3 }"
    );
    assert_eq!(
        removed("{\n  \"n\": 2 /* b */ , // a\n  \"o\": 3\n}", "n"),
        "{ /* b */  // a\n  \"o\": 3\n}"
    );
}

#[test]
fn a_document_without_a_value_gets_one_behind_its_comments() {
    for (before, after) in
        [("", "{}\n"), ("// mine", "// mine\n{}\n"), ("/* a */\r\n", "/* a */\r\n{}\r\n")]
    {
        let doc = Document::parse(before).unwrap();
        assert_eq!(edit::with_root_object(&doc).unwrap().to_source(), after);
    }
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    for (text, line, column) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 2, 9),
        ("{'a': 1}", 1, 2),
        ("{\"a\": 0xF}", 1, 7),
        ("{\"a\": 1", 1, 1),
        ("{\"a\": 1} x", 1, 10),
        ("\u{feff}{a: 1}", 1, 2),
    ] {
        let error = Document::parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
    }
    assert!(Document::parse(&"[".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn d8_reading_and_writing_changes_nothing(value in values(), hand in hands()) {
        let text = hand.write(&value);
        let doc = Document::parse(&text).unwrap();
        prop_assert_eq!(doc.to_source(), text);
    }

    #[test]
    fn what_is_put_in_and_taken_out_leaves_no_trace(value in objects(values()), hand in hands()) {
        let before = hand.write(&value);
        let after = appended(&before, "NEW", &pair());
        let doc = Document::parse(&after).unwrap();
        let again = root_of(&doc).get("NEW").unwrap();
        prop_assert_eq!(
            serde_json::from_str::<serde_json::Value>(doc.raw(again)).unwrap(),
            serde_json::json!({"a": [1, "x\"y"], "b": {}})
        );
        prop_assert_eq!(removed(&after, "NEW"), before);
    }

    #[test]
    fn taking_out_one_child_keeps_all_others(
        value in objects(values()),
        hand in hands(),
        pick in any::<prop::sample::Index>(),
    ) {
        let text = hand.write(&value);
        let doc = Document::parse(&text).unwrap();
        let children = root_of(&doc).children();
        if children.is_empty() {
            return Ok(());
        }
        let at = pick.index(children.len());
        let rest = edit::remove(&doc, root_of(&doc), at).unwrap();
        let mut left: Vec<&str> = children.iter().map(|(from, to)| &doc.text()[*from..*to]).collect();
        left.remove(at);
        let kept = root_of(&rest).children();
        let kept: Vec<&str> = kept.iter().map(|(from, to)| &rest.text()[*from..*to]).collect();
        prop_assert_eq!(kept, left);
        prop_assert_eq!(
            rest.text().matches("/* about the next */").count(),
            text.matches("/* about the next */").count()
                - doc.text()[children[at].0..children[at].1].matches("/* about the next */").count()
        );
    }
}
