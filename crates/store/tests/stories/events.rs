use afterword_domain::Kind;
use afterword_domain::event::{EventBody, StartSource, Subagent};
use afterword_domain::scope::Scope;
use afterword_domain::wire::events::SkipReason;
use afterword_domain::wire::status::Status;
use afterword_store::contract::{
    CLEARED_MS, Digest, NewEvent, PayloadLimits, RECENT_MS, Recorded, ToolUseQuery, TurnKey,
};

use super::build::{
    AGENT, Any, end, event, finding, keyed, near, of_turn, outcome, private, project, prompt,
    record, start, stop, stored, t, tool,
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
    let project_id = store.get_session(turn.session_id).await.unwrap().project_id;
    let newest = TurnKey { prompt_number: 2, ..turn };
    let known = Recorded::Duplicate { turn: newest, project_id, same_report: false };
    assert_eq!(again, known);
    let report = keyed(event("s", 3, prompt("three")), "k3");
    stored(&store, report.clone()).await;
    match record(&store, report).await {
        Recorded::Duplicate { same_report, .. } => assert!(same_report, "the report came again"),
        other => panic!("{other:?}"),
    }
    let both = vec![keyed(event("s", 4, tool("x")), "k2"), keyed(event("s", 4, tool("x")), "k2")];
    let both = store.record(both).await.unwrap();
    assert!(matches!(both[..], [Recorded::Stored { .. }, Recorded::Duplicate { .. }]));
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.received, counts.stored, counts.duplicates), (4, 4, 3));
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

/// A prompt, a tool use and a stop as an agent reports them that sends no ids.
fn turn_without_ids(at: i64) -> [NewEvent; 3] {
    [
        near(event("s", at, prompt("continue")), "continue"),
        near(event("s", at + 1, tool("Edit")), "edit"),
        near(event("s", at + 2, stop()), "done"),
    ]
}

pub(crate) async fn g1_the_same_words_again_are_no_duplicates(store: Any) {
    let same = |new| matches!(new, Recorded::Duplicate { same_report: false, .. });
    for at in [0, 1_000, 2_000] {
        for new in turn_without_ids(at) {
            stored(&store, new).await;
        }
    }
    let [_, _, last] = turn_without_ids(2_000);
    assert!(same(record(&store, last).await), "nothing came between");
    // All at one instant: the order of arrival decides.
    for _ in 0..2 {
        for mut new in turn_without_ids(50_000) {
            new.event.at = t(50_000);
            stored(&store, new).await;
        }
    }
    let prompts = store.recent_prompts(Scope::All, 10).await.unwrap();
    assert_eq!(prompts.len(), 5);
}

pub(crate) async fn g2_two_reports_of_one_happening_are_one_row(store: Any) {
    let same = |new| matches!(new, Recorded::Duplicate { same_report: false, .. });
    stored(&store, near(event("s", 0, prompt("go")), "go")).await;
    assert!(same(record(&store, near(event("s", 3, prompt("go")), "go")).await));
    let mut inside = event("s", 4, tool("Bash"));
    inside.event.subagent = Some(Subagent { id: "a".to_owned(), kind: String::new() });
    stored(&store, inside).await;
    assert!(same(record(&store, near(event("s", 5, prompt("go")), "go")).await), "sub-agents");
    stored(&store, event("s", 500, tool("Edit"))).await;
    let late = near(event("s", 6, prompt("go")), "go");
    assert!(same(record(&store, late).await), "a report that waited in the spool");
    stored(&store, near(event("s", 10_007, prompt("go")), "go")).await;
    stored(&store, near(event("other", 3, prompt("go")), "go")).await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.stored, counts.duplicates, counts.rows["prompt"]), (5, 3, 3));
}

pub(crate) async fn f2_a_private_prompt_between_makes_the_second_a_new_one(store: Any) {
    stored(&store, near(event("s", 0, prompt("go")), "go")).await;
    record(&store, near(event("s", 10, private()), "nothing")).await;
    stored(&store, near(event("s", 20, prompt("go")), "go")).await;
    // Reported twice, the second time late: the open turn stays open.
    record(&store, near(event("s", 12, private()), "nothing")).await;
    stored(&store, event("s", 30, tool("Bash"))).await;
    record(&store, near(event("s", 40, private()), "nothing")).await;
    let hidden = record(&store, event("s", 50, tool("Bash"))).await;
    assert_eq!(hidden, Recorded::Skipped(SkipReason::Private));
}

async fn conversation(store: &Any, session: &str) -> i64 {
    store.find_session(AGENT, session).await.unwrap().unwrap().conversation_id
}

pub(crate) async fn o1_a_cleared_session_goes_on_in_its_own_conversation(store: Any) {
    // Two terminals in one project; the one that is not cleared is the livelier.
    stored(&store, event("left", 0, start(StartSource::Startup))).await;
    stored(&store, event("right", 1, start(StartSource::Startup))).await;
    stored(&store, event("left", 2, end("clear"))).await;
    stored(&store, event("right", 3, prompt("work"))).await;
    stored(&store, event("left-2", 4, start(StartSource::Clear))).await;
    assert_eq!(conversation(&store, "left-2").await, conversation(&store, "left").await);
    stored(&store, event("right", 5, end("clear"))).await;
    stored(&store, event("right-2", 6, start(StartSource::Clear))).await;
    assert_eq!(conversation(&store, "right-2").await, conversation(&store, "right").await);
    // Nothing that was cleared is left to go on with, or it was too long ago.
    stored(&store, event("third", 7, start(StartSource::Clear))).await;
    let third = store.find_session(AGENT, "third").await.unwrap().unwrap();
    assert_eq!(third.conversation_id, third.id);
    stored(&store, event("left-2", 8, end("clear"))).await;
    stored(&store, event("late", 9 + CLEARED_MS, start(StartSource::Clear))).await;
    assert_ne!(conversation(&store, "late").await, conversation(&store, "left").await);
    let mut elsewhere = event("elsewhere", 9, start(StartSource::Clear));
    elsewhere.event.project = project("q");
    stored(&store, elsewhere).await;
    assert_ne!(conversation(&store, "elsewhere").await, conversation(&store, "left").await);
}

pub(crate) async fn o1_two_cleared_worktrees_are_told_apart(store: Any) {
    let of = |mut new: NewEvent, worktree: &str| {
        new.event.project.worktree = Some(worktree.to_owned());
        new
    };
    stored(&store, of(event("a", 0, start(StartSource::Startup)), "wt-a")).await;
    stored(&store, of(event("b", 1, start(StartSource::Startup)), "wt-b")).await;
    stored(&store, event("a", 2, end("clear"))).await;
    stored(&store, event("b", 3, end("clear"))).await;
    stored(&store, of(event("a2", 4, start(StartSource::Clear)), "wt-a")).await;
    stored(&store, of(event("b2", 5, start(StartSource::Clear)), "wt-b")).await;
    assert_eq!(conversation(&store, "a2").await, conversation(&store, "a").await);
    assert_eq!(conversation(&store, "b2").await, conversation(&store, "b").await);
}

pub(crate) async fn o1_a_fork_or_resume_joins_the_only_recent_conversation(store: Any) {
    stored(&store, event("old", -RECENT_MS, start(StartSource::Startup))).await;
    stored(&store, event("a", 1, start(StartSource::Startup))).await;
    for (n, source) in [StartSource::Fork, StartSource::Resume].into_iter().enumerate() {
        let name = format!("next{n}");
        stored(&store, event(&name, 2, start(source))).await;
        assert_eq!(conversation(&store, &name).await, conversation(&store, "a").await);
    }
    stored(&store, event("b", 3, start(StartSource::Startup))).await;
    for (n, source) in [StartSource::Fork, StartSource::Resume].into_iter().enumerate() {
        let name = format!("guess{n}");
        stored(&store, event(&name, 4, start(source))).await;
        let session = store.find_session(AGENT, &name).await.unwrap().unwrap();
        assert_eq!(session.conversation_id, session.id, "two may be meant: {source:?}");
    }
    let before = conversation(&store, "b").await;
    stored(&store, event("b", 5, start(StartSource::Resume))).await;
    assert_eq!(conversation(&store, "b").await, before, "the old id is that session");
}

pub(crate) async fn o2_compactions_are_owed_a_follow_up(store: Any) {
    let compacts = EventBody::PreCompact { trigger: "auto".to_owned(), instructions: None };
    stored(&store, event("s", 0, prompt("go"))).await;
    let (first, turn) = stored(&store, event("s", 1, compacts)).await;
    let summary = EventBody::PostCompact { summary: "short".to_owned() };
    let (second, _) = stored(&store, event("s", 2, summary)).await;
    let due = store.due_follow_ups(10).await.unwrap();
    assert_eq!(due.iter().map(|d| d.event_id).collect::<Vec<_>>(), [first, second]);
    assert_eq!((due[0].session_id, due[0].event.body.kind()), (turn.session_id, "pre-compact"));
    store.settle_follow_up(first).await.unwrap();
    assert_eq!(store.due_follow_ups(10).await.unwrap().len(), 1);
    assert!(store.take_compaction(turn.session_id).await.unwrap());
    assert!(!store.take_compaction(turn.session_id).await.unwrap(), "once");
}

pub(crate) async fn e9_payloads_go_and_events_stay(store: Any) {
    let done = async |session: &str, at: i64| {
        let (_, turn) = stored(&store, event(session, at, tool("Bash"))).await;
        let job = store.claim_job(t(at + 10_000)).await.unwrap().unwrap();
        let (last, _) = stored(&store, event(session, at + 1, stop())).await;
        let found = finding("a", session, &[last]);
        store.save_turn(outcome(&job, last, vec![found])).await.unwrap();
        turn
    };
    let (old, new) = (done("old", 0).await, done("new", 50_000).await);
    stored(&store, event("waits", 1, tool("Bash"))).await;
    let before = store.counts().await.unwrap();
    let all = PayloadLimits { most: 100, ..PayloadLimits::default() };
    let none = store.trim_payloads(all).await.unwrap();
    assert_eq!((none.events, none.bytes), (0, 0));
    let aged = PayloadLimits { before: Some(t(50_000)), ..all };
    let trimmed = store.trim_payloads(aged).await.unwrap();
    assert_eq!((trimmed.events, trimmed.left), (2, none.left - trimmed.bytes));
    assert_eq!(store.trim_payloads(aged).await.unwrap().events, 0);
    let rows = store.recent_observations(Scope::All, 9, true).await.unwrap();
    let evidence = async |title: &str| {
        let row = rows.iter().find(|row| row.content.title == title).unwrap();
        store.evidence(row.id).await.unwrap().len()
    };
    assert_eq!((evidence("old").await, evidence("new").await), (0, 1));
    let squeezed = PayloadLimits { bytes: Some(0), ..all };
    let trimmed = store.trim_payloads(squeezed).await.unwrap();
    assert_eq!(trimmed.events, 2, "what waits keeps its payload");
    assert!(trimmed.left > 0);
    for turn in [old, new] {
        let digests = store.turn_digests(turn, 9, 9).await.unwrap();
        assert!(digests.iter().all(|d| d.digest.detail.starts_with("at ")), "{digests:?}");
    }
    assert_eq!(
        store.counts().await.unwrap(),
        Status { database_bytes: store.counts().await.unwrap().database_bytes, ..before }
    );
    assert_eq!(store.check().await.unwrap(), [""; 0]);
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
    let rest = store.session_digests(turn.session_id, first, i64::MAX, 3).await.unwrap();
    assert_eq!(rest.iter().map(|d| d.at).collect::<Vec<_>>(), [3, 4, 5].map(t));
    assert_eq!(store.session_digests(turn.session_id, 0, i64::MAX, 50).await.unwrap().len(), 6);
    let first_only = store.session_digests(turn.session_id, 0, first, 50).await.unwrap();
    assert_eq!(first_only.iter().map(|d| d.at).collect::<Vec<_>>(), [t(0)]);
    let kinds = store.count_rows(Scope::All).await.unwrap();
    assert!(kinds.contains(&(Kind::Prompt, 6)));
}

pub(crate) async fn tool_uses_are_found_by_what_is_known_of_them(store: Any) {
    let report = |session: &str, at: i64, name: &str, call: &str| {
        let mut new = event(session, at, tool(name));
        if let EventBody::ToolUse { tool } = &mut new.event.body {
            tool.call_id = Some(call.to_owned());
        }
        new.digest = Digest { tool: name.to_owned(), ..Digest::default() };
        new
    };
    stored(&store, event("a", 0, prompt("look"))).await;
    let (first, turn) = stored(&store, report("a", 1, "Read", "call-1")).await;
    let mut second = report("a", 2, "Bash", "call-2");
    second.event.subagent = Some(Subagent { id: "sub".into(), kind: String::new() });
    let (second, _) = stored(&store, second).await;
    let (third, _) = stored(&store, report("b", 3, "Bash", "call-3")).await;
    let all = ToolUseQuery { limit: 9, ..ToolUseQuery::default() };
    let found = async |query: ToolUseQuery| {
        let found = store.tool_uses(query).await.unwrap();
        found.into_iter().map(|found| found.event_id).collect::<Vec<_>>()
    };
    assert_eq!(found(all.clone()).await, [third, second, first]);
    let ahead = ToolUseQuery { oldest_first: true, offset: 1, limit: 1, ..all.clone() };
    assert_eq!(found(ahead).await, [second]);
    let of = ToolUseQuery { session: Some("a".into()), ..all.clone() };
    assert_eq!(found(of).await, [second, first]);
    let by = ToolUseQuery { tools: vec!["Bash".into(), "Edit".into()], ..all.clone() };
    assert_eq!(found(by).await, [third, second]);
    let sub = ToolUseQuery { subagent: Some("sub".into()), ..all.clone() };
    assert_eq!(found(sub).await, [second]);
    let times = ToolUseQuery { since: Some(t(1)), until: Some(t(3)), ..all.clone() };
    assert_eq!(found(times).await, [second, first]);
    let named = |ids: &[i64], calls: &[&str]| ToolUseQuery {
        named: Some((ids.to_vec(), calls.iter().map(|call| (*call).to_owned()).collect())),
        ..all.clone()
    };
    assert_eq!(found(named(&[first, 99], &[])).await, [first]);
    assert_eq!(found(named(&[first], &["call-3", "nobody\0"])).await, [third, first]);
    assert!(found(named(&[], &[])).await.is_empty());
    let elsewhere = ToolUseQuery { scope: Scope::Project(99), ..all.clone() };
    assert!(found(elsewhere).await.is_empty());
    let job = store.claim_job(t(100_000)).await.unwrap().unwrap();
    assert_eq!(job.turn, turn);
    let saved =
        store.save_turn(outcome(&job, i64::MAX, vec![finding("x", "x", &[first])])).await.unwrap();
    let found = store.tool_uses(all).await.unwrap();
    let whole = found.iter().find(|found| found.event_id == first).unwrap();
    assert_eq!(
        (whole.observation_id, whole.project.as_str()),
        (Some(saved.new_observations[0]), "p")
    );
    assert_eq!((whole.prompt_number, whole.session_id), (1, turn.session_id));
    assert_eq!(found[0].observation_id, None);
}
