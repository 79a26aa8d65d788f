//! What an answer only proposes, offers or asks, beside what it tells.

use super::cues::Wording;
use super::prose::Sentence;

/// Whether each sentence belongs to a proposal: its paragraph weighs options or asks, or it stands
/// in a list or under a heading that does. An offer at the end (`Shall I commit?`) is one alone.
pub(super) fn proposed(sentences: &[Sentence]) -> Vec<bool> {
    let mut out = vec![false; sentences.len()];
    let (mut section, mut list) = (false, false);
    let mut start = 0;
    for paragraph in sentences.chunk_by(|a, b| a.paragraph == b.paragraph && a.heading == b.heading)
    {
        let range = start..start + paragraph.len();
        start = range.end;
        let wordings: Vec<Wording> = paragraph.iter().map(|s| Wording::new(&s.text)).collect();
        let proposes = wordings.iter().any(|w| w.is_proposal() && !w.is_offer());
        if paragraph[0].heading {
            (section, list) = (proposes, false);
            continue;
        }
        if !paragraph[0].bullet {
            let announces = paragraph.last().is_some_and(|s| s.text.ends_with([':', '：']));
            list = announces && (proposes || section);
        }
        for (at, wording) in range.zip(&wordings) {
            let in_list = list && sentences[at].bullet;
            out[at] = section || proposes || in_list || wording.is_offer();
        }
    }
    out
}

/// Whether an answer weighs what might be done and ends with asking: nothing in it is done yet.
pub(super) fn discusses(sentences: &[Sentence]) -> bool {
    let weighs = |s: &Sentence| {
        let wording = Wording::new(&s.text);
        wording.is_proposal() && !wording.is_offer()
    };
    let asks = sentences.last().is_some_and(|s| s.text.ends_with(['?', '？']));
    asks && sentences[..sentences.len() - 1].iter().any(weighs)
}

/// The sentence without agreement in front (`Good point - `); empty when it only agrees.
pub(super) fn without_agreement(text: &str) -> &str {
    if !Wording::new(text).agrees() {
        return text;
    }
    let gaps = [" - ", " — ", " – ", ", ", ": ", "，", "：", "! ", ". "];
    let cut = gaps.iter().filter_map(|gap| text.find(gap).map(|at| (at, gap.len()))).min();
    let rest = cut.filter(|(at, _)| *at <= 60).map_or("", |(at, gap)| text[at + gap..].trim());
    if Wording::new(rest).is_filler() { "" } else { rest }
}

#[cfg(test)]
mod tests {
    use crate::distill::prose::sentences;

    use super::*;

    fn told(text: &str) -> Vec<String> {
        let all = sentences(text);
        let proposed = proposed(&all);
        let told = all.into_iter().zip(proposed).filter(|(s, out)| !out && !s.heading);
        told.map(|(s, _)| s.text).collect()
    }

    #[test]
    fn i12_proposals_are_not_told() {
        let answer = "Both agents keep a position. The types differ.\n\n\
                      For support of both, we have a few options:\n- Add an interface\n- Dispatch by type\n\n\
                      The parser stays.\n\n## Recommendation\nUse the interface.\n\n## Done\nMoved the type. Shall I commit?";
        assert_eq!(
            told(answer),
            [
                "Both agents keep a position.",
                "The types differ.",
                "The parser stays.",
                "Moved the type."
            ]
        );
        assert!(
            told("A potential consolidation approach: one map of names. It has three parts.")
                .is_empty()
        );
        assert!(told("有几个方案：\n- 用缓存\n- 用队列").is_empty());
        assert_eq!(told("连接池已改为 20 个。要不要我再压测一次？"), ["连接池已改为 20 个。"]);
    }

    #[test]
    fn agreement_goes_and_what_follows_stays() {
        assert_eq!(without_agreement("You raise a good point."), "");
        assert_eq!(
            without_agreement("Good point - \"checkpoints\" is internal jargon."),
            "\"checkpoints\" is internal jargon."
        );
        assert_eq!(without_agreement("Good catch - let me clarify."), "");
        assert_eq!(without_agreement("你说得对，缓存没有失效。"), "缓存没有失效。");
        assert_eq!(without_agreement("The cache is stale."), "The cache is stale.");
    }
}
