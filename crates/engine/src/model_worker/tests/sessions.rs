//! Turns, sessions, and what a question holds.

use afterword_domain::event::{EventBody, StartSource};
use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::summary::{Summary, SummaryLevel};

use super::play::{Play, answer};
use crate::distill::model::{Language, Mode};
use crate::model_worker::{IDLE_MS, QUIET_MS};

impl Play {
    pub(super) async fn summaries(&self, level: SummaryLevel) -> Vec<Summary> {
        let mut rows = self.engine.store().recent_summaries(Scope::All, level, 100).await.unwrap();
        rows.reverse();
        rows
    }
}

#[tokio::test]
async fn each_question_goes_on_from_the_session_so_far() {
    let play = Play::new();
    play.turn("a", "src/queue.rs").await;
    play.script.say(&answer("Queue is durable", "2", "feature"));
    play.work().await;
    play.turn("a", "src/retry.rs").await;
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 2);
    assert_eq!(asks[0].system, asks[1].system, "so that a provider may keep it");
    assert!(!asks[0].prompt.contains("<so_far>"), "{}", asks[0].prompt);
    assert!(asks[1].prompt.contains("done: Queue is durable: done"), "{}", asks[1].prompt);
    let shown = &asks[1].prompt;
    for piece in [
        "Project: shop",
        "[1] The person's request:\nPlease make src/retry.rs durable",
        "[2] edit src/retry.rs\n- let a = 1;\n+ let a = 2;",
        "[3] $ cargo test\ntest result: ok. 12 passed",
        "[4] The agent's answer:\nThe queue in src/retry.rs is durable now.",
        "Write every text in English.",
    ] {
        assert!(shown.contains(piece), "{piece} in {shown}");
    }
    assert!(!shown.contains("src/queue.rs\n"), "one turn a question: {shown}");
    assert!(asks[0].system.contains("- bugfix: ") && asks[0].system.contains("<summary>"));
}

#[tokio::test]
async fn a_turn_is_over_at_its_stop_at_the_next_prompt_or_after_quiet() {
    let play = Play::new();
    play.prompt("a", "Look into the queue, please").await;
    play.edit("a", "src/queue.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 0, "it goes on");
    play.pass(QUIET_MS);
    play.work().await;
    assert_eq!(play.script.calls(), 1, "nobody stopped it");
    play.prompt("a", "And now the other thing").await;
    play.edit("a", "src/other.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 1);
    play.prompt("a", "Next").await;
    play.work().await;
    assert_eq!(play.script.calls(), 2, "another prompt came");
}

#[tokio::test]
async fn a_session_is_summed_up_at_its_end_and_goes_on_when_resumed() {
    let play = Play::new();
    for (n, path) in ["src/a.rs", "src/b.rs"].into_iter().enumerate() {
        play.turn("a", path).await;
        play.script.say(&answer(&format!("Step {n}"), "2", "feature"));
        play.work().await;
    }
    assert_eq!(play.script.calls(), 2);
    play.end("a").await;
    play.script
        .say("<summary><request>Both steps</request><learned>Order matters</learned></summary>");
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 3);
    assert!(asks[2].prompt.contains("Turn 1:\nwanted: Step 0: asked"), "{}", asks[2].prompt);
    assert!(asks[2].prompt.contains("Turn 2:"), "{}", asks[2].prompt);
    let session = play.summaries(SummaryLevel::Session).await;
    assert_eq!(session.len(), 1);
    assert_eq!(
        (session[0].source, session[0].content.request.as_str()),
        (Source::Provider, "Both steps")
    );
    assert_eq!(session[0].content.files_modified, ["src/b.rs", "src/a.rs"]);
    play.work().await;
    assert_eq!(play.script.calls(), 3, "once");

    play.happens(
        "a",
        EventBody::SessionStart { source: StartSource::Resume, changed_files: Vec::new() },
    )
    .await;
    play.turn("a", "src/c.rs").await;
    play.script.say(&answer("Step 2", "2", "feature"));
    play.work().await;
    let asks = play.script.asks();
    assert!(asks[3].prompt.contains("learned: Order matters"), "{}", asks[3].prompt);
    let session = play.summaries(SummaryLevel::Session).await.remove(0);
    assert!(session.content.completed.contains("Step 2: done"), "{session:?}");
    assert!(session.content.learned.contains("Order matters"), "{session:?}");
    play.end("a").await;
    play.script.say("<summary><request>All three</request></summary>");
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 5);
    assert!(asks[4].prompt.contains("What was written before:\nwanted: Both steps"));
    assert!(asks[4].prompt.contains("Turn 3:") && !asks[4].prompt.contains("Turn 2:"));
    assert_eq!(play.summaries(SummaryLevel::Session).await[0].content.request, "All three");
}

#[tokio::test]
async fn an_idle_session_is_summed_up_and_one_of_a_single_turn_needs_no_call() {
    let play = Play::new();
    play.turn("a", "src/a.rs").await;
    play.turn("a", "src/b.rs").await;
    play.turn("single", "src/c.rs").await;
    play.work().await;
    assert_eq!(play.script.calls(), 3);
    play.pass(IDLE_MS + 1);
    play.script.say("<summary><request>Idle</request></summary>");
    play.work().await;
    assert_eq!(play.script.calls(), 4);
    let requests: Vec<_> = play.summaries(SummaryLevel::Session).await;
    assert!(requests.iter().any(|s| s.content.request == "Idle"));
}

#[tokio::test]
async fn the_persons_language_and_the_mode_are_told() {
    let play = Play::new();
    play.prompt("a", "请把登录模块的队列改成持久化的，并且运行测试").await;
    play.edit("a", "src/login.rs").await;
    play.stop("a", "队列现在是持久化的。").await;
    play.script.say(
        "<observation><type>feature</type><title>登录队列持久化</title><evidence>2</evidence>
         <standing>hypothesis</standing></observation>
         <summary><request>持久化队列</request></summary>",
    );
    play.work().await;
    assert!(play.script.asks()[0].prompt.contains("Write every text in Chinese"));
    assert_eq!(play.titles().await, ["登录队列持久化（假设，未证实）"]);

    let mode = Mode::load("law", &|name| {
        Ok((name == "law").then(|| {
            "[types]\nruling = \"what a court said\"\n[prompts]\nrecord = \"Record rulings.\"\n"
                .to_owned()
        }))
    });
    let play = Play::with(|model| {
        model.mode = mode.unwrap();
        model.language = Language::from_setting("zh");
    });
    play.turn("a", "src/a.rs").await;
    play.script.say(&answer("A ruling", "2", "ruling"));
    play.work().await;
    let ask = play.script.asks().remove(0);
    assert!(ask.system.contains("- ruling: what a court said\n"), "{}", ask.system);
    assert!(ask.system.contains("Record rulings.") && !ask.system.contains("Name things"));
    assert!(ask.prompt.contains("Write every text in Chinese (简体中文)."), "{}", ask.prompt);
    assert_eq!(play.observations().await[0].content.r#type, "ruling");
}

#[tokio::test]
async fn a_long_turn_shows_how_every_run_ended() {
    let play = Play::new();
    play.prompt("a", "Rewrite everything").await;
    for n in 0..30 {
        play.rewrite("a", &format!("src/part{n}.rs"), 60).await;
        let printed = "compiling a crate\n".repeat(40);
        play.run("a", &format!("cargo test -p part{n}"), &format!("{printed}{n} passed")).await;
        play.run("a", &format!("git add part{n}"), "ok").await;
    }
    play.stop("a", "All of it is rewritten.").await;
    play.work().await;
    let shown = play.script.asks().remove(0).prompt;
    for n in 0..30 {
        assert!(shown.contains(&format!("{n} passed\n")), "{n} in {shown}");
    }
    assert!(!shown.contains("[… 2 bytes left out …]"), "a mark is longer than that: {shown}");
    assert!(shown.len() < 18_000, "{}", shown.len());
}

#[tokio::test]
async fn a_session_is_summed_up_in_the_role_of_the_mode() {
    let mode = Mode::load("law", &|name| {
        Ok((name == "law").then(|| "[prompts]\nrole = \"You clerk at a court.\"\n".to_owned()))
    });
    let play = Play::with(|model| model.mode = mode.unwrap());
    play.turn("a", "src/a.rs").await;
    play.turn("a", "src/b.rs").await;
    play.end("a").await;
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 3);
    for ask in asks {
        assert!(ask.system.starts_with("You clerk at a court."), "{}", ask.system);
    }
}

#[tokio::test]
async fn f2_no_secret_and_no_private_text_is_in_a_question() {
    let play = Play::new();
    let (key, private) = ("sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe", "canary-of-the-person");
    play.prompt("a", &format!("Use {key} and <private>{private}</private> please")).await;
    play.edit("a", "src/a.rs").await;
    play.run("a", &format!("curl -H 'x-api-key: {key}' example.com"), &format!("API_KEY={key}"))
        .await;
    play.stop("a", &format!("Done with {key}. <private>{private}")).await;
    play.work().await;
    play.turn("a", "src/b.rs").await;
    play.work().await;
    play.end("a").await;
    play.work().await;
    let asks = play.script.asks();
    assert_eq!(asks.len(), 3);
    for ask in asks {
        let sent = format!("{}{}", ask.system, ask.prompt);
        assert!(!sent.contains(key) && !sent.contains(private), "{sent}");
    }
}
