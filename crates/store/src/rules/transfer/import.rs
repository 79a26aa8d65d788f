//! What an imported row says, also where it says little.

use afterword_domain::Time;
use afterword_domain::memory::{Attributes, Origin};
use afterword_domain::observation::{ObservationContent, Source};
use afterword_domain::summary::{SummaryContent, SummaryLevel};
use afterword_domain::text::{cut_chars, one_line};
use afterword_domain::wire::portable::PortableRow;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

/// The agent of a session that is only known from an import.
pub(crate) const UNKNOWN_AGENT: &str = "import";

/// Characters of a text that stand for a missing title.
const TITLE_CHARS: usize = 120;

/// What an export adds to the fields of each kind; all of it may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Extra {
    pub(crate) subagent: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) level: Option<SummaryLevel>,
    pub(crate) origin: Option<Origin>,
    pub(crate) updated_at: Option<Time>,
    pub(crate) superseded_by: Option<Uuid>,
    pub(crate) attributes: Attributes,
    pub(crate) trigger: Option<String>,
    pub(crate) agent_summary: Option<String>,
}

/// What can be read of `content`; a foreign shape counts as empty.
pub(crate) fn read_content<T: DeserializeOwned + Default>(content: &Value) -> T {
    if content.is_object() { T::deserialize(content).unwrap_or_default() } else { T::default() }
}

/// The observation that a line holds; one that holds a text only is a discovery.
pub(crate) fn observation(line: &PortableRow) -> ObservationContent {
    let mut content: ObservationContent = read_content(&line.content);
    if content == ObservationContent::default() {
        "discovery".clone_into(&mut content.r#type);
        content.title = title_of(line);
        content.narrative.clone_from(&line.text);
        content.files_read.clone_from(&line.files);
    }
    content
}

/// The summary that a line holds.
pub(crate) fn summary(line: &PortableRow) -> SummaryContent {
    let mut content: SummaryContent = read_content(&line.content);
    if content == SummaryContent::default() {
        content.request = title_of(line);
        content.learned.clone_from(&line.text);
        content.files_read.clone_from(&line.files);
    }
    content
}

/// Whether two lines say the same. Tokens alone do not tell `x > 5` from `x < 5`.
pub(crate) fn says_the_same(known: &PortableRow, new: &PortableRow) -> bool {
    let even = |text: &str| one_line(text).to_lowercase();
    let words = |row: &PortableRow| even(&format!("{} {}", row.title, row.text));
    even(&known.text) == even(&new.text) || words(known) == words(new)
}

fn title_of(line: &PortableRow) -> String {
    if line.title.is_empty() {
        cut_chars(&one_line(&line.text), TITLE_CHARS)
    } else {
        line.title.clone()
    }
}
