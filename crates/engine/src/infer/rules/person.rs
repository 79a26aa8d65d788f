//! A person's own words told of that person: `I prefer tabs` becomes `Ada prefers tabs`.
//!
//! Grammar is followed as far as it is simple. Where a verb is not known the sentence stays in the
//! person's mouth: `Ada said: …`.

/// Stand between a person and the verb.
const BETWEEN: [&str; 22] = [
    "always",
    "never",
    "usually",
    "really",
    "just",
    "also",
    "still",
    "often",
    "only",
    "now",
    "currently",
    "recently",
    "already",
    "actually",
    "generally",
    "mostly",
    "strongly",
    "mainly",
    "sometimes",
    "then",
    "both",
    "absolutely",
];

/// The same for everybody.
const SAME: [&str; 22] = [
    "can",
    "can't",
    "cannot",
    "could",
    "couldn't",
    "will",
    "won't",
    "would",
    "wouldn't",
    "shall",
    "should",
    "shouldn't",
    "may",
    "might",
    "must",
    "mustn't",
    "had",
    "hadn't",
    "did",
    "didn't",
    "used",
    "wanna",
];

/// Not the same, and not by adding an ending.
const IRREGULAR: [(&str, &str); 12] = [
    ("am", "is"),
    ("are", "is"),
    ("was", "was"),
    ("were", "was"),
    ("have", "has"),
    ("do", "does"),
    ("don't", "doesn't"),
    ("haven't", "hasn't"),
    ("aren't", "isn't"),
    ("weren't", "wasn't"),
    ("wasn't", "wasn't"),
    ("go", "goes"),
];

/// Verbs of what people tell of themselves; the third person has an ending.
const PRESENT: &str = "agree allow answer ask attend avoid become begin believe belong bring build \
buy call care celebrate change check choose code collaborate collect come commit commute consider \
cook cover create deal decide depend deploy deserve develop design despise dislike draw drink drive \
earn eat enjoy expect feel find finish fly follow forget format get give grow handle hate help hire \
host identify insist invest join keep know lead learn leave like listen live look lose love maintain \
make manage measure meet mentor merge migrate move need negotiate own owe paint park pay plan play \
practice prefer prepare present promise propose publish put raise read recommend refuse release rely \
remember rent report require research respond review ride run save say schedule see sell send serve \
share ship sign sing sit sleep smoke speak spend stand start stay stop store struggle study \
subscribe suffer suggest support swim take teach tell tend test think track train travel treat trust \
try type understand use visit volunteer wait wake walk want watch wear weigh wish work worry write";

/// Past forms without the ending `ed`.
const PAST: &str = "ate became began bought brought broke built came chose drew drank drove fell felt \
flew forgot found gave got grew heard held kept knew led left lent lost made met moved paid put quit \
ran read rode said sang sat saw sent set sold slept spent spoke spun stood swam switched taught \
thought told took understood went woke won wore wrote";

/// Whom the words are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    name: String,
    /// Nobody said a name: a common noun stands for it.
    common: bool,
}

impl Person {
    /// A person of this name; the common noun for the role where there is none.
    pub(super) fn new(name: Option<&str>, chinese: bool, assistant: bool) -> Self {
        let common = match (assistant, chinese) {
            (false, false) => "User",
            (false, true) => "用户",
            (true, false) => "Assistant",
            (true, true) => "助手",
        };
        match name.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => Self { name: name.to_owned(), common: false },
            None => Self { name: common.to_owned(), common: true },
        }
    }

    /// The sentence as told of the person; as quoted words where that would be wrong grammar.
    pub(super) fn told(&self, sentence: &str) -> String {
        let lower = sentence.to_ascii_lowercase();
        let of_chinese = sentence.contains(['我', '咱']);
        if of_chinese {
            return self.in_chinese(sentence);
        }
        let words: Vec<String> = lower.split_whitespace().map(bare).collect();
        let speaks = words.iter().any(|word| {
            let stem = word.split(['\'', '’']).next().unwrap_or(word);
            matches!(stem, "i" | "we" | "my" | "our" | "me" | "us" | "mine" | "ours" | "myself")
        });
        if !speaks {
            return sentence.to_owned();
        }
        self.in_english(sentence).unwrap_or_else(|| format!("{} said: {sentence}", self.name))
    }

    fn in_chinese(&self, sentence: &str) -> String {
        let team = format!("{}的团队", self.name);
        sentence
            .replace("我们", &team)
            .replace("咱们", &team)
            .replace("我自己", &self.name)
            .replace(['我', '咱'], &self.name)
    }

    fn in_english(&self, sentence: &str) -> Option<String> {
        let mut out: Vec<String> = Vec::new();
        // Whose verb comes next, and whether the sentence goes on telling of the person.
        let (mut verb_due, mut present) = (false, false);
        for (at, token) in sentence.split_whitespace().enumerate() {
            let word = bare(token.to_ascii_lowercase());
            if verb_due && !BETWEEN.contains(&word.as_str()) {
                let told = conjugated(&word)?;
                present = PRESENT.split(' ').any(|verb| verb == word);
                out.push(with_signs(token, &word, &told));
                verb_due = false;
                continue;
            }
            let begins_list = present && out.last().is_some_and(|last| last == "and");
            if begins_list && PRESENT.split(' ').any(|verb| verb == word) {
                out.push(with_signs(token, &word, &conjugated(&word)?));
                continue;
            }
            let (told, verb) = self.pronoun(&word, at == 0)?;
            verb_due |= verb;
            out.push(match told {
                Some(told) => with_signs(token, &word, &told),
                None => token.to_owned(),
            });
        }
        (!verb_due).then(|| out.join(" "))
    }

    /// What a pronoun becomes, and whether its verb follows; none inside where a word is no
    /// pronoun, and none at all where nobody knows.
    fn pronoun(&self, word: &str, first: bool) -> Option<(Option<String>, bool)> {
        let me = if self.common && !first {
            format!("the {}", self.name.to_lowercase())
        } else {
            self.name.clone()
        };
        let us = format!("{me}'s team");
        let word = word.replace('’', "'");
        Some(match word.as_str() {
            "i" => (Some(me), true),
            "we" => (Some(us), true),
            "i'm" => (Some(format!("{me} is")), false),
            "we're" => (Some(format!("{us} is")), false),
            "i've" => (Some(format!("{me} has")), false),
            "we've" => (Some(format!("{us} has")), false),
            "i'll" => (Some(format!("{me} will")), false),
            "we'll" => (Some(format!("{us} will")), false),
            // Had or would.
            "i'd" | "we'd" => return None,
            "me" | "myself" => (Some(me), false),
            "us" => (Some(us), false),
            "my" | "mine" => (Some(format!("{me}'s")), false),
            "our" | "ours" => (Some(format!("{us}'s")), false),
            _ => (None, false),
        })
    }
}

/// Whether a first person is followed by a verb that is known.
pub(super) fn tells_of_a_person(lower: &str) -> bool {
    let mut words = lower.split_whitespace().map(bare);
    while let Some(word) = words.next() {
        match word.replace('’', "'").as_str() {
            "i'm" | "i've" | "we're" | "we've" | "i'll" | "we'll" => return true,
            "i" | "we" => {
                let verb = words.by_ref().find(|word| !BETWEEN.contains(&word.as_str()));
                return verb.is_some_and(|verb| conjugated(&verb).is_some());
            }
            _ => {}
        }
    }
    false
}

/// A verb in the third person; none where it is not known.
fn conjugated(verb: &str) -> Option<String> {
    if SAME.contains(&verb) || PAST.split_whitespace().any(|past| past == verb) {
        return Some(verb.to_owned());
    }
    if let Some((_, third)) = IRREGULAR.iter().find(|(first, _)| *first == verb) {
        return Some((*third).to_owned());
    }
    if PRESENT.split_whitespace().any(|present| present == verb) {
        return Some(third(verb));
    }
    (verb.len() > 4 && verb.ends_with("ed")).then(|| verb.to_owned())
}

fn third(verb: &str) -> String {
    let before_y = verb.strip_suffix('y');
    if let Some(stem) = before_y.filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| verb.ends_with(end));
    format!("{verb}{}", if hisses { "es" } else { "s" })
}

/// A word without the signs around it.
fn bare(token: impl AsRef<str>) -> String {
    let token = token.as_ref();
    token.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// What takes a word's place, between the signs that stood around it.
fn with_signs(token: &str, word: &str, told: &str) -> String {
    let lower = token.to_ascii_lowercase();
    match lower.find(word) {
        Some(at) if !word.is_empty() => {
            format!("{}{told}{}", &token[..at], &token[at + word.len()..])
        }
        _ => told.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        Person::new(Some("Ada"), false, false).told(text)
    }

    #[test]
    fn words_of_a_person_are_told_of_the_person() {
        for (text, wanted) in [
            ("I prefer tabs over spaces.", "Ada prefers tabs over spaces."),
            (
                "I'm allergic to nuts, so I avoid them.",
                "Ada is allergic to nuts, so Ada avoids them.",
            ),
            ("My sister Anna lives with me.", "Ada's sister Anna lives with Ada."),
            ("I really don't like meetings", "Ada really doesn't like meetings"),
            ("I live in Oslo and work at Acme", "Ada lives in Oslo and works at Acme"),
            ("I moved to Berlin.", "Ada moved to Berlin."),
            ("We always deploy on Fridays", "Ada's team always deploys on Fridays"),
            ("Our database is SQLite", "Ada's team's database is SQLite"),
            ("I study physics and play chess", "Ada studies physics and plays chess"),
            ("I will visit Rome", "Ada will visit Rome"),
            ("I've been a nurse", "Ada has been a nurse"),
            ("The API listens on 9090", "The API listens on 9090"),
            ("I grok monads", "Ada said: I grok monads"),
            ("I'd rather not", "Ada said: I'd rather not"),
        ] {
            assert_eq!(told(text), wanted);
        }
    }

    #[test]
    fn nobodys_name_is_a_common_noun() {
        let user = Person::new(None, false, false);
        assert_eq!(user.told("I like tea"), "User likes tea");
        assert_eq!(user.told("Tea is what I like"), "Tea is what the user likes");
        let user = Person::new(Some(" "), true, false);
        assert_eq!(user.told("我喜欢喝茶"), "用户喜欢喝茶");
        assert_eq!(user.told("我们的数据库是 SQLite"), "用户的团队的数据库是 SQLite");
        assert_eq!(Person::new(Some("小明"), true, false).told("我住在杭州"), "小明住在杭州");
        assert_eq!(Person::new(None, false, true).told("I use Rust"), "Assistant uses Rust");
    }

    #[test]
    fn only_what_is_told_of_a_person_is() {
        assert!(tells_of_a_person("i prefer tabs") && tells_of_a_person("now we're four"));
        assert!(!tells_of_a_person("the api is slow") && !tells_of_a_person("i grok monads"));
    }
}
