use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use afterword_domain::event::{Event, EventBody, StartSource, ToolClass, ToolUse};
use afterword_domain::memory::Origin;
use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::time::FixedClock;
use afterword_domain::wire::context::ContextQuestion;
use afterword_domain::wire::memory::RememberRequest;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::wire::viewer::{
    FeedRequest, MergeRequest, ReviseRequest, RowContent, WhyLeftOut,
};
use afterword_domain::{Kind, PublicId, Time};
use afterword_store::contract::RowBody;
use afterword_store::sqlite::SqliteStore;
use serde_json::json;

use crate::{Engine, Error, testing};

const NOW: i64 = 1_772_323_200_000;

fn at(ms: i64) -> Time {
    Time::from_millis(NOW + ms)
}

fn engine(path: &Path) -> Arc<Engine> {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    let settings = testing::settings();
    Engine::new(store, Arc::new(FixedClock(at(3_600_000))), settings)
}

fn opened() -> (tempfile::TempDir, Arc<Engine>) {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder.path().join("a.db"));
    (folder, engine)
}

fn event(session: &str, ms: i64, body: EventBody) -> Event {
    testing::event(session, at(ms), body)
}

fn edit(session: &str, ms: i64, file: &str) -> Event {
    let tool = ToolUse {
        name: "Edit".into(),
        class: ToolClass::Edit,
        call_id: Some(format!("{session}-{ms}")),
        input: json!({"file_path": file, "old_string": "a", "new_string": "b"}),
        output: json!({"stdout": "done", "code": 0}),
        paths: vec![file.into()],
        ..ToolUse::default()
    };
    event(session, ms, EventBody::ToolUse { tool })
}

/// A session of two turns, ended by `clear` and gone on with under a new id.
async fn played(engine: &Arc<Engine>) {
    let say =
        |ms, text: &str| event("a", ms, EventBody::Prompt { text: text.into(), private: false });
    let stop = |ms, answer: &str| {
        event("a", ms, EventBody::Stop { answer: Some(answer.into()), error: None })
    };
    let events = vec![
        event(
            "a",
            0,
            EventBody::SessionStart { source: StartSource::Startup, changed_files: vec![] },
        ),
        say(10, "The retry queue drops jobs on restart, please fix it"),
        edit("a", 20, "src/queue.rs"),
        stop(30, "Fixed.\n\nDecision: the retry queue writes a journal before it answers."),
        say(40, "Now bound the queue"),
        edit("a", 50, "src/bound.rs"),
        stop(60, "Bounded."),
        event("a", 70, EventBody::SessionEnd { reason: "clear".into() }),
        event(
            "b",
            80,
            EventBody::SessionStart { source: StartSource::Clear, changed_files: vec![] },
        ),
        event("b", 90, EventBody::Prompt { text: "Go on".into(), private: false }),
    ];
    for event in events {
        engine.intake(vec![event]).await.unwrap();
    }
    engine.distill_due().await.unwrap();
}

async fn remember(engine: &Arc<Engine>, text: &str, ms: i64) -> PublicId {
    let request = RememberRequest {
        text: text.into(),
        project: ProjectRef::named("shop"),
        created_at: Some(at(ms)),
        ..RememberRequest::default()
    };
    let memory = engine.remember(request, Origin::Told).await.unwrap();
    PublicId::new(Kind::Memory, memory.id)
}

#[tokio::test]
async fn the_feed_gives_every_row_once_page_by_page_also_when_rows_come_and_go() {
    let (_folder, engine) = opened();
    for n in 0..7 {
        // Many at one moment, as an import makes them.
        remember(&engine, &format!("memory {n}"), 100).await;
    }
    let mut request = FeedRequest { limit: Some(3), ..FeedRequest::default() };
    let mut seen = Vec::new();
    for page in 0..9 {
        let feed = engine.feed(&request).await.unwrap();
        seen.extend(feed.entries.iter().map(|entry| entry.id.to_string()));
        let Some(next) = feed.next else { break };
        request.before = Some(next);
        if page == 0 {
            // The row that the next page goes on behind is gone by then.
            engine.forget(&[next.id]).await.unwrap();
            remember(&engine, "newer than all", 200).await;
        }
    }
    assert_eq!(seen, ["m7", "m6", "m5", "m4", "m3", "m2", "m1"]);
    let all = engine.feed(&FeedRequest::default()).await.unwrap();
    assert_eq!((all.entries[0].title.as_str(), all.total, all.next), ("newer than all", 7, None));
    let until = FeedRequest { until: Some(at(150)), ..FeedRequest::default() };
    assert_eq!(engine.feed(&until).await.unwrap().entries.len(), 6);
}

#[tokio::test]
async fn the_feed_keeps_to_a_project_and_to_kinds() {
    let (_folder, engine) = opened();
    played(&engine).await;
    remember(&engine, "Use tabs", 100).await;
    let shop = engine.find_project(&ProjectRef::named("shop")).await.unwrap().unwrap();
    let kinds = vec![Kind::Prompt, Kind::Memory];
    let request =
        FeedRequest { project_id: Some(shop.id), kinds, limit: Some(2), ..FeedRequest::default() };
    let feed = engine.feed(&request).await.unwrap();
    let titles: Vec<&str> = feed.entries.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles, ["Use tabs", "Go on"]);
    assert_eq!(feed.total, 4);
    let rest = FeedRequest { before: feed.next, ..request };
    let feed = engine.feed(&rest).await.unwrap();
    assert_eq!(feed.entries.len(), 2);
    assert!(feed.entries.iter().all(|entry| entry.kind == Kind::Prompt && entry.session == "a"));
    let elsewhere = FeedRequest { project_id: Some(99), ..FeedRequest::default() };
    assert_eq!(engine.feed(&elsewhere).await.unwrap().total, 0);
}

#[tokio::test]
async fn sessions_that_continue_each_other_are_one_conversation() {
    let (_folder, engine) = opened();
    played(&engine).await;
    let all = engine.conversations(None, None).await.unwrap();
    assert_eq!((all.conversations.len(), all.more), (1, false));
    let conversation = &all.conversations[0];
    assert!(conversation.title.starts_with("The retry queue"), "{}", conversation.title);
    let names: Vec<&str> =
        conversation.sessions.iter().map(|s| s.session.agent_session_id.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(conversation.sessions.iter().all(|card| card.project == "shop"));
    assert!(engine.conversations(None, Some(1)).await.unwrap().more);
    assert_eq!(engine.agents().await.unwrap(), ["claude-code"]);
}

#[tokio::test]
async fn a_story_leads_from_prompt_to_evidence() {
    let (_folder, engine) = opened();
    played(&engine).await;
    let story = engine.story(1).await.unwrap();
    assert_eq!((story.session.project.as_str(), story.conversation.len()), ("shop", 2));
    assert!(story.summary.is_some() && !story.cut);
    let numbers: Vec<i64> = story.turns.iter().map(|turn| turn.number).collect();
    assert_eq!(numbers, [0, 1, 2]);
    let first = &story.turns[1];
    assert!(first.prompt.as_ref().unwrap().text.contains("retry queue"));
    assert!(first.summary.is_some());
    let kinds: Vec<&str> = first.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["prompt", "tool-use", "stop"]);
    assert_eq!(first.events[1].paths, ["src/queue.rs"]);
    let work = first.observations.iter().find(|row| row.files == ["src/queue.rs"]).unwrap();
    let evidence = engine.whole_evidence(work.id).await.unwrap();
    let tool = evidence.events.iter().find(|event| event.tool == "Edit").unwrap();
    assert_eq!((tool.output.as_str(), tool.failed), ("done", false), "the words of the tool");
    assert_eq!(tool.input["file_path"], "src/queue.rs");
    assert!(matches!(engine.story(99).await, Err(Error::Store(_))));
    assert!(matches!(engine.whole_evidence("o99".parse().unwrap()).await, Err(Error::NotFound(_))));
    assert!(matches!(engine.whole_evidence("m1".parse().unwrap()).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn the_block_is_explained_line_by_line_and_is_the_same_block() {
    let (_folder, engine) = opened();
    played(&engine).await;
    remember(&engine, "Use tabs for indentation", 100).await;
    remember(&engine, "Use spaces for indentation, not tabs", 200).await;
    for n in 0..60 {
        remember(
            &engine,
            &format!("Rule {n}: {}", "words that fill the block ".repeat(12)),
            300 + n,
        )
        .await;
    }
    let question =
        ContextQuestion { project: ProjectRef::named("shop"), ..ContextQuestion::default() };
    let explained = engine.explain_context(&question).await.unwrap();
    let block = engine.context(&question).await.unwrap();
    assert_eq!(explained.block, block);
    assert_eq!(explained.used, block.text.encode_utf16().count());
    assert!(explained.used <= explained.budget && explained.tokens > 0 && !explained.switched_off);
    let mut rest = block.text.as_str();
    for item in &explained.items {
        let heading = format!("## {}", item.section);
        assert!(block.text.contains(&heading), "{heading}");
        let found = rest.find(&format!("{}\n", item.line));
        rest = &rest[found.unwrap_or_else(|| panic!("not in order: {}", item.line))..];
        assert!(!item.why.is_empty(), "{item:?}");
    }
    let lines = block.text.lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!(explained.items.len(), lines, "every line has its reason");
    let shown: HashSet<PublicId> = explained.items.iter().map(|item| item.id).collect();
    assert_eq!(shown, block.shown.iter().copied().collect());
    let out = |why| explained.left_out.iter().filter(|row| row.why == why).count();
    assert!(out(WhyLeftOut::NoRoom) > 10, "{:?}", explained.left_out);
    assert!(explained.left_out.iter().all(|row| !shown.contains(&row.id) && !row.title.is_empty()));
    let nobody = ContextQuestion { project: ProjectRef::named("x"), ..ContextQuestion::default() };
    assert_eq!(engine.explain_context(&nobody).await.unwrap().block.text, "");
}

fn revise(id: &str, content: RowContent) -> ReviseRequest {
    ReviseRequest { id: id.parse().unwrap(), content }
}

#[tokio::test]
async fn f5_what_a_person_writes_is_cleaned_indexed_and_kept_as_theirs() {
    let (_folder, engine) = opened();
    played(&engine).await;
    let title = RowContent {
        title: Some("The lighthouse queue; key AKIAIOSFODNN7EXAMPLE".into()),
        ..RowContent::default()
    };
    let row = engine.revise(revise("o1", title)).await.unwrap();
    assert!(row.title.starts_with("The lighthouse queue") && !row.title.contains("AKIAIOSF"));
    let found = async |words: &str| {
        let request = SearchRequest {
            query: words.into(),
            kind: Some(Kind::Observation),
            ..SearchRequest::default()
        };
        engine.search(&request).await.unwrap().results.first().map(|row| row.id.to_string())
    };
    assert_eq!(found("lighthouse").await.as_deref(), Some("o1"));
    let RowBody::Observation(stored) =
        engine.store().rows(Scope::default(), &[row.id]).await.unwrap().remove(0).body
    else {
        panic!()
    };
    assert_eq!(stored.source, Source::Person);
    assert!(!stored.content.files_modified.is_empty(), "what was not asked for stays");
    let private =
        RowContent { text: Some("<private>only this</private>".into()), ..RowContent::default() };
    let memory = remember(&engine, "Use tabs", 100).await.to_string();
    assert!(matches!(engine.revise(revise(&memory, private)).await, Err(Error::Invalid(_))));
    let history = engine.revisions("o1".parse().unwrap()).await.unwrap().revisions;
    assert_eq!(history.len(), 1);
    assert_ne!(history[0].before["title"], row.title);
}

#[tokio::test]
async fn only_what_can_be_changed_is() {
    let (_folder, engine) = opened();
    played(&engine).await;
    remember(&engine, "Use tabs", 100).await;
    let title = || RowContent { title: Some("x".into()), ..RowContent::default() };
    let empty = RowContent {
        observation: Some(ObservationContent { r#type: "change".into(), ..Default::default() }),
        ..RowContent::default()
    };
    for (id, content) in [
        ("p1", title()),
        ("s1", title()),
        ("o1", empty),
        (
            "m1",
            RowContent {
                observation: Some(ObservationContent::default()),
                ..RowContent::default()
            },
        ),
    ] {
        let refused = engine.revise(revise(id, content)).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{id}: {refused:?}");
    }
    assert!(matches!(engine.revise(revise("m99", title())).await, Err(Error::NotFound(_))));
    remember(&engine, "Use spaces", 200).await;
    let same = RowContent { text: Some("use  SPACES".into()), ..RowContent::default() };
    let refused = engine.revise(revise("m1", same)).await.unwrap_err();
    assert!(refused.to_string().contains("merge"), "it says what to do: {refused}");
}

#[tokio::test]
async fn g7_merged_memories_are_one_and_observations_bring_their_evidence() {
    let (_folder, engine) = opened();
    played(&engine).await;
    let first = remember(&engine, "Use tabs", 100).await;
    let second = remember(&engine, "Tabs are four wide", 200).await;
    let merge = MergeRequest { into: first, ids: vec![second], content: RowContent::default() };
    let row = engine.merge(merge.clone()).await.unwrap();
    assert_eq!(row.text, "Use tabs\nTabs are four wide");
    assert!(matches!(engine.merge(merge).await, Err(Error::NotFound(_))), "it is part of it now");
    let works: Vec<PublicId> = engine.story(1).await.unwrap().turns[1..]
        .iter()
        .flat_map(|turn| &turn.observations)
        .filter(|row| !row.files.is_empty())
        .map(|row| row.id)
        .collect();
    let [into, other] = works[..] else { panic!("one of each turn: {works:?}") };
    let before = engine.whole_evidence(into).await.unwrap().events.len();
    let also = engine.whole_evidence(other).await.unwrap().events.len();
    let request = MergeRequest { into, ids: vec![other], content: RowContent::default() };
    let row = engine.merge(request).await.unwrap();
    assert_eq!(row.files, ["src/queue.rs", "src/bound.rs"]);
    assert_eq!(engine.whole_evidence(into).await.unwrap().events.len(), before + also);
    for ids in [vec![], vec![into], vec![first]] {
        let request = MergeRequest { into, ids, content: RowContent::default() };
        assert!(matches!(engine.merge(request).await, Err(Error::Invalid(_))));
    }
}

#[tokio::test]
async fn growth_has_every_day_and_adds_up() {
    let (_folder, engine) = opened();
    remember(&engine, "today", 100).await;
    remember(&engine, "yesterday", -86_400_000).await;
    remember(&engine, "long ago", -90 * 86_400_000).await;
    let growth = engine.growth(None, 7).await.unwrap();
    assert_eq!(growth.days.len(), 7);
    assert_eq!(growth.elsewhere, 1);
    let sums: Vec<u64> = growth.days.iter().map(|day| day.rows.values().sum()).collect();
    assert_eq!(sums, [0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(growth.days[6].rows["memory"], 1);
}
