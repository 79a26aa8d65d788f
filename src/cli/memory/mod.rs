//! Commands on what is remembered.

mod context;
mod export;
mod forget;
mod import;
mod pause;
mod remember;
mod search;
mod show;
mod timeline;

pub(super) use context::{ContextArguments, context};
pub(super) use export::{ExportArguments, export};
pub(super) use forget::{ForgetArguments, forget};
pub(super) use import::{ImportArguments, import};
pub(super) use pause::{PauseArguments, pause, resume};
pub(super) use remember::{RememberArguments, remember};
pub(super) use search::{SearchArguments, search};
pub(super) use show::{ShowArguments, show};
pub(super) use timeline::{TimelineArguments, timeline};
