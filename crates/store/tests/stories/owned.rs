use afterword_domain::filter::{Field, Filter, NameMatch, OwnerMatch, Test};
use afterword_domain::memory::Attributes;
use afterword_domain::owner::OwnerKind;
use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use afterword_store::Error;
use afterword_store::contract::{
    Change, ChangedMemory, ChangedText, Feedback, HistoryEntry, ImportRow, KeywordQuery, OwnedPage,
    OwnedQuery,
};
use serde_json::json;
use uuid::Uuid;

use super::build::{Any, doc, owned, owner, remember, stored_project, t};

fn of(kind: OwnerKind, names: &[&str]) -> OwnerMatch {
    let mut owner = OwnerMatch::default();
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    *owner.of_mut(kind) = NameMatch::OneOf(names);
    owner
}

async fn listed(store: &Any, filter: Filter) -> OwnedPage {
    let query = OwnedQuery { filter, limit: 50, ..OwnedQuery::default() };
    store.list_owned(query).await.unwrap()
}

fn texts(page: &OwnedPage) -> Vec<&str> {
    page.memories.iter().map(|memory| memory.text.as_str()).collect()
}

pub(crate) async fn a_memory_is_somebodys(store: Any) {
    let p = stored_project(&store, "p").await;
    let mut new = owned(p.id, "user:ada run:7", "likes tea", 1);
    new.attributes = Attributes {
        categories: vec!["food".to_owned()],
        expires: Some("2026-12-24".parse().unwrap()),
        immutable: true,
        role: "user".to_owned(),
        actor: "Ada".to_owned(),
    };
    let memory = store.remember(new.clone()).await.unwrap();
    assert_eq!((&memory.owner, &memory.attributes), (&new.owner, &new.attributes));
    let by_uid = store.memories_by_uid(&[Uuid::nil(), new.uid]).await.unwrap();
    assert_eq!((by_uid.len(), &by_uid[0]), (1, &memory));
    let row = store.rows(Scope::All, &[PublicId::new(Kind::Memory, memory.id)]).await.unwrap();
    assert_eq!(row[0].body, afterword_store::contract::RowBody::Memory(memory.clone()));
    let others = store.remember(owned(p.id, "user:bo", "likes tea", 2)).await.unwrap();
    assert_ne!(others.id, memory.id, "each owner remembers for itself");
    let known = store.known_owners(0, 9).await.unwrap();
    let names: Vec<(&str, u64)> = known.1.iter().map(|o| (o.name.as_str(), o.memories)).collect();
    assert_eq!((known.0, names), (3, vec![("ada", 1), ("bo", 1), ("7", 1)]));
    let (_, second) = store.known_owners(1, 1).await.unwrap();
    assert_eq!((second[0].name.as_str(), second[0].created_at), ("bo", t(2)));
}

pub(crate) async fn lists_are_newest_first_and_paged(store: Any) {
    let p = stored_project(&store, "p").await;
    for (n, text) in (0..).zip(["one", "two", "three", "four"]) {
        store.remember(owned(p.id, &format!("user:ada run:{n}"), text, n)).await.unwrap();
    }
    store.remember(owned(p.id, "user:bo", "five", 9)).await.unwrap();
    remember(&store, p.id, "nobody's", 10).await;
    let filter = || Filter::owned(OwnerKind::User, "ada");
    assert_eq!(texts(&listed(&store, filter()).await), ["four", "three", "two", "one"]);
    let page = |offset, limit| OwnedQuery { filter: filter(), today: None, offset, limit };
    let second = store.list_owned(page(1, 2)).await.unwrap();
    assert_eq!((second.total, texts(&second)), (4, vec!["three", "two"]));
    let beyond = store.list_owned(page(9, 2)).await.unwrap();
    assert_eq!((beyond.total, beyond.memories.len()), (4, 0));
    assert_eq!(listed(&store, Filter::default()).await.total, 6);
}

pub(crate) async fn filters_hold_for_lists(store: Any) {
    let p = stored_project(&store, "p").await;
    let mut uids = Vec::new();
    for (n, (names, kind)) in (0..).zip([
        ("user:ada app:shop run:1", "decision"),
        ("user:ada run:2", "summary"),
        ("user:bo agent:x app:shop", "decision"),
        ("agent:x", "note"),
    ]) {
        let mut new = owned(p.id, names, &format!("m{n}"), n * 1_000);
        new.metadata = json!({ "type": kind });
        new.attributes.expires = (n == 1).then(|| "2026-01-01".parse().unwrap());
        uids.push(store.remember(new).await.unwrap().uid);
    }
    let owned_by = Filter::owned;
    let is = |field, test| Filter::Is(field, test);
    let kind = |kind: &str| is(Field::Metadata(vec!["type".to_owned()]), Test::Eq(json!(kind)));
    let both =
        Filter::All(vec![owned_by(OwnerKind::User, "ada"), owned_by(OwnerKind::App, "shop")]);
    assert_eq!(texts(&listed(&store, both).await), ["m0"]);
    let either =
        Filter::Any(vec![owned_by(OwnerKind::User, "ada"), owned_by(OwnerKind::Agent, "x")]);
    assert_eq!(texts(&listed(&store, either).await), ["m3", "m2", "m1", "m0"]);
    let any_agent = is(Field::Owner(OwnerKind::Agent), Test::Present);
    assert_eq!(texts(&listed(&store, any_agent).await), ["m3", "m2"]);
    let several = is(Field::Owner(OwnerKind::Run), Test::In(vec![json!("1"), json!(2)]));
    assert_eq!(texts(&listed(&store, several).await), ["m1", "m0"]);
    let typed = Filter::All(vec![owned_by(OwnerKind::App, "shop"), kind("decision")]);
    assert_eq!(texts(&listed(&store, typed).await), ["m2", "m0"]);
    let not = Filter::All(vec![
        owned_by(OwnerKind::User, "ada"),
        Filter::Not(Box::new(kind("decision"))),
    ]);
    assert_eq!(texts(&listed(&store, not).await), ["m1"]);
    let says = |part: &str| is(Field::Text, Test::Contains(part.to_owned()));
    assert_eq!(texts(&listed(&store, says("2")).await), ["m2"]);
    assert_eq!(texts(&listed(&store, says("M2")).await), [""; 0]);
    assert_eq!(texts(&listed(&store, says("2\0")).await), [""; 0]);
    let mut odd = owned(p.id, "user:di", "odd", 9_000);
    odd.metadata = json!({"tags": ["say \"x\" \\ 是", 3]});
    odd.attributes.categories = vec!["a \"b\"".to_owned()];
    store.remember(odd).await.unwrap();
    let tags = || Field::Metadata(vec!["tags".to_owned()]);
    let tagged = is(tags(), Test::Eq(json!("say \"x\" \\ 是")));
    assert_eq!(texts(&listed(&store, tagged).await), ["odd"]);
    assert_eq!(texts(&listed(&store, is(tags(), Test::Eq(json!(3.0)))).await), ["odd"]);
    let of_category = is(Field::Category, Test::Eq(json!("a \"b\"")));
    assert_eq!(texts(&listed(&store, of_category).await), ["odd"]);
    assert_eq!(store.forget_owned(of(OwnerKind::User, &["di"]), 9, t(9_500)).await.unwrap(), 1);
    let late = is(Field::Created, Test::Gt(json!(t(1_000).to_string())));
    assert_eq!(texts(&listed(&store, late).await), ["m3", "m2"]);
    let named = is(Field::Uid, Test::In(vec![json!(uids[3].to_string()), json!("none")]));
    assert_eq!(texts(&listed(&store, named).await), ["m3"]);
    assert_eq!(listed(&store, owned_by(OwnerKind::User, "nobody")).await, OwnedPage::default());
    assert_eq!(listed(&store, Filter::Any(Vec::new())).await, OwnedPage::default());
    for filter in [owned_by(OwnerKind::User, "ada"), Filter::All(vec![kind("summary")])] {
        let today = Some("2026-06-01".parse().unwrap());
        let query = OwnedQuery { filter, today, offset: 0, limit: 9 };
        let page = store.list_owned(query).await.unwrap();
        assert!(!texts(&page).contains(&"m1"), "it has expired: {page:?}");
        assert_eq!(page.total, page.memories.len() as u64);
    }
}

pub(crate) async fn a_search_stays_with_its_owners(store: Any) {
    let p = stored_project(&store, "p").await;
    for n in 0..400 {
        let names = if n % 4 == 0 { "user:ada app:shop" } else { "user:bo app:shop" };
        let text = format!("common words and number {n}");
        store.remember(owned(p.id, names, &text, n)).await.unwrap();
    }
    store.remember(owned(p.id, "user:cy", "common words of few", 1)).await.unwrap();
    remember(&store, p.id, "common words of nobody", 1).await;
    let query = |owners: Vec<OwnerMatch>, words: &str| KeywordQuery {
        terms: words.split(' ').map(str::to_owned).collect(),
        owners: Some(owners),
        limit: 30,
        ..KeywordQuery::default()
    };
    let ada = || of(OwnerKind::User, &["ada"]);
    let of_all = |names: &'static str| {
        let store = store.clone();
        async move |answer: afterword_store::contract::KeywordAnswer| {
            let ids: Vec<PublicId> = answer.hits.iter().map(|hit| hit.id).collect();
            assert!(!ids.is_empty());
            for row in store.rows(Scope::All, &ids).await.unwrap() {
                let afterword_store::contract::RowBody::Memory(memory) = row.body else { panic!() };
                assert_eq!(memory.owner, owner(names));
            }
        }
    };
    let adas = of_all("user:ada app:shop");
    adas(store.keyword(query(vec![ada()], "common words")).await.unwrap()).await;
    adas(store.keyword(query(vec![ada()], "common 8")).await.unwrap()).await;
    let narrow = store.keyword(query(vec![of(OwnerKind::User, &["cy", "di"])], "words")).await;
    of_all("user:cy")(narrow.unwrap()).await;
    let exact = store.keyword(query(vec![ada()], "8")).await.unwrap();
    assert_eq!((exact.hits.len(), exact.total), (1, 1));
    let foreign = store.keyword(query(vec![of(OwnerKind::User, &["bo"])], "8")).await.unwrap();
    assert_eq!((foreign.hits.len(), foreign.total), (0, 0));
    for nobody in [vec![], vec![of(OwnerKind::User, &["di"])]] {
        let none = store.keyword(query(nobody, "common words")).await.unwrap();
        assert_eq!((none.hits.len(), none.total), (0, 0));
    }
    let either = vec![of(OwnerKind::User, &["cy"]), of(OwnerKind::App, &["shop"])];
    assert_eq!(store.keyword(query(either, "words")).await.unwrap().total, 401);
    let present = OwnerMatch { app: NameMatch::Present, ..OwnerMatch::default() };
    assert_eq!(store.keyword(query(vec![present], "words")).await.unwrap().total, 400);
    let hits = store.last_with_token(Scope::Project(p.id), "few", 5).await.unwrap();
    let named = KeywordQuery { rows: vec![hits[0].id], ..query(vec![ada()], "nowhere") };
    assert_eq!(store.keyword(named).await.unwrap().hits.len(), 0, "it is somebody else's");
}

fn change(uid: Uuid, text: &str, at: i64) -> ChangedMemory {
    ChangedMemory {
        uid,
        text: Some(ChangedText {
            text: text.to_owned(),
            text_key: format!("{} of user:ada", text.to_lowercase()),
            index: doc(text),
        }),
        metadata: None,
        expires: None,
        at: t(at),
    }
}

pub(crate) async fn a_change_is_whole_or_nothing(store: Any) {
    let p = stored_project(&store, "p").await;
    let one = store.remember(owned(p.id, "user:ada", "first thought", 1)).await.unwrap();
    let two = store.remember(owned(p.id, "user:ada", "second thought", 2)).await.unwrap();
    let changes = vec![
        ChangedMemory {
            metadata: Some(json!({"n": 1})),
            expires: Some(Some("2027-01-01".parse().unwrap())),
            ..change(two.uid, "better thought", 5)
        },
        ChangedMemory { text: None, metadata: Some(json!(null)), ..change(one.uid, "", 6) },
    ];
    let memories = store.change_memories(changes).await.unwrap();
    let first = &memories[0];
    assert_eq!((first.uid, first.text.as_str()), (two.uid, "better thought"));
    assert_eq!((first.created_at, first.updated_at), (t(2), t(5)));
    assert_eq!(first.metadata, json!({"n": 1}));
    assert_eq!(first.attributes.expires.unwrap().to_string(), "2027-01-01");
    assert_eq!((memories[1].text.as_str(), &memories[1].metadata), ("first thought", &json!(null)));
    for (term, count) in [("better", 1), ("second", 0)] {
        let found = store.last_with_token(Scope::All, term, 5).await.unwrap();
        assert_eq!(found.len(), count, "{term}");
    }
    let unknown = vec![change(one.uid, "third", 7), change(Uuid::nil(), "x", 7)];
    assert!(matches!(store.change_memories(unknown).await, Err(Error::NotFound("memory"))));
    let same = vec![change(one.uid, "third", 7), change(one.uid, "better thought", 8)];
    assert!(matches!(store.change_memories(same).await, Err(Error::Conflict(_))));
    let still = store.memories_by_uid(&[one.uid]).await.unwrap().remove(0);
    assert_eq!((still.text.as_str(), still.updated_at), ("first thought", t(6)));
}

pub(crate) async fn a_history_outlives_its_texts(store: Any) {
    let p = stored_project(&store, "p").await;
    let new = owned(p.id, "user:ada", "first", 1);
    let memory = store.remember(new.clone()).await.unwrap();
    store.remember(new).await.unwrap();
    store.change_memories(vec![change(memory.uid, "second", 5)]).await.unwrap();
    let told = |entry: &HistoryEntry| (entry.change, entry.old.clone(), entry.new.clone());
    let text = |text: &str| Some(text.to_owned());
    let history = store.memory_history(memory.uid).await.unwrap();
    assert_eq!(
        history.iter().map(told).collect::<Vec<_>>(),
        [
            (Change::Add, None, text("first")),
            (Change::None, text("first"), text("first")),
            (Change::Update, text("first"), text("second")),
        ]
    );
    assert_eq!((history[2].at, &history[2].owner), (t(5), &owner("user:ada")));
    assert_ne!(history[0].id, history[1].id);
    assert_eq!(store.forget_memories(&[memory.uid, Uuid::nil()], t(9)).await.unwrap(), 1);
    let history = store.memory_history(memory.uid).await.unwrap();
    let changes: Vec<Change> = history.iter().map(|entry| entry.change).collect();
    assert_eq!(changes, [Change::Add, Change::None, Change::Update, Change::Delete]);
    assert!(history.iter().all(|entry| entry.old.is_none() && entry.new.is_none()));
    assert_eq!(history[3].at, t(9));
    assert!(store.memory_history(Uuid::nil()).await.unwrap().is_empty());
}

pub(crate) async fn what_is_deleted_leaves_no_text_and_no_name(store: Any) {
    let p = stored_project(&store, "p").await;
    for n in 0..5 {
        let text = format!("vanishing thing {n}");
        store.remember(owned(p.id, &format!("user:ada run:{n}"), &text, n)).await.unwrap();
    }
    let kept = store.remember(owned(p.id, "user:bo run:0", "staying thing", 9)).await.unwrap();
    let both = OwnerMatch {
        run: NameMatch::OneOf(["0".to_owned()].into()),
        ..of(OwnerKind::User, &["ada"])
    };
    assert_eq!(store.forget_owned(both, 100, t(10)).await.unwrap(), 1);
    let ada = of(OwnerKind::User, &["ada"]);
    assert_eq!(store.forget_owned(ada.clone(), 3, t(11)).await.unwrap(), 3, "in parts");
    assert_eq!(store.forget_owned(ada.clone(), 3, t(11)).await.unwrap(), 1);
    assert_eq!(store.forget_owned(ada, 3, t(11)).await.unwrap(), 0);
    while store.sweep_forgotten().await.unwrap() {}
    assert!(store.last_with_token(Scope::All, "vanishing", 9).await.unwrap().is_empty());
    let (_, known) = store.known_owners(0, 99).await.unwrap();
    let names: Vec<&str> = known.iter().map(|owner| owner.name.as_str()).collect();
    assert_eq!(names, ["bo", "0"]);
    assert_eq!(texts(&listed(&store, Filter::default()).await), ["staying thing"]);
    assert_eq!(store.check().await.unwrap(), [""; 0]);
    assert_eq!(store.memories_by_uid(&[kept.uid]).await.unwrap().len(), 1);
}

pub(crate) async fn feedback_goes_with_its_memory(store: Any) {
    let p = stored_project(&store, "p").await;
    let memory = store.remember(owned(p.id, "user:ada", "tea", 1)).await.unwrap();
    let note = async |uid, feedback| store.note_feedback(uid, feedback, "because", t(3)).await;
    let first = note(memory.uid, Some(Feedback::Positive)).await.unwrap();
    let again = note(memory.uid, Some(Feedback::VeryNegative)).await.unwrap();
    assert_eq!(first, again, "one note a memory");
    note(memory.uid, None).await.unwrap();
    assert_ne!(note(memory.uid, Some(Feedback::Negative)).await.unwrap(), first);
    store.forget_memories(&[memory.uid], t(4)).await.unwrap();
    let gone = note(memory.uid, Some(Feedback::Positive)).await;
    assert!(matches!(gone, Err(Error::NotFound("memory"))));
}

pub(crate) async fn an_owner_goes_out_and_comes_in(store: Any) {
    let (p, q) = (stored_project(&store, "p").await, stored_project(&store, "q").await);
    let mut new = owned(p.id, "user:ada run:7", "tea time", 1);
    new.attributes.categories = vec!["food".to_owned()];
    let memory = store.remember(new).await.unwrap();
    let (_, mut line) = store.export_page(Scope::All, None, 9).await.unwrap().remove(0);
    assert_eq!(line.content["owner"], json!({"user": "ada", "run": "7"}));
    line.uid = Some(Uuid::now_v7());
    let row = ImportRow {
        project_id: q.id,
        text_key: "tea time of ada".to_owned(),
        owner: memory.owner.clone(),
        index: doc("tea time"),
        row: line,
    };
    assert_eq!(store.import_rows(vec![row], t(9)).await.unwrap().stored, 1);
    let page = listed(&store, Filter::owned(OwnerKind::Run, "7")).await;
    assert_eq!(page.total, 2);
    assert!(page.memories.iter().all(|m| m.owner == memory.owner));
    assert!(page.memories.iter().all(|m| m.attributes == memory.attributes));
}
