use afterword_domain::observation::Source;
use afterword_domain::scope::Scope;
use afterword_domain::wire::jobs::Queue;
use afterword_domain::wire::spend::SpendBy;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{
    AnswerOf, FactChange, FactPlace, KEPT_DAYS, KeptFact, ModelFailure, ModelJob, ModelOutcome,
    ModelWish, NewAnswer, NewFact, NewInference, NewSpend, PaidAnswer, Reserved, Settled,
    SpendLimits,
};
use uuid::Uuid;

use super::build::{
    Any, claimed_turn, event, new_memory, outcome, prompt, remember, stored, stored_project,
    summary, t, tool,
};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn answer(text: &str) -> PaidAnswer {
    PaidAnswer { text: text.to_owned(), cut: true, note: "seen 7".to_owned() }
}

async fn reserved(store: &Any, session: Option<i64>) -> i64 {
    let call = NewSpend {
        at: t(0),
        provider: "p".to_owned(),
        model: "m".to_owned(),
        purpose: "turn".to_owned(),
        project_id: None,
        session_id: session,
        input_tokens: 100,
        output_tokens: 50,
        cost: None,
        backlog: false,
    };
    match store.reserve_spend(&call, &SpendLimits::default()).await.unwrap() {
        Reserved::Within(id) => id,
        over @ Reserved::Over { .. } => panic!("{over:?}"),
    }
}

/// A turn whose call is out.
async fn sent(store: &Any, session: &str) -> ModelJob {
    let (job, last) = claimed_turn(store, session).await;
    let mut read = outcome(&job, last, vec![]);
    read.turn_summary = Some(summary("by rules"));
    read.model = Some(ModelWish { turn: Some(t(100)), session: t(900_000) });
    store.save_turn(read).await.unwrap();
    let job = store.claim_model_job(t(10_000), 0).await.unwrap().expect("a job is due");
    assert!(store.begin_model_try(&job).await.unwrap());
    job
}

async fn keep(store: &Any, of: AnswerOf, text: &str) -> bool {
    let id = reserved(store, None).await;
    let used = Settled::Used { input_tokens: 7, output_tokens: 3, cost: None };
    let new = NewAnswer { of, at: t(0), answer: answer(text) };
    store.settle_with_answer(id, used, new).await.unwrap()
}

async fn kept(store: &Any, of: AnswerOf) -> Option<String> {
    store.paid_answer(of).await.unwrap().map(|answer| answer.text)
}

fn saved(job: &ModelJob) -> ModelOutcome {
    let mut told = summary("by the model");
    told.source = Source::Provider;
    ModelOutcome {
        job: job.clone(),
        seen_event_id: i64::MAX,
        observations: Vec::new(),
        keep: Vec::new(),
        turn_summary: Some(told),
        session_summary: None,
        now: t(11_000),
    }
}

pub(crate) async fn i12_an_answer_outlives_the_process_until_it_is_used(store: Any) {
    let job = sent(&store, "s").await;
    let of = AnswerOf::Job(job.id);
    assert_eq!(store.paid_answer(of).await.unwrap(), None);
    assert!(keep(&store, of, "the answer").await);
    let day = store.spend_day(t(0)).await.unwrap();
    let spent = store.spend_lines(SpendBy::Day, day, day).await.unwrap();
    assert_eq!(spent[0].tokens(), 10, "charged in the same step");
    // The process ends here; the job's try was its first, and is not lost.
    assert_eq!(store.claim_answered_job().await.unwrap(), None, "it is still somebody's");
    store.release_model_jobs(t(20_000)).await.unwrap();
    let again = store.claim_answered_job().await.unwrap().expect("an answer waits");
    assert_eq!((again.id, again.attempts), (job.id, 0));
    assert_eq!(store.paid_answer(of).await.unwrap(), Some(answer("the answer")));
    store.save_model_turn(saved(&again)).await.unwrap();
    assert_eq!(kept(&store, of).await, None, "it was used");
    assert_eq!(store.counts().await.unwrap().model.done, 1);
    assert_eq!(store.claim_answered_job().await.unwrap(), None);
}

pub(crate) async fn i12_an_answer_that_nobody_can_read_costs_one_try(store: Any) {
    let job = sent(&store, "s").await;
    keep(&store, AnswerOf::Job(job.id), "garbage").await;
    store.release_model_jobs(t(20_000)).await.unwrap();
    let again = store.claim_model_job(t(20_000), 0).await.unwrap().expect("due as any other");
    let failure = ModelFailure {
        error: "no block".into(),
        retry_at: t(0),
        counts: true,
        is_final: false,
        kept_back: false,
    };
    assert!(!store.fail_model_job(&again, &failure).await.unwrap());
    assert_eq!(kept(&store, AnswerOf::Job(job.id)).await, None);
    let third = store.claim_model_job(t(20_000), 0).await.unwrap().unwrap();
    assert_eq!(third.attempts, 1);
}

pub(crate) async fn an_answer_goes_with_what_is_dropped_or_forgotten(store: Any) {
    let job = sent(&store, "dropped").await;
    let of = AnswerOf::Job(job.id);
    keep(&store, of, "x").await;
    let id = store.list_jobs(9).await.unwrap().into_iter().find(|row| row.id.number == job.id);
    let id = id.expect("it is listed").id;
    assert_eq!(id.queue, Queue::Model);
    store.drop_jobs(&[id]).await.unwrap();
    assert_eq!(kept(&store, of).await, None);
    assert!(keep(&store, of, "late").await, "charged all the same");
    assert_eq!(kept(&store, of).await, None, "and not kept");

    let job = sent(&store, "forgotten").await;
    let of = AnswerOf::Job(job.id);
    keep(&store, of, "tells of the prompt").await;
    let prompts = store.export_page(Scope::All, None, 50).await.unwrap();
    let prompt = prompts.iter().rfind(|(_, row)| row.kind == Some(Kind::Prompt)).unwrap().0;
    store.forget(Scope::All, &[PublicId::new(Kind::Prompt, prompt.id)], t(1)).await.unwrap();
    assert_eq!(kept(&store, of).await, None);
}

pub(crate) async fn a_dropped_session_is_summed_up_again_after_its_next_turn(store: Any) {
    let job = sent(&store, "s").await;
    store.save_model_turn(saved(&job)).await.unwrap();
    let whole = store.claim_model_job(t(2_000_000), 0).await.unwrap().expect("the session");
    let id = store.list_jobs(9).await.unwrap()[0].id;
    assert_eq!((id.queue, id.number), (Queue::Model, whole.id));
    store.drop_jobs(&[id]).await.unwrap();
    assert_eq!(store.next_model_job_at().await.unwrap(), None);

    // More of the turn that was there already opens nothing.
    stored(&store, event("s", 60, tool("Bash"))).await;
    let rules = store.claim_job(t(50_000)).await.unwrap().unwrap();
    let mut read = outcome(&rules, i64::MAX, vec![]);
    read.model = Some(ModelWish { turn: None, session: t(4_000_000) });
    store.save_turn(read).await.unwrap();
    assert_eq!(store.next_model_job_at().await.unwrap(), None);

    stored(&store, event("s", 70, prompt("go on"))).await;
    stored(&store, event("s", 80, tool("Bash"))).await;
    let rules = store.claim_job(t(50_000)).await.unwrap().unwrap();
    let mut read = outcome(&rules, i64::MAX, vec![]);
    read.model = Some(ModelWish { turn: None, session: t(4_000_000) });
    store.save_turn(read).await.unwrap();
    assert_eq!(store.next_model_job_at().await.unwrap(), Some(t(4_000_000)));
}

fn fact(project: i64, text: &str, at: i64, place: FactPlace) -> NewFact {
    NewFact { memory: new_memory(project, text, at), place }
}

async fn infer(store: &Any, uid: Uuid, facts: Vec<NewFact>) -> Vec<KeptFact> {
    store.save_inference(NewInference { uid, facts, now: t(1_000) }).await.unwrap()
}

fn told(facts: &[KeptFact]) -> Vec<(&str, FactChange, usize)> {
    facts.iter().map(|f| (f.memory.text.as_str(), f.change, f.superseded.len())).collect()
}

pub(crate) async fn facts_are_added_repeated_and_take_places(store: Any) {
    use FactChange::{Added, Repeated, Superseded};
    let (p, q) = (stored_project(&store, "p").await.id, stored_project(&store, "q").await.id);
    let paris = remember(&store, p, "User lives in Paris", 1).await;
    let far = remember(&store, q, "User lives in Rome", 1).await;
    let berlin = FactPlace::Supersedes(vec![paris.uid, far.uid, Uuid::new_v4()]);
    let uid = Uuid::new_v4();
    let facts = infer(
        &store,
        uid,
        vec![
            fact(p, "User likes tea", 5, FactPlace::New),
            fact(p, "User lives in Berlin", 5, berlin),
            fact(p, "user likes TEA", 6, FactPlace::New),
            fact(p, "Lives in the capital of France", 6, FactPlace::Repeats(paris.uid)),
        ],
    )
    .await;
    assert_eq!(
        told(&facts),
        [
            ("User likes tea", Added, 0),
            ("User lives in Berlin", Superseded, 1),
            ("User lives in Paris", Repeated, 0)
        ]
    );
    let again = store.inference(uid).await.unwrap().unwrap();
    assert_eq!(told(&again), told(&facts));
    let changed = infer(&store, uid, vec![fact(p, "Something else", 9, FactPlace::New)]).await;
    assert_eq!(told(&changed), told(&facts), "asked for once more, nothing changes");
    assert_eq!(store.list_memories(Scope::All, 9).await.unwrap().len(), 4);
    let others = store.list_memories(Scope::Project(q), 9).await.unwrap();
    assert_eq!(others[0].superseded_by, None, "another project's memory is nobody's to replace");
}

async fn holds(store: &Any, text: &str) -> bool {
    let all = store.list_memories(Scope::All, 99).await.unwrap();
    let found = all.iter().find(|memory| memory.text == text).expect("nothing is destroyed");
    found.superseded_by.is_none()
}

pub(crate) async fn a_fact_that_came_back_holds_again(store: Any) {
    let p = stored_project(&store, "p").await.id;
    let paris = remember(&store, p, "Lives in Paris", 1).await;
    let berlin = fact(p, "Lives in Berlin", 5, FactPlace::Supersedes(vec![paris.uid]));
    let berlin_uid = berlin.memory.uid;
    infer(&store, Uuid::new_v4(), vec![berlin]).await;
    assert!(!holds(&store, "Lives in Paris").await);
    let back = fact(p, "Lives in Paris", 9, FactPlace::Supersedes(vec![berlin_uid]));
    let facts = infer(&store, Uuid::new_v4(), vec![back]).await;
    assert_eq!((facts[0].memory.uid, facts[0].change), (paris.uid, FactChange::Superseded));
    assert!(holds(&store, "Lives in Paris").await && !holds(&store, "Lives in Berlin").await);
    let late = fact(p, "Lives in Oslo", 0, FactPlace::GivesWayTo(paris.uid));
    let facts = infer(&store, Uuid::new_v4(), vec![late]).await;
    assert_eq!(facts[0].change, FactChange::Added);
    assert!(!holds(&store, "Lives in Oslo").await, "told late, and older");
}

pub(crate) async fn a_forgotten_fact_gives_its_place_back(store: Any) {
    let p = stored_project(&store, "p").await.id;
    let a = remember(&store, p, "A", 1).await;
    let b = fact(p, "B", 2, FactPlace::Supersedes(vec![a.uid]));
    let b_uid = b.memory.uid;
    let b = infer(&store, Uuid::new_v4(), vec![b]).await.remove(0).memory;
    let c = fact(p, "C", 3, FactPlace::Supersedes(vec![b_uid]));
    let uid = Uuid::new_v4();
    let c = infer(&store, uid, vec![c]).await.remove(0).memory;
    store.forget(Scope::All, &[PublicId::new(Kind::Memory, b.id)], t(9)).await.unwrap();
    let all = store.list_memories(Scope::All, 9).await.unwrap();
    let first = all.iter().find(|memory| memory.text == "A").unwrap();
    assert_eq!(first.superseded_by, Some(c.uid), "C has taken the place of both");
    store.forget(Scope::All, &[PublicId::new(Kind::Memory, c.id)], t(9)).await.unwrap();
    assert!(holds(&store, "A").await);
    assert_eq!(store.inference(uid).await.unwrap().unwrap(), [], "what is gone is not told");
}

pub(crate) async fn i12_an_inference_keeps_its_answer_until_it_is_saved(store: Any) {
    let p = stored_project(&store, "p").await.id;
    let uid = Uuid::new_v4();
    let of = AnswerOf::Inference(uid);
    assert_eq!(store.inference(uid).await.unwrap(), None);
    assert!(keep(&store, of, "facts").await);
    assert_eq!(store.paid_answer(of).await.unwrap(), Some(answer("facts")));
    infer(&store, uid, vec![fact(p, "A", 1, FactPlace::New)]).await;
    assert_eq!(kept(&store, of).await, None);

    let orphan = AnswerOf::Inference(Uuid::new_v4());
    keep(&store, orphan, "nobody asks for it again").await;
    let id = reserved(&store, None).await;
    let later = NewAnswer { of, at: t((KEPT_DAYS + 1) * DAY), answer: answer("later") };
    store.settle_with_answer(id, Settled::Unknown, later).await.unwrap();
    assert_eq!(kept(&store, orphan).await, None);
    assert_eq!(kept(&store, of).await.as_deref(), Some("later"));
}
