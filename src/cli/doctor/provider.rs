//! Whoever runs a language model.

use afterword_engine::provider::{Prices, Refusal};

use super::check::Check;
use crate::cli::Tools;
use crate::cli::provider::trial;
use crate::daemon;

/// Whether the settings can work and the prices can be read; with `ask`, whether the provider
/// answers, which costs a few tokens.
pub(super) fn provider(tools: &Tools, ask: bool) -> Vec<Check> {
    let mut checks = Vec::new();
    let (_, problem) = Prices::with_file(&tools.config.home.prices_file());
    if let Some(problem) = problem {
        let first = problem.lines().next().unwrap_or_default().to_owned();
        checks.push(Check::bad("prices", first, "correct the file, or delete it"));
    }
    checks.push(match daemon::open_provider(&tools.config) {
        Ok(None) => Check::good("provider", "none: everything is done by rules"),
        Err(refusal) => bad(&refusal),
        Ok(Some(provider)) => {
            let who = format!("{}, model {}", provider.name(), provider.model());
            if ask {
                match trial(tools, &*provider) {
                    Ok(Ok(trial)) => {
                        let millis = trial.took.as_millis();
                        Check::good("provider", format!("{who}: answered in {millis} ms"))
                    }
                    Ok(Err(refusal)) => bad(&refusal),
                    Err(error) => Check::bad("provider", error.to_string(), "run it again"),
                }
            } else {
                Check::good("provider", format!("{who}; 'afterword provider test' asks it"))
            }
        }
    });
    checks
}

fn bad(refusal: &Refusal) -> Check {
    let remedy = match refusal.kind.remedy() {
        "" => "wait and run it again; memories are made by rules meanwhile",
        remedy => remedy,
    };
    Check::bad("provider", refusal.message.clone(), remedy)
}
