use std::collections::BTreeSet;

use afterword_domain::event::EventBody;
use afterword_domain::scope::Scope;
use afterword_store::contract::Recorded;

use super::{connect, database, store};
use crate::build::{event, keyed, new_memory, project, prompt, stored_project, t, tool};

const CALLERS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_text_and_one_project_stay_one_whoever_tells_them_at_once() {
    let Some(database) = database() else { return };
    let stores = [store(&connect(&database).await, 1), store(&connect(&database).await, 1)];
    for round in 0..5 {
        let callers = (0..CALLERS).map(|n| {
            let store = stores[n % 2].clone();
            tokio::spawn(async move {
                let keyed = store.resolve_project(&project(&format!("p{round}")), t(0)).await;
                let mut named = project(&format!("named{round}"));
                named.keys.clear();
                let named = store.resolve_project(&named, t(0)).await.unwrap();
                let id = keyed.unwrap().id;
                let memory = store.remember(new_memory(id, "the same", i64::try_from(n).unwrap()));
                (id, named.id, memory.await.unwrap().id)
            })
        });
        let mut ids = BTreeSet::new();
        for caller in callers.collect::<Vec<_>>() {
            ids.insert(caller.await.unwrap());
        }
        assert_eq!(ids.len(), 1, "round {round}: {ids:?}");
    }
    assert_eq!(stores[0].list_projects().await.unwrap().len(), 10);
    assert_eq!(stores[0].check().await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_a_session_are_numbered_in_the_order_they_are_seen() {
    let Some(database) = database() else { return };
    let stores = [store(&connect(&database).await, 1), store(&connect(&database).await, 1)];
    let callers = (0..CALLERS).map(|n| {
        let store = stores[n % 2].clone();
        tokio::spawn(async move {
            let mut made = Vec::new();
            for step in 0..12 {
                let at = i64::try_from(step * CALLERS + n).unwrap();
                // Every caller reports the same happenings too, and batches name sessions crosswise.
                let same = keyed(event("a", at, tool("Bash")), &format!("same {step}"));
                let (one, two) = if n % 2 == 0 { ("a", "b") } else { ("b", "a") };
                let own = [event(one, at, prompt("x")), event(two, at, tool("Edit"))];
                let batch = own.into_iter().chain([same]).collect();
                for recorded in store.record(batch).await.unwrap() {
                    if let Recorded::Stored { event_id, .. } = recorded {
                        made.push(event_id);
                    }
                }
            }
            made
        })
    });
    let mut all = Vec::new();
    for caller in callers.collect::<Vec<_>>() {
        all.extend(caller.await.unwrap());
    }
    assert_eq!(all.len(), CALLERS * 12 * 2 + 12, "the same happening is stored once");
    let a = stores[0].find_session(crate::build::AGENT, "a").await.unwrap().unwrap();
    let b = stores[0].find_session(crate::build::AGENT, "b").await.unwrap().unwrap();
    assert_eq!(a.prompt_counter + b.prompt_counter, i64::try_from(CALLERS * 12).unwrap());
    let counts = stores[0].counts().await.unwrap();
    assert_eq!((counts.received, counts.projects, counts.sessions), (all.len() as u64, 1, 2));
    assert_eq!(counts.duplicates, (CALLERS as u64 - 1) * 12);
    assert_eq!(stores[1].check().await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_leaves_changes_nothing_and_blocks_nobody() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let one = store(&pool, 1);
    stored_project(&one, "p").await;
    for n in 0..40_u64 {
        let events = (0..20).map(|at| {
            event("s", at, EventBody::Prompt { text: format!("{n} {at}"), private: false })
        });
        let call = one.record(events.collect());
        // Wherever it stands by then.
        drop(tokio::time::timeout(std::time::Duration::from_micros(n * 150), call).await);
    }
    let counts = one.counts().await.unwrap();
    assert_eq!(counts.received % 20, 0, "all of a call or nothing of it");
    let prompts = one.recent_prompts(Scope::All, 10_000).await.unwrap();
    assert_eq!(prompts.len() as u64, counts.received);
    assert_eq!(one.check().await.unwrap(), [""; 0]);
}
