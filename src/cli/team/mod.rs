//! The team server and its tokens.

mod serve;
mod token;

use super::Tools;
use super::output::Failure;

pub(super) use serve::{ServeArguments, serve};
pub(super) use token::{TokenArguments, token};

/// The address of the database: as it was typed, else as the environment says.
fn database_url(tools: &Tools, told: Option<&str>) -> anyhow::Result<String> {
    let set = told.or_else(|| tools.config.env.get("AFTERWORD_DATABASE_URL"));
    set.map(str::to_owned).ok_or_else(|| {
        let how = "which database? Give --database-url URL, or set AFTERWORD_DATABASE_URL";
        Failure::User(how.to_owned()).into()
    })
}
