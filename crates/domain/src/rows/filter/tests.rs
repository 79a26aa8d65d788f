use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::Time;
use crate::memory::{Attributes, Memory, Origin};
use crate::owner::Owner;

fn memory() -> Memory {
    let at: Time = "2026-11-30T09:00:00Z".parse().unwrap();
    Memory {
        id: 1,
        uid: Uuid::from_u128(0xab),
        project_id: 1,
        title: String::new(),
        text: "We deploy on Fridays".into(),
        metadata: json!({
            "type": "decision", "n": 3, "tags": ["a", "b"], "deep": {"x": 1.5}, "none": null,
        }),
        files: Vec::new(),
        origin: Origin::Told,
        created_at: at,
        updated_at: at.plus_millis(86_400_000),
        superseded_by: None,
        owner: Owner { user: Some("ada".into()), run: Some("7".into()), ..Owner::default() },
        attributes: Attributes {
            categories: vec!["work".into(), "Release".into()],
            expires: Some("2026-12-24".parse().unwrap()),
            ..Attributes::default()
        },
    }
}

fn passes(field: Field, test: Test) -> bool {
    let (filter, memory) = (Filter::Is(field, test), memory());
    let holds = filter.holds(&memory);
    let contrary = Filter::Not(Box::new(filter.clone()));
    assert_ne!(contrary.holds(&memory), holds);
    assert!(!holds || meets(&filter.necessary(), &memory));
    holds
}

/// Whether a memory meets the conditions that a database checks.
fn meets(necessary: &Necessary, memory: &Memory) -> bool {
    necessary.owners.iter().any(|owner| owner.holds(&memory.owner))
        && necessary.created.holds(memory.created_at)
        && necessary.updated.holds(memory.updated_at)
        && necessary.uids.as_ref().is_none_or(|uids| uids.contains(&memory.uid))
        && necessary.written.iter().all(|written| {
            let place = match written.place {
                Place::Text => memory.text.clone(),
                Place::Metadata => memory.metadata.to_string(),
                Place::Categories => serde_json::to_string(&memory.attributes.categories).unwrap(),
            };
            place.contains(&written.text)
        })
}

#[test]
fn names_are_compared_as_texts() {
    let user = || Field::Owner(OwnerKind::User);
    let run = || Field::Owner(OwnerKind::Run);
    let agent = || Field::Owner(OwnerKind::Agent);
    assert!(passes(user(), Test::Eq(json!(" ada "))));
    assert!(!passes(user(), Test::Eq(json!("Ada"))));
    assert!(passes(run(), Test::Eq(json!(7))));
    assert!(passes(user(), Test::In(vec![json!("bo"), json!("ada")])));
    assert!(!passes(user(), Test::In(vec![])));
    assert!(!passes(user(), Test::NotIn(vec![json!("ada")])));
    assert!(passes(user(), Test::Ne(json!("bo"))));
    assert!(passes(agent(), Test::Ne(json!("bo"))), "nobody is not bo");
    assert!(passes(user(), Test::Present));
    assert!(!passes(agent(), Test::Present));
    assert!(passes(agent(), Test::Eq(Value::Null)));
    assert!(passes(user(), Test::ContainsFold("AD".into())));
    assert!(!passes(user(), Test::Contains("AD".into())));
    assert!(passes(user(), Test::Gt(json!("a"))));
}

#[test]
fn a_day_is_the_whole_day_and_numbers_are_seconds_or_milliseconds() {
    let day = || json!("2026-11-30");
    assert!(passes(Field::Created, Test::Eq(day())));
    assert!(passes(Field::Created, Test::Lte(day())));
    assert!(passes(Field::Created, Test::Gte(day())));
    assert!(!passes(Field::Created, Test::Gt(day())));
    assert!(!passes(Field::Created, Test::Lt(day())));
    assert!(passes(Field::Updated, Test::Gt(day())));
    assert!(passes(Field::Created, Test::In(vec![json!("2026-01-01"), day()])));
    let seconds = memory().created_at.millis() / 1_000;
    assert!(passes(Field::Created, Test::Eq(json!(seconds))));
    assert!(passes(Field::Created, Test::Eq(json!(seconds * 1_000))));
    assert!(passes(Field::Created, Test::Gt(json!(seconds - 1))));
    for bad in [json!("soon"), json!(true), json!([1]), json!(null)] {
        assert!(!passes(Field::Created, Test::Eq(bad.clone())), "{bad}");
        assert!(!passes(Field::Created, Test::Lt(bad.clone())), "{bad}");
        assert!(passes(Field::Created, Test::Ne(bad.clone())), "{bad}");
    }
    assert!(passes(Field::Expires, Test::Eq(json!("2026-12-24"))));
    assert!(passes(Field::Expires, Test::Gt(json!("2026-12-23"))));
    assert!(!passes(Field::Expires, Test::Gt(json!("2026-12-24"))));
}

#[test]
fn texts_categories_and_metadata_are_looked_into() {
    assert!(passes(Field::Text, Test::Contains("deploy".into())));
    assert!(!passes(Field::Text, Test::Contains("DEPLOY".into())));
    assert!(passes(Field::Text, Test::ContainsFold("DEPLOY".into())));
    assert!(passes(Field::Category, Test::Eq(json!("work"))));
    assert!(passes(Field::Category, Test::In(vec![json!("x"), json!("Release")])));
    assert!(passes(Field::Category, Test::ContainsFold("rel".into())));
    assert!(!passes(Field::Category, Test::Ne(json!("work"))));
    let at = |path: &[&str]| Field::Metadata(path.iter().map(|key| (*key).to_owned()).collect());
    assert!(passes(at(&["type"]), Test::Eq(json!("decision"))));
    assert!(passes(at(&["n"]), Test::Eq(json!(3.0))));
    assert!(passes(at(&["n"]), Test::Gt(json!(2))));
    assert!(!passes(at(&["n"]), Test::Gt(json!("2"))), "a number beside a text");
    assert!(passes(at(&["tags"]), Test::Eq(json!("b"))));
    assert!(passes(at(&["tags"]), Test::Eq(json!(["a", "b"]))));
    assert!(passes(at(&["tags"]), Test::Contains("a".into())));
    assert!(passes(at(&["deep", "x"]), Test::Lt(json!(2))));
    assert!(passes(at(&["none"]), Test::Eq(Value::Null)));
    assert!(!passes(at(&["none"]), Test::Present));
    assert!(passes(at(&["no", "such"]), Test::Ne(json!(1))));
    assert!(!passes(at(&["type", "deeper"]), Test::Present));
    assert!(!passes(Field::Uid, Test::Eq(json!("000000AB-0000-0000-0000-000000000000"))));
    assert!(passes(Field::Uid, Test::Eq(json!(memory().uid.to_string().to_uppercase()))));
    assert!(!passes(Field::Uid, Test::In(vec![json!("no uuid"), json!(7)])));
}

#[test]
fn trees_hold_as_their_parts_do() {
    let yes = Filter::owned(OwnerKind::User, "ada");
    let no = Filter::owned(OwnerKind::User, "bo");
    let m = memory();
    assert!(Filter::default().holds(&m));
    assert!(!Filter::Any(vec![]).holds(&m));
    assert!(Filter::Any(vec![no.clone(), yes.clone()]).holds(&m));
    assert!(!Filter::All(vec![no.clone(), yes.clone()]).holds(&m));
    assert!(Filter::All(vec![yes, Filter::Not(Box::new(no))]).holds(&m));
}

#[test]
fn an_owner_is_named_where_every_way_through_names_one() {
    let user = || Filter::owned(OwnerKind::User, "ada");
    let kind = || Filter::Is(Field::Metadata(vec!["type".into()]), Test::Eq(json!("x")));
    let not = |part: Filter| Filter::Not(Box::new(part));
    for named in [
        user(),
        Filter::All(vec![kind(), user()]),
        Filter::Any(vec![user(), Filter::Is(Field::Owner(OwnerKind::Agent), Test::Present)]),
        not(not(user())),
    ] {
        assert!(named.names_an_owner(), "{named:?}");
    }
    for nobody in [
        Filter::default(),
        kind(),
        Filter::Any(vec![]),
        Filter::Any(vec![user(), kind()]),
        not(user()),
        Filter::Is(Field::Owner(OwnerKind::User), Test::Ne(json!("bo"))),
        Filter::Is(Field::Owner(OwnerKind::User), Test::Eq(Value::Null)),
        Filter::Is(Field::Owner(OwnerKind::User), Test::In(vec![json!("a"), Value::Null])),
    ] {
        assert!(!nobody.names_an_owner(), "{nobody:?}");
    }
}

#[test]
fn databases_are_told_of_owners_times_and_uids() {
    let user = Filter::owned(OwnerKind::User, "ada");
    let run = Filter::owned(OwnerKind::Run, "7");
    let both = Filter::All(vec![user.clone(), run.clone()]).necessary();
    assert!(both.whole);
    assert_eq!(both.owners.len(), 1);
    assert!(both.owners[0].holds(&memory().owner));
    let either = Filter::Any(vec![user.clone(), run]).necessary();
    assert!(either.whole && either.owners.len() == 2);
    let other = Filter::All(vec![user.clone(), Filter::owned(OwnerKind::User, "bo")]).necessary();
    assert!(other.is_impossible() && other.owners.is_empty());
    let when = Filter::Is(Field::Created, Test::Gte(json!("2026-11-30")));
    let mixed = Filter::Any(vec![user.clone(), when.clone()]).necessary();
    assert!(!mixed.whole, "either, not both");
    assert!(!mixed.asks_for_owners());
    let timed = Filter::All(vec![user.clone(), when]).necessary();
    assert!(timed.whole && timed.asks_for_owners() && timed.created.from.is_some());
    let more = Filter::All(vec![user, Filter::Is(Field::Text, Test::Contains("x".into()))]);
    assert!(!more.necessary().whole && more.necessary().asks_for_owners());
    assert_eq!(more.necessary().written[0].text, "x");
    let quoted = Filter::Is(Field::Metadata(vec!["a".into()]), Test::Eq(json!("say \"x\"")));
    assert_eq!(quoted.necessary().written[0].text, r#""say \"x\"""#);
    assert_eq!(Filter::Any(vec![quoted, more]).necessary().written, []);
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("ada")),
        Just(json!("bo")),
        Just(json!("decision")),
        Just(json!("b")),
        Just(json!("work")),
        Just(json!(7)),
        Just(json!("2026-11-30")),
        Just(json!("2026-12-01")),
        Just(json!(memory().uid.to_string())),
        Just(Value::Null),
    ]
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let field = prop_oneof![
        Just(Field::Owner(OwnerKind::User)),
        Just(Field::Owner(OwnerKind::Agent)),
        Just(Field::Owner(OwnerKind::Run)),
        Just(Field::Created),
        Just(Field::Updated),
        Just(Field::Expires),
        Just(Field::Text),
        Just(Field::Category),
        Just(Field::Metadata(vec!["type".into()])),
        Just(Field::Metadata(vec!["tags".into()])),
        Just(Field::Uid),
    ];
    let test = prop_oneof![
        any_value().prop_map(Test::Eq),
        any_value().prop_map(Test::Ne),
        proptest::collection::vec(any_value(), 0..3).prop_map(Test::In),
        proptest::collection::vec(any_value(), 0..3).prop_map(Test::NotIn),
        any_value().prop_map(Test::Gt),
        any_value().prop_map(Test::Gte),
        any_value().prop_map(Test::Lt),
        any_value().prop_map(Test::Lte),
        Just(Test::Present),
        Just(Test::Contains("a".into())),
    ];
    let leaf = (field, test).prop_map(|(field, test)| Filter::Is(field, test));
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Filter::All),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Filter::Any),
            inner.prop_map(|part| Filter::Not(Box::new(part))),
        ]
    })
}

proptest! {
    #[test]
    fn no_passing_memory_misses_what_is_necessary_and_whole_means_the_same(
        filter in any_filter(),
        user in proptest::option::of("ada|bo"),
        run in proptest::option::of("7|8"),
        days in 0_i64..3,
    ) {
        let mut memory = memory();
        memory.owner.user = user;
        memory.owner.run = run;
        memory.created_at = memory.created_at.plus_millis(days * 86_400_000);
        let (holds, necessary) = (filter.holds(&memory), filter.necessary());
        prop_assert!(!holds || meets(&necessary, &memory), "{necessary:?}");
        if necessary.whole {
            prop_assert_eq!(holds, meets(&necessary, &memory), "{:?}", necessary);
        }
        if filter.names_an_owner() {
            memory.owner = Owner::default();
            prop_assert!(!filter.holds(&memory));
        }
    }
}
