use afterword_domain::memory::{Attributes, Memory, Origin};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn memory() -> Memory {
    let at: Time = "2026-11-30T09:00:00Z".parse().unwrap();
    let mut owner = Owner::default();
    owner.set(OwnerKind::User, "ada").unwrap();
    owner.set(OwnerKind::Run, "7").unwrap();
    Memory {
        id: 1,
        uid: Uuid::from_u128(7),
        project_id: 1,
        title: String::new(),
        text: "We deploy on Fridays".into(),
        metadata: json!({"type": "decision", "n": 3, "deep": {"x": 1}, "in": "odd"}),
        files: Vec::new(),
        origin: Origin::Told,
        created_at: at,
        updated_at: at,
        superseded_by: None,
        owner,
        attributes: Attributes { categories: vec!["work".into()], ..Attributes::default() },
    }
}

fn holds(filters: &Value) -> bool {
    filter(filters).unwrap_or_else(|why| panic!("{filters}: {why}")).holds(&memory())
}

#[test]
fn both_grammars_are_understood() {
    for yes in [
        json!(null),
        json!({}),
        json!({"user_id": "ada"}),
        json!({"userId": "ada", "runId": 7}),
        json!({"user_id": "*"}),
        json!({"agent_id": {"ne": "*"}}),
        json!({"AND": [{"user_id": "ada"}, {"run_id": {"in": ["7", "8"]}}]}),
        json!({"OR": [{"user_id": "bo"}, {"user_id": "ada"}]}),
        json!({"AND": [{"user_id": "ada"}], "OR": [{"n": 3}, {"n": 4}]}),
        json!({"NOT": [{"user_id": "bo"}, {"agent_id": "x"}]}),
        json!({"NOT": {"user_id": "bo"}}),
        json!({"user_id": ["bo", "ada"]}),
        json!({"metadata": {"type": "decision"}}),
        json!({"metadata": {"type": {"contains": "deci"}, "n": {"gte": 3, "lt": 4}}}),
        json!({"metadata": {"deep": {"x": 1}}}),
        json!({"type": "decision"}),
        json!({"n": {"gt": 2}}),
        json!({"deep": {"x": {"ne": 2}}}),
        json!({"type": {"nin": ["a", "b"]}}),
        json!({"categories": {"contains": "work"}}),
        json!({"categories": {"in": ["work", "x"]}}),
        json!({"categories": ["work"]}),
        json!({"created_at": {"gte": "2026-11-30", "lte": "2026-11-30"}}),
        json!({"created_at": "2026-11-30"}),
        json!({"timestamp": {"gt": 1_700_000_000}}),
        json!({"keywords": {"icontains": "DEPLOY"}}),
        json!({"keywords": "fridays"}),
        json!({"text": {"contains": "deploy"}}),
        json!({"memory_ids": [Uuid::from_u128(7).to_string()]}),
        json!({"expiration_date": null}),
    ] {
        assert!(holds(&yes), "{yes}");
    }
    for no in [
        json!({"user_id": "bo"}),
        json!({"user_id": "ada", "agent_id": "*"}),
        json!({"AND": [{"user_id": "ada"}], "OR": [{"n": 4}]}),
        json!({"NOT": [{"user_id": "ada"}]}),
        json!({"NOT": [{"user_id": "bo"}, {"user_id": "ada"}]}),
        json!({"metadata": {"type": "x"}}),
        json!({"session_id": "7"}),
        json!({"created_at": {"gt": "2026-11-30"}}),
        json!({"memory_ids": []}),
    ] {
        assert!(!holds(&no), "{no}");
    }
}

#[test]
fn what_can_never_hold_is_refused() {
    for (bad, says) in [
        (json!([]), "an object"),
        (json!("user_id"), "an object"),
        (json!({"user_id": ""}), "user_id is empty"),
        (json!({"user_id": "a b"}), "white space"),
        (json!({"user_id": {"like": "a"}}), "'like' is no operator"),
        (json!({"user_id": {}}), "no operator"),
        (json!({"user_id": true}), "a text or a number"),
        (json!({"user_id": {"in": "ada"}}), "takes a list"),
        (json!({"created_at": "soon"}), "no date"),
        (json!({"created_at": {"gt": [1]}}), "takes a number"),
        (json!({"memory_ids": ["7"]}), "no UUID"),
        (json!({"AND": []}), "holds no filter"),
        (json!({"OR": ["x"]}), "holds objects"),
        (json!({"metadata": "x"}), "an object"),
        (json!({"n": {"gt": 2, "deep": 1}}), "'deep' is no operator"),
        (json!({"text": {"contains": 7}}), "takes a text"),
    ] {
        let why = filter(&bad).unwrap_err();
        assert!(why.contains(says), "{bad}: {why}");
    }
}

#[test]
fn depth_and_number_are_bounded() {
    let nested = |levels: usize| (1..levels).fold(json!({"a": 1}), |f, _| json!({"NOT": [f]}));
    assert!(filter(&nested(DEPTH)).is_ok());
    assert!(filter(&nested(DEPTH + 1)).unwrap_err().contains("nested deeper"));
    let deep = (1..60).fold(json!(1), |value, _| json!({"a": value}));
    assert!(filter(&deep).unwrap_err().contains("nested deeper"));
    let many = |n: usize| json!({"OR": (0..n).map(|n| json!({"n": n})).collect::<Vec<_>>()});
    assert!(filter(&many(TESTS)).is_ok());
    assert!(filter(&many(TESTS + 1)).unwrap_err().contains("more than 200"));
    let list = json!({"n": {"in": vec![1; VALUES + 1]}});
    assert!(filter(&list).unwrap_err().contains("at most"));
}

fn anything() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("AND"),
        Just("OR"),
        Just("NOT"),
        Just("user_id"),
        Just("userId"),
        Just("run_id"),
        Just("created_at"),
        Just("expiration_date"),
        Just("categories"),
        Just("metadata"),
        Just("memory_ids"),
        Just("keywords"),
        Just("text"),
        Just("type"),
        Just("n"),
        Just("eq"),
        Just("ne"),
        Just("in"),
        Just("nin"),
        Just("gt"),
        Just("lte"),
        Just("contains"),
        Just("icontains"),
        Just(""),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("*")),
        Just(json!("ada")),
        Just(json!("2026-11-30")),
    ];
    leaf.prop_recursive(8, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..6).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_a_filter_or_told_why_not(value in anything()) {
        match filter(&value) {
            Ok(filter) => {
                let (memory, mut nobodys) = (memory(), memory());
                nobodys.owner = Owner::default();
                let holds = filter.holds(&memory);
                prop_assert_eq!(not(filter.clone()).holds(&memory), !holds);
                if filter.names_an_owner() {
                    prop_assert!(!filter.holds(&nobodys));
                }
            }
            Err(why) => prop_assert!(!why.is_empty()),
        }
    }
}
