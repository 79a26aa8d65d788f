//! What the viewer needs first, and the settings that matter to a person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::day::Day;
use crate::time::Time;

/// The answer of `GET /api/viewer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Boot {
    /// Release of the server.
    pub version: String,
    /// Its protocol version.
    pub protocol: u32,
    /// Its time.
    pub now: Time,
    /// The pages it has.
    pub pages: Vec<String>,
    /// Every agent of which something is stored.
    pub agents: Vec<String>,
    /// The newest live event: a page that follows from it on misses nothing of what happens after
    /// this answer, whenever its stream begins.
    pub last_event_id: i64,
}

/// The settings as the viewer shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViewerSettings {
    /// What may be looked at, in groups.
    pub settings: Vec<Setting>,
    /// Whether prompts are answered with memories now.
    pub prompt_recall: bool,
    /// Whether everything is paused.
    pub paused: bool,
    /// Projects with whether each is paused.
    pub projects: Vec<ProjectPause>,
}

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// Its name in `config.toml`, with its section, such as `recall.prompt_recall`.
    pub name: String,
    /// Its value for a person; a key or a token is never shown.
    pub value: String,
    /// The variable that sets it, where one can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Whether the page can change it, and why not.
    pub changeable: Changeable,
}

/// Whether a page can change a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Changeable {
    /// It can.
    Here,
    /// It is set in `config.toml`, and counts from the daemon's next start.
    InFile,
    /// A variable sets it and goes before the file.
    InVariable,
}

/// Whether capture and context are paused for a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectPause {
    /// The project's key.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its folder when last seen.
    pub root: Option<String>,
    /// Whether it is paused by itself or with everything.
    pub paused: bool,
    /// Whether hooks can be told that it is meant: not where only its name is known.
    pub pausable: bool,
}

/// Body of `POST /api/viewer/pause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseState {
    /// A project's key; everything unless given.
    #[serde(default)]
    pub project_id: Option<i64>,
    /// Whether it is to be paused.
    pub paused: bool,
}

/// How many rows belong to each day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Growth {
    /// The first day.
    pub from: Day,
    /// The last day, which is today.
    pub to: Day,
    /// Every day from the first to the last.
    pub days: Vec<DayRows>,
    /// Rows before the first day, and after the last where a clock ran ahead.
    pub elsewhere: u64,
}

/// Rows of one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DayRows {
    /// The day, in UTC.
    pub day: Day,
    /// How many, by kind; kinds without any are left out.
    pub rows: BTreeMap<String, u64>,
}
