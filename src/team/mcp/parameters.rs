//! What the tools take. The comments are what the model reads.

use afterword_domain::filter::Filter;
use afterword_domain::owner::{Owner, OwnerKind};
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The names that memories belong to.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "models know them by these names")]
pub(super) struct Names {
    /// Whose: a person's name.
    pub(super) user_id: Option<String>,
    /// Whose: an agent's name.
    pub(super) agent_id: Option<String>,
    /// Whose: an application's or a project's name.
    pub(super) app_id: Option<String>,
    /// Whose: a session's name.
    pub(super) run_id: Option<String>,
}

impl Names {
    /// Each name that is given, with its kind.
    fn given(&self) -> impl Iterator<Item = (OwnerKind, &str)> {
        let all = [&self.user_id, &self.agent_id, &self.app_id, &self.run_id];
        let named = OwnerKind::ALL.into_iter().zip(all);
        named.filter_map(|(kind, name)| {
            Some((kind, name.as_deref()?)).filter(|(_, name)| !name.trim().is_empty())
        })
    }

    /// The owner of what is added; `member` where nobody is named.
    pub(super) fn owner(&self, member: &str) -> Result<Owner, String> {
        let mut owner = Owner::default();
        for (kind, name) in self.given() {
            owner.set(kind, name)?;
        }
        if owner.is_nobody() {
            owner.set(OwnerKind::User, &member.replace(char::is_whitespace, "-"))?;
        }
        Ok(owner)
    }

    /// Those that have all these names; every memory where none is given.
    pub(super) fn filter(&self) -> Result<Filter, String> {
        let each = self
            .given()
            .map(|(kind, name)| Owner::name(name).map(|name| Filter::owned(kind, &name)));
        Ok(Filter::All(each.collect::<Result<_, _>>()?))
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Add {
    /// What is to be remembered, in words that stand alone.
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) names: Names,
    /// Fields of your own, such as {"project": "shop", "type": "decision"}; `project` says where it belongs.
    pub(super) metadata: Option<Map<String, Value>>,
    /// Draw facts from the text instead of keeping it as it is.
    pub(super) infer: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Search {
    /// Words of what you look for, in any language.
    pub(super) query: String,
    #[serde(flatten)]
    pub(super) names: Names,
    /// Most results, 1 to 100; 10 unless given.
    pub(super) limit: Option<usize>,
    /// Least score, 0 to 1; 0.5 and more answers the question. 0 unless given.
    pub(super) threshold: Option<f64>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct List {
    #[serde(flatten)]
    pub(super) names: Names,
    /// Which page, from 1.
    pub(super) page: Option<usize>,
    /// Memories of a page, 1 to 100; 50 unless given.
    pub(super) page_size: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Update {
    /// The memory's id, as a search or a list gives it.
    pub(super) memory_id: String,
    /// What it is to say.
    pub(super) text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Delete {
    /// The memory's id, as a search or a list gives it.
    pub(super) memory_id: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct DeleteAll {
    #[serde(flatten)]
    pub(super) names: Names,
    /// Must be true: what is deleted is gone for good.
    pub(super) confirm: bool,
}
