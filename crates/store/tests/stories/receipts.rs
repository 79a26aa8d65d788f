use afterword_domain::filter::{Filter, NameMatch, OwnerMatch};
use afterword_domain::owner::OwnerKind;
use afterword_store::contract::{
    AnswerOf, Change, NewAnswer, NewReceipt, OwnedQuery, PaidAnswer, ReceiptLine, ReceiptOutcome,
    ReceiptStatus, Settled,
};
use serde_json::json;
use uuid::Uuid;

use super::build::{Any, owned, owner, stored_project, t};

fn new(uid: Uuid, at: i64) -> NewReceipt {
    NewReceipt { uid, owner: owner("user:ada"), at: t(at) }
}

pub(crate) async fn a_receipt_is_one_however_often_it_is_asked_for(store: Any) {
    let p = stored_project(&store, "p").await;
    let known = store.remember(owned(p.id, "user:ada", "tea", 1)).await.unwrap();
    let uid = Uuid::now_v7();
    let memories = || {
        ["tea", "milk", "milk"].map(|text| owned(p.id, "user:ada", text, 2)).into_iter().collect()
    };
    let first = store.add_with_receipt(new(uid, 2), memories()).await.unwrap();
    assert_eq!(first.status, ReceiptStatus::Succeeded);
    let changes: Vec<Change> = first.lines.iter().map(|line| line.change).collect();
    assert_eq!(changes, [Change::None, Change::Add], "each memory once");
    assert_eq!(first.lines[0].memory, known.uid);
    assert_eq!((first.created_at, first.completed_at), (t(2), Some(t(2))));
    store.forget_memories(&[first.lines[1].memory], t(3)).await.unwrap();
    let again = store.add_with_receipt(new(uid, 9), memories()).await.unwrap();
    assert_eq!(again, first, "nothing is stored a second time");
    let filter = Filter::owned(OwnerKind::User, "ada");
    let query = OwnedQuery { filter, limit: 9, ..OwnedQuery::default() };
    assert_eq!(store.list_owned(query).await.unwrap().total, 1);
    assert_eq!(store.receipt(uid).await.unwrap(), Some(first));
    assert_eq!(store.receipt(Uuid::nil()).await.unwrap(), None);
}

pub(crate) async fn a_request_is_kept_until_it_is_done(store: Any) {
    let (one, two, three) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    assert_eq!(store.next_receipt_at().await.unwrap(), None);
    for (uid, at) in [(one, 1), (two, 2)] {
        let (opened, fresh) = store.open_receipt(new(uid, at), json!(at), false).await.unwrap();
        assert_eq!((opened.status, fresh), (ReceiptStatus::Pending, true));
    }
    let (again, fresh) = store.open_receipt(new(one, 5), json!("other"), false).await.unwrap();
    assert_eq!((again.created_at, fresh), (t(1), false));
    let (running, _) = store.open_receipt(new(three, 3), json!(3), true).await.unwrap();
    assert_eq!((running.status, running.started_at), (ReceiptStatus::Running, Some(t(3))));
    assert_eq!(store.next_receipt_at().await.unwrap(), Some(t(1)));
    assert_eq!(store.claim_receipt(None, t(0)).await.unwrap(), None, "none is due");
    assert_eq!(store.claim_receipt(None, t(9)).await.unwrap(), Some((one, json!(1))));
    assert_eq!(store.claim_receipt(Some(one), t(9)).await.unwrap(), None, "it is somebody's");
    assert_eq!(store.claim_receipt(Some(two), t(0)).await.unwrap(), Some((two, json!(2))));
    assert_eq!(store.claim_receipt(None, t(9)).await.unwrap(), None);
    let line = ReceiptLine {
        memory: Uuid::now_v7(),
        change: Change::Update,
        superseded: vec![Uuid::now_v7()],
    };
    let done = || ReceiptOutcome::Done(vec![line.clone()]);
    assert!(store.settle_receipt(one, done(), t(11)).await.unwrap());
    assert!(!store.settle_receipt(one, done(), t(12)).await.unwrap(), "once");
    let settled = store.receipt(one).await.unwrap().unwrap();
    assert_eq!((settled.status, &settled.lines), (ReceiptStatus::Succeeded, &vec![line.clone()]));
    assert_eq!((settled.started_at, settled.completed_at), (Some(t(9)), Some(t(11))));
    assert_eq!(store.release_receipts().await.unwrap(), 2, "two and three were left");
    let late = ReceiptOutcome::Again("went away".to_owned(), t(15));
    assert!(!store.settle_receipt(two, late, t(15)).await.unwrap(), "it waits already");
    assert_eq!(store.receipt(two).await.unwrap().unwrap().status, ReceiptStatus::Pending);
    assert_eq!(store.claim_receipt(None, t(20)).await.unwrap(), Some((two, json!(2))));
    let (total, newest) = store.receipts(0, 2).await.unwrap();
    let uids: Vec<Uuid> = newest.iter().map(|receipt| receipt.uid).collect();
    assert_eq!((total, uids), (3, vec![three, two]));
    assert_eq!(store.receipts(2, 2).await.unwrap().1[0].uid, one);
}

pub(crate) async fn a_request_fails_at_the_fifth_try(store: Any) {
    let uid = Uuid::now_v7();
    store.open_receipt(new(uid, 1), json!({}), false).await.unwrap();
    for n in 1..=5 {
        assert!(store.claim_receipt(None, t(100 * n)).await.unwrap().is_some(), "try {n}");
        let again = ReceiptOutcome::Again("the disk is full".to_owned(), t(100 * n + 50));
        assert!(store.settle_receipt(uid, again, t(100 * n)).await.unwrap());
        let due = store.next_receipt_at().await.unwrap();
        assert_eq!(due, (n < 5).then(|| t(100 * n + 50)));
    }
    let failed = store.receipt(uid).await.unwrap().unwrap();
    assert_eq!((failed.status, failed.error.as_str()), (ReceiptStatus::Failed, "the disk is full"));
    assert_eq!(failed.completed_at, Some(t(500)));
}

pub(crate) async fn what_is_deleted_meanwhile_comes_to_nothing(store: Any) {
    let (waiting, running, others) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    store.open_receipt(new(waiting, 1), json!("secret"), false).await.unwrap();
    store.open_receipt(new(running, 1), json!("secret"), true).await.unwrap();
    let bo = NewReceipt { owner: owner("user:bo"), ..new(others, 1) };
    store.open_receipt(bo, json!("kept"), false).await.unwrap();
    let answer = NewAnswer {
        of: AnswerOf::Inference(running),
        at: t(2),
        answer: PaidAnswer { text: "secret".to_owned(), ..PaidAnswer::default() },
    };
    store.settle_with_answer(1, Settled::Nothing, answer).await.unwrap();
    let ada =
        OwnerMatch { user: NameMatch::OneOf(["ada".to_owned()].into()), ..OwnerMatch::default() };
    assert_eq!(store.forget_owned(ada, 9, t(5)).await.unwrap(), 0);
    for uid in [waiting, running] {
        let receipt = store.receipt(uid).await.unwrap().unwrap();
        assert_eq!(receipt.status, ReceiptStatus::Failed);
        assert!(receipt.error.contains("deleted"), "{}", receipt.error);
    }
    assert_eq!(store.paid_answer(AnswerOf::Inference(running)).await.unwrap(), None);
    let done = ReceiptOutcome::Done(Vec::new());
    assert!(!store.settle_receipt(running, done, t(6)).await.unwrap());
    assert_eq!(store.claim_receipt(None, t(9)).await.unwrap(), Some((others, json!("kept"))));
}
