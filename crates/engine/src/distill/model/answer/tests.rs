use afterword_domain::summary::SummaryContent;
use proptest::prelude::*;

use super::*;

const WHOLE: &str = "\
<observation>
  <type>bugfix</type>
  <title>Queue keeps its order</title>
  <subtitle>A sort was not stable</subtitle>
  <facts><fact>`sort_unstable` &lt;T&gt; swapped equal keys</fact><fact>Fixed with `sort`</fact></facts>
  <narrative>The order of equal keys was lost.\nNow it is kept.</narrative>
  <concepts><concept>problem-solution: the cause</concept><concept>gotcha</concept></concepts>
  <files_read><file>src/a.rs</file></files_read>
  <files_modified><file>src/queue.rs</file></files_modified>
  <evidence>2, 4-6</evidence>
  <standing>confirmed</standing>
</observation>
<summary>
  <request>Keep the order</request>
  <completed>Sorted stably</completed>
  <next_steps>- Measure it</next_steps>
</summary>";

fn said(answer: &str) -> Said {
    match read(answer) {
        Reading::Said(said) => *said,
        other => panic!("{other:?}: {answer}"),
    }
}

fn whole() -> Said {
    let claim = Claim {
        r#type: "bugfix".into(),
        title: "Queue keeps its order".into(),
        subtitle: "A sort was not stable".into(),
        narrative: "The order of equal keys was lost.\nNow it is kept.".into(),
        facts: vec!["`sort_unstable` <T> swapped equal keys".into(), "Fixed with `sort`".into()],
        concepts: vec!["problem-solution".into(), "gotcha".into()],
        files_read: vec!["src/a.rs".into()],
        files_modified: vec!["src/queue.rs".into()],
        evidence: vec![2, 4, 5, 6],
        standing: Some(Standing::Confirmed),
    };
    let summary = SummaryContent {
        request: "Keep the order".into(),
        completed: "Sorted stably".into(),
        next_steps: "- Measure it".into(),
        ..SummaryContent::default()
    };
    Said { claims: vec![claim], summary: Some(summary) }
}

#[test]
fn a_well_formed_answer_is_read() {
    assert_eq!(said(WHOLE), whole());
}

#[test]
fn wrappings_change_nothing() {
    let upper = WHOLE.replace("<observation>", "<Observation id=\"1\">");
    let escaped = WHOLE
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace("&amp;amp;", "&amp;");
    for answer in [
        format!("```xml\n{WHOLE}\n```"),
        format!("Here is what I saw:\n\n{WHOLE}\n\nLet me know if you need more."),
        format!("<think>An <observation><title>draft</title></observation>?</think>{WHOLE}"),
        format!("<?xml version=\"1.0\"?>\n<answer>{WHOLE}</answer>"),
        WHOLE.replace("</observation>", "</OBSERVATION >"),
        WHOLE.replace("files_read", "files-read"),
        WHOLE.replace("The order of", "<![CDATA[The order of").replace("is kept.", "is kept.]]>"),
        upper,
        escaped,
    ] {
        assert_eq!(said(&answer), whole(), "{answer}");
    }
}

#[test]
fn i4_marks_that_nobody_closed_are_survived() {
    let mut expected = whole();
    expected.claims[0].standing = Some(Standing::Confirmed);
    for lost in ["</observation>", "</standing>", "</title>", "</facts>", "</summary>", "</fact>"] {
        assert_eq!(said(&WHOLE.replace(lost, "")), expected, "without {lost}");
    }
    // Cut off in the middle of the summary.
    let cut = said(WHOLE.split("stably").next().unwrap());
    assert_eq!(cut.claims, expected.claims);
    assert_eq!(cut.summary.unwrap().completed, "Sorted");
}

#[test]
fn unknown_types_are_kept_and_lists_without_items_are_lists() {
    let said = said(
        "<observation><type>Schema Change</type><title>Two tables</title>
         <facts>\n- one\n* two\n</facts><concepts>gotcha, Trade_Off，gotcha</concepts>
         <files_modified>a.rs, b.rs</files_modified><evidence>[3] and [1]</evidence></observation>
         <observation><narrative>No title here. But a story.</narrative></observation>
         <observation><title>None</title></observation>",
    );
    assert_eq!(said.claims.len(), 2, "one says nothing");
    let claim = &said.claims[0];
    assert_eq!(claim.r#type, "schema-change");
    assert_eq!(claim.facts, ["one", "two"]);
    assert_eq!(claim.concepts, ["gotcha", "trade-off"]);
    assert_eq!(claim.files_modified, ["a.rs", "b.rs"]);
    assert_eq!(claim.evidence, [1, 3]);
    assert_eq!(said.claims[1].title, "No title here. But a story.");
}

#[test]
fn a_narrative_may_speak_of_marks() {
    let said = said(
        "<observation><title>The page had no <title> and no <summary> mark</title>
         <narrative>An <observation> in prose, and <type> too.</narrative></observation>
         <observation><title>Second</title></observation>",
    );
    assert_eq!(said.claims.len(), 2);
    assert_eq!(said.claims[0].narrative, "An <observation> in prose, and <type> too.");
    assert_eq!(said.claims[1].title, "Second");
}

#[test]
fn nothing_to_record_is_no_failure() {
    for answer in [
        "<skip_summary reason=\"nothing new\"/>",
        "<skip/>",
        "<observation></observation>",
        "No observations to record.",
        "没有值得记录的内容。",
    ] {
        assert_eq!(read(answer), Reading::Skipped, "{answer}");
    }
}

#[test]
fn prose_is_told_apart() {
    for (answer, expected) in [
        ("You've hit your limit · resets 5pm (UTC)", Prose::Quota),
        ("Claude AI usage limit reached|1796000000", Prose::Quota),
        ("Your credit balance is too low to access the API.", Prose::Quota),
        ("Invalid API key · Please run /login", Prose::Auth),
        ("OAuth token has expired. Please obtain a new token.", Prose::Auth),
        ("Prompt is too long", Prose::Overflow),
        ("I’m sorry, but I can’t help with that.", Prose::Refusal),
        ("抱歉，我无法协助处理这个请求。", Prose::Refusal),
        ("Sure! The queue now keeps its order.", Prose::Noise),
        ("{\"observations\": []}", Prose::Noise),
        ("", Prose::Noise),
    ] {
        assert_eq!(read(answer), Reading::Prose(expected), "{answer}");
    }
    let essay = format!("The rate limit was raised. {}", "Then more was done. ".repeat(200));
    assert_eq!(read(&essay), Reading::Prose(Prose::Noise), "an essay is no notice");
}

#[test]
fn a_hostile_answer_is_read_in_one_pass() {
    let took = |text: &str| {
        let of = |_| {
            let begun = std::time::Instant::now();
            drop(read(text));
            begun.elapsed()
        };
        (0..5).map(of).min().unwrap().as_secs_f64()
    };
    for piece in ["<skip>", "<observation><", "<think>", "<observation><title>", "&lt;", "</"] {
        let long = piece.repeat(192_000 / piece.len());
        let (short, long) = (took(&long[..4_000]), took(&long));
        // 48 times the text: a pass for each mark would take 2,300 times as long.
        assert!(long < 1_000.0 * short.max(1e-5), "{piece}: {short} {long}");
    }
}

#[test]
fn sizes_are_bounded_and_marks_of_ours_do_not_come_back() {
    let long = "字".repeat(5_000);
    let many = format!(
        "<observation><title>{long}</title><narrative>{long}</narrative><facts>{}</facts></observation>",
        format!("<fact>{long}</fact>").repeat(20)
    );
    let said = said(&many.repeat(3));
    let claim = &said.claims[0];
    assert_eq!(claim.title.chars().count(), 120);
    assert_eq!(claim.narrative.chars().count(), 1_500);
    assert_eq!(claim.facts.len(), 10);
    let echo = "<observation><title>Echo</title><narrative>a <private>canary</private> b\
                </narrative></observation>";
    assert_eq!(self::said(echo).claims[0].narrative, "a  b");
}

/// Pieces that answers are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let names = proptest::sample::select(vec![
        "observation",
        "summary",
        "skip",
        "think",
        "title",
        "type",
        "facts",
        "fact",
        "narrative",
        "concepts",
        "concept",
        "files_read",
        "file",
        "evidence",
        "standing",
        "request",
        "b",
    ]);
    let mark = (names, 0..5_usize).prop_map(|(name, how)| match how {
        0 => format!("</{name}>"),
        1 => format!("<{name}/>"),
        2 => format!("<{name}"),
        3 => format!("<{} a=\"1\">", name.to_uppercase()),
        _ => format!("<{name}>"),
    });
    let text = proptest::sample::select(vec![
        "words ",
        "字",
        "&lt;",
        "&#x1F980;",
        "&#xD800;",
        "3-5",
        "<",
        ">",
        "]]>",
        "<![CDATA[",
        "\n",
        "```",
        "🦀",
        "\u{0}",
        "none",
        "99999999999999999999",
    ]);
    proptest::collection::vec(prop_oneof![3 => mark, 2 => text.prop_map(str::to_owned)], 0..60)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_answer_is_read_within_bounds(answer in pieces()) {
        if let Reading::Said(said) = read(&answer) {
            prop_assert!(said.claims.len() <= 12);
            for claim in &said.claims {
                prop_assert!(!claim.title.is_empty());
                prop_assert!(claim.title.chars().count() <= 120);
                prop_assert!(claim.evidence.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(!claim.title.contains(char::is_control));
            }
        }
    }

    #[test]
    fn bytes_of_any_kind_are_survived(answer in "\\PC*") {
        drop(read(&answer));
    }

    #[test]
    fn what_is_written_is_read_back(title in "[a-zA-Z字][a-zA-Z字 <>&]{4,40}[a-zA-Z]", fact in "[a-z<&]{6,60}") {
        let escape = |text: &str| {
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
        };
        let answer = format!(
            "<observation><title>{}</title><facts><fact>{}</fact></facts></observation>",
            escape(&title), escape(&fact)
        );
        let Reading::Said(said) = read(&answer) else { panic!("{answer}") };
        prop_assert_eq!(&said.claims[0].title, &afterword_domain::text::one_line(&title));
        prop_assert_eq!(&said.claims[0].facts[0], &fact);
    }
}

#[test]
fn a_page_of_the_web_is_no_answer() {
    for page in [
        "<!DOCTYPE html><html><body><details><summary></summary>Sign in</details></body></html>",
        "\n<html lang=\"en\"><summary>More</summary></html>",
    ] {
        assert_eq!(read(page), Reading::Prose(Prose::Noise), "{page}");
    }
}
