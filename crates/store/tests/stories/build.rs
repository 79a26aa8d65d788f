//! Values for the stories.

use std::sync::Arc;

use afterword_domain::Time;
use afterword_domain::event::{Event, EventBody, StartSource, ToolUse};
use afterword_domain::memory::{Attributes, Memory, Origin};
use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::owner::{Owner, OwnerKind};
use afterword_domain::project::{Project, ProjectRef};
use afterword_domain::summary::SummaryContent;
use afterword_store::Store;
use afterword_store::contract::{
    Digest, IndexDoc, Job, NewEvent, NewMemory, NewObservation, NewSummary, Recorded, TurnKey,
    TurnOutcome,
};
use uuid::Uuid;

pub(crate) type Any = Arc<dyn Store>;

pub(crate) const AGENT: &str = "claude-code";

pub(crate) fn t(ms: i64) -> Time {
    Time::from_millis(1_796_000_000_000 + ms)
}

pub(crate) fn project(name: &str) -> ProjectRef {
    ProjectRef {
        keys: vec![format!("dir:/home/dev/{name}")],
        name: name.to_owned(),
        root: Some(format!("/home/dev/{name}")),
        ..ProjectRef::default()
    }
}

pub(crate) async fn stored_project(store: &Any, name: &str) -> Project {
    store.resolve_project(&project(name), t(0)).await.unwrap()
}

pub(crate) fn doc(text: &str) -> IndexDoc {
    IndexDoc { text: text.to_owned(), ..IndexDoc::default() }
}

pub(crate) fn prompt(text: &str) -> EventBody {
    EventBody::Prompt { text: text.to_owned(), private: false }
}

pub(crate) fn private() -> EventBody {
    EventBody::Prompt { text: String::new(), private: true }
}

pub(crate) fn tool(name: &str) -> EventBody {
    EventBody::ToolUse { tool: ToolUse { name: name.to_owned(), ..ToolUse::default() } }
}

pub(crate) fn stop() -> EventBody {
    EventBody::Stop { answer: Some("done".to_owned()), error: None }
}

pub(crate) fn start(source: StartSource) -> EventBody {
    EventBody::SessionStart { source, changed_files: Vec::new() }
}

pub(crate) fn end(reason: &str) -> EventBody {
    EventBody::SessionEnd { reason: reason.to_owned() }
}

/// An event of session `session` in project `p`, with a key of its own.
pub(crate) fn event(session: &str, at: i64, body: EventBody) -> NewEvent {
    let text = match &body {
        EventBody::Prompt { text, .. } => text.clone(),
        _ => String::new(),
    };
    let digest = Digest { detail: format!("at {at}"), ..Digest::default() };
    let uid = Uuid::new_v4();
    let event = Event {
        uid,
        at: t(at),
        agent: AGENT.to_owned(),
        agent_session_id: session.to_owned(),
        project: project("p"),
        cwd: None,
        turn_id: None,
        subagent: None,
        model: None,
        transcript_path: None,
        body,
    };
    NewEvent { event, dedupe_key: uid.to_string(), near_key: None, digest, index: Some(doc(&text)) }
}

pub(crate) fn of_turn(mut new: NewEvent, turn_id: &str) -> NewEvent {
    new.event.turn_id = Some(turn_id.to_owned());
    new
}

pub(crate) fn keyed(mut new: NewEvent, key: &str) -> NewEvent {
    key.clone_into(&mut new.dedupe_key);
    new
}

/// A report without an id of its own: only what it says can tell that it came before.
pub(crate) fn near(mut new: NewEvent, key: &str) -> NewEvent {
    new.near_key = Some(key.to_owned());
    new
}

pub(crate) async fn record(store: &Any, new: NewEvent) -> Recorded {
    store.record(vec![new]).await.unwrap().remove(0)
}

/// Records and expects a new row.
pub(crate) async fn stored(store: &Any, new: NewEvent) -> (i64, TurnKey) {
    match record(store, new).await {
        Recorded::Stored { event_id, turn, .. } => (event_id, turn),
        other => panic!("not stored: {other:?}"),
    }
}

/// A session with one prompt and one tool use, its job claimed.
pub(crate) async fn claimed_turn(store: &Any, session: &str) -> (Job, i64) {
    stored(store, event(session, 0, prompt("do it"))).await;
    let (last, _) = stored(store, event(session, 10, tool("Bash"))).await;
    let job = store.claim_job(t(10_000)).await.unwrap().expect("a job waits");
    (job, last)
}

pub(crate) fn finding(rule_key: &str, title: &str, event_ids: &[i64]) -> NewObservation {
    NewObservation {
        rule_key: rule_key.to_owned(),
        content: ObservationContent {
            r#type: "change".to_owned(),
            title: title.to_owned(),
            facts: vec!["a fact".to_owned()],
            files_modified: vec!["src/a.rs".to_owned()],
            ..ObservationContent::default()
        },
        event_ids: event_ids.to_vec(),
        subagent: None,
        source: Source::Rules,
        created_at: t(10),
        index: IndexDoc { title: title.to_owned(), ..IndexDoc::default() },
    }
}

pub(crate) fn summary(request: &str) -> NewSummary {
    NewSummary {
        content: SummaryContent { request: request.to_owned(), ..SummaryContent::default() },
        source: Source::Rules,
        created_at: t(20),
        index: IndexDoc { title: request.to_owned(), ..IndexDoc::default() },
    }
}

pub(crate) fn outcome(job: &Job, seen: i64, observations: Vec<NewObservation>) -> TurnOutcome {
    TurnOutcome {
        job: job.clone(),
        seen_event_id: seen,
        observations,
        turn_summary: None,
        session_summary: None,
        model: None,
        now: t(30_000),
    }
}

pub(crate) fn new_memory(project_id: i64, text: &str, at: i64) -> NewMemory {
    NewMemory {
        uid: Uuid::new_v4(),
        project_id,
        title: String::new(),
        text: text.to_owned(),
        text_key: text.to_lowercase(),
        owner: Owner::default(),
        attributes: Attributes::default(),
        metadata: serde_json::json!({"by": "a story"}),
        files: vec!["src/a.rs".to_owned()],
        origin: Origin::Told,
        created_at: t(at),
        index: doc(text),
    }
}

pub(crate) async fn remember(store: &Any, project_id: i64, text: &str, at: i64) -> Memory {
    store.remember(new_memory(project_id, text, at)).await.unwrap()
}

/// An owner of names such as `user:ada run:7`.
pub(crate) fn owner(names: &str) -> Owner {
    let mut owner = Owner::default();
    for name in names.split_whitespace() {
        let (kind, name) = name.split_once(':').unwrap();
        owner.set(OwnerKind::from_word(kind).unwrap(), name).unwrap();
    }
    owner
}

/// A memory of an owner, with a key of its own.
pub(crate) fn owned(project_id: i64, names: &str, text: &str, at: i64) -> NewMemory {
    NewMemory {
        text_key: format!("{} of {names}", text.to_lowercase()),
        owner: owner(names),
        ..new_memory(project_id, text, at)
    }
}
