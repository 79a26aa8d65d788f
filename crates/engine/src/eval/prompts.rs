//! How often a prompt is answered when it should be and when it should not.

use std::collections::BTreeMap;

use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::wire::context::ContextBlock;
use serde::{Deserialize, Serialize};

use super::run::{group, share};
use super::{Dataset, DatasetError, Ingested, Query, Split};
use crate::Engine;

/// Prompts of everyday work that no dataset is about, one a line.
const EVERYDAY: &str = include_str!("everyday.txt");

/// The name that [`EVERYDAY`] is reported by.
const EVERYDAY_NAME: &str = "everyday";

/// The name that the dataset's own questions are reported by, where each is asked in another group.
const OTHER_GROUP_NAME: &str = "other-group";

/// How prompts were answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptReport {
    /// The questions of the dataset, each inside its group.
    pub on_topic: Answered,
    /// Questions of other datasets, by their names, those of other groups, and everyday prompts.
    pub off_topic: BTreeMap<String, Answered>,
}

/// How often prompts were answered; shares of the prompts, four decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// How many there were.
    pub prompts: u64,
    /// Answered with anything.
    pub spoke: f64,
    /// Answered with a row that is a known answer.
    pub right: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    prompts: u64,
    spoke: u64,
    right: u64,
}

impl Count {
    fn shares(self) -> Answered {
        let share = |of| share(of, self.prompts);
        Answered { prompts: self.prompts, spoke: share(self.spoke), right: share(self.right) }
    }
}

/// Gives the questions of a split as prompts, where they belong and where they do not.
///
/// Each is asked inside its group, and where there are several, in the next one too; those of other
/// datasets and everyday prompts are asked in each group in turn. `recall` answers a prompt.
pub async fn measure_prompts<R>(
    engine: &Engine,
    dataset: &Dataset,
    split: Split,
    ingested: &Ingested,
    foreign: &[Dataset],
    mut recall: R,
) -> Result<PromptReport, DatasetError>
where
    R: AsyncFnMut(&ProjectRef, &str) -> crate::Result<ContextBlock>,
{
    let queries = dataset.queries(split)?;
    let mut on_topic = Count::default();
    let mut groups: Vec<&str> = Vec::new();
    for query in &queries {
        if !groups.contains(&query.group.as_str()) {
            groups.push(&query.group);
        }
        let block = recall(&group(&query.group), &query.text).await?;
        on_topic.prompts += 1;
        on_topic.spoke += u64::from(!block.shown.is_empty());
        on_topic.right += u64::from(is_right(engine, ingested, query, &block).await?);
    }
    let mut others: Vec<(String, Vec<&str>)> = Vec::new();
    for dataset in foreign {
        let texts = dataset.queries(split)?.into_iter().map(|query| query.text.as_str());
        others.push((dataset.name(), texts.collect()));
    }
    others.push((EVERYDAY_NAME.to_owned(), EVERYDAY.lines().collect()));
    let mut off_topic = BTreeMap::new();
    if groups.len() > 1 {
        let mut count = Count::default();
        for query in &queries {
            let at = groups.iter().position(|group| *group == query.group).unwrap_or(0);
            let block = recall(&group(groups[(at + 1) % groups.len()]), &query.text).await?;
            count.prompts += 1;
            count.spoke += u64::from(!block.shown.is_empty());
        }
        off_topic.insert(OTHER_GROUP_NAME.to_owned(), count.shares());
    }
    for (name, prompts) in others {
        let mut count = Count::default();
        for (prompt, place) in prompts.into_iter().zip(groups.iter().cycle()) {
            let block = recall(&group(place), prompt).await?;
            count.prompts += 1;
            count.spoke += u64::from(!block.shown.is_empty());
        }
        off_topic.insert(name, count.shares());
    }
    Ok(PromptReport { on_topic: on_topic.shares(), off_topic })
}

async fn is_right(
    engine: &Engine,
    ingested: &Ingested,
    query: &Query,
    block: &ContextBlock,
) -> crate::Result<bool> {
    let rows = engine.store().rows(Scope::All, &block.shown).await?;
    Ok(rows.iter().any(|row| ingested.is_gold(query, row.uid)))
}
