use std::collections::BTreeMap;

use afterword_domain::owner::Owner;
use afterword_domain::scope::Scope;
use afterword_domain::wire::portable::PortableRow;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{
    ExportCursor, FactPlace, ImportCounts, ImportRow, NewFact, NewInference, NewSnapshot,
};

use super::build::{
    Any, claimed_turn, doc, finding, new_memory, outcome, project, remember, stored_project,
    summary, t,
};

/// One row of every kind and some more.
async fn fill(store: &Any) {
    let (job, last) = claimed_turn(store, "s").await;
    let mut sub = finding("b", "beta", &[]);
    sub.subagent = Some("sub-1".to_owned());
    let mut all = outcome(&job, last, vec![finding("a", "alpha", &[last]), sub]);
    all.turn_summary = Some(summary("turn"));
    all.session_summary = Some(summary("session"));
    store.save_turn(all).await.unwrap();
    remember(store, job.project_id, "Remember this", 3).await;
    remember(store, job.project_id, "remember THIS", 9).await;
    let session_id = job.turn.session_id;
    let snapshot = NewSnapshot {
        session_id,
        up_to_event_id: last,
        trigger: "manual".to_owned(),
        text: "kept".to_owned(),
        created_at: t(4),
        index: doc("kept"),
    };
    store.insert_snapshot(snapshot).await.unwrap();
    store.add_agent_summary(session_id, "agent says", doc("kept agent says")).await.unwrap();
}

async fn export(store: &Any) -> Vec<PortableRow> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.export_page(Scope::All, after, 3).await.unwrap();
        let Some((last, _)) = page.last() else { return rows };
        after = Some(*last);
        rows.extend(page.into_iter().map(|(_, row)| row));
    }
}

async fn import(store: &Any, rows: &[PortableRow]) -> ImportCounts {
    let mut ready = Vec::new();
    for row in rows {
        let project = stored_project(store, "p").await;
        ready.push(ImportRow {
            owner: Owner::default(),
            row: row.clone(),
            project_id: project.id,
            text_key: row.text.to_lowercase(),
            index: doc(&row.text.to_lowercase()),
        });
    }
    store.import_rows(ready, t(77)).await.unwrap()
}

/// Forgets everything but the tombstones: another store would know nothing at all.
fn renamed(rows: &[PortableRow]) -> Vec<PortableRow> {
    let fresh = |row: &PortableRow| PortableRow {
        uid: Some(uuid::Uuid::new_v4()),
        session: row.session.as_ref().map(|_| "another".to_owned()),
        text: format!("{} again", row.text),
        ..row.clone()
    };
    rows.iter().map(fresh).collect()
}

pub(crate) async fn r4_an_export_is_lossless(store: Any) {
    fill(&store).await;
    let rows = export(&store).await;
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row.uid.is_some() && row.project.as_deref() == Some("p")));
    assert!(rows.iter().all(|row| row.project_keys == project("p").keys));
    let sent = renamed(&rows);
    assert_eq!(import(&store, &sent).await, ImportCounts { stored: 7, skipped: 0 });
    let back: BTreeMap<_, _> = export(&store).await.into_iter().map(|r| (r.uid, r)).collect();
    for row in &sent {
        let mut expected = row.clone();
        // The text of a distilled row is told by its fields, which came along unchanged.
        if matches!(row.kind, Some(Kind::Observation | Kind::Summary)) {
            expected.text = expected.text.trim_end_matches(" again").to_owned();
        }
        assert_eq!(back[&row.uid], expected);
    }
    let session = store.find_session("claude-code", "another").await.unwrap().unwrap();
    assert_eq!(session.prompt_counter, 1);
    assert_eq!(session.end_reason.as_deref(), Some("import"));
}

pub(crate) async fn g5_importing_three_times_changes_nothing(store: Any) {
    fill(&store).await;
    let rows = export(&store).await;
    let before = store.counts().await.unwrap();
    for _ in 0..3 {
        assert_eq!(import(&store, &rows).await, ImportCounts { stored: 0, skipped: 7 });
    }
    let after = store.counts().await.unwrap();
    assert_eq!((after.rows, after.indexed), (before.rows, before.indexed));
    assert_eq!(export(&store).await, rows);
}

pub(crate) async fn forgotten_rows_are_not_imported(store: Any) {
    fill(&store).await;
    let rows = export(&store).await;
    let ids: Vec<PublicId> =
        ["o1", "s2", "p1", "m1", "n1"].into_iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!(store.forget(Scope::All, &ids, t(5)).await.unwrap(), ids);
    assert_eq!(import(&store, &rows).await, ImportCounts { stored: 0, skipped: 7 });
    assert_eq!(export(&store).await.len(), 2);
}

pub(crate) async fn rows_without_uid_are_known_by_their_text(store: Any) {
    let bare = |kind, text: &str| PortableRow {
        kind: Some(kind),
        text: text.to_owned(),
        ..PortableRow::default()
    };
    claimed_turn(&store, "s").await;
    let rows: Vec<_> = Kind::ALL.into_iter().map(|kind| bare(kind, "some words")).collect();
    assert_eq!(import(&store, &rows).await, ImportCounts { stored: 5, skipped: 0 });
    assert_eq!(import(&store, &rows).await, ImportCounts { stored: 0, skipped: 5 });
    let typed = [bare(Kind::Prompt, "do it"), bare(Kind::Prompt, "do  it\n")];
    assert_eq!(import(&store, &typed[..1]).await, ImportCounts { stored: 0, skipped: 1 });
    let other = [bare(Kind::Memory, "other words"), bare(Kind::Memory, "other words")];
    assert_eq!(import(&store, &other).await, ImportCounts { stored: 1, skipped: 1 });
}

pub(crate) async fn only_text_is_needed(store: Any) {
    let row = PortableRow { text: "just a line".to_owned(), ..PortableRow::default() };
    import(&store, &[row]).await;
    let memories = store.list_memories(Scope::All, 9).await.unwrap();
    assert_eq!((memories[0].text.as_str(), memories[0].created_at), ("just a line", t(77)));
    let odd = PortableRow {
        kind: Some(Kind::Observation),
        text: "told".to_owned(),
        title: "headline".to_owned(),
        content: serde_json::json!([1, 2]),
        ..PortableRow::default()
    };
    import(&store, &[odd]).await;
    let seen = store.recent_observations(Scope::All, 9, true).await.unwrap();
    assert_eq!(seen[0].content.title, "headline");
    assert_eq!(seen[0].content.narrative, "told");
    assert_eq!((seen[0].session_id, seen[0].source.word()), (None, "import"));
}

pub(crate) async fn pages_follow_the_cursor(store: Any) {
    fill(&store).await;
    let all = store.export_page(Scope::All, None, 99).await.unwrap();
    let mut cursors: Vec<ExportCursor> = all.iter().map(|(cursor, _)| *cursor).collect();
    assert_eq!(cursors.len(), 7);
    assert!(cursors.is_sorted());
    cursors.dedup();
    assert_eq!(cursors.len(), 7);
    let scope = Scope::Project(999);
    assert!(store.export_page(scope, None, 99).await.unwrap().is_empty());
    assert!(store.export_page(Scope::All, Some(cursors[6]), 99).await.unwrap().is_empty());
}

pub(crate) async fn what_took_a_memorys_place_is_exported(store: Any) {
    let p = stored_project(&store, "p").await.id;
    let old = remember(&store, p, "We use npm", 1).await;
    let memory = new_memory(p, "We use pnpm", 2);
    let by = memory.uid;
    let facts = vec![NewFact { memory, place: FactPlace::Supersedes(vec![old.uid]) }];
    let inference = NewInference { uid: uuid::Uuid::new_v4(), facts, now: t(3) };
    store.save_inference(inference).await.unwrap();
    let sent = renamed(&export(&store).await);
    assert_eq!(import(&store, &sent).await, ImportCounts { stored: 2, skipped: 0 });
    let all = store.list_memories(Scope::All, 9).await.unwrap();
    let link = |text: &str| all.iter().find(|memory| memory.text == text).unwrap().superseded_by;
    assert_eq!((link("We use npm again"), link("We use pnpm again")), (Some(by), None));
}
