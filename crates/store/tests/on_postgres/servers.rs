use std::collections::BTreeSet;

use afterword_domain::day::Day;
use afterword_domain::wire::spend::SpendBy;
use afterword_store::contract::{ModelWish, NewSpend, Reserved, SpendLimits};

use super::{connect, database, store};
use crate::build::{Any, event, outcome, prompt, stored, t};

/// Turns that wait in as many sessions.
async fn sessions_wait(store: &Any, sessions: usize) {
    for n in 0..sessions {
        stored(store, event(&format!("s{n}"), 0, prompt("do it"))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_servers_claim_each_job_once() {
    let Some(database) = database() else { return };
    let first = store(&connect(&database).await, 1);
    sessions_wait(&first, 40).await;
    let mut workers = Vec::new();
    for _ in 0..4 {
        let worker = store(&connect(&database).await, 1);
        workers.push(tokio::spawn(async move {
            let mut claimed = Vec::new();
            loop {
                // What another one looks at just now is passed over, so nothing to claim is not yet
                // nothing to do.
                match worker.claim_job(t(1_000)).await.unwrap() {
                    Some(job) => {
                        worker.save_turn(outcome(&job, i64::MAX, vec![])).await.unwrap();
                        claimed.push(job.turn);
                    }
                    None if worker.counts().await.unwrap().waiting == 0 => return claimed,
                    None => tokio::task::yield_now().await,
                }
            }
        }));
    }
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.unwrap());
    }
    assert_eq!(all.len(), 40);
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), 40, "none twice");
    assert_eq!(first.check().await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_server_at_a_time_works_for_a_session() {
    let Some(database) = database() else { return };
    let (one, other) = (store(&connect(&database).await, 1), store(&connect(&database).await, 1));
    for (at, text) in [(0, "one"), (10, "two")] {
        stored(&one, event("s", at, prompt(text))).await;
    }
    let job = one.claim_job(t(1_000)).await.unwrap().unwrap();
    assert_eq!(other.claim_job(t(1_000)).await.unwrap(), None);
    assert_eq!(other.next_job_at().await.unwrap(), None, "nobody waits in vain");
    stored(&one, event("another", 20, prompt("three"))).await;
    let of_another = other.claim_job(t(1_000)).await.unwrap().unwrap();
    assert_ne!(of_another.turn.session_id, job.turn.session_id);
    one.save_turn(outcome(&job, i64::MAX, vec![])).await.unwrap();
    assert!(other.next_job_at().await.unwrap().is_some());
    assert_eq!(other.claim_job(t(1_000)).await.unwrap().unwrap().turn.prompt_number, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_that_is_gone_had_claimed_is_taken_over() {
    let Some(database) = database() else { return };
    let survivor = store(&connect(&database).await, 1);
    let gone = connect(&database).await;
    let claimant = store(&gone, 1);
    stored(&claimant, event("s", 0, prompt("one"))).await;
    let wish = ModelWish { turn: Some(t(0)), session: t(50_000) };
    let job = claimant.claim_job(t(1_000)).await.unwrap().unwrap();
    let mut told = outcome(&job, i64::MAX, vec![]);
    told.model = Some(wish);
    claimant.save_turn(told).await.unwrap();
    stored(&claimant, event("s", 5, prompt("two"))).await;
    let job = claimant.claim_job(t(1_000)).await.unwrap().unwrap();
    let of_model = claimant.claim_model_job(t(1_000), 0).await.unwrap().unwrap();
    assert!(claimant.begin_model_try(&of_model).await.unwrap());
    // While it lives nobody touches what it works on, also not a server that has just started.
    assert_eq!(survivor.release_claimed_jobs().await.unwrap(), 0);
    assert_eq!(survivor.release_model_jobs(t(2_000)).await.unwrap(), 0);
    assert_eq!(survivor.claim_job(t(2_000)).await.unwrap(), None);
    assert!(!survivor.begin_model_try(&of_model).await.unwrap(), "it is not its own");
    drop((claimant, gone));
    // The server notices a closed connection by itself.
    let again = within_patience(|| async { survivor.claim_job(t(2_000)).await.unwrap() }).await;
    assert_eq!(again.turn, job.turn);
    let again =
        within_patience(|| async { survivor.claim_model_job(t(2_000), 0).await.unwrap() }).await;
    assert_eq!((again.id, again.attempts), (of_model.id, 1), "a call that was out is a lost try");
}

/// Asks until there is an answer.
async fn within_patience<T, W: Future<Output = Option<T>>>(ask: impl Fn() -> W) -> T {
    let deadline = std::time::Duration::from_secs(30);
    let answer = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(deadline, answer).await.expect("an answer in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cap_holds_over_all_servers() {
    let Some(database) = database() else { return };
    let limits = SpendLimits { tokens: 1_000, ..SpendLimits::default() };
    let call = NewSpend {
        at: t(0),
        provider: "p".to_owned(),
        model: "m".to_owned(),
        purpose: "turn".to_owned(),
        project_id: None,
        session_id: None,
        input_tokens: 30,
        output_tokens: 10,
        cost: None,
        backlog: false,
    };
    let mut servers = Vec::new();
    for _ in 0..4 {
        let server = store(&connect(&database).await, 1);
        let call = call.clone();
        servers.push(tokio::spawn(async move {
            let mut within = 0;
            for _ in 0..15 {
                let answer = server.reserve_spend(&call, &limits).await.unwrap();
                within += usize::from(matches!(answer, Reserved::Within(_)));
            }
            within
        }));
    }
    let mut within = 0;
    for server in servers {
        within += server.await.unwrap();
    }
    assert_eq!(within, 25, "as many as fit, and not one more");
    let (store, day) = (store(&connect(&database).await, 1), Day::of(t(0)));
    let lines = store.spend_lines(SpendBy::Day, day, day).await.unwrap();
    assert_eq!(lines[0].tokens(), 1_000);
    let other = super::store(&connect(&database).await, 2);
    let theirs = other.reserve_spend(&call, &limits).await.unwrap();
    assert!(matches!(theirs, Reserved::Within(_)), "another tenant has a cap of its own");
}
