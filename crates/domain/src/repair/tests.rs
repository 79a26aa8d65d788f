use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::cost::is_linear;

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |u: u16| if big { u.to_be_bytes() } else { u.to_le_bytes() };
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn a10_nothing_usable_is_none() {
    for bytes in [
        &b""[..],
        b" \n\t",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"garbage",
        b"}",
        b"]",
        b",",
        b"\0",
        b":",
        b"tru",
        b"\xff",
        b"NaN",
        b"-",
    ] {
        assert_eq!(parse(bytes), None, "{bytes:?}");
    }
}

#[test]
fn malformed_payloads_give_what_they_hold() {
    let bom = "\u{feff}";
    let cases: Vec<(&str, Vec<u8>, Value)> = vec![
        ("a10 one byte", b"{".to_vec(), json!({})),
        ("a10 mark in front", format!("{bom}{{\"a\":1}}").into_bytes(), json!({"a": 1})),
        ("a10 two marks", format!("{bom}{bom} {{\"a\":1}}").into_bytes(), json!({"a": 1})),
        ("a9 trailing line end", b"{\"a\":1}\r\n".to_vec(), json!({"a": 1})),
        ("a9 trailing garbage", b"{\"a\":1} ok {".to_vec(), json!({"a": 1})),
        ("a9 joined objects", b"{\"a\":1}{\"b\":2}".to_vec(), json!({"a": 1})),
        ("a9 stray end", b"}{\"a\":1}".to_vec(), json!({"a": 1})),
        ("a9 printed in front", b"warning: x\n{\"a\":1}".to_vec(), json!({"a": 1})),
        ("a9 list in front", b"[INFO] {\"a\":1}".to_vec(), json!({"a": 1})),
        ("d1 high surrogate", br#"{"a":"x\ud83d"}"#.to_vec(), json!({"a": "x\u{fffd}"})),
        ("d1 low surrogate", br#"{"a":"\ude00x"}"#.to_vec(), json!({"a": "\u{fffd}x"})),
        ("d1 high before letters", br#"{"a":"\ud83d\u0041"}"#.to_vec(), json!({"a": "\u{fffd}A"})),
        ("d1 two highs", br#"{"a":"\ud83d\ud83d\ude00"}"#.to_vec(), json!({"a": "\u{fffd}😀"})),
        ("d1 in a key", br#"{"\ud83dk":1}"#.to_vec(), json!({"\u{fffd}k": 1})),
        ("d1 a whole pair stays", br#"{"a":"\ud83d\ude00","b":"\ud83d"}"#.to_vec(), {
            json!({"a": "😀", "b": "\u{fffd}"})
        }),
        ("d2 invalid bytes", b"{\"a\":\"x\xff\\ny\"}".to_vec(), json!({"a": "x\u{fffd}\ny"})),
        ("d2 other encoding", b"{\"a\":\"\x83\\\\\\\"z\"}".to_vec(), json!({"a": "\u{fffd}\\\"z"})),
        ("d8 utf-16 little", utf16("\u{feff}{\"a\":\"é😀\"}", false), json!({"a": "é😀"})),
        ("d8 utf-16 big", utf16("\u{feff}{\"a\":\"é😀\"}", true), json!({"a": "é😀"})),
        ("d8 utf-16 without mark", utf16("{\"a\":1}", false), json!({"a": 1})),
        ("d8 utf-16 big without mark", utf16("{\"a\":1}", true), json!({"a": 1})),
        ("raw controls", b"{\"a\":\"x\ty\nz\x1b[0m\"}".to_vec(), json!({"a": "x\ty\nz\u{1b}[0m"})),
        ("nul escape", br#"{"a\u0000":"x\u0000y"}"#.to_vec(), json!({"a": "xy"})),
        ("raw nul", b"{\"a\":\"x\0y\"}".to_vec(), json!({"a": "xy"})),
        ("unknown escape", br#"{"a":"C:\project"}"#.to_vec(), json!({"a": "C:\\project"})),
        ("broken escape", br#"{"a":"\uzzzz "}"#.to_vec(), json!({"a": "\\uzzzz "})),
        ("duplicate keys", br#"{"a":1,"a":2}"#.to_vec(), json!({"a": 2})),
        ("huge number", br#"{"a":1e999,"b":1}"#.to_vec(), json!({"a": "1e999", "b": 1})),
        ("not a number", br#"{"a":NaN,"b":1}"#.to_vec(), json!({"a": null, "b": 1})),
        ("trailing comma", br#"{"a":[1,2,],}"#.to_vec(), json!({"a": [1, 2]})),
        ("missing value", br#"{"a":,"b":1}"#.to_vec(), json!({"b": 1})),
        ("open list", br#"{"a":[1,2}"#.to_vec(), json!({"a": [1, 2]})),
        ("top-level list", b"[1,\"x\"".to_vec(), json!([1, "x"])),
        ("top-level string", b"\"abc".to_vec(), json!("abc")),
        ("top-level number", b"5".to_vec(), json!(5)),
    ];
    for (name, bytes, value) in cases {
        assert_eq!(parse(&bytes), Some(value), "{name}");
    }
}

#[test]
fn a_payload_cut_anywhere_keeps_what_was_whole() {
    let whole = r#"{"id":"s1","n":12,"ok":true,"é":{"list":[1,{"x":"y\n"},"z"],"t":"tail"}}"#;
    for cut in 1..whole.len() {
        let value = parse(&whole.as_bytes()[..cut]).unwrap();
        assert!(!value.to_string().contains('\u{fffd}'), "{value}");
        if cut > 11 {
            assert_eq!(value["id"], "s1", "cut at {cut}");
        }
        if cut > 18 {
            assert_eq!(value["n"], 12, "cut at {cut}");
        }
    }
    assert_eq!(parse(br#"{"a":"the beg"#), Some(json!({"a": "the beg"})));
    assert_eq!(parse(br#"{"a":"x\"#), Some(json!({"a": "x"})));
    assert_eq!(parse(br#"{"a":"x\u12"#), Some(json!({"a": "x"})));
    assert_eq!(parse(b"{\"a\":\"x\xf0\x9f\x98"), Some(json!({"a": "x"})));
    assert_eq!(parse(br#"{"a":1,"b":tr"#), Some(json!({"a": 1})));
    assert_eq!(parse(br#"{"a":1,"b":12"#), Some(json!({"a": 1})));
    assert_eq!(parse(br#"{"a":1,"b"#), Some(json!({"a": 1})));
    assert_eq!(parse(br#"{"a":1,"b":"#), Some(json!({"a": 1})));
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn nesting_beyond_the_limit_is_replaced() {
    for levels in [99, 100, 101, 127, 128, 200, 100_000] {
        for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
            for close in [close, ""] {
                let text = format!("{}1{}", open.repeat(levels), close.repeat(levels));
                let value = parse(text.as_bytes()).unwrap();
                let kept = levels.min(MAX_DEPTH);
                assert!(depth(&value) == kept, "{levels} {open}{close}");
                assert_eq!(value.to_string().contains(TOO_DEEP), levels > MAX_DEPTH);
            }
        }
    }
    let text = format!("{{\"deep\":{}\"]}}\"{},\"b\":2}}", "[".repeat(300), "]".repeat(300));
    assert_eq!(parse(text.as_bytes()).unwrap()["b"], 2);
}

#[test]
fn b4_more_values_than_anyone_reads_are_left_out() {
    let many = |n: usize| (0..n).map(|i| format!("\"k{i}\":1,")).collect::<Vec<_>>().concat();
    let list = "1,".repeat(3 * MAX_PARTS);
    // Whole, and broken at the end so that it is read the other way.
    for end in ["}", "} {", ""] {
        let text = format!(
            "{{\"big\":{{{}\"z\":[1]}},\"list\":[{list}2],\"id\":\"s\",\"o\":{{}}{end}",
            many(2 * MAX_PARTS)
        );
        let value = parse(text.as_bytes()).unwrap();
        let (members, items) =
            (value["big"].as_object().unwrap(), value["list"].as_array().unwrap());
        assert!(members.len() + items.len() <= MAX_PARTS + 1, "{end}");
        assert_eq!(items.last().unwrap(), TOO_MANY, "{end}");
        assert_eq!(value["id"], "s", "{end}: what stands behind it is still read");
    }
    let value = parse(format!("{{{}\"z\":1}}", many(5 * MAX_MEMBERS)).as_bytes()).unwrap();
    assert_eq!(value.as_object().unwrap().len(), MAX_MEMBERS);
}

#[test]
fn cost_grows_with_length_and_no_faster() {
    for piece in ["[", "{", "{\"a\":", "\"", "\\", "\"\\u", "}{", ",", "[}", "a", "\u{feff}", "é"]
    {
        assert!(
            is_linear(piece, |text| drop(std::hint::black_box(parse(text.as_bytes())))),
            "{piece}"
        );
    }
}

#[test]
fn a9_the_end_of_a_value_is_seen_without_the_end_of_the_stream() {
    for (text, done) in [
        ("{}", true),
        (" {\"a\":[1,{\"b\":\"}\\\"]\"}]}", true),
        ("{\"a\":\"\\\\\"}", true),
        ("[1,2]", true),
        ("\"a b\"", true),
        ("\u{feff}{\"a\":1}", true),
        ("true\n", true),
        ("-12.5e3 ", true),
        ("info: at\n{\"a\":1}", true),
        ("x{\"a\":1}", true),
        ("", false),
        ("  ", false),
        ("{", false),
        ("{\"a\":\"}", false),
        ("{\"a\":[}", false),
        ("\"a\\\"", false),
        ("nothing here ", false),
        ("12", false),
    ] {
        let mut end = JsonEnd::new();
        assert_eq!(end.feed(text.as_bytes()), done, "{text}");
        for big in [false, true] {
            let mut end = JsonEnd::new();
            let bytes = utf16(text, big);
            let seen = bytes.iter().filter(|b| end.feed(std::slice::from_ref(*b))).count();
            assert_eq!(seen > 0, done, "{text} in UTF-16, big: {big}");
        }
    }
    let mut end = JsonEnd::new();
    assert!(!end.feed(&utf16("\u{feff}{\"a\":\"笢≻\u{227d}\"", false)));
    assert!(end.feed(&utf16("}", false)));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Eighths: the parser is free in the last bit of other fractions.
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        "[^\0]*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[^\0]{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(crate::trial::bounded(64))]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(parse(&bytes));
        let _ = JsonEnd::new().feed(&bytes);
    }

    #[test]
    fn any_tokens_are_read_without_panic(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", "\"", "\\", "\\u", "d83d", ":", ",", "1", "e", "-", "true", "é", " ",
            "\"a\":", "\0", "\u{feff}",
        ]), 0..60,
    )) {
        drop(parse(tokens.concat().as_bytes()));
    }

    #[test]
    fn valid_json_comes_back_as_it_was(value in json_value()) {
        let bytes = serde_json::to_vec(&value).unwrap();
        let read = parse(&bytes);
        prop_assert_eq!(read.as_ref(), Some(&value));
        let mut marked = "\u{feff}".to_owned().into_bytes();
        marked.extend(&bytes);
        let read = parse(&marked);
        prop_assert_eq!(read.as_ref(), Some(&value));
        // Something behind it takes the lenient way; only an object is sure to win there.
        if value.is_object() {
            marked.extend(b"}{");
            prop_assert_eq!(parse(&marked), Some(value));
        }
    }

    #[test]
    fn a9_the_end_is_seen_exactly_at_the_end(value in json_value()) {
        prop_assume!(value.is_object() || value.is_array() || value.is_string());
        let bytes = serde_json::to_vec(&value).unwrap();
        let mut end = JsonEnd::new();
        prop_assert!(!end.feed(&bytes[..bytes.len() - 1]));
        prop_assert!(end.feed(&bytes[bytes.len() - 1..]));
    }
}
