use afterword_domain::Kind;
use afterword_domain::event::{EventBody, StartSource, Subagent};
use afterword_domain::scope::Scope;
use afterword_domain::wire::events::SkipReason;
use afterword_store::contract::{Recorded, TurnKey};

use super::build::{
    AGENT, Any, end, event, keyed, of_turn, private, project, prompt, record, start, stop, stored,
    t, tool,
};

pub(crate) async fn prompts_are_numbered_and_events_follow_them(store: Any) {
    let (_, before) = stored(&store, event("s", 0, start(StartSource::Startup))).await;
    assert_eq!(before.prompt_number, 0);
    let (_, one) = stored(&store, event("s", 1, prompt(&"long ".repeat(90)))).await;
    let (_, tool_use) = stored(&store, event("s", 2, tool("Bash"))).await;
    let (_, two) = stored(&store, event("s", 3, prompt("second"))).await;
    assert_eq!([one, tool_use, two].map(|turn| turn.prompt_number), [1, 1, 2]);
    let session = store.get_session(one.session_id).await.unwrap();
    assert_eq!(session.prompt_counter, 2);
    assert_eq!(session.first_prompt.unwrap().chars().count(), 200);
    let prompts = store.recent_prompts(Scope::All, 10).await.unwrap();
    assert_eq!(prompts.iter().map(|p| p.number).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(prompts[0].text, "second");
    assert_eq!(prompts[0].created_at, t(3));
}

pub(crate) async fn events_join_their_turn_by_id(store: Any) {
    stored(&store, of_turn(event("s", 0, prompt("one")), "t1")).await;
    stored(&store, of_turn(event("s", 1, prompt("two")), "t2")).await;
    let (_, late) = stored(&store, of_turn(event("s", 2, tool("Bash")), "t1")).await;
    let (_, unknown) = stored(&store, of_turn(event("s", 3, tool("Bash")), "t9")).await;
    assert_eq!((late.prompt_number, unknown.prompt_number), (1, 2));
}

pub(crate) async fn g2_a_known_key_is_a_duplicate(store: Any) {
    let (_, turn) = stored(&store, keyed(event("s", 0, prompt("one")), "k1")).await;
    stored(&store, event("s", 1, prompt("two"))).await;
    let again = record(&store, keyed(event("s", 2, prompt("one")), "k1")).await;
    let mut near = keyed(event("s", 3, prompt("one")), "k0");
    near.dedupe_near = vec!["k1".to_owned()];
    let project_id = store.get_session(turn.session_id).await.unwrap().project_id;
    let newest = TurnKey { prompt_number: 2, ..turn };
    assert_eq!(again, Recorded::Duplicate { turn: newest, project_id });
    assert_eq!(record(&store, near).await, again);
    let both = vec![keyed(event("s", 4, tool("x")), "k2"), keyed(event("s", 4, tool("x")), "k2")];
    let both = store.record(both).await.unwrap();
    assert!(matches!(both[..], [Recorded::Stored { .. }, Recorded::Duplicate { .. }]));
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.received, counts.stored, counts.duplicates), (3, 3, 3));
}

pub(crate) async fn f2_a_private_turn_is_not_stored(store: Any) {
    stored(&store, of_turn(event("s", 0, prompt("open")), "t1")).await;
    let skipped = Recorded::Skipped(SkipReason::Private);
    let hidden = of_turn(keyed(event("s", 1, private()), "p1"), "t2");
    assert_eq!(record(&store, hidden.clone()).await, skipped);
    assert_eq!(record(&store, of_turn(event("s", 2, tool("Bash")), "t2")).await, skipped);
    assert_eq!(record(&store, event("s", 3, tool("Bash"))).await, skipped);
    let substop = EventBody::SubagentStop { answer: Some("secret".to_owned()) };
    assert_eq!(record(&store, of_turn(event("s", 4, substop), "t2")).await, skipped);
    assert_eq!(record(&store, of_turn(event("s", 5, stop()), "t2")).await, skipped);
    let (_, late) = stored(&store, of_turn(event("s", 6, tool("Bash")), "t1")).await;
    assert_eq!(late.prompt_number, 1, "an event of the open turn before it");
    assert_eq!(store.counts().await.unwrap().skipped["private"], 5);

    assert_eq!(record(&store, hidden.clone()).await, skipped);
    let (_, next) = stored(&store, of_turn(event("s", 7, prompt("open again")), "t3")).await;
    assert_eq!(next.prompt_number, 2);
    assert_eq!(record(&store, hidden).await, skipped, "a repeat hides nothing new");
    let (_, after) = stored(&store, event("s", 8, tool("Bash"))).await;
    assert_eq!(after.prompt_number, 2);
    let late = record(&store, of_turn(event("s", 9, tool("Bash")), "t2")).await;
    assert_eq!(late, skipped, "the private turn stays private");
    let counts = store.counts().await.unwrap();
    assert_eq!(counts.skipped["private"], 6);
    assert_eq!(counts.stored, 4);
    assert_eq!(counts.rows["prompt"], 2);
}

pub(crate) async fn a_private_prompt_without_an_id_hides_events_with_one(store: Any) {
    assert_eq!(
        record(&store, event("s", 0, private())).await,
        Recorded::Skipped(SkipReason::Private)
    );
    let session = store.find_session(AGENT, "s").await.unwrap().expect("its session is marked");
    assert_eq!((session.prompt_counter, session.first_prompt), (0, None));
    let hidden = record(&store, of_turn(event("s", 1, tool("Bash")), "t1")).await;
    assert_eq!(hidden, Recorded::Skipped(SkipReason::Private));
    stored(&store, event("s", 2, end("other"))).await;
}

pub(crate) async fn o1_clear_fork_and_resume_join_the_conversation(store: Any) {
    let (_, a) = stored(&store, event("a", 0, start(StartSource::Startup))).await;
    let (_, other) = stored(&store, event("other", 1, start(StartSource::Startup))).await;
    let conversation = |id| {
        let store = store.clone();
        async move { store.get_session(id).await.unwrap().conversation_id }
    };
    let first = conversation(a.session_id).await;
    assert_ne!(first, conversation(other.session_id).await);
    stored(&store, event("a", 2, stop())).await;
    for (n, source) in
        [StartSource::Clear, StartSource::Fork, StartSource::Resume].into_iter().enumerate()
    {
        let at = 3 + i64::try_from(n).unwrap();
        let (_, next) = stored(&store, event(&format!("next{n}"), at, start(source))).await;
        assert_eq!(conversation(next.session_id).await, first, "{source:?}");
    }
    let mut elsewhere = event("elsewhere", 9, start(StartSource::Clear));
    elsewhere.event.project = project("q");
    let (_, elsewhere) = stored(&store, elsewhere).await;
    assert_eq!(conversation(elsewhere.session_id).await, elsewhere.session_id);
    let (_, again) = stored(&store, event("other", 10, start(StartSource::Resume))).await;
    assert_eq!(again.session_id, other.session_id, "a resume under the old id is that session");
    assert_eq!(conversation(other.session_id).await, other.session_id);
}

pub(crate) async fn h6_the_project_is_pinned(store: Any) {
    let (_, turn) = stored(&store, event("s", 0, start(StartSource::Startup))).await;
    let pinned = store.get_session(turn.session_id).await.unwrap().project_id;
    let mut moved = event("s", 1, tool("Bash"));
    moved.event.project = project("elsewhere");
    match record(&store, moved).await {
        Recorded::Stored { project_id, new_session, .. } => {
            assert_eq!((project_id, new_session), (pinned, false));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(store.find_project(&project("elsewhere")).await.unwrap(), None);
}

pub(crate) async fn i11_session_end_drops_nothing(store: Any) {
    for reason in ["clear", "logout", "prompt_input_exit", "other"] {
        let events = (0..50).map(|n| event(reason, n, tool("Bash"))).collect();
        store.record(events).await.unwrap();
        stored(&store, event(reason, 60, end(reason))).await;
    }
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.stored, counts.waiting), (204, 204));
    let mut jobs = 0;
    while store.claim_job(t(60)).await.unwrap().is_some() {
        jobs += 1;
    }
    assert_eq!(jobs, 4);
}

pub(crate) async fn i15_any_event_makes_its_session(store: Any) {
    match record(&store, event("s", 7, tool("Bash"))).await {
        Recorded::Stored { turn, new_session, .. } => {
            assert!(new_session);
            assert_eq!(turn.prompt_number, 0);
            assert_eq!(store.get_session(turn.session_id).await.unwrap().started_at, t(7));
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn digests_come_head_and_tail(store: Any) {
    stored(&store, event("s", 0, prompt("go"))).await;
    let mut from_subagent = event("s", 1, tool("Read"));
    from_subagent.event.subagent =
        Some(Subagent { id: "sub-1".to_owned(), kind: "general".to_owned() });
    let (_, turn) = stored(&store, from_subagent).await;
    for at in 2..10 {
        stored(&store, event("s", at, tool("Bash"))).await;
    }
    let all = store.turn_digests(turn, 50, 50).await.unwrap();
    assert_eq!(all.len(), 10);
    assert_eq!((all[0].kind.as_str(), all[1].kind.as_str()), ("prompt", "tool-use"));
    assert_eq!(all[1].subagent.as_deref(), Some("sub-1"));
    let some = store.turn_digests(turn, 2, 3).await.unwrap();
    let times: Vec<_> = some.iter().map(|digest| digest.at).collect();
    assert_eq!(times, [0, 1, 7, 8, 9].map(t));
    assert_eq!(some[4].digest.detail, "at 9");
    let overlap = store.turn_digests(turn, 8, 8).await.unwrap();
    assert_eq!(overlap, all);
}

pub(crate) async fn digests_of_a_session_come_after_an_event(store: Any) {
    let (first, turn) = stored(&store, event("s", 0, prompt("one"))).await;
    for at in 1..6 {
        stored(&store, event("s", at, prompt("more"))).await;
    }
    stored(&store, event("other", 9, tool("Bash"))).await;
    let rest = store.session_digests(turn.session_id, first, 3).await.unwrap();
    assert_eq!(rest.iter().map(|d| d.at).collect::<Vec<_>>(), [3, 4, 5].map(t));
    assert_eq!(store.session_digests(turn.session_id, 0, 50).await.unwrap().len(), 6);
    let kinds = store.count_rows(Scope::All).await.unwrap();
    assert!(kinds.contains(&(Kind::Prompt, 6)));
}
