use afterword_store::contract::{IndexDoc, Row, RowBody};

use afterword_domain::{Kind, PublicId, Time};

use super::score::term_weight;
use super::*;
use crate::analyze::{index_doc, query_terms};
use crate::embed::Near;
use crate::recall::row_text::RowText;
use crate::recall::testing::{day, memory, observation, row};

fn terms(text: &str) -> Vec<String> {
    query_terms(text)
}

fn told(id: i64, text: &str, days: i64) -> Row {
    row(RowBody::Memory(memory(id, text, days)))
}

/// Rows with the tokens that indexing would have kept.
fn indexed(rows: Vec<Row>) -> Vec<(Row, IndexDoc)> {
    let doc = |row: &Row| {
        let text = RowText::of(&row.body);
        index_doc(&text.title, &text.text, &text.files)
    };
    rows.into_iter().map(|row| (row.clone(), doc(&row))).collect()
}

fn order(ranked: &[Ranked]) -> Vec<String> {
    ranked.iter().map(|found| found.row.id.to_string()).collect()
}

#[test]
fn three_of_five_terms_answer_and_two_do_not() {
    let question = Question::new(terms("retry queue loses jobs restart"), &[5; 5], 2_000);
    let ranked = question.rank(
        indexed(vec![told(1, "retry queue jobs", 0), told(2, "retry queue", 0)]),
        &Meaning::default(),
    );
    assert_eq!(order(&ranked), ["m1", "m2"]);
    assert!(ranked[0].score >= 0.5, "{}", ranked[0].score);
    assert!(ranked[1].score < 0.5, "{}", ranked[1].score);
}

#[test]
fn a_question_about_something_else_stays_low() {
    // One word of the house, three that no row knows: BM25 alone would call the row perfect.
    let question = Question::new(terms("bake sourdough bread queue"), &[0, 0, 0, 40], 500);
    let ranked = question.rank(indexed(vec![told(1, "queue", 0)]), &Meaning::default());
    assert!(ranked[0].score < 0.25, "{}", ranked[0].score);
}

#[test]
fn k8_a_store_of_one_row_answers_and_stays_silent_alike() {
    let asks = |question: &str, counts: &[u64]| {
        let question = Question::new(terms(question), counts, 1);
        question.rank(indexed(vec![told(1, "deploy runs on fridays only", 0)]), &Meaning::default())
            [0]
        .score
    };
    assert!(asks("deploy fridays", &[1, 1]) > 0.7);
    assert!(asks("deploy fridays allowed", &[1, 1, 0]) >= 0.5);
    assert!(asks("deploy kubernetes ingress controller", &[1, 0, 0, 0]) < 0.4);
}

#[test]
fn equal_rows_come_newest_first_then_by_id() {
    let question = Question::new(terms("queue"), &[3], 3);
    let same = |id, days| told(id, "queue", days);
    let ranked = question.rank(
        indexed(vec![same(5, 0), same(9, 400), same(3, 0), same(4, 400)]),
        &Meaning::default(),
    );
    assert_eq!(order(&ranked), ["m4", "m9", "m3", "m5"]);
}

#[test]
fn a_title_and_a_file_weigh_more_than_the_text() {
    let mut in_file = observation(1, "other", 0);
    in_file.content.files_modified = vec!["queue".into()];
    let mut in_text = observation(2, "other", 0);
    in_text.content.narrative = "queue".into();
    let rows = [in_text, in_file].map(|o| row(RowBody::Observation(o)));
    let ranked =
        Question::new(terms("queue"), &[2], 10).rank(indexed(rows.into()), &Meaning::default());
    assert_eq!(order(&ranked), ["o1", "o2"]);
}

#[test]
fn words_close_together_beat_words_far_apart() {
    let question = Question::new(terms("lease lost"), &[4, 4], 100);
    let far = format!("lease {} lost", "and so on ".repeat(60));
    let ranked = question
        .rank(indexed(vec![told(1, &far, 0), told(2, "lease lost", 0)]), &Meaning::default());
    assert_eq!(order(&ranked), ["m2", "m1"]);
}

#[test]
fn long_questions_expect_less_of_each_row() {
    let long = "retry queue lease restart migration invoice export cents decimal branch worktree \
                hook daemon spool token budget unicode emoji parser index";
    let question = Question::new(terms(long), &[9; 20], 5_000);
    assert_eq!(terms(long).len(), 20);
    let score =
        |text: &str| question.rank(indexed(vec![told(1, text, 0)]), &Meaning::default())[0].score;
    assert!(score("retry queue lease restart migration invoice export cents") >= 0.5);
    assert!(score("retry queue lease") < 0.5);
    assert!(score(long) <= 1.0);
}

#[test]
fn k1_pairs_that_straddle_words_weigh_half() {
    let weigh = |term: &str, rows| term_weight(term, rows, 1_000);
    assert!(weigh("存失", 0) < weigh("缓存", 3));
    assert!(weigh("zz", 0) > weigh("ab", 3));
    // 缓存失效策略 asked, "缓存 … 失效" in the row: 2 of 5 pairs, 2 of them no words.
    let pairs: Vec<String> = ["缓存", "存失", "失效", "效策", "策略"].map(str::to_owned).into();
    let question = Question::new(pairs, &[3, 0, 3, 0, 3], 1_000);
    let ranked = question.rank(indexed(vec![told(1, "缓存 会 失效", 0)]), &Meaning::default());
    assert!(ranked[0].score >= 0.4, "{}", ranked[0].score);
}

#[test]
fn scores_are_numbers_whatever_comes() {
    let cases =
        [(vec![], vec![]), (terms("lease queue"), vec![u64::MAX]), (terms("lease"), vec![0])];
    for (asked, counts) in cases {
        let question = Question::new(asked, &counts, 0);
        assert!(question.rank(Vec::new(), &Meaning::default()).is_empty());
        let mut odd = told(1, "", 0);
        odd.created_at = Time::from_millis(i64::MIN);
        for found in question
            .rank(indexed(vec![odd, told(2, &"lease ".repeat(900), 1)]), &Meaning::default())
        {
            assert!((0.0..=1.0).contains(&found.score), "{}", found.score);
        }
    }
}

#[test]
fn recency_halves() {
    assert!((halved(day(0), day(30), 30.0) - 0.5).abs() < 1e-9);
    assert!((halved(day(31), day(30), 30.0) - 1.0).abs() < 1e-9);
}

#[test]
fn a_question_of_stop_words_is_answered_by_no_row() {
    let question = Question::new(terms("the of and"), &[3; 3], 10);
    let ranked =
        question.rank(indexed(vec![told(1, "the end of the day", 0)]), &Meaning::default());
    assert!(ranked[0].score.abs() < f64::EPSILON, "{}", ranked[0].score);
}

fn near(rows: &[(i64, f32)]) -> Meaning {
    let mut near: Vec<Near<PublicId>> = rows
        .iter()
        .map(|(id, cosine)| Near { key: PublicId::new(Kind::Memory, *id), cosine: *cosine })
        .collect();
    // What is near by chance.
    near.extend((100..110).map(|id| Near { key: PublicId::new(Kind::Memory, id), cosine: 0.8 }));
    near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    Meaning::new(&near, 10_000)
}

#[test]
fn meaning_finds_what_words_do_not_and_lifts_what_they_do() {
    let question = Question::new(terms("retry queue loses jobs restart"), &[5; 5], 2_000);
    let rows = || {
        indexed(vec![
            told(1, "retry queue", 0),
            told(2, "leases vanish when the worker comes up again", 0),
            told(3, "the invoice is a monthly one", 0),
        ])
    };
    let words = question.rank(rows(), &Meaning::default());
    let both = question.rank(rows(), &near(&[(1, 0.86), (2, 0.88), (3, 0.8)]));
    assert_eq!(order(&both), ["m1", "m2", "m3"]);
    assert!(both[0].score > words[0].score);
    assert!(both[1].score > 0.1 && both[2].score.abs() < f64::EPSILON, "{}", both[1].score);
}

#[test]
fn meaning_alone_orders_rows_where_a_question_has_no_words() {
    let question = Question::new(Vec::new(), &[], 2_000);
    let ranked = question
        .rank(indexed(vec![told(1, "one", 0), told(2, "two", 0)]), &near(&[(1, 0.82), (2, 0.9)]));
    assert_eq!(order(&ranked), ["m2", "m1"]);
}

#[test]
fn a_few_words_of_a_session_say_little_and_a_brief_memory_does_not() {
    let question = Question::new(terms("lease"), &[3], 1_000);
    let short = row(RowBody::Observation(observation(1, "lease", 0)));
    let ranked = question.rank(indexed(vec![short, told(2, "lease", 0)]), &Meaning::default());
    assert_eq!(order(&ranked), ["m2", "o1"]);
    assert!(ranked[0].score > 1.3 * ranked[1].score);
}

#[test]
fn the_parts_of_a_score_add_up_to_it() {
    let question = Question::new(terms("retry queue"), &[5; 2], 2_000);
    let asked = terms("retry queue");
    let rows = indexed(vec![told(1, "retry later", -200), told(2, "queue", 0)]);
    for found in question.rank(rows, &near(&[(1, 0.88)])) {
        let why = found.parts.why(found.score, &asked);
        let sum = why.words + why.meaning + why.neighbours + why.date + why.recency;
        assert!((sum - found.score).abs() < 1e-3, "{why:?} {}", found.score);
        let (term, old) = if found.row.id.number == 1 { ("retri", true) } else { ("queue", false) };
        assert_eq!(why.matched, [term]);
        assert_eq!((why.meaning > 0.0, why.recency < 0.0), (old, old), "{why:?}");
    }
}
