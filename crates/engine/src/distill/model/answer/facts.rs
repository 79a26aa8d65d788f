//! Facts in an answer: blocks, or the JSON that some models write whatever they are asked for.

use afterword_domain::text::prefix;
use jiff::civil::Date;
use serde_json::Value;

use super::blocks::blocks_of;
use super::fields::{fields, line, numbers};
use super::tags::{self, decoded, without_thinking};
use super::{MOST_BYTES, Prose, prose};

/// Facts that are taken from one answer.
const MOST_FACTS: usize = 30;

/// Characters of a fact.
const FACT: usize = 500;

const BLOCKS: [&str; 2] = ["fact", "skip"];
const FIELDS: [&str; 4] = ["text", "message", "date", "replaces"];

/// What an answer about messages is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactsReading {
    /// It states facts.
    Stated(Vec<StatedFact>),
    /// It says that nothing is worth keeping.
    Nothing,
    /// It holds no fact.
    Prose(Prose),
}

/// A fact as the model states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedFact {
    /// One line.
    pub text: String,
    /// The number of the message that says it.
    pub message: Option<usize>,
    /// The day of an event.
    pub date: Option<Date>,
    /// Numbers of known memories that do not hold any more.
    pub replaces: Vec<usize>,
}

/// Reads an answer; of one that is `cut` the last block counts only when it is closed.
pub fn read_facts(answer: &str, cut: bool) -> FactsReading {
    let answer = without_thinking(prefix(answer, MOST_BYTES));
    let mut text = answer.to_string();
    if tags::open(&text, 0, &BLOCKS).is_none() && text.contains("&lt;") {
        text = decoded(&text);
    }
    let mut found = blocks_of(&text, &BLOCKS);
    if cut && tags::close_after_last(&text, "fact").is_none() {
        found.pop();
    }
    let mut stated: Vec<StatedFact> = found
        .iter()
        .filter(|(name, _)| *name == "fact")
        .filter_map(|(_, body)| of_block(body))
        .take(MOST_FACTS)
        .collect();
    if found.is_empty()
        && let Some(facts) = of_json(&text)
    {
        stated = facts;
        if stated.is_empty() {
            return FactsReading::Nothing;
        }
    }
    if !stated.is_empty() {
        return FactsReading::Stated(stated);
    }
    if found.iter().any(|(name, _)| *name == "skip") {
        return FactsReading::Nothing;
    }
    match prose::meaning(&text) {
        None => FactsReading::Nothing,
        Some(prose) => FactsReading::Prose(prose),
    }
}

fn of_block(body: &str) -> Option<StatedFact> {
    let mut fact = StatedFact::default();
    for (name, inner) in fields(body, &FIELDS) {
        match name {
            "text" if fact.text.is_empty() => fact.text = line(inner, FACT),
            "message" => fact.message = fact.message.or_else(|| numbers(inner).first().copied()),
            "date" => fact.date = fact.date.or_else(|| line(inner, 40).parse().ok()),
            "replaces" => fact.replaces.extend(numbers(inner)),
            _ => {}
        }
    }
    if fact.text.is_empty() && tags::open(body, 0, &FIELDS).is_none() {
        fact.text = line(body, FACT);
    }
    (!fact.text.is_empty()).then_some(fact)
}

/// `{"facts": ["…"]}` or `{"memory": [{"text": "…"}]}`, fenced or not.
fn of_json(text: &str) -> Option<Vec<StatedFact>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let value: Value = serde_json::from_str(text.get(start..=end)?).ok()?;
    let list = ["facts", "memory", "memories"].iter().find_map(|key| value[*key].as_array())?;
    let facts = list.iter().filter_map(|item| {
        let told = item.as_str().or_else(|| item["text"].as_str())?;
        let text = line(told, FACT);
        (!text.is_empty()).then(|| StatedFact { text, ..StatedFact::default() })
    });
    Some(facts.take(MOST_FACTS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str, cut: bool) -> Vec<String> {
        match read_facts(answer, cut) {
            FactsReading::Stated(facts) => facts.into_iter().map(|fact| fact.text).collect(),
            other => vec![format!("{other:?}")],
        }
    }

    #[test]
    fn facts_are_read_with_what_belongs_to_them() {
        let answer = "Here you are:\n```xml\n<fact>\n<text>Ada lives in Oslo &amp; works</text>\n\
                      <message>[2]</message><date>2026-03-04</date><replaces>1, 3</replaces>\n</fact>\
                      <FACT><text>Ada likes tea</text><date>last year</date></FACT>\n```";
        let FactsReading::Stated(facts) = read_facts(answer, false) else { panic!("{answer}") };
        assert_eq!(facts[0].text, "Ada lives in Oslo & works");
        assert_eq!((facts[0].message, facts[0].replaces.as_slice()), (Some(2), &[1, 3][..]));
        assert_eq!(facts[0].date.unwrap().to_string(), "2026-03-04");
        assert_eq!((facts[1].text.as_str(), facts[1].date), ("Ada likes tea", None));
    }

    #[test]
    fn other_forms_are_understood() {
        assert_eq!(
            texts("<fact>Ada likes tea</fact><fact>Bo too</fact>", false),
            ["Ada likes tea", "Bo too"]
        );
        assert_eq!(texts("&lt;fact&gt;&lt;text&gt;A&lt;/text&gt;&lt;/fact&gt;", false), ["A"]);
        assert_eq!(
            texts("```json\n{\"facts\": [\"A\", {\"text\": \"B\"}, 7]}\n```", false),
            ["A", "B"]
        );
        assert_eq!(texts("<think><fact>no</fact></think><fact><text>yes", false), ["yes"]);
        assert_eq!(read_facts("{\"facts\": []}", false), FactsReading::Nothing);
        assert_eq!(read_facts("<skip/>", false), FactsReading::Nothing);
        assert_eq!(read_facts("Nothing to record here.", false), FactsReading::Nothing);
        assert_eq!(read_facts("lorem ipsum", false), FactsReading::Prose(Prose::Noise));
        let refusal = read_facts("I'm sorry, but I can't help with that.", false);
        assert_eq!(refusal, FactsReading::Prose(Prose::Refusal));
    }

    #[test]
    fn half_a_fact_is_none() {
        let cut = "<fact><text>Ada likes tea</text></fact><fact><text>Ada never";
        assert_eq!(texts(cut, true), ["Ada likes tea"]);
        assert_eq!(texts(cut, false), ["Ada likes tea", "Ada never"]);
        let whole = "<fact><text>A</text></fact>";
        assert_eq!(texts(whole, true), ["A"]);
        assert_eq!(texts(&"<fact><text>x".repeat(9_000), false).len(), MOST_FACTS);
    }
}
