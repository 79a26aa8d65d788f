//! Words that tell what a sentence is: a decision, a finding, a guess, a rule of the person.

use super::vocabulary;

/// A sentence made ready for looking words up.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    lower: String,
    /// Where its Latin words begin.
    starts: Vec<usize>,
}

impl Wording {
    pub(crate) fn new(text: &str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let mut starts = Vec::new();
        let mut inside = false;
        for (at, c) in lower.char_indices() {
            let word = is_word_char(c);
            if word && !inside {
                starts.push(at);
            }
            inside = word;
        }
        Self { lower, starts }
    }

    /// Where the first of the words stands.
    fn first_of(&self, words: &str) -> Option<usize> {
        words.split('|').filter_map(|word| self.find(word)).min()
    }

    fn has(&self, words: &str) -> bool {
        words.split('|').any(|word| self.find(word).is_some())
    }

    /// Latin words are found whole only.
    fn find(&self, word: &str) -> Option<usize> {
        if !word.starts_with(is_word_char) {
            return self.lower.find(word);
        }
        let rest = |at: usize| self.lower.as_bytes().get(at + word.len());
        let whole = |at: usize| !rest(at).is_some_and(|b| is_word_char(char::from(*b)));
        let found = |at: &&usize| self.lower.as_bytes()[**at..].starts_with(word.as_bytes());
        self.starts.iter().filter(found).copied().find(|&at| whole(at))
    }

    fn starts(&self, words: &str) -> bool {
        words.split('|').any(|word| self.lower.starts_with(word))
    }

    /// Asks, offers or announces instead of telling.
    pub(super) fn is_no_statement(&self) -> bool {
        self.lower.trim_end().ends_with(['?', '？'])
            || self.starts(vocabulary::OPENS_NO_STATEMENT)
            || self.has(vocabulary::NO_STATEMENT)
            || self.gives_orders()
    }

    /// Gives orders to whoever reads it.
    pub(crate) fn gives_orders(&self) -> bool {
        self.has(vocabulary::ORDERS)
    }

    /// A guess or a proposal, not something that was found or settled.
    pub(crate) fn is_hedged(&self) -> bool {
        self.has(vocabulary::HEDGES)
    }

    /// Says that something was settled.
    pub(crate) fn is_decision(&self) -> bool {
        self.has(vocabulary::DECISIONS)
    }

    /// Says that one thing took the place of another and why: without a reason it is a change.
    pub(super) fn is_replacement(&self) -> bool {
        self.has(vocabulary::REPLACEMENTS) && self.has(vocabulary::REASONS)
    }

    /// Weighs options, proposes or asks.
    pub(super) fn is_proposal(&self) -> bool {
        self.lower.trim_end().ends_with(['?', '？'])
            || self.starts(vocabulary::OPENS_OPTION)
            || self.has(vocabulary::PROPOSES)
    }

    /// Offers to do more.
    pub(super) fn is_offer(&self) -> bool {
        self.starts(vocabulary::OFFERS)
    }

    /// Asks for nothing: `Is there anything else?`
    pub(super) fn is_no_question(&self) -> bool {
        self.has(
            "anything else|does that help|does this help|make sense|makes sense|还有什么|还有别的",
        )
    }

    /// Opens with agreement.
    pub(super) fn agrees(&self) -> bool {
        self.starts(vocabulary::AGREES)
    }

    /// Says what was found out.
    pub(super) fn is_finding(&self) -> bool {
        self.has(vocabulary::FINDINGS)
    }

    /// A standing rule in the words of the person.
    pub(crate) fn is_preference(&self) -> bool {
        self.starts(vocabulary::OPENS_PREFERENCE) || self.has(vocabulary::PREFERENCES)
    }

    /// Announces what is left to do, at the start of a line.
    pub(super) fn is_next_steps(&self) -> bool {
        self.starts(vocabulary::OPENS_NEXT_STEPS)
    }

    /// Says in the middle that something is left to do.
    pub(super) fn leaves_open(&self) -> bool {
        self.has(vocabulary::LEFT_OPEN)
    }

    /// The kind of work the words speak of: the type of the first cue.
    pub(super) fn kind_of_work(&self) -> Option<&'static str> {
        let found = [
            (self.first_of(vocabulary::ASKS_BUGFIX), "bugfix"),
            (self.first_of(vocabulary::ASKS_REFACTOR), "refactor"),
            (self.first_of(vocabulary::ASKS_FEATURE), "feature"),
        ];
        found
            .into_iter()
            .filter_map(|(at, kind)| at.map(|at| (at, kind)))
            .min()
            .map(|(_, kind)| kind)
    }

    /// The kind of work that an answer tells of, done already.
    pub(super) fn kind_of_deed(&self) -> Option<&'static str> {
        let found = [
            (self.first_of(vocabulary::TELLS_BUGFIX), "bugfix"),
            (self.first_of(vocabulary::TELLS_REFACTOR), "refactor"),
            (self.first_of(vocabulary::TELLS_FEATURE), "feature"),
        ];
        found
            .into_iter()
            .filter_map(|(at, kind)| at.map(|at| (at, kind)))
            .min()
            .map(|(_, kind)| kind)
    }

    /// Fills a line and tells nothing: `Done!`, `All set.`, `Let me check.`
    pub(super) fn is_filler(&self) -> bool {
        let bare = self.lower.trim_matches(|c: char| !c.is_alphanumeric());
        let words = bare.split_whitespace().count();
        let han = bare.chars().filter(|c| !c.is_ascii()).count();
        if bare.is_empty()
            || self.lower.starts_with('(')
            || (words <= 2 && han == 0)
            || (words == 1 && han > 0 && han <= 4)
        {
            return true;
        }
        self.is_no_statement() || self.starts(vocabulary::FILLERS) && words < 9
    }

    /// Opens a prompt and asks for nothing yet.
    pub(crate) fn is_greeting(&self) -> bool {
        let bare = self.lower.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(
            bare,
            "hi" | "hello"
                | "hey"
                | "ok"
                | "okay"
                | "yes"
                | "great"
                | "thanks"
                | "perfect"
                | "cool"
                | "nice"
                | "sure"
                | "good"
                | "你好"
                | "您好"
                | "好的"
                | "好"
                | "嗯"
                | "谢谢"
        )
    }

    /// A prompt that only says to go on, or to commit and push.
    pub(crate) fn is_go_on(&self) -> bool {
        let bare = self.lower.trim_matches(|c: char| !c.is_alphanumeric());
        let chars = bare.chars().count();
        if !bare.is_ascii() {
            return chars <= 4 || (chars <= 8 && self.starts(vocabulary::GO_ON_CHINESE));
        }
        let known = |word: &str| vocabulary::GO_ON_WORDS.split_whitespace().any(|w| w == word);
        let words = bare.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let mut words = words.filter(|word| !word.is_empty()).take(16).peekable();
        chars < 9 || (words.peek().is_some() && chars < 90 && words.all(known))
    }
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
