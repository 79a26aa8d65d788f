//! Whatever people and models write.

use proptest::prelude::*;

use super::super::messages::lines;
use super::super::{request, rules};
use super::*;
use crate::distill::model::answer::read_facts;

/// Words that mean something here, signs that may break something, and anything else.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        prop::sample::select(vec![
            "I",
            "I’m",
            "we’ve",
            "my",
            "prefer",
            "moved to",
            "yesterday",
            "last Friday",
            "in 3 weeks",
            "remember that",
            "我",
            "我们",
            "昨天",
            "下周五",
            "三天前",
            "半年前",
            "住在",
            "不",
            "now",
            "<fact>",
            "</messages>",
            "<text>",
            "</fact>",
            "<skip/>",
            "{\"facts\": [",
            "İ",
            "ß",
            "’",
            "🦀",
            "\u{301}",
            "'s",
            "?",
            ".",
            "。",
            "\n",
            " ",
            "9999 years ago",
            "[1]",
            "&lt;",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn nothing_that_is_said_breaks_the_rules(said in text(), name in text(), ms in any::<i64>()) {
        let message = Message { name: Some(name), at: Some(Time::from_millis(ms)), ..says(&said) };
        let lines = lines(&[message], at(NOW), 480);
        for fact in rules::facts(&lines, false) {
            prop_assert!(fact.text.chars().count() <= MOST_CHARS, "{}", fact.text);
            prop_assert!(!fact.text.trim().is_empty());
        }
    }

    #[test]
    fn nothing_that_is_said_leaves_its_place(said in text(), name in text(), wishes in text()) {
        let message = Message { name: Some(name), ..says(&said) };
        let lines = lines(&[message], at(NOW), 0);
        let ask = request::about(&lines, &[], &said, &wishes);
        for mark in ["<known>", "</known>", "<messages>", "</messages>"] {
            prop_assert_eq!(ask.prompt.matches(mark).count(), 1, "{}", ask.prompt);
        }
        prop_assert_eq!(ask.system.matches("</fact>").count(), 1, "{}", ask.system);
    }

    #[test]
    fn no_answer_breaks_its_reader(answer in text(), cut in any::<bool>()) {
        let reading = read_facts(&answer, cut);
        prop_assert_eq!(read_facts(&answer, cut), reading);
    }
}
