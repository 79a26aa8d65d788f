//! What becomes of rows.

use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::summary::SummaryLevel;
use afterword_domain::wire::search::SearchRequest;
use afterword_domain::{Kind, PublicId};

use super::play::{Play, answer};
use crate::model_worker::{IDLE_MS, QUIET_MS};

#[tokio::test]
async fn a_turn_is_asked_about_once_and_its_rows_take_the_place_of_the_rules() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.rules().await;
    let by_rules = play.observations().await;
    assert!(!by_rules.is_empty() && by_rules.iter().all(|row| row.source == Source::Rules));
    play.script.say(&answer("Queue writes survive a crash", "2, 3", "feature"));
    play.work().await;
    play.work().await;
    assert_eq!(play.script.calls(), 1);
    let rows = play.observations().await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!(row.source, Source::Provider);
    assert_eq!(row.content.title, "Queue writes survive a crash");
    assert_eq!(row.content.files_modified, ["src/queue.rs"], "from the tools");
    assert!(row.content.concepts.contains(&"confirmed".to_owned()));
    assert!(by_rules.iter().any(|old| (old.id, old.uid) == (row.id, row.uid)), "the id stays");
    let evidence = play.engine.store().evidence(row.id).await.unwrap();
    let kinds: Vec<_> = evidence.iter().map(|(_, event)| event.body.kind()).collect();
    assert_eq!(kinds, ["tool-use", "tool-use"]);
    let turn = play.summaries(SummaryLevel::Turn).await.remove(0);
    assert_eq!(turn.source, Source::Provider);
    assert_eq!(turn.content.files_modified, ["src/queue.rs"]);
    let session = play.summaries(SummaryLevel::Session).await.remove(0);
    assert_eq!(session.source, Source::Provider, "of one turn");
    assert_eq!(session.content.completed, "Queue writes survive a crash: done");
    let request = SearchRequest { query: "survive crash".into(), ..SearchRequest::default() };
    let found = play.engine.search(&request).await.unwrap();
    let id = PublicId::new(Kind::Observation, row.id);
    assert!(found.results.iter().any(|hit| hit.id == id), "{found:?}");
}

#[tokio::test]
async fn what_comes_after_the_call_is_told_by_rules_beside_it() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.script.say(&answer("Queue is durable", "2", "feature"));
    play.work().await;
    play.edit("a", "src/late.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 1, "not a second time for one turn");
    let rows = play.observations().await;
    let sources: Vec<_> = rows.iter().rev().map(|row| row.source).collect();
    assert_eq!(sources, [Source::Provider, Source::Rules], "{rows:?}");
    assert_eq!(rows[1].content.title, "Queue is durable");
    assert_eq!(rows[0].content.files_modified, ["src/late.rs"]);
    let turn = play.summaries(SummaryLevel::Turn).await.remove(0);
    assert_eq!(turn.source, Source::Provider);
    assert_eq!(turn.content.completed, "Queue is durable: done");
    assert_eq!(turn.content.files_modified, ["src/queue.rs", "src/late.rs"]);
}

#[tokio::test]
async fn a_turn_that_goes_on_after_the_call_does_not_stay_half_told() {
    let play = Play::new();
    play.prompt("a", "Make the queue durable and run the tests").await;
    play.edit("a", "src/queue.rs").await;
    play.pass(QUIET_MS);
    play.script.say(
        "<summary><request>Durable queue</request><completed>The edit is made</completed>
         <next_steps>Run the tests of the queue</next_steps></summary>",
    );
    play.work().await;
    let turn = play.summaries(SummaryLevel::Turn).await.remove(0);
    assert!(turn.content.next_steps.contains("Run the tests"), "{turn:?}");
    play.run("a", "cargo test", "test result: ok. 12 passed").await;
    play.work().await;
    let turn = play.summaries(SummaryLevel::Turn).await.remove(0);
    assert!(turn.content.next_steps.contains("Run the tests"), "nobody has ended it yet");
    play.stop("a", "All is finished and the tests of the queue pass.").await;
    play.work().await;
    assert_eq!(play.script.calls(), 1, "one call a turn");
    for level in [SummaryLevel::Turn, SummaryLevel::Session] {
        let told = play.summaries(level).await.remove(0);
        assert_eq!(told.content.next_steps, "", "{level:?}");
        assert!(told.content.completed.contains("All is finished"), "{told:?}");
        assert_eq!(told.content.request, "Durable queue", "what the model told besides stays");
        assert_eq!(told.source, Source::Provider);
    }
    // The same events once more change nothing, and a session that was summed up hears of it too.
    let before = play.summaries(SummaryLevel::Turn).await;
    play.end("a").await;
    play.work().await;
    assert_eq!(play.summaries(SummaryLevel::Turn).await, before);

    let play = Play::new();
    play.turn("b", "src/a.rs").await;
    play.work().await;
    play.prompt("b", "Now make the second one durable").await;
    play.edit("b", "src/b.rs").await;
    play.pass(IDLE_MS + 1_000);
    play.script.say(&answer("Half of it", "2", "feature"));
    play.script.say(
        "<summary><request>Both</request><completed>The first one</completed>
         <next_steps>Finish the second one</next_steps></summary>",
    );
    play.work().await;
    let session = play.summaries(SummaryLevel::Session).await.remove(0);
    assert_eq!(session.content.next_steps, "Finish the second one");
    play.stop("b", "The second one is finished as well.").await;
    play.work().await;
    assert_eq!(play.script.calls(), 3);
    let session = play.summaries(SummaryLevel::Session).await.remove(0);
    assert_eq!(session.content.next_steps, "", "{session:?}");
    assert!(session.content.completed.contains("second one is finished"), "{session:?}");
}

#[tokio::test]
async fn an_answer_without_observations_leaves_those_of_the_rules() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.rules().await;
    let before = play.titles().await;
    play.script.say("<summary><request>Only this</request></summary>");
    play.work().await;
    assert_eq!(play.titles().await, before);
    assert_eq!(play.summaries(SummaryLevel::Turn).await[0].content.request, "Only this");
    play.turn("a", "src/other.rs").await;
    play.script.say("<skip/>");
    play.work().await;
    assert_eq!(play.engine.status().await.unwrap().model.waiting, 1, "the session's summary");
    assert_eq!(play.engine.status().await.unwrap().model.done, 2);
}

#[tokio::test]
async fn what_still_fails_and_what_the_person_wants_is_not_lost() {
    let play = Play::new();
    play.prompt("a", "Fix the parser. Never use unwrap in this project, always return errors.")
        .await;
    play.edit("a", "src/parser.rs").await;
    play.run("a", "cargo test", "error[E0308]: mismatched types\ntest result: FAILED. 1 failed")
        .await;
    play.stop("a", "I changed the parser.").await;
    play.rules().await;
    let has = |rows: &[afterword_domain::observation::Observation], concept: &str| {
        rows.iter().filter(|row| row.content.concepts.iter().any(|c| c == concept)).count()
    };
    let by_rules = play.observations().await;
    assert_eq!(
        (has(&by_rules, "unresolved"), has(&by_rules, "preference")),
        (1, 1),
        "{by_rules:?}"
    );
    play.script.say(&answer("Parser reads trailing commas", "2", "bugfix"));
    play.work().await;
    let rows = play.observations().await;
    assert_eq!((has(&rows, "unresolved"), has(&rows, "preference")), (1, 1), "{rows:?}");
}

#[tokio::test]
async fn forgotten_rows_stay_forgotten() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.rules().await;
    let id = play.observations().await[0].id;
    play.engine.forget(&[PublicId::new(Kind::Observation, id)]).await.unwrap();
    play.work().await;
    assert_eq!(play.script.calls(), 0, "what is left of the turn may tell the same again");
    play.turn("a", "src/other.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 1);
    let of_model = play.observations().await.into_iter().find(|r| r.source == Source::Provider);
    let id = PublicId::new(Kind::Observation, of_model.unwrap().id);
    play.engine.forget(&[id]).await.unwrap();
    play.edit("a", "src/late.rs").await;
    play.work().await;
    assert!(play.engine.store().rows(Scope::All, &[id]).await.unwrap().is_empty());
    let titles = play.titles().await;
    assert!(!titles.iter().any(|title| title == "Default"), "{titles:?}");
}

#[tokio::test]
async fn nothing_is_confirmed_by_a_failure_or_by_reading_alone() {
    let play = Play::new();
    play.prompt("a", "Why does the parser fail? Please look into it").await;
    play.look("a", "src/parser.rs").await;
    play.fail("a", "cargo test", "error: 1 test failed").await;
    play.edit("a", "src/parser.rs").await;
    play.stop("a", "I changed the parser.").await;
    play.script.say(
        "<observation><title>By reading</title><evidence>2</evidence>
         <standing>confirmed</standing></observation>
         <observation><title>By a failure</title><evidence>3</evidence>
         <standing>confirmed</standing></observation>
         <observation><title>By a change</title><evidence>2, 3, 4</evidence>
         <standing>confirmed</standing></observation>",
    );
    play.work().await;
    let rows = play.observations().await;
    let confirmed: Vec<_> = rows
        .iter()
        .filter(|row| row.content.concepts.iter().any(|c| c == "confirmed"))
        .map(|row| row.content.title.as_str())
        .collect();
    assert_eq!(confirmed, ["By a change"], "{rows:?}");
}

#[tokio::test]
async fn claims_are_marked_by_how_they_stand() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.script.say(
        "<observation><type>discovery</type><title>The lock is too coarse</title>
         <evidence>2</evidence><standing>hypothesis</standing></observation>
         <observation><title>The disk is full</title><evidence>3</evidence>
         <standing>refuted</standing></observation>
         <observation><title>Somebody said so</title><evidence>4</evidence>
         <standing>confirmed</standing></observation>
         <observation><title>Out of thin air</title><files_modified><file>etc/made-up.rs</file>
         </files_modified></observation>
         <observation><title>By its file</title><files_modified><file>queue.rs</file>
         <file>src/made-up.rs</file></files_modified></observation>",
    );
    play.work().await;
    let mut rows = play.observations().await;
    rows.sort_by_key(|row| row.id);
    let told = |title: &str| {
        let row = rows.iter().find(|row| row.content.title == title);
        let row = row.unwrap_or_else(|| panic!("{title}: {rows:?}"));
        (row.content.concepts.clone(), row.content.files_modified.clone())
    };
    assert_eq!(told("The lock is too coarse (hypothesis)").0, ["hypothesis"]);
    assert_eq!(told("The disk is full (refuted)").0, ["refuted"]);
    assert_eq!(told("Somebody said so").0, [""; 0], "an answer confirms nothing");
    let (concepts, files) = told("Out of thin air (no evidence)");
    assert_eq!((concepts, files), (vec!["no-evidence".to_owned()], Vec::new()));
    assert_eq!(told("By its file").1, ["src/queue.rs"], "no file that no tool touched");
}
